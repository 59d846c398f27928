/* The heart of DEC (Xie, Girshick and Farhadi 2016), on embedded points z (n x l) and centroids mu
 * (k x l):
 *
 *   eq. 1   q_ij = (1 + ||z_i - mu_j||^2 / a)^-((a+1)/2), rows scaled to sum 1
 *   eq. 2   L = KL(P || Q) = sum_ij p_ij log(p_ij / q_ij)
 *   eq. 3   p_ij = (q_ij^2 / f_j), rows scaled to sum 1, with f_j = sum_i q_ij
 *   eq. 4   dL/dz_i  =  (a+1)/a sum_j (1 + ||z_i - mu_j||^2 / a)^-1 (p_ij - q_ij) (z_i - mu_j)
 *   eq. 5   dL/dmu_j = -(a+1)/a sum_i (1 + ||z_i - mu_j||^2 / a)^-1 (p_ij - q_ij) (z_i - mu_j)
 *
 * All functions are for a whole team. */
#ifndef DECANT_DEC_ASSIGN_H
#define DECANT_DEC_ASSIGN_H

#include "base/status.h"
#include "linalg/shards.h"

/* eq. 1: q (n x k). */
void decant__soft_assign(const float *z, size_t n, size_t l, const float *mu, size_t k,
                         double alpha, float *q);

/* The most likely cluster of each row of q, ties to the lower number, and its q. Either may be
 * NULL. */
void decant__hard_assign(const float *q, size_t n, size_t k, int32_t *labels, float *confidence);

/* f_j, summed over fixed chunks of rows. partial: decant__frequency_partials(n, k) doubles. */
size_t decant__frequency_partials(size_t n, size_t k);
void decant__frequencies(const float *q, size_t n, size_t k, double *partial, double *f);

/* eq. 3, in place: q becomes p. A cluster with f_j = 0 gets p_ij = 0. */
void decant__target(float *q, size_t n, size_t k, const double *f);

/* Gradients of eq. 2 for a batch, times weight (the authors divide by the batch size). q is eq. 1
 * of the batch; tree is that of sums over its rows; kernel is scratch, n x k. row_loss[i] = sum_j
 * p_ij log(p_ij / q_ij), without weight. */
void decant__kl_gradients(const float *z, size_t n, size_t l, const float *mu, size_t k,
                          double alpha, const float *p, const float *q, float weight,
                          const decant__sum_tree *tree, float *kernel, float *dz, float *dmu,
                          double *row_loss);

#endif
