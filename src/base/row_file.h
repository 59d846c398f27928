/* Rows of floats in a file that is larger than the memory for them, read when they are fetched.
 *
 * They are read with pread and not through a mapping: a file that shrinks, or a disk that fails,
 * kills a process that touches a mapping (SIGBUS), and a library may not catch signals. Reading
 * costs a copy of each row, which fetching makes anyway when it scales, and no page of the file
 * counts as memory of the process; the system's cache of files makes the second pass cheap. */
#ifndef DECANT_BASE_ROW_FILE_H
#define DECANT_BASE_ROW_FILE_H

#include <stdatomic.h>

#include "base/status.h"

typedef struct decant__row_file {
    int descriptor;   /* owned */
    uint64_t offset;  /* of the first number, in bytes */
    float nothing;    /* its address stands for the rows where one is needed; it is never read */
    char *path;       /* for messages; owned */
    atomic_int error; /* the first failure: an errno, or -1 where the file was too short; 0: none */
} decant__row_file;

/* Duplicates the descriptor and copies the path. Free with decant__row_file_free; NULL is fine. */
decant_status decant__row_file_new(int descriptor, uint64_t offset, const char *path,
                                   decant__row_file **out);
void decant__row_file_free(decant__row_file *file);

/* The numbers first .. first+count-1, by any thread. Where that fails they are 0 and the file
 * remembers it: so loops need no error paths, and whoever waits for them asks check. */
void decant__row_file_read(decant__row_file *file, size_t first, size_t count, float *out);

/* DECANT_EIO with a sentence if a read has failed. file may be NULL. */
decant_status decant__row_file_check(const decant__row_file *file);

#endif
