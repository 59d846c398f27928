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

/* The best mixture from `count` starts of k clusters. *found: 0 if there is none, or if k-means on
 * one half of the rows agrees clearly better with k-means on the other half than the mixture does.
 */
decant_status decant__few_rows_mixture(const decant__few_rows *few, const int32_t *const *start,
                                       size_t count, int32_t *labels, int *found);

#endif
