/* Louvain's method (Blondel, Guillaume, Lambiotte and Lefebvre 2008): nodes move, one at a time, to
 * the neighbouring cluster that raises modularity most; then every cluster becomes one node, and so
 * on.
 *
 *   Q = 1/2m sum_ij (A_ij - r d_i d_j / 2m) [i and j in one cluster]
 *
 * with A = W + W^T the weights of edges, d their row sums, 2m the total and r the resolution: the
 * higher, the more clusters. After the first pass a node is looked at only if a neighbour has moved
 * since: the others would stay where they are but for small changes of the totals. */
#ifndef DECANT_CLUSTER_LOUVAIN_H
#define DECANT_CLUSTER_LOUVAIN_H

#include "base/watch.h"
#include "cluster/graph.h"

/* An undirected graph: every edge is stored at both of its nodes. Self-loops are only in the
 * degree.
 */
typedef struct decant__links {
    size_t n;
    size_t *start; /* n + 1 */
    uint32_t *to;
    float *weight;
    double *degree;
} decant__links;

decant_status decant__links_of(const decant__graph *graph, decant__links *links);
void decant__links_free(decant__links *links);

/* One way through the nodes: the order in which they are visited follows from seed and attempt. */
typedef struct decant__visit {
    uint64_t seed, attempt;
    decant__cancel *cancel; /* NULL: it cannot be cancelled */
} decant__visit;

/* labels (n), and *parts, the graph whose nodes are the clusters. */
decant_status decant__louvain(const decant__links *links, double resolution,
                              const decant__visit *visit, int32_t *labels, decant__links *parts);

/* Moves single nodes between k given clusters, at resolution 1; labels that would leave a cluster
 * empty are not taken. */
decant_status decant__louvain_improve(const decant__links *links, const decant__visit *visit,
                                      size_t k, int32_t *labels);

/* Q at resolution 1. */
decant_status decant__louvain_modularity(const decant__links *links, const int32_t *labels,
                                         size_t k, double *modularity);

/* The share of a cluster's edge weight that stays inside: its mean over the k clusters, whatever
 * their sizes, and the lowest. */
decant_status decant__louvain_inside(const decant__links *links, const int32_t *labels, size_t k,
                                     double *mean, double *lowest);

#endif
