/* Ctrl-C and friends: the first asks the work to stop cleanly, the second ends it at once. */
#ifndef DECANT_CLI_SIGNALS_H
#define DECANT_CLI_SIGNALS_H

/* From now on SIGINT, SIGTERM and SIGHUP only set a flag (the second time they end the program).
 * A signal that was ignored when the program started (nohup, background jobs) stays ignored. */
void signals_watch(void);

/* Has one arrived? */
int signals_stop(void);

#endif
