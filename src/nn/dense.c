/* A fully connected layer. Products come in tiles (linalg/product.h), and what follows a product
 * (bias, ReLU, dropout; the mask of the layer below; the optimiser) is done on each tile while it
 * is still in the cache. */
#include "base/simd.h"
#include "nn/dropout.h"
#include "nn/layer.h"

DECANT_CLONES
static void add_bias(size_t count, const float *restrict bias, float *restrict y) {
    for (size_t j = 0; j < count; j++) y[j] += bias[j];
}

DECANT_CLONES
static void rectify(size_t count, float *restrict y) {
    for (size_t j = 0; j < count; j++) y[j] = y[j] > 0 ? y[j] : 0;
}

DECANT_CLONES
static void add_bias_rectify(size_t count, const float *restrict bias, float *restrict y) {
    for (size_t j = 0; j < count; j++) {
        float sum = y[j] + bias[j];
        y[j] = sum > 0 ? sum : 0;
    }
}

void decant__finish_output(const decant__layer *layer, size_t index, const float *bias,
                           decant__tile tile, const decant__dropout *dropout, float *y) {
    for (size_t i = tile.row; i < tile.row + tile.rows; i++) {
        float *row = y + i * layer->out + tile.column;
        if (bias != NULL && layer->relu)
            add_bias_rectify(tile.columns, bias + tile.column, row);
        else if (bias != NULL)
            add_bias(tile.columns, bias + tile.column, row);
        else if (layer->relu)
            rectify(tile.columns, row);
        if (dropout != NULL && dropout->rate > 0)
            decant__dropout_apply(dropout, index, i, tile.column, tile.columns, row);
    }
}

void decant__dense_forward(const decant__layer *layer, size_t index, const float *params,
                           const float *x, size_t n, const decant__dropout *dropout, float *y) {
    decant__grid grid = decant__grid_cut(n, layer->out);
#pragma omp for schedule(dynamic, 1)
    for (size_t t = 0; t < grid.count; t++) {
        decant__tile tile = decant__grid_tile(&grid, t);
        decant__product_nn(&grid, tile, layer->in, x, params + layer->weight, y);
        decant__finish_output(layer, index, params + layer->bias, tile, dropout, y);
    }
}

/* A kept, positive output of ReLU passes the gradient on; dropped and negative ones are both 0. */
DECANT_CLONES
static void mask_relu(size_t count, float keep, const float *restrict x, float *restrict dx) {
    for (size_t j = 0; j < count; j++) dx[j] = x[j] > 0 ? dx[j] * keep : 0;
}

static void input_gradient(const decant__layer *layer, const float *params, const float *x,
                           const float *dy, const decant__grid *grid, decant__tile tile,
                           const decant__below *below) {
    double rate = below->dropout != NULL ? below->dropout->rate : 0;
    decant__product_nt(grid, tile, layer->out, dy, params + layer->weight, below->dx);
    if (!below->layer->relu && rate == 0) return;
    for (size_t i = tile.row; i < tile.row + tile.rows; i++) {
        size_t at = i * layer->in + tile.column;
        if (below->layer->relu)
            mask_relu(tile.columns, (float)(1 / (1 - rate)), x + at, below->dx + at);
        else
            decant__dropout_apply(below->dropout, below->index, i, tile.column, tile.columns,
                                  below->dx + at);
    }
}

void decant__bias_gradient(const decant__layer *layer, const float *dy, size_t n, float *grads,
                           const decant__optimizer *optimizer) {
    float *db = grads + layer->bias;
    for (size_t j = 0; j < layer->out; j++) db[j] = 0;
    for (size_t i = 0; i < n; i++) add_bias(layer->out, dy + i * layer->out, db);
    if (optimizer != NULL)
        decant__optimizer_apply(optimizer, grads, layer->bias, layer->out, optimizer->bias_rate);
}

/* The gradient of some rows of W and their step. A small piece of it at a time stays in the cache
 * until the optimiser has used it, and never goes to memory. */
enum { PIECE_ROWS = 48, PIECE_COLUMNS = 256 };

static void step_weights(const decant__layer *layer, const decant__grid *grid, decant__tile tile,
                         const float *x, const float *packed, size_t n,
                         const decant__optimizer *optimizer) {
    float piece[PIECE_ROWS * PIECE_COLUMNS];
    size_t end = tile.column + tile.columns;
    for (; tile.column < end; tile.column += PIECE_COLUMNS) {
        tile.columns = end - tile.column < PIECE_COLUMNS ? end - tile.column : PIECE_COLUMNS;
        decant__product_tn_apart(grid, tile, n, x, packed, piece, PIECE_COLUMNS);
        for (size_t i = 0; i < tile.rows; i++)
            decant__optimizer_apply_piece(optimizer, piece + i * PIECE_COLUMNS,
                                          layer->weight + (tile.row + i) * layer->out + tile.column,
                                          tile.columns, 1);
    }
}

static void weight_gradient(const decant__layer *layer, const decant__grid *grid, decant__tile tile,
                            const float *x, const float *packed, size_t n, float *grads,
                            const decant__optimizer *optimizer) {
    if (optimizer != NULL && tile.rows <= PIECE_ROWS) {
        step_weights(layer, grid, tile, x, packed, n, optimizer);
        return;
    }
    decant__product_tn(grid, tile, n, x, packed, grads + layer->weight);
    if (optimizer != NULL)
        decant__optimizer_apply(optimizer, grads, layer->weight + tile.row * layer->out,
                                tile.rows * layer->out, 1);
}

/* Rows r of W make columns r of dx, and are changed by rows r of dW: so both are cut alike, and one
 * piece does the first before the optimiser does the second. Such rows are contiguous in the
 * parameters. The biases are one more piece. A narrow input is cut by the rows of the batch, apart.
 */
void decant__dense_backward(const decant__layer *layer, float *params, const float *x,
                            const float *dy, size_t n, const decant__below *below, float *room,
                            float *grads, const decant__optimizer *optimizer) {
    const float *packed = decant__product_pack(n, layer->out, dy, room);
    decant__grid weights = decant__grid_cut_rows(layer->in, layer->out);
    decant__grid inputs = decant__grid_cut(n, layer->in);
    int together = inputs.count == inputs.column_tiles && inputs.column_step == weights.row_step;
    if (below->dx != NULL && !together) {
#pragma omp for schedule(dynamic, 1)
        for (size_t t = 0; t < inputs.count; t++)
            input_gradient(layer, params, x, dy, &inputs, decant__grid_tile(&inputs, t), below);
    }
#pragma omp for schedule(dynamic, 1)
    for (size_t t = 0; t <= weights.count; t++) {
        if (t == weights.count) {
            decant__bias_gradient(layer, dy, n, grads, optimizer);
            continue;
        }
        decant__tile tile = decant__grid_tile(&weights, t);
        if (below->dx != NULL && together)
            input_gradient(layer, params, x, dy, &inputs, decant__grid_tile(&inputs, t), below);
        weight_gradient(layer, &weights, tile, x, packed, n, grads, optimizer);
    }
}
