/* The kernels of one layer, for a whole team each. Dense and sparse input differ only in the first
 * layer of a net. */
#ifndef DECANT_NN_LAYER_H
#define DECANT_NN_LAYER_H

#include "linalg/product.h"
#include "nn/net.h"

/* pass->output (n x out) = g(x W + b), then dropout with masks of layer number `index`. */
void decant__dense_forward(const decant__layer *layer, size_t index, const float *params,
                           const float *x, size_t n, const decant__dropout *dropout,
                           decant__pass *pass);
void decant__sparse_forward(const decant__layer *layer, size_t index, const float *params,
                            const decant__rows *x, const decant__dropout *dropout, float *y);

/* What the backward pass needs to know of the layer that made a layer's input x. */
typedef struct decant__below {
    const decant__layer *layer;
    size_t index; /* its number, for the masks of dropout */
    const decant__dropout *dropout;
    float *dx;     /* n x in: receives dL/dx through that layer's g and dropout; NULL: not wanted */
    float *packed; /* receives the same as decant__product_pack makes it; NULL: not wanted */
} decant__below;

/* One layer of the backward pass. Gradients go into grads or, piece by piece, to the optimizer
 * unless that is NULL. */
typedef struct decant__backward {
    const decant__layer *layer;
    float *params;
    const float *x, *dy; /* n x in, n x out */
    const float *packed; /* dy as decant__product_pack makes it; NULL: this is done first */
    size_t n;
    const decant__sum_tree *tree; /* of sums over the n rows */
    decant__below below;
    float *grads;
    const decant__optimizer *optimizer;
} decant__backward;

/* A small piece of dW stays in the cache until the optimiser has used it, and never goes to memory.
 */
enum {
    DECANT__PIECE_ROWS = DECANT__PRODUCT_TILE,
    DECANT__PIECE_COLUMNS = DECANT__PRODUCT_PIECE,
    DECANT__PIECE = DECANT__PIECE_ROWS * DECANT__PIECE_COLUMNS
};

/* dx = dy W^T, dW = x^T dy and db = the column sums of dy. */
void decant__dense_backward(const decant__backward *step, decant__pass *pass);
void decant__sparse_backward_weights(const decant__layer *layer, const decant__rows *x,
                                     const float *dy, const decant__sum_tree *tree,
                                     decant__pass *pass, float *grads,
                                     const decant__optimizer *optimizer);

/* db of one layer; alone, not for a team. */
void decant__bias_gradient(const decant__layer *layer, const float *dy,
                           const decant__sum_tree *tree, float *grads,
                           const decant__optimizer *optimizer);

/* The gradient of a piece of x (n x in) through the g and the dropout of the layer that made it: dx
 * is the gradient with respect to x before. */
void decant__mask_input(const decant__below *below, decant__tile tile, size_t in, const float *x);

/* Dropout on some rows and columns of a layer's output; dropout may be NULL. */
void decant__drop_outputs(const decant__layer *layer, size_t index, decant__tile tile,
                          const decant__dropout *dropout, float *y);

#endif
