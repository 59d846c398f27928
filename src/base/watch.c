#include "base/watch.h"

#include <time.h>

double decant__seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void decant__watch_phase(decant__watch *watch, const char *phase) {
    watch->phase = phase;
    watch->began = decant__seconds();
}

decant_status decant__watch_tick(const decant__watch *watch, size_t step, size_t steps, double loss,
                                 double changed) {
    if (watch == NULL || watch->monitor == NULL || watch->monitor->progress == NULL)
        return DECANT_OK;
    decant_progress progress = {.phase = watch->phase,
                                .step = step,
                                .steps = steps,
                                .loss = loss,
                                .changed = changed,
                                .seconds = decant__seconds() - watch->began};
    if (watch->monitor->progress(&progress, watch->monitor->user) == 0) return DECANT_OK;
    return decant__fail(DECANT_ECANCELLED, "stopped during %s at step %zu of %zu", watch->phase,
                        step, steps);
}
