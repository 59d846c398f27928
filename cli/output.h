/* Where results go: stdout, or a file that appears whole or not at all. */
#ifndef DECANT_CLI_OUTPUT_H
#define DECANT_CLI_OUTPUT_H

#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    const char *path; /* NULL: stdout */
    char *temporary;  /* NULL: written in place (stdout, a device, a pipe) */
} cli_output;

/* path NULL: stdout. 0, or an exit code after a complaint. */
int output_open(cli_output *output, const char *path);

/* Says whether everything arrived, and only then gives the file its name. Closes either way.
 * 0, or an exit code after a complaint. */
int output_commit(cli_output *output);

/* A whole text as a file. 0, or an exit code after a complaint. */
int output_text(const char *path, const char *text);

/* Gives up; an old file of that name is untouched. Fine after commit. */
void output_abandon(cli_output *output);

/* Can written bytes still be changed? Not in a pipe, nor on stdout, which may be appended to. */
int output_rewritable(const cli_output *output);

/* A whole file at once. 0, or an exit code after a complaint. */
int write_text(const char *path, const char *text);

#endif
