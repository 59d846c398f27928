/* Signals: the first SIGINT, SIGTERM or SIGHUP asks the work to stop cleanly, the second ends it at
 * once. And pipes whose reader has closed them. */
#ifndef DECANT_CLI_SIGNALS_H
#define DECANT_CLI_SIGNALS_H

#include "decant/decant.h"

/* From now on SIGINT, SIGTERM and SIGHUP only set a flag (the second time they end the program).
 * A signal that was ignored when the program started (nohup, background jobs) stays ignored. */
void signals_watch(void);

/* Has one arrived? */
int signals_stop(void);

/* From now on, writing to a closed pipe or beyond a file size limit is an error of the write, and
 * does not end the program. A closed pipe is remembered. */
void signals_watch_output(void);

/* Did the program write to a closed pipe? Always 0 if SIGPIPE was ignored from the start: then
 * there is an error message, as in other programs. */
int signals_pipe_closed(void);

/* Ends the program by SIGPIPE. */
void signals_end_by_pipe(void);

/* A decant_progress_fn that shows nothing and stops at a signal. */
int stop_on_signal(const decant_progress *report, void *user);

/* A monitor that shows nothing and stops when a signal arrives; watches for signals from now on. */
decant_monitor signals_monitor(void);

#endif
