/* Clusters of a neighbour graph by modularity, exactly k of them.
 *
 * Louvain's method chooses the number of clusters itself. So: at several resolutions, and in
 * several orders of the nodes, find at least k; merge the pairs that cost the least modularity
 * until k are left; move single points between these while that raises it; and keep the partition
 * of highest modularity. It follows the shape of the data, where k-means has only balls:
 * docs/method.md. */
#ifndef DECANT_CLUSTER_COMMUNITIES_H
#define DECANT_CLUSTER_COMMUNITIES_H

#include "base/watch.h"
#include "cluster/graph.h"

typedef struct decant__communities {
    const decant__graph *graph;
    size_t k;
    size_t max; /* clusters that the graph may have by itself */
    uint64_t seed;
    int threads;
    const decant__watch *watch; /* may be NULL */
} decant__communities;

/* *natural: how many clusters the graph falls into by itself, at resolution 1. Unless these are
 * more than wanted->max, labels (n) of exactly k clusters; *usable: whether labels were set.
 * What labels hold at first, k clusters of which none is empty, competes with the rest. */
decant_status decant__communities_find(const decant__communities *wanted, int32_t *labels,
                                       size_t *natural, int *usable);

#endif
