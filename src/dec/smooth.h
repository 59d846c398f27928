/* Points smoothed over a neighbour graph before k-means. */
#ifndef DECANT_DEC_SMOOTH_H
#define DECANT_DEC_SMOOTH_H

#include "dec/job.h"

/* Smooths x (graph->n x width) many times, in place; can be cancelled. */
decant_status decant__job_smooth(decant__job *job, const decant__graph *graph, float *x,
                                 size_t width);

/* Both spaces as one, where their graph says little about the clusters: the columns of z (n x l)
 * and of x (n x width), each space centred, smoothed over the graph and scaled to its variance, for
 * k-means. out: n x (l + width). */
decant_status decant__job_join_spaces(decant__job *job, const decant__graph *graph, const float *z,
                                      size_t l, const float *x, size_t width, float *out);

#endif
