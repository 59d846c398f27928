/* All allocations of the library: overflow-checked, 64-byte aligned, with a test hook that makes
 * one fail. */
#ifndef DECANT_BASE_MEMORY_H
#define DECANT_BASE_MEMORY_H

#include "base/status.h"

/* count * size bytes, not initialised; NULL, with the error message set, if memory ran out.
 * A count of 0 gives a valid pointer. */
void *decant__alloc_array(size_t count, size_t size);
void *decant__alloc_zeroed(size_t count, size_t size);

/* Grows or shrinks a block (NULL: an empty one), keeping its contents; aligned like a new one. On
 * failure the old block stays. */
void *decant__realloc_array(void *block, size_t count, size_t size);

void decant__free(void *block);

/* Gives freed memory back to the system, where it lies between blocks that are in use. */
void decant__memory_trim(void);

/* A copy of a string. */
char *decant__copy_text(const char *text);

/* Tests: the n-th allocation from now on fails (1 is the next); 0 switches it off. Returns how many
 * allocations happened since the last call. */
size_t decant__alloc_fail_at(size_t n);

/* For functions that use TRY: on failure, status is ENOMEM and control goes to done. */
#define NEW_ARRAY(pointer, count)                                    \
    do {                                                             \
        (pointer) = decant__alloc_array((count), sizeof *(pointer)); \
        if ((pointer) == NULL) {                                     \
            status = DECANT_ENOMEM;                                  \
            goto done;                                               \
        }                                                            \
    } while (0)

#define NEW_ZEROED(pointer, count)                                    \
    do {                                                              \
        (pointer) = decant__alloc_zeroed((count), sizeof *(pointer)); \
        if ((pointer) == NULL) {                                      \
            status = DECANT_ENOMEM;                                   \
            goto done;                                                \
        }                                                             \
    } while (0)

#endif
