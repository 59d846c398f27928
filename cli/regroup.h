/* A run with its clusters merged or renumbered, written as a new run folder: for merge and match.
 */
#ifndef DECANT_CLI_REGROUP_H
#define DECANT_CLI_REGROUP_H

#include "args.h"

/* The rows of a finished run: those of --data, or read again from where they were. model: how;
 * NULL: that of the run. 0, or an exit code after an error message. */
int read_run_data(const cli_arguments *given, const char *run, const decant_model *model,
                  decant_dataset **out);

/* 0 if the folder is a finished run, else an exit code after an error message. */
int check_finished(const char *run);

/* Writes the run with `model`, whose clusters were regrouped by `to`, into the folder of -o or the
 * first free one, with its report. *folder: in new memory, which the caller frees in any case. */
int write_regrouped(const cli_arguments *given, const char *run, const decant_model *model,
                    const int32_t *to, char **folder);

#endif
