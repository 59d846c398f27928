/* The frames of the report's map: the sample at several updates of the target, as in Figure 5 of
 * the paper; and the gradient of each row at the start of refinement, as in its Figure 4. */
#ifndef DECANT_REPORT_FRAMES_H
#define DECANT_REPORT_FRAMES_H

#include "run/study.h"

typedef struct decant__frames {
    size_t count;        /* the last one is the result; 0: there is nothing to draw */
    size_t *step;        /* count */
    int32_t *cluster;    /* count x rows of the sample */
    float *map;          /* count x rows x 2 */
    double *accuracy;    /* count, of the sample; NaN without labels */
    float *q, *gradient; /* rows: largest q and |dL/dz| at the first update; NULL: not traced */
} decant__frames;

decant_status decant__frames_make(decant__frames *frames, const decant__study *study, int threads,
                                  const decant_monitor *monitor);
void decant__frames_free(decant__frames *frames);

#endif
