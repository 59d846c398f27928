#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "scores.h"

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
    if (table->counts == NULL || table->match == NULL || table->order == NULL) {
        complain("memory ran out");
        return EXIT_FAILED;
    }
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
    int width = (int)strlen(decant_dataset_class_name(table->classes, column));
    for (size_t i = 0; i < table->rows; i++)
        width = larger(width, snprintf(NULL, 0, "%zu", count_at(table, i, column)));
    return larger(width, 3);
}

static void print_confusion(const confusion *table) {
    int first = (int)strlen("cluster");
    for (size_t i = 0; i < table->rows; i++)
        first = larger(first, (int)strlen(decant_dataset_class_name(table->clusters, i)));
    printf("\n%-*s", first, "cluster");
    for (size_t j = 0; j < table->columns; j++)
        printf("  %*s", column_width(table, table->order[j]),
               decant_dataset_class_name(table->classes, table->order[j]));
    putchar('\n');
    for (size_t i = 0; i < table->rows; i++) {
        printf("%-*s", first, decant_dataset_class_name(table->clusters, i));
        for (size_t j = 0; j < table->columns; j++)
            printf("  %*zu", column_width(table, table->order[j]),
                   count_at(table, i, table->order[j]));
        putchar('\n');
    }
}

static void print_names(const char *key, const decant_dataset *data) {
    printf("  \"%s\": [", key);
    for (size_t c = 0; c < decant_dataset_class_count(data); c++) {
        fputs(c ? ", " : "", stdout);
        print_json_text(stdout, decant_dataset_class_name(data, c));
    }
    puts("],");
}

static void print_json(const confusion *table, const decant_scores *scores) {
    printf("{\n  \"n\": %zu,\n", decant_dataset_rows(table->clusters));
    print_scores_json(stdout, scores);
    puts(",");
    print_names("clusters", table->clusters);
    print_names("classes", table->classes);
    printf("  \"match\": [");
    for (size_t i = 0; i < table->rows; i++)
        if (table->match[i] < 0)
            printf("%snull", i ? ", " : "");
        else
            printf("%s%d", i ? ", " : "", (int)table->match[i]);
    printf("],\n  \"confusion\": [");
    for (size_t i = 0; i < table->rows; i++) {
        printf("%s\n    [", i ? "," : "");
        for (size_t j = 0; j < table->columns; j++)
            printf("%s%zu", j ? ", " : "", count_at(table, i, j));
        putchar(']');
    }
    puts("\n  ]\n}");
}

static int compare(const cli_arguments *given, const decant_dataset *clusters,
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
    if (code == 0 && given->json) print_json(&table, &scores);
    if (code == 0 && !given->json) {
        printf("%zu rows, %zu clusters, %zu classes\n", n, table.rows, table.columns);
        print_scores(stdout, &scores);
        print_confusion(&table);
    }
    confusion_free(&table);
    return code;
}

int cmd_eval(const cli_arguments *given) {
    decant_dataset *clusters = NULL, *classes = NULL;
    decant_status status = decant_labels_read(given->inputs[0], NULL, &clusters);
    if (status == DECANT_OK)
        status = decant_labels_read(given->inputs[1], given->label_column, &classes);
    int code = status == DECANT_OK ? compare(given, clusters, classes) : complain_status(status);
    decant_dataset_free(clusters);
    decant_dataset_free(classes);
    return code;
}
