/* Files that appear whole or not at all: written under a temporary name in the same folder, synced,
 * then renamed. Two writers of one path do not meet: each has a temporary of its own, and the last
 * rename counts. */
#ifndef DECANT_BASE_FILE_H
#define DECANT_BASE_FILE_H

#include <stdarg.h>

#include "base/status.h"

/* Errors are sticky: put as often as you like, commit says whether all of it reached the disk. */
typedef struct decant__writer {
    char *path;          /* for messages */
    int open;            /* are the descriptors below valid? */
    int descriptor;      /* of the file */
    int folder;          /* of the folder that it is in; -1: written in place */
    const char *name;    /* in the folder; points into path */
    char temporary[256]; /* name in the folder until commit; "": written in place, or renamed */
    char *buffer;
    size_t used;
    int error; /* errno of the first failure */
} decant__writer;

/* A file that exists keeps its permissions; a new one gets those of the umask. A symbolic link is
 * replaced, not followed. What is no regular file (a device, a pipe, /dev/stdout) is written in
 * place, and so is standard output, for the path NULL. Temporaries of the same path whose writer
 * was killed are removed. */
decant_status decant__writer_open(decant__writer *writer, const char *path);
void decant__writer_put(decant__writer *writer, const void *bytes, size_t count);
void decant__writer_print(decant__writer *writer, const char *format, ...) DECANT_PRINTF(2, 3);
void decant__writer_vprint(decant__writer *writer, const char *format, va_list arguments)
    DECANT_PRINTF(2, 0);

/* A field of a CSV file, quoted as in RFC 4180 where it must be. */
void decant__writer_put_csv(decant__writer *writer, const char *field);

/* Writes bytes again that were put before, from `offset` on. Not for files that are written in
 * place. */
void decant__writer_patch(decant__writer *writer, size_t offset, const void *bytes, size_t count);

/* Syncs and renames, and closes the writer in any case. On failure the temporary is removed and an
 * old file of that name is untouched; but where only the sync of the folder fails, the new file is
 * there, whole. */
decant_status decant__writer_commit(decant__writer *writer);

/* Gives up: removes the temporary. Fine after commit, and on a zeroed writer. */
void decant__writer_abandon(decant__writer *writer);

/* A whole file at once. */
decant_status decant__file_write(const char *path, const void *bytes, size_t count);

/* The bytes of a regular file, followed by a 0 that is not counted; free with decant__free. */
decant_status decant__file_read(const char *path, char **bytes, size_t *count);

/* Makes renames and removals in a folder survive a power cut. 0, or an errno. */
int decant__folder_sync(int descriptor);

#endif
