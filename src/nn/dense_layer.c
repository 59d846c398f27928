/* A fully connected layer. Products come in tiles (linalg/product.h), and what follows a product
 * (bias, ReLU, dropout; the mask of the layer below; the optimiser) is done on each tile while it
 * is still in the cache. */
#include "base/simd.h"
#include "base/team.h"
#include "nn/dropout.h"
#include "nn/layer.h"

void decant__drop_outputs(const decant__layer *layer, size_t index, decant__tile tile,
                          const decant__dropout *dropout, float *y) {
    if (dropout == NULL || dropout->rate == 0) return;
    for (size_t i = tile.row; i < tile.row + tile.rows; i++)
        decant__dropout_apply(dropout, index, i, tile.column, tile.columns,
                              y + i * layer->out + tile.column);
}

void decant__dense_forward(const decant__layer *layer, size_t index, const float *params,
                           const float *x, size_t n, const decant__dropout *dropout,
                           decant__pass *pass) {
    decant__grid grid = decant__grid_cut(n, layer->out, pass->scratch);
    const float *panels = pass->panels[index], *bias = params + layer->bias;
    float *y = pass->output[index];
    TEAM_FOR_DYNAMIC (t, grid.count, 1) {
        decant__tile tile = decant__grid_tile(&grid, t);
        if (panels != NULL)
            decant__product_panels(&grid, tile, layer->in, x, panels, bias, layer->relu, y);
        else
            decant__product_nn(&grid, tile, layer->in, x, params + layer->weight, bias, layer->relu,
                               y);
        decant__drop_outputs(layer, index, tile, dropout, y);
    }
}

/* A kept, positive output of ReLU passes the gradient on; dropped and negative ones are both 0. */
DECANT_CLONES
static void mask_relu(size_t count, float keep, const float *restrict x, float *restrict dx) {
    for (size_t j = 0; j < count; j++) dx[j] = x[j] > 0 ? dx[j] * keep : 0;
}

void decant__mask_input(const decant__below *below, decant__tile tile, size_t in, const float *x) {
    double rate = below->dropout != NULL ? below->dropout->rate : 0;
    if (!below->layer->relu && rate == 0) return;
    for (size_t i = tile.row; i < tile.row + tile.rows; i++) {
        size_t at = i * in + tile.column;
        if (below->layer->relu)
            mask_relu(tile.columns, (float)(1 / (1 - rate)), x + at, below->dx + at);
        else
            decant__dropout_apply(below->dropout, below->index, i, tile.column, tile.columns,
                                  below->dx + at);
    }
}

static void input_gradient(const decant__backward *step, const decant__grid *grid, size_t number) {
    const decant__layer *layer = step->layer;
    decant__tile tile = decant__grid_tile(grid, number);
    decant__product_nt(grid, tile, layer->out, step->dy, step->params + layer->weight,
                       step->below.layer->relu ? step->x : NULL, step->below.dx);
    decant__mask_input(&step->below, tile, layer->in, step->x);
    if (step->below.packed != NULL)
        decant__product_pack_tile(tile, step->n, layer->in, step->below.dx, step->below.packed);
}

void decant__bias_gradient(const decant__layer *layer, const float *dy,
                           const decant__sum_tree *tree, float *grads,
                           const decant__optimizer *optimizer) {
    decant__kernel_in_use()->sum_rows(layer->out, tree, NULL, NULL, dy, layer->out,
                                      grads + layer->bias);
    if (optimizer != NULL)
        decant__optimizer_apply(optimizer, grads, layer->bias, layer->out, optimizer->bias_rate);
}

/* The gradient of some rows of W and their step, piece by piece. What the optimiser will read of a
 * piece is fetched while its gradient is computed. */
static void step_weights(const decant__backward *step, const decant__grid *grid, decant__tile tile,
                         const float *packed, float *piece) {
    const decant__layer *layer = step->layer;
    const decant__optimizer *o = step->optimizer;
    const float *const ahead[3] = {
        o->params + layer->weight, o->moment1 + layer->weight,
        o->kind == DECANT_OPTIMIZER_ADAM ? o->moment2 + layer->weight : NULL};
    size_t end = tile.column + tile.columns, width = DECANT__PIECE_COLUMNS;
    decant__product_tn_begin(grid, tile, step->n, step->x);
    for (; tile.column < end; tile.column += width) {
        tile.columns = end - tile.column < width ? end - tile.column : width;
        decant__product_tn_piece(grid, tile, step->n, packed, step->tree, ahead, piece, width);
        for (size_t i = 0; i < tile.rows; i++)
            decant__optimizer_apply_piece(o, piece + i * width,
                                          layer->weight + (tile.row + i) * layer->out + tile.column,
                                          tile.columns, 1);
    }
}

static void weight_gradient(const decant__backward *step, const decant__grid *grid, size_t number,
                            const float *packed, float *pieces) {
    const decant__layer *layer = step->layer;
    decant__tile tile = decant__grid_tile(grid, number);
    if (step->optimizer != NULL && step->n <= DECANT__PRODUCT_DEEPEST) {
        step_weights(step, grid, tile, packed, pieces + decant__team_member() * DECANT__PIECE);
        return;
    }
    decant__product_tn(grid, tile, step->n, step->x, packed, step->tree,
                       step->grads + layer->weight);
    for (size_t i = 0; i < tile.rows && step->optimizer != NULL; i++)
        decant__optimizer_apply(step->optimizer, step->grads,
                                layer->weight + (tile.row + i) * layer->out + tile.column,
                                tile.columns, 1);
}

/* Rows r of W make columns r of dx, and are changed by rows r of dW: where both are cut alike, one
 * piece of work does the first before the optimiser does the second. Such rows are contiguous in
 * the parameters. The biases are one more piece, before the small tiles of the end. */
static void inputs_and_weights(const decant__backward *step, const decant__grid *inputs,
                               const decant__grid *weights, const float *packed, float *pieces) {
    TEAM_FOR_DYNAMIC (t, weights->count + 1, 1) {
        if (t == 0) {
            decant__bias_gradient(step->layer, step->dy, step->tree, step->grads, step->optimizer);
            continue;
        }
        if (inputs != NULL) input_gradient(step, inputs, t - 1);
        weight_gradient(step, weights, t - 1, packed, pieces);
    }
}

/* A narrow input is cut by the rows of the batch: all of dx, then all of dW. */
static void inputs_then_weights(const decant__backward *step, const decant__grid *inputs,
                                const decant__grid *weights, const float *packed, float *pieces) {
    TEAM_FOR_DYNAMIC (t, inputs->count, 1) input_gradient(step, inputs, t);
    inputs_and_weights(step, NULL, weights, packed, pieces);
}

void decant__dense_backward(const decant__backward *step, decant__pass *pass) {
    const decant__layer *layer = step->layer;
    const float *packed = step->packed;
    if (packed == NULL) {
        float *own = pass->packed[step->below.packed == pass->packed[0]];
        decant__product_pack(step->n, layer->out, step->dy, own);
        packed = own;
    }
    decant__grid weights = decant__grid_cut_weights(layer->in, layer->out, pass->scratch);
    decant__grid inputs = decant__grid_cut(step->n, layer->in, pass->scratch);
    int cut_alike = !inputs.by_rows && inputs.count == weights.count;
    if (step->below.dx == NULL)
        inputs_and_weights(step, NULL, &weights, packed, pass->pieces);
    else if (cut_alike)
        inputs_and_weights(step, &inputs, &weights, packed, pass->pieces);
    else
        inputs_then_weights(step, &inputs, &weights, packed, pass->pieces);
}
