/* All rows of a source through an encoder, block by block, on all threads. */
#ifndef DECANT_DEC_ENCODE_H
#define DECANT_DEC_ENCODE_H

#include "nn/net.h"

/* z: n x (outputs of the last layer). The blocks are fixed, so fit and predict agree to the byte.
 */
decant_status decant__encode(const decant__net *encoder, const float *params,
                             const decant__source *source, int threads, float *z);

/* The same for the rows index[0..count) only; NULL: rows 0 to count - 1. */
decant_status decant__encode_some(const decant__net *encoder, const float *params,
                                  const decant__source *source, const uint32_t *index, size_t count,
                                  int threads, float *z);

#endif
