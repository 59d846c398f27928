/* What IDX and NPY have in common: a header, then n x d numbers of one kind, turned into floats. */
#ifndef DECANT_DATA_BINARY_H
#define DECANT_DATA_BINARY_H

#include "data/reader.h"

typedef enum decant__scalar {
    DECANT__BOOL,
    DECANT__U8,
    DECANT__I8,
    DECANT__U16,
    DECANT__I16,
    DECANT__U32,
    DECANT__I32,
    DECANT__U64,
    DECANT__I64,
    DECANT__F16,
    DECANT__F32,
    DECANT__F64
} decant__scalar;

size_t decant__scalar_size(decant__scalar kind);

/* bytes: count numbers, in no particular alignment. */
void decant__scalar_convert(decant__scalar kind, int big_endian, const unsigned char *bytes,
                            size_t count, float *out);

/* Whole numbers as they are, without the rounding to float; 0: the kind is none, or one of them is
 * negative. */
int decant__scalar_to_integers(decant__scalar kind, int big_endian, const unsigned char *bytes,
                               size_t count, uint64_t *out);

/* The first of count floats that is not finite; count: all are. */
size_t decant__first_not_finite(const float *x, size_t count);

int decant__host_is_big_endian(void);

typedef struct decant__binary {
    const char *format;
    decant__scalar kind;
    int big_endian;
    size_t n, d;
    size_t header;  /* bytes before the numbers */
    int by_columns; /* Fortran order */
} decant__binary;

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
