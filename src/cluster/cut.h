/* Clusters of a graph by the eigenvectors of its Laplacian: shared by spectral and ldmgi. */
#ifndef DECANT_CLUSTER_CUT_H
#define DECANT_CLUSTER_CUT_H

#include "cluster/method.h"
#include "linalg/csr.h"

typedef struct decant__cut_problem {
    const decant__csr *matrix;
    double shift, sign;   /* the Laplacian is shift I + sign matrix: I - S, or L itself */
    double bound;         /* no eigenvalue of the Laplacian is larger */
    const double *kernel; /* n: on each connected component the Laplacian maps this to 0 */
    size_t basis;         /* of the eigensolver */
    int unit;             /* k-means is on rows of unit length */
} decant__cut_problem;

/* Eigenvectors of the smallest eigenvalues, then clusters: labels, confidence, eigenvalues, parts,
 * objective. */
decant_status decant__cut_graph(const decant__task *task, const decant__cut_problem *problem,
                                decant__clustering *found);

#endif
