/* Numbers of any type, in either order of their bytes, as floats. */
#ifndef DECANT_BASE_SCALAR_H
#define DECANT_BASE_SCALAR_H

#include "base/status.h"

const char *decant__type_name(decant_type type); /* "float32"; "another" if there is none such */
size_t decant__type_size(decant_type type);      /* 0: there is none such */
int decant__type_is_whole(decant_type type);     /* yes/no is, too */
int decant__host_is_big_endian(void);

/* Where numbers are: each `step` bytes after the one before, in no particular alignment. */
typedef struct decant__scalars {
    const unsigned char *bytes;
    ptrdiff_t step;
    decant_type type;
    int big_endian;
} decant__scalars;

void decant__scalars_to_floats(const decant__scalars *from, size_t count, float *out);
void decant__scalars_to_doubles(const decant__scalars *from, size_t count, double *out);

/* Whole numbers as they are, without the rounding to float; 0: the type is none (or yes/no), or one
 * of them is negative. */
int decant__scalars_to_integers(const decant__scalars *from, size_t count, uint64_t *out);

#endif
