/* A pretrained autoencoder as a file, so that the next fit of the same rows need not train it
 * again: docs/format.md. */
#ifndef DECANT_STORE_NETWORK_FILE_H
#define DECANT_STORE_NETWORK_FILE_H

#include "base/status.h"

/* What a network belongs to: the rows of pretraining, including extra ones, and the options. */
typedef struct decant__network_owner {
    const decant_options *options;
    uint64_t data_digest[2];
    uint64_t rows;
    int by_column; /* the last layer's weights are out x in (nn/sampled_output.h) */
} decant__network_owner;

decant_status decant__network_save(const char *path, const decant__network_owner *owner,
                                   float *params, size_t count);

/* EINVAL if it belongs to other data or other options (the sentence names the first that differs).
 */
decant_status decant__network_load(const char *path, const decant__network_owner *owner,
                                   float *params, size_t count);

#endif
