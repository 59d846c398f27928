/* How a sample of rows moved while refinement went on: their features and clusters, and the
 * centroids, at up to DECANT__MAX_FRAMES updates of the target. For people to look at; nothing is
 * trained on it. */
#ifndef DECANT_STORE_TRACE_H
#define DECANT_STORE_TRACE_H

#include "base/status.h"

enum { DECANT__MAX_FRAMES = 12, DECANT__TRACE_ROWS = 5000 };

typedef struct decant__trace {
    decant_trace kept; /* allocated for MAX_FRAMES; its frames are counted here */
    uint64_t frames;
    uint64_t seen; /* updates so far, of which every stride-th was kept */
    uint64_t stride;
} decant__trace;

/* Which rows are traced is a function of n, width and the seed. width 0: none. */
decant_status decant__trace_new(decant__trace *trace, size_t n, size_t k, size_t width,
                                uint64_t seed);
void decant__trace_free(decant__trace *trace);

/* Chooses `count` of n rows, ascending; each choice is as likely. */
void decant__choose_rows(size_t n, size_t count, uint64_t seed, uint32_t *row);

/* Room for the features of a frame, if this update is one to keep; else NULL. Frames from `step` on
 * are forgotten: the guard went back. */
float *decant__trace_next(decant__trace *trace, uint64_t step, const int32_t *labels,
                          const float *centroids);

/* The arrays of a finished trace. */
void decant__trace_release(decant_trace *trace);

#endif
