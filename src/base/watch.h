/* From a long computation to whoever watches it: progress out, a request to cancel back. */
#ifndef DECANT_BASE_WATCH_H
#define DECANT_BASE_WATCH_H

#include "base/row_file.h"
#include "base/status.h"

typedef struct decant__watch {
    const decant_monitor *monitor; /* NULL: nobody watches */
    const char *phase;
    double began;
    const decant__row_file *rows; /* a failure to read them is found by the next tick; or NULL */
    decant_progress *last;        /* what was reported last, for polls; NULL: not kept */
} decant__watch;

/* A copy of a caller's monitor, whatever version of the header it is of; NULL: one that is silent.
 * Every public function that takes a monitor begins with this. */
decant_status decant__monitor_read(decant_monitor *copy, const decant_monitor *given);

/* Monotonic clock, in seconds. */
double decant__seconds(void);

/* Names the phase that ticks from now on belong to, and starts its clock. */
void decant__watch_phase(decant__watch *watch, const char *phase);

/* Reports; DECANT_ECANCELLED (with a sentence) when the watcher wants to stop. watch may be NULL.
 * Not for use inside a parallel region. */
decant_status decant__watch_tick(const decant__watch *watch, size_t step, size_t steps, double loss,
                                 double changed);

/* For work between two steps that may take longer than a person wants to wait: reports again what
 * was reported last, so that the watcher can stop it. */
decant_status decant__watch_poll(const decant__watch *watch);

/* Progress of reading, in whatever the readers count: bytes, images. Cheap to add to: it reports
 * at most twenty times a second. */
typedef struct decant__meter {
    decant_monitor monitor; /* a copy */
    decant__watch watch;
    uint64_t done, total; /* total 0: unknown */
    double reported;      /* when */
} decant__meter;

/* monitor: as decant__monitor_read has it. The meter must stay where it is. */
decant_status decant__meter_start(decant__meter *meter, const decant_monitor *monitor);

/* Counts; DECANT_ECANCELLED when the monitor asks to stop. meter may be NULL. For one thread. */
decant_status decant__meter_add(decant__meter *meter, uint64_t count);

/* Reports at once. */
decant_status decant__meter_report(decant__meter *meter);

#endif
