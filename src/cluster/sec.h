/* The problem of SEC, for its two solvers (sec.c, sec_reduced.c). */
#ifndef DECANT_CLUSTER_SEC_H
#define DECANT_CLUSTER_SEC_H

#include "cluster/method.h"
#include "linalg/csr.h"
#include "linalg/tall.h"

/* How many columns the products of tall take at once. */
enum { DECANT__SEC_BLOCK = 64 };

typedef struct decant__sec {
    const decant__task *task;
    size_t n, d, k;
    decant__csr matrix;
    double shift, sign, bound; /* L is shift I + sign matrix, |L| at most bound */
    double typical;            /* mean eigenvalue of L */
    decant__tall tall;
    decant__cancel cancel;
    double *mean;    /* d */
    double *gram;    /* d x d: of the centred rows */
    double *factor;  /* d x d: Cholesky of gram + gamma I */
    double *u;       /* d */
    double *t;       /* n */
    double *centred; /* n; NULL unless F^T 1 = 0 is asked for */
} decant__sec;

/* The k smallest eigenvalues and their vectors (k x n), if mu is large compared to |L|; k <= d < n.
 */
decant_status decant__sec_solve_reduced(decant__sec *s, double *values, double *vectors);

#endif
