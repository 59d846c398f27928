/* Files that appear whole or not at all: written under a temporary name in the same folder, synced,
 * then renamed. Two writers of one path do not disturb each other: each has its own temporary file,
 * and the last rename wins. */
#ifndef DECANT_BASE_FILE_H
#define DECANT_BASE_FILE_H

#include <stdarg.h>

#include "base/status.h"

/* Errors are sticky: put and print need no check, commit returns the first failure. */
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

/* An existing file keeps its permissions; a new one gets those of the umask. A symbolic link is
 * replaced, not followed. Devices, pipes and /dev/stdout are written in place, and so is standard
 * output (path NULL). Temporaries of the same path whose writer was killed are removed. */
decant_status decant__writer_open(decant__writer *writer, const char *path);
void decant__writer_put(decant__writer *writer, const void *bytes, size_t count);
void decant__writer_print(decant__writer *writer, const char *format, ...) DECANT_PRINTF(2, 3);
void decant__writer_vprint(decant__writer *writer, const char *format, va_list arguments)
    DECANT_PRINTF(2, 0);

/* A field of a CSV file, quoted as in RFC 4180 where it must be. */
void decant__writer_put_csv(decant__writer *writer, const char *field);

/* Overwrites bytes that were put before, from `offset` on. Not for files that are written in place.
 */
void decant__writer_patch(decant__writer *writer, size_t offset, const void *bytes, size_t count);

/* Syncs and renames, and closes the writer in any case. On failure the temporary is removed and an
 * old file of that name is unchanged; but if only the sync of the folder fails, the new file is
 * there, complete. */
decant_status decant__writer_commit(decant__writer *writer);

/* Removes the temporary. Does nothing after commit, or on a zeroed writer. */
void decant__writer_abandon(decant__writer *writer);

/* A whole file at once. */
decant_status decant__file_write(const char *path, const void *bytes, size_t count);

/* The bytes of a regular file, followed by a 0 that is not counted; free with decant__free. */
decant_status decant__file_read(const char *path, char **bytes, size_t *count);

/* fsync of a folder, so that renames and removals survive a power failure. 0, or an errno. */
int decant__folder_sync(int descriptor);

#endif
