/* The affinities P of t-SNE (van der Maaten and Hinton 2008; sparse: van der Maaten 2014).
 *
 *   p_j|i = exp(-b_i d_ij^2) over the nearest neighbours j of i, rows scaled to sum 1, with b_i
 *           such that the row's entropy is log(perplexity)
 *   p_ij  = (p_j|i + p_i|j) / 2n */
#ifndef DECANT_EMBED_AFFINITY_H
#define DECANT_EMBED_AFFINITY_H

#include "base/status.h"

/* A symmetric sparse matrix that sums to 1: row i is [start[i], start[i+1]) of column (ascending)
 * and value. */
typedef struct decant__affinity {
    size_t n;
    size_t *start;
    uint32_t *column;
    float *value;
} decant__affinity;

/* index and distance (squared): n x count neighbours. perplexity is at most count. */
decant_status decant__affinity_new(decant__affinity *p, const uint32_t *index,
                                   const float *distance, size_t n, size_t count, double perplexity,
                                   int threads);
void decant__affinity_free(decant__affinity *p);

#endif
