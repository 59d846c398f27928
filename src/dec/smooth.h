/* Points smoothed over a neighbour graph before k-means. */
#ifndef DECANT_DEC_SMOOTH_H
#define DECANT_DEC_SMOOTH_H

#include "dec/job.h"

/* Smooths x (graph->n x width) many times, in place; can be cancelled. */
decant_status decant__job_smooth(decant__job *job, const decant__graph *graph, float *x,
                                 size_t width);

/* The points in one space, n x width. */
typedef struct decant__space {
    const float *x;
    size_t width;
} decant__space;

/* Features and data as one space for k-means, where their graph says little about the clusters:
 * each smoothed over the graph, centred, and scaled to its share of the variance. out: graph->n
 * rows of both widths. */
decant_status decant__job_join_spaces(decant__job *job, const decant__graph *graph,
                                      decant__space features, decant__space data, float *out);

#endif
