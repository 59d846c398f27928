/* The stacked autoencoder: d - h1 - ... - hL and back. ReLU everywhere but the feature space (layer
 * L) and the reconstruction (the last layer), which are linear. */
#ifndef DECANT_NN_AUTOENCODER_H
#define DECANT_NN_AUTOENCODER_H

#include "nn/net.h"

typedef struct decant__autoencoder {
    size_t depth;      /* L, the encoder's layers */
    decant__net net;   /* all 2 L layers, encoder first */
    size_t parameters; /* how many floats */
} decant__autoencoder;

/* Lays out the layers for d inputs and the given sizes. The encoder's parameters come first. */
decant_status decant__autoencoder_plan(decant__autoencoder *plan, size_t d, const size_t *sizes,
                                       size_t count);

/* For wide sparse rows: the reconstruction sees all non-zeros and the zeros of `sample` columns,
 * and only columns that occur take steps (nn/sampled_output.h). The last layer's weights are then
 * out x in. */
void decant__autoencoder_sample(decant__autoencoder *plan, size_t sample);

/* Normal weights with this deviation (0: sqrt(2 / inputs)), biases 0. Without a deviation, the
 * weights of the last layer are 0: the reconstruction begins with 0 instead of with noise as large
 * as the data, which a short training would spend its time to forget. Networks of one seed have
 * numbers from 0. */
void decant__autoencoder_init(const decant__autoencoder *plan, double deviation, uint64_t seed,
                              uint64_t network, float *params);

/* The first L layers. */
decant__net decant__autoencoder_encoder(const decant__autoencoder *plan);
size_t decant__autoencoder_encoder_parameters(const decant__autoencoder *plan);

/* The encoder's first `count` layers: what the input of greedy stage `count` goes through. */
decant__net decant__autoencoder_below(const decant__autoencoder *plan, size_t count);

/* Greedy stage i: encoder layer i and its mirror in the decoder, as a net of two layers. */
decant__net decant__autoencoder_stage(const decant__autoencoder *plan, size_t stage);

#endif
