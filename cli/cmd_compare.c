/* decant compare: how far two clusterings agree, and which of their clusters correspond. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "confusion.h"
#include "id_labels.h"
#include "json_lines.h"
#include "print_scores.h"

typedef struct comparison {
    const cli_arguments *given;
    id_join join;
    confusion table;
    decant_scores scores;
    size_t agreeing; /* rows in clusters that correspond */
} comparison;

static size_t rows_of(const confusion *table, size_t row) {
    size_t sum = 0;
    for (size_t j = 0; j < table->columns; j++) sum += confusion_count(table, row, j);
    return sum;
}

static size_t rows_of_column(const confusion *table, size_t column) {
    size_t sum = 0;
    for (size_t i = 0; i < table->rows; i++) sum += confusion_count(table, i, column);
    return sum;
}

static const char *name_of(const decant_dataset *data, size_t c) {
    const char *name = decant_dataset_class_name(data, c);
    return name != NULL ? name : "";
}

/* Pairs that correspond, with the rows they share; then clusters without a counterpart. */
static void print_pairs(const comparison *work) {
    const confusion *table = &work->table;
    printf("\n%-10s  %-10s  %9s  %9s  %9s  %8s\n", "first", "second", "in first", "in second",
           "in both", "Jaccard");
    for (size_t i = 0; i < table->rows; i++) {
        size_t here = rows_of(table, i);
        if (table->match[i] < 0) {
            printf("%-10s  %-10s  %9zu\n", name_of(table->clusters, i), "-", here);
            continue;
        }
        size_t j = (size_t)table->match[i], there = rows_of_column(table, j);
        size_t both = confusion_count(table, i, j);
        printf("%-10s  %-10s  %9zu  %9zu  %9zu  %8.3f\n", name_of(table->clusters, i),
               name_of(table->classes, j), here, there, both,
               (double)both / (double)(here + there - both));
    }
    for (size_t j = 0; j < table->columns; j++) {
        size_t i = 0;
        while (i < table->rows && table->match[i] != (int32_t)j) i++;
        if (i == table->rows)
            printf("%-10s  %-10s  %9s  %9zu\n", "-", name_of(table->classes, j), "",
                   rows_of_column(table, j));
    }
}

static int print_json(const comparison *work) {
    const confusion *table = &work->table;
    json_t *document = json_object(), *pairs = json_array();
    int failed = json_object_set_new(document, "n", json_integer((json_int_t)work->join.count));
    failed |= json_object_set_new(document, "only_first",
                                  json_integer((json_int_t)work->join.only_first));
    failed |= json_object_set_new(document, "only_second",
                                  json_integer((json_int_t)work->join.only_second));
    failed |= json_object_set_new(document, "agreeing", json_integer((json_int_t)work->agreeing));
    failed |= json_put_scores(document, &work->scores);
    for (size_t i = 0; i < table->rows; i++) {
        json_t *pair = json_object();
        int32_t j = table->match[i];
        failed |= json_object_set_new(pair, "first", json_name(name_of(table->clusters, i)));
        failed |= json_object_set_new(
            pair, "second", j >= 0 ? json_name(name_of(table->classes, (size_t)j)) : json_null());
        failed |= json_object_set_new(
            pair, "shared",
            json_integer(j >= 0 ? (json_int_t)confusion_count(table, i, (size_t)j) : 0));
        failed |= json_array_append_new(pairs, pair);
    }
    failed |= json_object_set_new(document, "pairs", pairs);
    if (!failed) return json_write(NULL, document);
    json_decref(document);
    return complain_memory();
}

static int print_comparison(comparison *work) {
    size_t n = work->join.count;
    decant_status status = decant_score(decant_dataset_labels(work->join.first),
                                        decant_dataset_labels(work->join.second), n, &work->scores);
    if (status != DECANT_OK) return complain_status(status);
    for (size_t i = 0; i < work->table.rows; i++)
        if (work->table.match[i] >= 0)
            work->agreeing += confusion_count(&work->table, i, (size_t)work->table.match[i]);
    if (work->given->json) return print_json(work);
    printf("%zu rows in both, %zu only in %s, %zu only in %s\n", n, work->join.only_first,
           work->given->inputs[0], work->join.only_second, work->given->inputs[1]);
    printf("%zu of them (%.1f %%) are in clusters that correspond; ARI %.4f, NMI %.4f\n",
           work->agreeing, 100 * (double)work->agreeing / (double)n, work->scores.ari,
           work->scores.nmi);
    print_pairs(work);
    return EXIT_DONE;
}

int cmd_compare(const cli_arguments *given) {
    comparison work = {.given = given};
    id_labels first = {0}, second = {0};
    int code = id_labels_read(given->inputs[0], NULL, NULL, &first);
    if (code == 0) code = id_labels_read(given->inputs[1], NULL, NULL, &second);
    if (code == 0) code = id_labels_join(&first, &second, &work.join);
    if (code == 0) code = confusion_make(&work.table, work.join.first, work.join.second);
    if (code == 0) code = print_comparison(&work);
    confusion_free(&work.table);
    id_join_free(&work.join);
    id_labels_free(&first);
    id_labels_free(&second);
    return code;
}
