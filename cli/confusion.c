#include "confusion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

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

int confusion_make(confusion *table, const decant_dataset *clusters,
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

void confusion_free(confusion *table) {
    free(table->counts);
    free(table->match);
    free(table->order);
}

size_t confusion_count(const confusion *table, size_t row, size_t column) {
    return table->counts[row * table->columns + column];
}

static int larger(int a, int b) { return a > b ? a : b; }

static int column_width(const confusion *table, size_t column) {
    int width = name_width(decant_dataset_class_name(table->classes, column));
    for (size_t i = 0; i < table->rows; i++)
        width = larger(width, snprintf(NULL, 0, "%zu", confusion_count(table, i, column)));
    return larger(width, 3);
}

void confusion_print(const confusion *table) {
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
                   confusion_count(table, i, table->order[j]));
        putchar('\n');
    }
}
