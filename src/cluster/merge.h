/* Clusters of a graph, merged until k are left. */
#ifndef DECANT_CLUSTER_MERGE_H
#define DECANT_CLUSTER_MERGE_H

#include "cluster/louvain.h"

/* What merging two clusters a and b gains: by modularity what it adds to m Q = sum over clusters of
 * (links inside - degree^2 / 4m), e_ab - d_a d_b / 2m, with e_ab the weight between the two; by
 * share e_ab / min(d_a, d_b). */
typedef enum decant__merge_by {
    DECANT__MERGE_BY_MODULARITY,
    DECANT__MERGE_BY_SHARE
} decant__merge_by;

/* Merges pairs until k clusters are left, each time the pair with the highest gain, of equal ones
 * the first. clusters: the graph of clusters; labels (n): cluster of each row, on return 0 .. k-1.
 *
 * Time: about the square of the number of clusters. */
decant_status decant__merge_clusters(const decant__links *clusters, size_t k, decant__merge_by by,
                                     size_t n, int32_t *labels);

#endif
