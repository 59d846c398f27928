/* Clusters of a neighbour graph by modularity, exactly k of them.
 *
 * Louvain's method does not take a number of clusters. So it is run at several resolutions, and
 * with several orders of the nodes, to find at least k clusters. Then pairs with the smallest loss
 * of modularity are merged until k are left, and single points are moved while that raises
 * modularity. The partition of highest modularity is taken. Communities can have any shape,
 * clusters of k-means are convex: docs/method.md.
 *
 * Modularity prefers clusters of equal size: it cuts a group of 95 % of the rows into pieces. By
 * share, two clusters are merged if a large share of the smaller one's links goes to the other, and
 * the partition is taken whose clusters keep the largest mean share of their links inside. */
#ifndef DECANT_CLUSTER_COMMUNITIES_H
#define DECANT_CLUSTER_COMMUNITIES_H

#include "base/comm.h"
#include "base/watch.h"
#include "cluster/graph.h"
#include "cluster/louvain.h"

typedef struct decant__communities {
    const decant__graph *graph;
    const decant__links *links; /* those of the graph; NULL: they are made, and freed at the end */
    size_t k;
    size_t max; /* max number of communities at resolution 1 */
    uint64_t seed;
    int threads;
    const decant__comm *comm;   /* each rank makes some of the attempts; may be NULL */
    const decant__watch *watch; /* may be NULL */
    int32_t *groups;            /* NULL, or room for n: the clusters by share */
    int *groups_usable;         /* whether groups were set */
} decant__communities;

/* *natural: number of communities at resolution 1. If it is at most wanted->max, sets labels (n) to
 * exactly k clusters; *usable: whether labels were set. On entry, labels hold k clusters, none
 * empty, as one more candidate. */
decant_status decant__communities_find(const decant__communities *wanted, int32_t *labels,
                                       size_t *natural, int *usable);

#endif
