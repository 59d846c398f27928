/* What IDX and NPY have in common: a header, then n x d numbers of one kind. */
#ifndef DECANT_DATA_BINARY_H
#define DECANT_DATA_BINARY_H

#include "data/reader.h"
#include "data/scalar.h"

typedef struct decant__binary {
    const char *format;
    decant__scalar kind;
    int big_endian;
    size_t n, d;
    size_t header;  /* bytes before the numbers */
    int by_columns; /* Fortran order */
} decant__binary;

/* Checks the shape, also against the size of the file: before anything is allocated for it. */
decant_status decant__binary_check(const decant__input *input, const decant__binary *layout);

/* Appends the numbers first .. first+count-1 of the file to the block, which the caller then gives
 * its new rows. */
decant_status decant__binary_read(decant__input *input, const decant__binary *layout, size_t first,
                                  size_t count, decant__block *block);

/* After the last number: the file must end there. */
decant_status decant__binary_end(decant__input *input, const decant__binary *layout);

/* A reader for numbers row after row. */
decant_status decant__binary_open(decant__input *input, const decant__binary *layout,
                                  decant__reader **out);

#endif
