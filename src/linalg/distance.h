/* Squared Euclidean distances between rows and centers.
 *
 * Three kinds of rows, three kernels, chosen by decant__centers_new once:
 *   narrow dense (d <= DECANT__NARROW): differences, all centers of one row side by side
 *   wide dense: differences for one pair, or one product for many rows and many centers
 *   CSR: |x|^2 - 2 x.c + |c|^2 in double, in time proportional to the non-zeros */
#ifndef DECANT_LINALG_DISTANCE_H
#define DECANT_LINALG_DISTANCE_H

#include "linalg/source.h"

#define DECANT__NARROW 48

/* Below this share of |x|^2 + |c|^2 the double distance of sparse rows is rounding: they are the
 * same. Float inputs that differ in one of their larger entries are at least 2^-48 apart on this
 * scale. */
#define DECANT__SAME_ROW 1e-15

typedef struct decant__centers {
    size_t k, d;
    float *row;    /* k x d: what the owner writes; then decant__centers_ready */
    float *column; /* d x stride, the transpose for narrow and CSR rows; NULL: wide */
    size_t stride; /* k, rounded up to whole tiles */
    double *norm;  /* k: |c|^2 */
} decant__centers;

/* Room for k centers that will be compared with rows of this source. */
decant_status decant__centers_new(decant__centers *centers, const decant__source *source, size_t k);
void decant__centers_free(decant__centers *centers);

/* To be called when `row` has changed. */
void decant__centers_ready(decant__centers *centers);

/* Centers first .. first+count-1 of wide centers, as centers of their own; not to be freed. */
decant__centers decant__centers_part(const decant__centers *centers, size_t first, size_t count);

/* One pair, to the accuracy of a float. */
float decant__distance_pair(const decant__rows *rows, size_t i, const decant__centers *centers,
                            size_t c);

/* One pair in double, for sums of distances. */
double decant__distance_exact(const decant__rows *rows, size_t i, const decant__centers *centers,
                              size_t c);

/* One row and all centers, to the accuracy of a float. out: k. */
void decant__distance_row(const decant__rows *rows, size_t i, const decant__centers *centers,
                          float *out);

/* Narrow and CSR rows: the nearest center of each of rows[index[0..count)], ties to the lower
 * number, its squared distance and that of the second nearest (infinite if k is 1). */
void decant__distance_nearest(const decant__rows *rows, const uint32_t *index, size_t count,
                              const decant__centers *centers, uint32_t *best, float *min,
                              float *second);

/* Rows first .. first+count-1 and all centers. out: count x k. error: count; how far the distances
 * of a row may be off, 0 if no more than the rounding of a float. scratch: DECANT__PRODUCT_SCRATCH
 * floats. Returns whether all errors are 0. */
int decant__distance_block(const decant__rows *rows, size_t first, size_t count,
                           const decant__centers *centers, float *out, float *error,
                           float *scratch);

#endif
