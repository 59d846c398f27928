/* Eigenvalues and eigenvectors of a symmetric matrix, by LAPACK. */
#ifndef DECANT_LINALG_SYMMETRIC_H
#define DECANT_LINALG_SYMMETRIC_H

#include "base/status.h"

/* a (n x n, row-major) becomes its eigenvectors, one a row, in the order of the ascending
 * eigenvalues in `values` (n). */
decant_status decant__symmetric_eigen(double *a, size_t n, double *values);

#endif
