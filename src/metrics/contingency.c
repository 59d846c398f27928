/* Labels may be any non-negative numbers, so the table is made for those that occur: memory grows
 * with the number of different labels and not with the largest one. */
#include "metrics/contingency.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_labels(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the labels and keeps one of each; returns how many there are. */
static size_t sort_distinct(int32_t *labels, size_t n) {
    qsort(labels, n, sizeof *labels, compare_labels);
    size_t count = 1;
    for (size_t i = 1; i < n; i++)
        if (labels[i] != labels[count - 1]) labels[count++] = labels[i];
    return count;
}

static size_t rank_of(int32_t label, const int32_t *distinct, size_t count) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (distinct[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static decant_status check_labels(const int32_t *labels, size_t n, const char *what) {
    for (size_t i = 0; i < n; i++)
        if (labels[i] < 0)
            return decant__fail(DECANT_EINVAL, "%s label of row %zu is negative: %ld", what, i + 1,
                                (long)labels[i]);
    return DECANT_OK;
}

static void count_pairs(decant__contingency *table, const int32_t *clusters, const int32_t *classes,
                        const int32_t *cluster_names, const int32_t *class_names) {
    for (size_t i = 0; i < table->n; i++) {
        size_t row = rank_of(clusters[i], cluster_names, table->rows);
        size_t column = rank_of(classes[i], class_names, table->columns);
        table->count[row * table->columns + column]++;
        table->row_total[row]++;
        table->column_total[column]++;
    }
}

decant_status decant__contingency_new(decant__contingency *table, const int32_t *clusters,
                                      const int32_t *classes, size_t n) {
    decant_status status = DECANT_OK;
    decant__contingency made = {.n = n};
    int32_t *cluster_names = NULL, *class_names = NULL;
    if (n == 0) return decant__fail(DECANT_EINVAL, "no rows to score");
    TRY(check_labels(clusters, n, "the cluster"));
    TRY(check_labels(classes, n, "the class"));
    NEW_ARRAY(cluster_names, n);
    NEW_ARRAY(class_names, n);
    memcpy(cluster_names, clusters, n * sizeof *clusters);
    memcpy(class_names, classes, n * sizeof *classes);
    made.rows = sort_distinct(cluster_names, n);
    made.columns = sort_distinct(class_names, n);
    NEW_ZEROED(made.row_total, made.rows);
    NEW_ZEROED(made.column_total, made.columns);
    NEW_ZEROED(made.count, made.rows * made.columns);
    count_pairs(&made, clusters, classes, cluster_names, class_names);
    *table = made;
done:
    decant__free(class_names);
    decant__free(cluster_names);
    if (status != DECANT_OK) decant__contingency_free(&made);
    return status;
}

void decant__contingency_free(decant__contingency *table) {
    decant__free(table->count);
    decant__free(table->column_total);
    decant__free(table->row_total);
    *table = (decant__contingency){0};
}
