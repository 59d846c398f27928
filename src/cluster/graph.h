/* The neighbour graph of the feature space, and smoothing over it.
 *
 *   w_ij = exp(-d_ij^2 / (s_i s_j)) for the K nearest neighbours j of i, s_i the distance to the
 * K-th, rows scaled to sum 1;        one smoothing:  X <- (X + W X) / 2
 *
 * A point whose neighbours are mostly in another cluster moves to that cluster. The paper's target
 * sharpens each point separately and cannot do this: docs/method.md. */
#ifndef DECANT_CLUSTER_GRAPH_H
#define DECANT_CLUSTER_GRAPH_H

#include "base/watch.h"

typedef struct decant__graph {
    size_t n, count; /* count: K */
    uint32_t *index; /* n x K */
    float *weight;   /* n x K */
} decant__graph;

/* Memory for a graph; K 0 is no graph. */
decant_status decant__graph_new(decant__graph *graph, size_t n, size_t count);
void decant__graph_free(decant__graph *graph);

/* Fills it from z (n x l). watch may be NULL. */
decant_status decant__graph_build(decant__graph *graph, const float *z, size_t l, int threads,
                                  const decant__watch *watch);

/* From the nearest neighbours, with squared distances in place of weights, to the weights. */
decant_status decant__graph_weigh(decant__graph *graph, int threads);

/* Of each row's neighbours in two graphs of the same size, the K of largest mean weight, scaled to
 * sum 1: in place of those in the first. */
decant_status decant__graph_join(decant__graph *graph, const decant__graph *other);

/* For a whole team: smooths x (n x width) `steps` times, in place. other: scratch, n x width. */
void decant__graph_smooth(const decant__graph *graph, float *x, size_t width, size_t steps,
                          float *other);

#endif
