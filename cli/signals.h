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

/* From now on writing to a closed pipe is an error that is noted, and a file size limit an error
 * like any other; neither ends the program in the middle of its work. */
void signals_watch_output(void);

/* Has somebody closed a pipe that we wrote to? Never, where SIGPIPE was ignored from the start:
 * then it is an error that is complained about, as in other programs. */
int signals_pipe_closed(void);

/* Ends the program as a closed pipe ends others. */
void signals_end_by_pipe(void);

/* A decant_progress_fn that shows nothing and stops at a signal. */
int stop_on_signal(const decant_progress *report, void *user);

/* A monitor that shows nothing and stops when a signal arrives; watches for signals from now on. */
decant_monitor signals_monitor(void);

#endif
