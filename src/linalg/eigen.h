/* A few eigenpairs at one end of the spectrum of a large symmetric matrix that is known only by its
 * products with vectors: the implicitly restarted Lanczos method of ARPACK-NG (Lehoucq, Sorensen
 * and Yang 1998), or LAPACK where the matrix is small or most of its eigenpairs are wanted. */
#ifndef DECANT_LINALG_EIGEN_H
#define DECANT_LINALG_EIGEN_H

#include "base/watch.h"

typedef enum decant__end { DECANT__END_LARGEST, DECANT__END_SMALLEST } decant__end;

typedef struct decant__eigen {
    size_t n, k; /* order of the matrix; pairs wanted */
    decant__end end;
    void (*apply)(void *matrix, const double *x, double *y); /* y = A x; outside any team */
    void *matrix;
    double tol;   /* residual |A v - l v|, times |l| */
    size_t basis; /* vectors kept; 0: 2k + 20 */
    double loose; /* the residual that is good enough after `patience` products; 0: tol */
    size_t patience;
    size_t max;    /* products before it gives up */
    uint64_t seed; /* of the first vector */
} decant__eigen;

typedef struct decant__eigen_info {
    size_t products; /* how many there were */
    double loose;    /* the residual they were taken at, where tol was not reached; else 0 */
} decant__eigen_info;

/* values (k): from the end inwards. vectors (k x n): one a row, of length 1. EDIVERGED, with a
 * sentence that says how many pairs converged, when not all did. watch may be NULL. */
decant_status decant__eigen_solve(const decant__eigen *problem, const decant__watch *watch,
                                  double *values, double *vectors, decant__eigen_info *info);

#endif
