/* decant eval: scores of clusters beside known classes, and the confusion matrix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "confusion.h"
#include "id_labels.h"
#include "json_lines.h"
#include "signals.h"
#include "print_scores.h"

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
            failed |=
                json_array_append_new(row, json_integer((json_int_t)confusion_count(table, i, j)));
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
        complain("%s has %zu labels but %s has %zu; --id-column NAME joins rows by their ids",
                 given->inputs[0], n, given->inputs[1], decant_dataset_rows(classes));
        return EXIT_FAILED;
    }
    decant_status status =
        decant_score(decant_dataset_labels(clusters), decant_dataset_labels(classes), n, &scores);
    if (status != DECANT_OK) return complain_status(status);
    int code = confusion_make(&table, clusters, classes);
    if (code == 0 && given->json) {
        code = print_eval_json(&table, &scores);
    } else if (code == 0) {
        printf("%zu row%s, %zu cluster%s, %zu class%s\n", n, plural(n), table.rows,
               plural(table.rows), table.columns, table.columns == 1 ? "" : "es");
        print_scores(stdout, &scores);
        confusion_print(&table);
    }
    confusion_free(&table);
    return code;
}

/* Both by their ids. */
static int eval_by_id(const cli_arguments *given) {
    id_labels clusters = {0}, classes = {0};
    id_join join = {0};
    int code = id_labels_read(given->inputs[0], NULL, NULL, &clusters);
    if (code == 0)
        code = id_labels_read(given->inputs[1], given->id_column, given->label_column, &classes);
    if (code == 0) code = id_labels_join(&clusters, &classes, &join);
    if (code == 0 && join.unlabelled > 0)
        inform("note: left out, because they have no class: %zu row%s", join.unlabelled,
               plural(join.unlabelled));
    if (code == 0 && (join.only_first > 0 || join.only_second > 0))
        inform("note: %zu rows are only in %s, %zu only in %s", join.only_first, given->inputs[0],
               join.only_second, given->inputs[1]);
    if (code == 0) code = compare_labels(given, join.first, join.second);
    id_join_free(&join);
    id_labels_free(&clusters);
    id_labels_free(&classes);
    return code;
}

static int is_csv(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

/* Do both have a column "id" with the same ids? Then rows in another order are no other rows. */
static int same_ids(const char *labels, const char *truth, const char *label_column) {
    id_labels first = {.quiet = 1}, second = {.quiet = 1};
    int same = is_csv(labels) && is_csv(truth) && access(labels, R_OK) == 0 &&
               access(truth, R_OK) == 0 && id_labels_read(labels, NULL, NULL, &first) == 0 &&
               id_labels_read(truth, NULL, label_column, &second) == 0 &&
               first.count == second.count && first.count > 0;
    for (size_t i = 0; same && i < first.count; i++)
        same = strcmp(first.row[i].id, second.row[i].id) == 0;
    id_labels_free(&first);
    id_labels_free(&second);
    return same;
}

/* By the places of the rows. */
static int eval_in_order(const cli_arguments *given, const char *labels, const char *truth) {
    decant_dataset *clusters = NULL, *classes = NULL;
    decant_monitor monitor = signals_monitor();
    decant_status status = decant_labels_read(labels, NULL, &monitor, &clusters);
    if (status == DECANT_OK)
        status = decant_labels_read(truth, given->label_column, &monitor, &classes);
    int code =
        status == DECANT_OK ? compare_labels(given, clusters, classes) : complain_status(status);
    decant_dataset_free(clusters);
    decant_dataset_free(classes);
    return code;
}

int cmd_eval(const cli_arguments *given) {
    char *inside[2] = {run_labels(given->inputs[0]), run_labels(given->inputs[1])};
    const char *labels = inside[0] != NULL ? inside[0] : given->inputs[0];
    const char *truth = inside[1] != NULL ? inside[1] : given->inputs[1];
    int by_id = given->id_column != NULL || same_ids(labels, truth, given->label_column);
    int code = by_id ? eval_by_id(given) : eval_in_order(given, labels, truth);
    free(inside[0]);
    free(inside[1]);
    return code;
}
