/* Matrices of a neighbour graph whose eigenvectors give clusters. The graph has squared distances
 * instead of weights. */
#ifndef DECANT_CLUSTER_LAPLACIAN_H
#define DECANT_CLUSTER_LAPLACIAN_H

#include "cluster/method.h"
#include "linalg/csr.h"

/* S = D^-1/2 A D^-1/2 with a_ij = exp(-d_ij^2 / (s_i s_j)) where one of i and j is among the
 * other's nearest, s_i the distance to i's last neighbour (Zelnik-Manor and Perona 2004), D =
 * diag(A 1). I - S is the Laplacian of normalised cuts. root (n): sqrt of the degrees, the vector
 * that S maps to itself. */
decant_status decant__laplacian_gaussian(const decant__graph *graph, decant__csr *s, double *root);

/* (1 + lambda) L of LDMGI (Yang, Xu, Nie, Yan and Zhuang 2010). The clique of i is i and its
 * nearest, `size` rows in all, X_i their centred columns:
 *
 *   L = sum_i S_i L_i S_i^T,   L_i = H (X_i^T X_i + lambda I)^-1 H,   H = I - 1 1^T / size
 *
 * where S_i puts a clique's numbers in their places. L 1 = 0. */
decant_status decant__laplacian_local(const decant__task *task, size_t size, double lambda,
                                      decant__csr *l);

#endif
