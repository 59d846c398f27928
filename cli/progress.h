/* Progress on stderr: a bar on a terminal; elsewhere a line at the end of each phase, and one line
 * a minute within it. */
#ifndef DECANT_CLI_PROGRESS_H
#define DECANT_CLI_PROGRESS_H

#include "args.h"

typedef enum progress_style { PROGRESS_QUIET, PROGRESS_LINES, PROGRESS_BAR } progress_style;

enum { PROGRESS_LINE = 256 }; /* bytes, with the final 0 */

typedef struct cli_progress {
    progress_style style;
    char phase[32]; /* the one that runs; "": none yet */
    /* The phase's first report in this process: a resumed phase starts in the middle. */
    decant_progress first;
    decant_progress last;
    double drawn; /* when something was last shown; monotonic seconds */
} cli_progress;

void progress_start(cli_progress *progress, int quiet);

/* A decant_progress_fn; user is the progress. Asks to stop when a signal arrived. */
int progress_report(const decant_progress *report, void *user);

/* Starts the display, and returns the monitor of a fit: this progress, and the values of flags. */
decant_monitor progress_monitor(cli_progress *progress, const cli_arguments *given);

/* The line about the last report; a bar is limited to this number of columns. */
void progress_line(const cli_progress *progress, size_t columns, char text[PROGRESS_LINE]);

/* Clears the bar for a line of another kind; the next report draws it again. */
void progress_hide(cli_progress *progress);

/* Prints the last line of the phase. */
void progress_end(cli_progress *progress);

#endif
