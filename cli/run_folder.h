/* Run folders: their names, their state, and the commands that made them. */
#ifndef DECANT_CLI_RUN_FOLDER_H
#define DECANT_CLI_RUN_FOLDER_H

#include "args.h"

typedef enum folder_state { FOLDER_FREE, FOLDER_UNFINISHED, FOLDER_FINISHED } folder_state;

/* The folder of -o; else decant-run, decant-run-2, ...: the first that is free, or with --resume
 * the last that is not. New memory; NULL after an error message. */
char *folder_choose(const cli_arguments *given);

folder_state folder_look(const char *folder);

/* Creates the folder, unless it is NULL, and gives the path of its checkpoint, in new memory.
 * 0, or an exit code after an error message. */
int folder_make(const char *folder, char **checkpoint);

/* After an interruption: prints where it stopped and how to continue. Returns the exit code. */
int explain_interruption(const cli_arguments *given, const char *folder);

/* The command line as one could type it again. New memory; NULL when memory ran out. */
char *command_text(const cli_arguments *given);

/* What was typed when an unfinished fit began, and in which directory. Zero-initialise. */
typedef struct kept_command {
    char *text, *directory;
    char **words; /* "decant", "fit", ...; they point into text */
    int count;
} kept_command;

/* 0, or an exit code after an error message. Free it either way. */
int kept_command_read(const char *folder, kept_command *kept);
void kept_command_free(kept_command *kept);

#endif
