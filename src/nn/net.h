/* A feed-forward net over one flat parameter buffer.
 *
 * A layer is y = g(x W + b) with g the identity or ReLU; W is in x out, row-major. Layers are only
 * offsets into a buffer, so the greedy stages, the whole autoencoder and the encoder alone are
 * three lists of layers over the same numbers. */
#ifndef DECANT_NN_NET_H
#define DECANT_NN_NET_H

#include "linalg/shards.h"
#include "linalg/source.h"
#include "nn/optimizer.h"

enum { DECANT__NET_MAX = 2 * DECANT_MAX_LAYERS };

typedef struct decant__layer {
    size_t in, out;
    int relu;
    size_t weight, bias; /* offsets into the parameters: in x out, then out */
    /* The last layer of wide sparse rows (nn/sampled_output.h): columns whose zeros a minibatch
     * sees, and W is out x in; 0: all of them. */
    size_t sample;
    /* The first layer of wide sparse rows: only rows of W whose column occurs in the minibatch take
     * a step. */
    int lazy;
} decant__layer;

typedef struct decant__net {
    size_t depth;
    decant__layer layer[DECANT__NET_MAX];
} decant__net;

/* The random part of a pass: each output of a hidden layer is set to 0 with this rate and the
 * others are divided by 1 - rate. */
typedef struct decant__dropout {
    double rate; /* 0: none */
    uint64_t seed, step;
    size_t first; /* rows of the minibatch that come before these */
} decant__dropout;

/* Room for one block of rows on its way through a net: outputs, and for training the gradients with
 * respect to each layer's output before g. */
typedef struct decant__pass {
    size_t capacity;
    float *output[DECANT__NET_MAX];
    float *delta[DECANT__NET_MAX]; /* NULL in a pass that only goes forward */
    /* Deltas as products take them: of the layer at hand, and of the one below, which is made tile
     * by tile with its delta. Valid within a backward pass; the same. */
    float *packed[2];
    /* Forward only: weights as products take them (decant__net_pack); NULL: packed at each use. */
    const float *panels[DECANT__NET_MAX];
    decant__shards shards; /* training: the shards of the rows; evenly cut unless set otherwise */
    size_t batch;   /* rows that the loss is a mean over: the minibatch that these are a part of; 0:
                       these are all */
    float *scratch; /* threads x DECANT__PRODUCT_SCRATCH */
    float *pieces;  /* training: threads x DECANT__PIECE, pieces of a gradient */
    /* sparse input, transposed: the non-zeros of the block by column */
    size_t *column_start;
    uint32_t *entry_row;
    float *entry_value;
    struct decant__block_columns *columns; /* the same for a lazy layer */
    struct decant__sampled *sampled;       /* of a last layer that takes a sample */
} decant__pass;

/* nonzeros: the most non-zeros that a sparse block can have; 0 for dense input. threads: of the
 * team that it is for. */
decant_status decant__pass_new(decant__pass *pass, const decant__net *net, size_t capacity,
                               int training, size_t nonzeros, int threads);
void decant__pass_free(decant__pass *pass);

/* For a whole team: the weights of layer l as products take them. panels: as many floats as
 * decant__product_pack_size says for its `in` and `out`. */
void decant__net_pack(const decant__net *net, size_t l, const float *params, float *panels);

/* For a whole team: pass->output[l] for all layers, but for a last one that takes a sample: its
 * outputs are the loss's affair. dropout may be NULL. */
void decant__net_forward(const decant__net *net, const float *params, const decant__rows *x,
                         const decant__dropout *dropout, decant__pass *pass);

/* For a whole team. Given pass->delta[last], goes back to layer `first`: fills delta[l-1] on the
 * way (down to delta[first - 1] if first > 0) and the gradients of weights and biases, at their
 * offsets in grads. optimizer, if not NULL, is applied to each piece as soon as it is complete, and
 * grads is then only scratch. x is the net's input and dropout is what forward was
 * given. */
void decant__net_backward(const decant__net *net, float *params, const decant__rows *x,
                          const decant__dropout *dropout, size_t first, size_t last,
                          decant__pass *pass, float *grads, const decant__optimizer *optimizer);

#endif
