/* The clusters of a few hundred rows: a mixture, or k-means (docs/method.md, section 3). */
#ifndef DECANT_DEC_FEW_ROWS_H
#define DECANT_DEC_FEW_ROWS_H

#include "base/watch.h"
#include "features/table.h"

typedef struct decant__few_rows {
    const float *row; /* n x d, columns of variance 1 */
    const float *x;   /* n x width: where k-means is run */
    size_t n, d, width;
    const decant_table *table; /* says which columns are one category; NULL: none are */
    const decant_options *options;
    int threads;
    const decant__watch *watch;
} decant__few_rows;

/* The best mixture from `count` starts of k clusters. *lead: by how much better the mixtures of two
 * halves of the rows agree than k-means of the halves does; -INFINITY if there is no mixture, or if
 * they agree clearly worse. */
decant_status decant__few_rows_mixture(const decant__few_rows *few, const int32_t *const *start,
                                       size_t count, int32_t *labels, double *lead);

#endif
