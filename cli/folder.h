/* Run folders as the command line sees them: which one, and in what state. */
#ifndef DECANT_CLI_FOLDER_H
#define DECANT_CLI_FOLDER_H

#include "args.h"

typedef enum folder_state { FOLDER_FREE, FOLDER_UNFINISHED, FOLDER_FINISHED } folder_state;

/* The folder of -o; else decant-run, decant-run-2, ...: the first that is free, or with --resume
 * the last that is not. New memory; NULL after a complaint. */
char *folder_choose(const cli_arguments *given);

folder_state folder_look(const char *folder);

/* Makes a folder, if there is to be one (NULL: no), and names the checkpoint in it, in new memory.
 * 0, or an exit code after a complaint. */
int folder_make(const char *folder, char **checkpoint);

/* After a stop: where, and how to go on. Gives the exit code. */
int explain_interruption(const cli_arguments *given, const char *folder);

/* The command line as one could type it again. New memory; NULL when memory ran out. */
char *command_text(const cli_arguments *given);

/* The command line that goes on with this run. */
char *command_to_resume(const cli_arguments *given, const char *folder);

#endif
