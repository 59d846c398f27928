/* k-means (Lloyd 1982) with k-means++ starts (Arthur and Vassilvitskii 2007), restarts, of which
 * some begin with a change of the best result so far, and exact acceleration by bounds. */
#ifndef DECANT_CLUSTER_KMEANS_H
#define DECANT_CLUSTER_KMEANS_H

#include "base/comm.h"
#include "base/watch.h"
#include "linalg/source.h"

typedef struct decant__kmeans_options {
    size_t k;
    decant_seeding seeding;
    size_t restarts;   /* number of starts; the one with the lowest inertia is taken */
    size_t iterations; /* max iterations of one start */
    double tol;        /* a start ends when the centroids moved (sum of squares) less than tol times
                          the mean variance of a column; the paper's 1e-4 */
    uint64_t seed;
    int threads;
    const decant__comm *comm; /* ranks that share the starts, if the rows are dense and narrow: all
                                 have the same rows, and get the same result. NULL: none */
} decant__kmeans_options;

typedef struct decant__kmeans_info {
    double inertia;    /* sum of squared distances to the nearest centroid */
    size_t iterations; /* of the best start */
    int converged;
} decant__kmeans_info;

/* centroids: k x d; labels: n. A cluster that becomes empty gets the point farthest from its
 * centroid (one cluster an iteration). labels and inertia are those of decant__kmeans_assign.
 * EINVAL when there are fewer distinct rows than k. The same bytes for any number of threads. */
decant_status decant__kmeans_fit(const decant__source *x, const decant__kmeans_options *options,
                                 const decant__watch *watch, float *centroids, int32_t *labels,
                                 decant__kmeans_info *info);

/* Nearest centroid of each row, ties to the lower number; watch and inertia may be NULL. */
decant_status decant__kmeans_assign(const decant__source *x, const float *centroids, size_t k,
                                    int threads, const decant__watch *watch, int32_t *labels,
                                    double *inertia);

#endif
