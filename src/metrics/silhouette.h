/* How much nearer points are to their own cluster than to the next one (Rousseeuw 1987). */
#ifndef DECANT_METRICS_SILHOUETTE_H
#define DECANT_METRICS_SILHOUETTE_H

#include "base/status.h"

/* The mean silhouette of the labels (0 .. k-1) of z (n x l), -1 to 1, over at most 2000 rows that
 * lie evenly in it: the time is 2000^2 l at most. NaN if these are of fewer than two clusters. */
decant_status decant__silhouette(const float *z, size_t n, size_t l, const int32_t *labels,
                                 size_t k, int threads, double *out);

#endif
