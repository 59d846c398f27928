/* The leading principal components of rows, dense or CSR, without their covariance matrix.
 *
 * Subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4) on C = (X - m)^T (X - m):
 *
 *   V <- orthonormal basis of C V, a few times, from a random V of a few more columns than wanted;
 *   then the eigenvectors of V^T C V turn V into the components.
 *
 * From 20 480 rows on, V is found by a part of them.
 * The mean is never subtracted from the rows, so sparse ones stay sparse. */
#ifndef DECANT_LINALG_PRINCIPAL_H
#define DECANT_LINALG_PRINCIPAL_H

#include "base/comm.h"
#include "base/watch.h"
#include "linalg/source.h"

/* scores (n x count): each row's coordinates along the components, the largest variance first.
 * Components beyond the rank of the data are 0. watch may be NULL. The same bytes for any number of
 * threads. */
decant_status decant__principal_scores(const decant__source *x, size_t count, uint64_t seed,
                                       int threads, const decant__watch *watch, float *scores);

/* The same for rows of which other processes have the rest. First the mean of all rows: `sum` (d)
 * gets these rows added, in order. Then the rows that the components are found by: of n rows, those
 * among first .. first+count-1, numbered from `first`, into row (NULL: only counted). At last the
 * scores, from the mean and all sample rows: the bytes of decant__principal_scores. */
void decant__principal_add(const decant__source *x, decant__rows_buffer *buffer, size_t first,
                           size_t count, double *sum);
size_t decant__principal_sample(size_t n, size_t first, size_t count, uint32_t *row);

typedef struct decant__principal {
    const decant__source *x, *sample; /* sample NULL: taken from x */
    const double *mean;               /* d; NULL: that of x */
    const uint32_t *row;              /* of x, whose scores are wanted; NULL: all */
    size_t rows;
    size_t count;
    uint64_t seed;
    int threads;
    const decant__comm *comm; /* ranks with the same sample, which share the components; or NULL */
    const decant__watch *watch;
} decant__principal;
decant_status decant__principal_project(const decant__principal *wanted, float *scores);

#endif
