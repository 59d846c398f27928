/* Whitens the feature space, in whole or in part (docs/method.md).
 *
 * The Student kernel of eq. 1 has a fixed scale, but the features of an autoencoder have not:
 * k-means and KL depend on almost nothing but the directions of largest variance. With the
 * covariance C = U diag(v) U^T of the features and their mean m, z becomes (z - m) A, where
 *
 *   A = s U diag(v^(-w/2)) U^T,   so that a variance v becomes s^2 v^(1-w),
 *
 * w from 0 (no change) to 1 (all variances equal), and s makes their mean 1. The feature layer is
 * linear, so A is multiplied into its weights, and the inverse into those of the decoder's first
 * layer: the reconstruction stays the same. */
#ifndef DECANT_DEC_WHITEN_H
#define DECANT_DEC_WHITEN_H

#include "nn/autoencoder.h"

/* z (n x features): the features of the data under params. */
decant_status decant__whiten(const decant__autoencoder *plan, const float *z, size_t n,
                             double strength, float *params);

#endif
