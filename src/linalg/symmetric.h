/* Eigenvalues and eigenvectors of a symmetric matrix. */
#ifndef DECANT_LINALG_SYMMETRIC_H
#define DECANT_LINALG_SYMMETRIC_H

#include "base/status.h"

/* Up to this order the bits are the same on every machine; above it LAPACK does it. */
enum { DECANT__SYMMETRIC_OWN = 64 };

/* a (n x n, row-major; the lower triangle is read) becomes its eigenvectors, one a row, in the
 * order of the ascending eigenvalues in `values` (n). */
decant_status decant__symmetric_eigen(double *a, size_t n, double *values);

#endif
