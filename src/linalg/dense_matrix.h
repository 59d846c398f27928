/* Small dense matrices in double, row-major, by BLAS and LAPACK. */
#ifndef DECANT_LINALG_DENSE_MATRIX_H
#define DECANT_LINALG_DENSE_MATRIX_H

#include "base/status.h"

/* a (n x n, symmetric positive definite; the lower triangle is read) becomes L, lower triangular,
 * a = L L^T, with zeros above. EDIVERGED if it is not positive definite. */
decant_status decant__dense_cholesky(double *a, size_t n);

/* b (n x m) becomes L^-1 b, or L^-T b. */
void decant__dense_solve_lower(const double *l, size_t n, double *b, size_t m, int transposed);

/* x (n) becomes (L L^T)^-1 x. */
void decant__dense_solve(const double *l, size_t n, double *x);

/* a (n x n, lower triangular) becomes its inverse. */
decant_status decant__dense_invert_lower(double *a, size_t n);

/* c (n x n, lower triangle) = beta c + a^T a, a: m x n. */
void decant__dense_gram(const double *a, size_t m, size_t n, double beta, double *c);

/* c (m x n) = beta c + alpha a b with a: m x l, b: l x n, rows of the given strides. */
typedef struct decant__dense_view {
    const double *data;
    size_t stride;
    int transposed;
} decant__dense_view;
void decant__dense_product(size_t m, size_t n, size_t l, double alpha, decant__dense_view a,
                           decant__dense_view b, double beta, double *c);

/* y (m x n) becomes y L^T with L (n x n) lower triangular. */
void decant__dense_times_lower_transposed(double *y, size_t m, const double *l, size_t n);

/* a (n x n) = U diag(w) V^T becomes V U^T, the rotation R that maximises tr(a R); *sum = sum w. */
decant_status decant__dense_rotation(double *a, size_t n, double *sum);

#endif
