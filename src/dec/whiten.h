/* Evens out the feature space (docs/method.md).
 *
 * The Student kernel of eq. 1 has a fixed length, and an autoencoder's features do not: k-means and
 * KL see little but the directions of largest variance. With the covariance C = U diag(v) U^T of
 * the features and their mean m, z becomes (z - m) A, where
 *
 *   A = s U diag(v^(-w/2)) U^T,   so that a variance v becomes s^2 v^(1-w),
 *
 * w from 0 (nothing) to 1 (all variances equal), and s makes their mean 1. The feature layer is
 * linear, so A goes into its weights; the decoder's first layer takes the inverse and reconstructs
 * as before. */
#ifndef DECANT_DEC_WHITEN_H
#define DECANT_DEC_WHITEN_H

#include "nn/autoencoder.h"

/* z (n x features) is what the parameters make of the data now. */
decant_status decant__whiten(const decant__autoencoder *plan, const float *z, size_t n,
                             double strength, float *params);

#endif
