/* Products of all rows of a source with a few vectors, in double: dense rows in time n d w, sparse
 * ones in time nnz w. Rows are cut into parts that depend on the shape alone; sums over rows are
 * taken part by part and added up in order. */
#ifndef DECANT_LINALG_TALL_H
#define DECANT_LINALG_TALL_H

#include "base/watch.h"
#include "linalg/source.h"

typedef struct decant__tall {
    const decant__source *x;
    int threads;
    size_t parts;
    double *row;     /* parts x d: a row in double */
    double *partial; /* parts x d x width */
    size_t width;    /* max columns of v in transposed_times */
    /* Asked between rows, unless it is NULL: then the caller looks at its status after a product.
     * NULL also where the products are not on the thread of the watcher, as those of ARPACK. */
    decant__cancel *cancel;
} decant__tall;

decant_status decant__tall_new(decant__tall *tall, const decant__source *x, size_t width,
                               int threads);
void decant__tall_free(decant__tall *tall);

/* out (n x w) = X u, u: d x w. */
void decant__tall_times(const decant__tall *tall, const double *u, size_t w, double *out);

/* out (d x w) = X^T v, v: n x w, w <= width. */
void decant__tall_transposed_times(const decant__tall *tall, const double *v, size_t w,
                                   double *out);

/* out (d x d) = X^T X, both triangles. */
decant_status decant__tall_gram(const decant__tall *tall, double *out);

#endif
