/* The line from a long computation to whoever watches it: progress out, a wish to stop back. */
#ifndef DECANT_BASE_WATCH_H
#define DECANT_BASE_WATCH_H

#include "base/status.h"

typedef struct decant__watch {
    const decant_monitor *monitor; /* NULL: nobody watches */
    const char *phase;
    double began;
} decant__watch;

/* Monotonic clock, in seconds. */
double decant__seconds(void);

/* Names the phase that ticks from now on belong to, and starts its clock. */
void decant__watch_phase(decant__watch *watch, const char *phase);

/* Reports; DECANT_ECANCELLED (with a sentence) when the watcher wants to stop. watch may be NULL.
 * Not for use inside a parallel region. */
decant_status decant__watch_tick(const decant__watch *watch, size_t step, size_t steps, double loss,
                                 double changed);

#endif
