/* Calls the monitor of a long computation: reports progress, and learns whether to cancel. */
#ifndef DECANT_BASE_WATCH_H
#define DECANT_BASE_WATCH_H

#include <stdatomic.h>

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

/* Cancelling inside a long loop, also one that a team shares: every member asks between two pieces
 * of its work, and skips the rest when the answer is yes. The callback is called about ten times a
 * second, and only by the calling thread, member 0. */
typedef struct decant__cancel {
    const decant__watch *watch;
    double polled;        /* when; this and status are of the calling thread */
    decant_status status; /* what the poll said; to be passed on after the loop */
    atomic_int stop;
} decant__cancel;

void decant__cancel_init(decant__cancel *cancel, const decant__watch *watch);

/* 1: stop. A loop of a team must still be run to its end, with nothing in it. cancel may be NULL.
 */
int decant__cancel_asked(decant__cancel *cancel);

/* The answer so far, without a poll: the same for all members after a barrier. */
int decant__cancel_known(decant__cancel *cancel);

/* For a member that was told to stop: the status with its sentence. */
decant_status decant__cancel_status(const decant__cancel *cancel);

/* Tests: the least time between two polls of a loop; 0: every time that member 0 asks. */
void decant__cancel_every(double seconds);

/* Progress of reading, in whatever the readers count: bytes, images. Cheap to add to: it reports
 * at most twenty times a second. */
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
