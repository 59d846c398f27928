/* Where results go: stdout, or a file that appears whole or not at all. */
#ifndef DECANT_CLI_OUTPUT_H
#define DECANT_CLI_OUTPUT_H

#include "decant/file.h"

/* path NULL or "-": stdout. 0, or an exit code after an error message. */
int output_open(decant_file **file, const char *path);
int is_stdout(const char *path);

/* Completes the file: renames it if all writes succeeded. Closes it and sets *file to NULL in any
 * case. 0, or an exit code after an error message; EXIT_PIPE, without a message, if the reader of a
 * pipe has closed it. */
int output_commit(decant_file **file);

/* Discards what was written; an old file of that name stays as it was. May follow a commit. */
void output_discard(decant_file **file);

/* Ends a command with this exit code: commits if it is 0, else discards. If a write failed, that is
 * why the command failed, and commit says so. */
int output_end(decant_file **file, int code);

/* A whole text as a file. 0, or an exit code after an error message. */
int output_text(const char *path, const char *text);

#endif
