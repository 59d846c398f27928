/* What IDX and NPY have in common: a header, then n x d numbers of one kind, turned into floats. */
#ifndef DECANT_READ_BINARY_H
#define DECANT_READ_BINARY_H

#include "base/scalar.h"
#include "data/scan.h"
#include "read/reader.h"

typedef struct decant__binary {
    const char *format;
    decant_type kind;
    int big_endian;
    size_t n, d;
    size_t header;  /* bytes before the numbers */
    int by_columns; /* Fortran order */
} decant__binary;

/* Numbers of the file that were read into memory. */
decant__scalars decant__binary_scalars(const decant__binary *layout, const unsigned char *bytes);

/* NPY: takes the header, and says what follows it. dimensions may be NULL. */
decant_status decant__npy_layout(decant__input *input, decant__binary *layout, size_t *dimensions);

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

/* What such a reader reads, and from where. */
const decant__binary *decant__binary_of(const decant__reader *reader, const decant__input **input);

#endif
