/* Records of a CSV file as they are written, for commands that put something beside them. */
#ifndef DECANT_CLI_RECORDS_H
#define DECANT_CLI_RECORDS_H

#include <stdio.h>

/* Zero-initialise. */
typedef struct cli_records {
    const char *path;
    FILE *file;
    char *text; /* the last record, without its line end */
    size_t capacity, length;
    int plain;      /* every line counts: the file is decant's own */
    char delimiter; /* of the first record: comma, semicolon, tab or bar */
} cli_records;

/* 0, or an exit code after an error message. */
int records_open(cli_records *records, const char *path);

/* 1: a record is there; 0: the end; -1: memory ran out or the file cannot be read, after a message.
 * Empty lines, comments (#), a byte order mark and a line "sep=;" are passed over. */
int records_next(cli_records *records);
void records_close(cli_records *records);

/* The next cell of a record, unquoted in place; NULL after the last. *at begins at the text. */
char *record_cell(char **at, char delimiter);

#endif
