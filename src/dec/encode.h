/* All rows of a source through an encoder, block by block. Weights are packed once, and each thread
 * takes blocks of its own through all layers. */
#ifndef DECANT_DEC_ENCODE_H
#define DECANT_DEC_ENCODE_H

#include "base/watch.h"
#include "nn/net.h"

/* z: n x (outputs of the last layer). The blocks are fixed, so fit and predict agree to the byte.
 * watch may be NULL; else it is polled a few times a second, and can cancel. */
decant_status decant__encode(const decant__net *encoder, const float *params,
                             const decant__source *source, int threads, const decant__watch *watch,
                             float *z);

#endif
