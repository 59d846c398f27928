/* k-means of points that all ranks have, for a start that is found in the data. */
#ifndef DECANT_DEC_START_KMEANS_H
#define DECANT_DEC_START_KMEANS_H

#include "dec/job.h"
#include "dec/smooth.h"

typedef struct decant__start_points {
    const decant__job *job;
    decant__space space;
    size_t n;
    decant__watch *watch;
} decant__start_points;

/* As the options say: a candidate. */
decant_status decant__start_kmeans(const decant__start_points *points, int32_t *labels);

/* With more restarts, for the start itself: with those that are enough for a candidate another
 * seed may end in another optimum. */
decant_status decant__start_kmeans_thorough(const decant__start_points *points, int32_t *labels);

/* Of several results the one that suits the graph. */
decant_status decant__start_kmeans_on_graph(const decant__start_points *points,
                                            const decant__graph *graph, int32_t *labels);

typedef struct decant__optima {
    const int32_t *labels; /* count x links->n */
    const double *inertia; /* count */
    size_t count, k;
} decant__optima;

/* Of the results whose inertia is near the lowest the one with the highest Q. */
decant_status decant__optima_choose(const decant__optima *found, const decant__links *links,
                                    size_t *best);

#endif
