/* Calls the monitor of a long computation: reports progress, and learns whether to cancel. */
#ifndef DECANT_BASE_WATCH_H
#define DECANT_BASE_WATCH_H

#include "base/row_file.h"
#include "base/status.h"

typedef struct decant__watch {
    const decant_monitor *monitor; /* NULL: no reports */
    const char *phase;
    double began;
    const decant__row_file *rows; /* its read errors are returned by the next tick; or NULL */
    decant_progress *last;        /* what was reported last, for polls; NULL: not kept */
} decant__watch;

/* A copy of a caller's monitor, for any version of the header; NULL: one without callbacks. Every
 * public function that takes a monitor calls this first. */
decant_status decant__monitor_read(decant_monitor *copy, const decant_monitor *given);

/* Monotonic clock, in seconds. */
double decant__seconds(void);

/* Sets the phase of the following ticks, and starts its clock. */
void decant__watch_phase(decant__watch *watch, const char *phase);

/* Reports; DECANT_ECANCELLED (with a sentence) if the callback asks to stop. watch may be NULL.
 * Not for use inside a parallel region. */
decant_status decant__watch_tick(const decant__watch *watch, size_t step, size_t steps, double loss,
                                 double changed);

/* For long work between two steps: repeats the last report, so that the callback can cancel. */
decant_status decant__watch_poll(const decant__watch *watch);

/* Progress of reading, in units of the reader: bytes or images. Adding is cheap: it reports at most
 * twenty times a second. */
typedef struct decant__meter {
    decant_monitor monitor; /* a copy */
    decant__watch watch;
    uint64_t done, total; /* total 0: unknown */
    double reported;      /* when */
} decant__meter;

/* monitor: as for decant__monitor_read. The meter must not be moved: it points to itself. */
decant_status decant__meter_start(decant__meter *meter, const decant_monitor *monitor);

/* Counts; DECANT_ECANCELLED when the monitor asks to stop. meter may be NULL. For one thread. */
decant_status decant__meter_add(decant__meter *meter, uint64_t count);

/* Reports at once. */
decant_status decant__meter_report(decant__meter *meter);

#endif
