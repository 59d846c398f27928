/* The affinities P of t-SNE (van der Maaten and Hinton 2008; sparse: van der Maaten 2014).
 *
 *   p_j|i = exp(-b_i d_ij^2) over the nearest neighbours j of i, rows scaled to sum 1, with b_i
 *           such that the row's entropy is log(perplexity)
 *   p_ij  = (p_j|i + p_i|j) / 2n */
#ifndef DECANT_EMBED_AFFINITY_H
#define DECANT_EMBED_AFFINITY_H

#include "base/watch.h"

/* A symmetric sparse matrix that sums to 1: row i is [start[i], start[i+1]) of column (ascending)
 * and value. */
typedef struct decant__affinity {
    size_t n;
    size_t *start;
    uint32_t *column;
    float *value;
} decant__affinity;

/* The lists of neighbours that affinities are made of. */
typedef struct decant__near {
    const uint32_t *index; /* n x count */
    const float *distance; /* n x count: squared */
    size_t n, count;
} decant__near;

/* perplexity is at most near->count. watch may be NULL. */
decant_status decant__affinity_new(decant__affinity *p, const decant__near *near, double perplexity,
                                   int threads, const decant__watch *watch);
void decant__affinity_free(decant__affinity *p);

#endif
