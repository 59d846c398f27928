/* Rows of floats in a file that is larger than the memory limit, read when they are needed.
 *
 * They are read by pread and not by mmap: if a mapped file shrinks, or the disk fails, the process
 * is killed by SIGBUS, and a library must not catch signals. Reading costs a copy of each row,
 * which scaling needs anyway. The pages of the file do not count as memory of the process, and the
 * page cache makes the second pass cheap. */
#ifndef DECANT_BASE_ROW_FILE_H
#define DECANT_BASE_ROW_FILE_H

#include <stdatomic.h>

#include "base/status.h"

typedef struct decant__row_file {
    int descriptor;   /* owned */
    uint64_t offset;  /* of the first number, in bytes */
    float nothing;    /* its address is a non-NULL pointer for the rows; it is never read */
    char *path;       /* for messages; owned */
    atomic_int error; /* the first failure: an errno, or -1 if the file was too short; 0: none */
} decant__row_file;

/* Duplicates the descriptor and copies the path. Free with decant__row_file_free, which accepts
 * NULL. */
decant_status decant__row_file_new(int descriptor, uint64_t offset, const char *path,
                                   decant__row_file **out);
void decant__row_file_free(decant__row_file *file);

/* Reads the numbers first .. first+count-1; any thread may call this. On failure they are 0 and the
 * error is stored: loops need no error handling, their caller calls decant__row_file_check. */
void decant__row_file_read(decant__row_file *file, size_t first, size_t count, float *out);

/* DECANT_EIO with a sentence if a read has failed. file may be NULL. */
decant_status decant__row_file_check(const decant__row_file *file);

#endif
