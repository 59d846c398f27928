/* The table of two clusterings, or of clusters and classes, of the same rows. */
#ifndef DECANT_CLI_CONFUSION_H
#define DECANT_CLI_CONFUSION_H

#include "decant/decant.h"

/* The table of clusters (rows) and classes (columns), with the matching on the diagonal. */
typedef struct confusion {
    const decant_dataset *clusters, *classes;
    size_t rows, columns;
    size_t *counts;
    int32_t *match;
    size_t
        *order; /* of the columns: matched classes in the order of their clusters, then the rest */
} confusion;

/* 0, or an exit code after an error message; free it either way. */
int confusion_make(confusion *table, const decant_dataset *clusters, const decant_dataset *classes);
void confusion_free(confusion *table);
size_t confusion_count(const confusion *table, size_t row, size_t column);
void confusion_print(const confusion *table);

#endif
