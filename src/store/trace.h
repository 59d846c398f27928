/* The trace of refinement: features and clusters of a sample of rows, and the centroids, at up to
 * DECANT__MAX_FRAMES updates of the target. Only for the report; training does not use it. */
#ifndef DECANT_STORE_TRACE_H
#define DECANT_STORE_TRACE_H

#include "base/status.h"

enum { DECANT__MAX_FRAMES = 12, DECANT__TRACE_ROWS = 5000 };

typedef struct decant__trace {
    decant_trace kept; /* allocated for MAX_FRAMES */
    uint64_t frames;
    uint64_t seen; /* updates so far; every stride-th is a frame */
    uint64_t stride;
} decant__trace;

/* The sample is a function of n, width and the seed. width 0: no trace. */
decant_status decant__trace_new(decant__trace *trace, size_t n, size_t k, size_t width,
                                uint64_t seed);
void decant__trace_free(decant__trace *trace);

/* A uniform random sample of `count` of n rows, ascending. */
void decant__choose_rows(size_t n, size_t count, uint64_t seed, uint32_t *row);

/* If this update is a frame: stores labels and centroids, and returns the array for its features;
 * else NULL. Frames from `step` on are dropped: there was a rollback. */
float *decant__trace_next(decant__trace *trace, uint64_t step, const int32_t *labels,
                          const float *centroids);

/* Clusters become to[c] of `count`, as in decant_model_regroup: the centroid of merged ones is
 * their mean, and rows of dissolved ones go to the nearest that is left. */
decant_status decant__trace_regroup(decant_trace *trace, const int32_t *to, size_t count);

/* The arrays of a finished trace. */
void decant__trace_release(decant_trace *trace);

#endif
