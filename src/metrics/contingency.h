/* How often each cluster meets each class. */
#ifndef DECANT_METRICS_CONTINGENCY_H
#define DECANT_METRICS_CONTINGENCY_H

#include "base/status.h"

/* Clusters and classes that really occur, renumbered 0, 1, ... in ascending order of their labels.
 */
typedef struct decant__contingency {
    size_t n;             /* pairs counted */
    size_t rows, columns; /* clusters, classes */
    size_t *count;        /* rows x columns */
    size_t *row_total;    /* rows */
    size_t *column_total; /* columns */
} decant__contingency;

/* Counts n pairs of non-negative labels; EINVAL if n is 0 or a label is negative. */
decant_status decant__contingency_new(decant__contingency *table, const int32_t *clusters,
                                      const int32_t *classes, size_t n);
void decant__contingency_free(decant__contingency *table);

#endif
