/* Small matrices in double, row-major, without BLAS: each sum in one order, so that its bits are
 * the same on every machine. Up to DECANT__SMALL_COLUMNS columns that is as fast. */
#ifndef DECANT_LINALG_SMALL_MATRIX_H
#define DECANT_LINALG_SMALL_MATRIX_H

#include "base/status.h"

enum { DECANT__SMALL_COLUMNS = 64 };

/* As the functions of dense_matrix.h with these names; gram adds to c. */
decant_status decant__small_cholesky(double *a, size_t n);
void decant__small_invert_lower(double *a, size_t n);
void decant__small_gram(const double *a, size_t m, size_t n, double *c);
void decant__small_times_lower_transposed(double *y, size_t m, const double *l, size_t n);

#endif
