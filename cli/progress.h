/* What a running fit looks like on stderr: a bar on a terminal, plain lines elsewhere. */
#ifndef DECANT_CLI_PROGRESS_H
#define DECANT_CLI_PROGRESS_H

#include "args.h"

typedef enum progress_style { PROGRESS_QUIET, PROGRESS_LINES, PROGRESS_BAR } progress_style;

typedef struct cli_progress {
    progress_style style;
    char phase[32]; /* the one that runs; "": none yet */
    decant_progress
        first; /* its first report in this process: a resumed phase starts in the middle */
    decant_progress last;
    double drawn; /* when something was last shown; monotonic seconds */
} cli_progress;

void progress_start(cli_progress *progress, int quiet);

/* A decant_progress_fn; user is the progress. Asks to stop when a signal arrived. */
int progress_report(const decant_progress *report, void *user);

/* Starts it, and gives the monitor of a fit: this progress, and what the flags say. */
decant_monitor progress_monitor(cli_progress *progress, const cli_arguments *given);

/* Makes room for a line of another kind; the next report is shown again at once. */
void progress_hide(cli_progress *progress);

/* Shows how the last phase ended. */
void progress_end(cli_progress *progress);

#endif
