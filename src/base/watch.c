#include "base/watch.h"

#include <math.h>
#include <time.h>

#include "base/struct_size.h"
#include "base/team.h"

void decant_monitor_init(decant_monitor *monitor, size_t struct_size) {
    const decant_monitor silent = {.struct_size = sizeof silent};
    decant__struct_init(monitor, struct_size, &silent, sizeof silent);
}

decant_status decant__monitor_read(decant_monitor *copy, const decant_monitor *given) {
    *copy = (decant_monitor){.struct_size = sizeof *copy};
    return decant__struct_read(copy, sizeof *copy, given, "decant_monitor");
}

static const double METER_SECONDS = 0.05; /* between two reports */
static double cancel_seconds = 0.1;       /* between two polls of a loop */

double decant__seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void decant__watch_phase(decant__watch *watch, const char *phase) {
    watch->phase = phase;
    watch->began = decant__seconds();
    if (watch->last != NULL) watch->last->phase = NULL;
}

static int is_watched(const decant__watch *watch) {
    return watch != NULL && watch->monitor != NULL && watch->monitor->progress != NULL;
}

static decant_status call_progress(const decant__watch *watch, const decant_progress *progress) {
    if (watch->monitor->progress(progress, watch->monitor->user) == 0) return DECANT_OK;
    return decant__fail(DECANT_ECANCELLED, "stopped during %s at step %zu of %zu", progress->phase,
                        progress->step, progress->steps);
}

decant_status decant__watch_tick(const decant__watch *watch, size_t step, size_t steps, double loss,
                                 double changed) {
    decant_status status = watch != NULL ? decant__row_file_check(watch->rows) : DECANT_OK;
    if (status != DECANT_OK || !is_watched(watch)) return status;
    decant_progress progress = {.struct_size = sizeof progress,
                                .phase = watch->phase,
                                .step = step,
                                .steps = steps,
                                .loss = loss,
                                .changed = changed,
                                .seconds = decant__seconds() - watch->began};
    if (watch->last != NULL) *watch->last = progress;
    return call_progress(watch, &progress);
}

decant_status decant__watch_poll(const decant__watch *watch) {
    decant_status status = watch != NULL ? decant__row_file_check(watch->rows) : DECANT_OK;
    if (status != DECANT_OK || !is_watched(watch)) return status;
    decant_progress progress = {.struct_size = sizeof progress,
                                .phase = watch->phase,
                                .loss = (double)NAN,
                                .changed = (double)NAN};
    if (watch->last != NULL && watch->last->phase == watch->phase) progress = *watch->last;
    progress.seconds = decant__seconds() - watch->began;
    return call_progress(watch, &progress);
}

void decant__cancel_init(decant__cancel *cancel, const decant__watch *watch) {
    cancel->watch = is_watched(watch) ? watch : NULL;
    cancel->polled = decant__seconds();
    cancel->status = DECANT_OK;
    atomic_init(&cancel->stop, 0);
}

decant_status decant__cancel_status(const decant__cancel *cancel) {
    return decant__team_member() == 0
               ? cancel->status
               : decant__fail(DECANT_ECANCELLED, "stopped with the calling thread");
}

void decant__cancel_every(double seconds) { cancel_seconds = seconds; }

int decant__cancel_known(decant__cancel *cancel) {
    return cancel != NULL && atomic_load_explicit(&cancel->stop, memory_order_relaxed);
}

int decant__cancel_asked(decant__cancel *cancel) {
    if (cancel == NULL || cancel->watch == NULL) return 0;
    if (decant__team_member() == 0 && cancel->status == DECANT_OK &&
        decant__seconds() - cancel->polled >= cancel_seconds) {
        cancel->status = decant__watch_poll(cancel->watch);
        cancel->polled = decant__seconds();
        if (cancel->status != DECANT_OK) atomic_store(&cancel->stop, 1);
    }
    return decant__cancel_known(cancel);
}

decant_status decant__meter_start(decant__meter *meter, const decant_monitor *monitor) {
    *meter = (decant__meter){.reported = decant__seconds()};
    decant_status status = decant__monitor_read(&meter->monitor, monitor);
    if (status != DECANT_OK) return status;
    if (meter->monitor.progress != NULL) meter->watch.monitor = &meter->monitor;
    decant__watch_phase(&meter->watch, "read");
    return DECANT_OK;
}

decant_status decant__meter_report(decant__meter *meter) {
    uint64_t total = meter->total >= meter->done ? meter->total : 0;
    meter->reported = decant__seconds();
    decant_status status = decant__watch_tick(&meter->watch, (size_t)meter->done, (size_t)total,
                                              (double)NAN, (double)NAN);
    return status == DECANT_OK ? status : decant__fail(status, "reading was cancelled");
}

decant_status decant__meter_add(decant__meter *meter, uint64_t count) {
    if (meter == NULL || meter->watch.monitor == NULL) return DECANT_OK;
    meter->done += count;
    if (decant__seconds() - meter->reported < METER_SECONDS) return DECANT_OK;
    return decant__meter_report(meter);
}
