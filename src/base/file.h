/* Files that appear whole or not at all: written under a temporary name, synced, then renamed. */
#ifndef DECANT_BASE_FILE_H
#define DECANT_BASE_FILE_H

#include <stdio.h>

#include "base/status.h"

/* Errors are sticky: put as often as you like, commit says whether all of it reached the disk. */
typedef struct decant__writer {
    FILE *file;
    char *path, *temporary;
    int error; /* errno of the first failure */
} decant__writer;

decant_status decant__writer_open(decant__writer *writer, const char *path);
void decant__writer_put(decant__writer *writer, const void *bytes, size_t count);
void decant__writer_print(decant__writer *writer, const char *format, ...) DECANT_PRINTF(2, 3);

/* Syncs and renames; on failure the temporary is removed and an old file of that name is untouched.
 * Either way the writer is closed. */
decant_status decant__writer_commit(decant__writer *writer);

/* All of it at once. */
decant_status decant__file_write(const char *path, const void *bytes, size_t count);

/* Gives up: removes the temporary. Fine after commit, and on a zeroed writer. */
void decant__writer_abandon(decant__writer *writer);

#endif
