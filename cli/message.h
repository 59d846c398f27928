/* Messages on the terminal. Names of files, columns and classes can contain terminal escape
 * sequences: control bytes are shown as \xNN, so that a name cannot move the cursor or change the
 * window title. */
#ifndef DECANT_CLI_MESSAGE_H
#define DECANT_CLI_MESSAGE_H

#include <stdio.h>

#include "decant/decant.h"

/* EXIT_PIPE: the reader of our output has closed the pipe; shells show this as 128 + SIGPIPE. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130, EXIT_PIPE = 141 };

/* All but the leader of several ranks are silent: of them, only the last complaint is kept. */
const char *last_complaint(void);

/* "decant: sentence" on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory ran out; returns EXIT_FAILED. */
int complain_memory(void);

/* Prints decant_last_error(); returns the exit code for that status. */
int complain_status(decant_status status);

/* A wrong command line: also says where to find help. Returns EXIT_USAGE. */
int complain_usage(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line on stderr that is not an error. */
void inform(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text of several lines, with all other control bytes made visible. */
void print_visible(FILE *file, const char *text);

/* A name in a table: control bytes visible, line breaks too; padded to a width (left-aligned if it
 * is negative). */
void print_name(FILE *file, const char *name, int width);

/* A path on stdout: with control bytes visible on a terminal, unchanged in a pipe or file. */
void print_path(const char *path);

/* Bytes of the UTF-8 character that begins here; 0: there is none. */
size_t utf8_length(const char *text);

/* The columns that print_name needs for it. */
int name_width(const char *name);

/* Is the name shown as it is, without any \xNN? */
int is_visible(const char *name);

/* "1 row", "2 rows": "%zu row%s", n, plural(n). */
static inline const char *plural(size_t count) { return count == 1 ? "" : "s"; }

#endif
