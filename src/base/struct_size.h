/* Structs that a program fills in and that may grow; each begins with `size_t struct_size`. The
 * program and the library may be built with headers of different versions: the common part is
 * copied, a missing tail keeps its defaults, and an unknown tail must be zero. */
#ifndef DECANT_BASE_STRUCT_SIZE_H
#define DECANT_BASE_STRUCT_SIZE_H

#include "base/status.h"

/* For decant_X_init: writes struct_size bytes into target, never more: the defaults, and zeros
 * where target is larger than the library's struct of `size` bytes. Does nothing for a NULL target
 * or a struct_size that cannot be one; decant__struct_read then refuses the struct. */
void decant__struct_init(void *target, size_t struct_size, const void *defaults, size_t size);

/* For functions that take such a struct: copies `given` over `copy`, the library's own struct of
 * `size` bytes, which holds the defaults, and sets copy's struct_size. NULL: the defaults stay.
 * EINVAL with a sentence about `type` if struct_size makes no sense, or if something is set that
 * this library does not know. */
decant_status decant__struct_read(void *copy, size_t size, const void *given, const char *type);

/* For functions that change such a struct: the reverse, within the bytes that the caller has. */
void decant__struct_write(void *given, const void *copy, size_t size);

#endif
