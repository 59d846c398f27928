/* Clusters of a neighbour graph by modularity: Louvain's method (Blondel, Guillaume, Lambiotte and
 * Lefebvre 2008), then merged to the number asked for.
 *
 * With A the symmetrised weights, d its row sums and 2m their total, modularity is
 *
 *   Q = 1/2m sum_ij (A_ij - r d_i d_j / 2m) [i and j in one cluster],   r the resolution.
 *
 * It follows the shape of the data where k-means only knows balls: docs/method.md. */
#ifndef DECANT_CLUSTER_COMMUNITIES_H
#define DECANT_CLUSTER_COMMUNITIES_H

#include "linalg/graph.h"

/* *natural: how many clusters the graph falls into by itself, at resolution 1. Unless these are
 * more than `most`, labels (n) of exactly k clusters, found at the resolution that suits k. *usable
 * tells whether labels were made. */
decant_status decant__communities_find(const decant__graph *graph, size_t k, size_t most,
                                       uint64_t seed, int32_t *labels, size_t *natural,
                                       int *usable);

#endif
