/* decant eval: scores of clusters beside known classes, and the confusion matrix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json_lines.h"
#include "signals.h"
#include "print_scores.h"

/* The table of clusters (rows) and classes (columns), with the matching on the diagonal. */
typedef struct confusion {
    const decant_dataset *clusters, *classes;
    size_t rows, columns;
    size_t *counts;
    int32_t *match;
    size_t
        *order; /* of the columns: matched classes in the order of their clusters, then the rest */
} confusion;

static void order_columns(confusion *table) {
    size_t placed = 0;
    for (size_t i = 0; i < table->rows; i++)
        if (table->match[i] >= 0) table->order[placed++] = (size_t)table->match[i];
    for (size_t j = 0; j < table->columns; j++) {
        size_t i = 0;
        while (i < table->rows && table->match[i] != (int32_t)j) i++;
        if (i == table->rows) table->order[placed++] = j;
    }
}

static int confusion_make(confusion *table, const decant_dataset *clusters,
                          const decant_dataset *classes) {
    *table = (confusion){.clusters = clusters,
                         .classes = classes,
                         .rows = decant_dataset_class_count(clusters),
                         .columns = decant_dataset_class_count(classes)};
    table->counts = calloc(table->rows * table->columns + 1, sizeof *table->counts);
    table->match = calloc(table->rows + 1, sizeof *table->match);
    table->order = calloc(table->columns + 1, sizeof *table->order);
    if (table->counts == NULL || table->match == NULL || table->order == NULL)
        return complain_memory();
    decant_status status = decant_confusion(
        decant_dataset_labels(clusters), decant_dataset_labels(classes),
        decant_dataset_rows(clusters), table->rows, table->columns, table->counts, table->match);
    if (status != DECANT_OK) return complain_status(status);
    order_columns(table);
    return 0;
}

static void confusion_free(confusion *table) {
    free(table->counts);
    free(table->match);
    free(table->order);
}

static size_t count_at(const confusion *table, size_t row, size_t column) {
    return table->counts[row * table->columns + column];
}

static int larger(int a, int b) { return a > b ? a : b; }

static int column_width(const confusion *table, size_t column) {
    int width = name_width(decant_dataset_class_name(table->classes, column));
    for (size_t i = 0; i < table->rows; i++)
        width = larger(width, snprintf(NULL, 0, "%zu", count_at(table, i, column)));
    return larger(width, 3);
}

static void print_confusion(const confusion *table) {
    int first = (int)strlen("cluster");
    for (size_t i = 0; i < table->rows; i++)
        first = larger(first, name_width(decant_dataset_class_name(table->clusters, i)));
    printf("\n%-*s", first, "cluster");
    for (size_t j = 0; j < table->columns; j++) {
        fputs("  ", stdout);
        print_name(stdout, decant_dataset_class_name(table->classes, table->order[j]),
                   column_width(table, table->order[j]));
    }
    putchar('\n');
    for (size_t i = 0; i < table->rows; i++) {
        print_name(stdout, decant_dataset_class_name(table->clusters, i), -first);
        for (size_t j = 0; j < table->columns; j++)
            printf("  %*zu", column_width(table, table->order[j]),
                   count_at(table, i, table->order[j]));
        putchar('\n');
    }
}

/* ---- JSON ---- */

static json_t *json_names(const decant_dataset *data) {
    json_t *list = json_array();
    int failed = 0;
    for (size_t c = 0; c < decant_dataset_class_count(data); c++)
        failed |= json_array_append_new(list, json_name(decant_dataset_class_name(data, c)));
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *json_matches(const confusion *table) {
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < table->rows; i++)
        failed |= json_array_append_new(
            list, table->match[i] < 0 ? json_null() : json_integer(table->match[i]));
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *json_counts(const confusion *table) {
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < table->rows; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < table->columns; j++)
            failed |= json_array_append_new(row, json_integer((json_int_t)count_at(table, i, j)));
        failed |= json_array_append_new(list, row);
    }
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static int print_eval_json(const confusion *table, const decant_scores *scores) {
    json_t *document = json_object();
    int failed = json_object_set_new(
        document, "n", json_integer((json_int_t)decant_dataset_rows(table->clusters)));
    failed |= json_put_scores(document, scores);
    failed |= json_object_set_new(document, "clusters", json_names(table->clusters));
    failed |= json_object_set_new(document, "classes", json_names(table->classes));
    failed |= json_object_set_new(document, "match", json_matches(table));
    failed |= json_object_set_new(document, "confusion", json_counts(table));
    if (!failed) return json_write(NULL, document);
    json_decref(document);
    return complain_memory();
}

static int compare_labels(const cli_arguments *given, const decant_dataset *clusters,
                          const decant_dataset *classes) {
    size_t n = decant_dataset_rows(clusters);
    decant_scores scores;
    confusion table;
    if (n != decant_dataset_rows(classes)) {
        complain("%s has %zu labels but %s has %zu", given->inputs[0], n, given->inputs[1],
                 decant_dataset_rows(classes));
        return EXIT_FAILED;
    }
    decant_status status =
        decant_score(decant_dataset_labels(clusters), decant_dataset_labels(classes), n, &scores);
    if (status != DECANT_OK) return complain_status(status);
    int code = confusion_make(&table, clusters, classes);
    if (code == 0 && given->json) {
        code = print_eval_json(&table, &scores);
    } else if (code == 0) {
        printf("%zu rows, %zu clusters, %zu classes\n", n, table.rows, table.columns);
        print_scores(stdout, &scores);
        print_confusion(&table);
    }
    confusion_free(&table);
    return code;
}

int cmd_eval(const cli_arguments *given) {
    decant_dataset *clusters = NULL, *classes = NULL;
    decant_monitor monitor = signals_monitor();
    decant_status status = decant_labels_read(given->inputs[0], NULL, &monitor, &clusters);
    if (status == DECANT_OK)
        status = decant_labels_read(given->inputs[1], given->label_column, &monitor, &classes);
    int code =
        status == DECANT_OK ? compare_labels(given, clusters, classes) : complain_status(status);
    decant_dataset_free(clusters);
    decant_dataset_free(classes);
    return code;
}
