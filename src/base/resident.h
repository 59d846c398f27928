/* Pages of a mapped file count as memory of the process from when they are first touched until they
 * are given back. Given back, they stay in the system's cache of files for as long as nobody needs
 * the room, so that touching them again costs little. */
#ifndef DECANT_BASE_RESIDENT_H
#define DECANT_BASE_RESIDENT_H

#include <stddef.h>

/* How far one pass over a mapping goes between two releases, in bytes. */
#define DECANT__RESIDENT_WINDOW ((size_t)64 << 20)

/* Gives back the whole pages of a mapping that lie in these bytes. */
void decant__resident_release(const void *from, size_t bytes);

/* A mapping of which no more than about `most` bytes may be resident. */
typedef struct decant__resident {
    const void *start;
    size_t bytes, most;
    size_t touched; /* since the last release, at most */
} decant__resident;

/* Before `count` pieces of `size` bytes each are read: side by side, or scattered. */
void decant__resident_touch(decant__resident *resident, size_t count, size_t size, int scattered);

#endif
