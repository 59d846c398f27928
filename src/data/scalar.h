/* Numbers as binary files hold them, turned into floats. */
#ifndef DECANT_DATA_SCALAR_H
#define DECANT_DATA_SCALAR_H

#include <stddef.h>

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

/* The first of count floats that is not finite; count: all are. */
size_t decant__first_not_finite(const float *x, size_t count);

int decant__host_is_big_endian(void);

#endif
