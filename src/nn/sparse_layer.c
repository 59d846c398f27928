/* The first layer on sparse rows: work in proportion to the non-zeros, the rows never made dense.
 */
#include <string.h>

#include "base/team.h"
#include "linalg/kernel.h"
#include "nn/block_columns.h"
#include "nn/layer.h"

/* Rows of W that one piece of the weight gradient covers. */
enum { WEIGHT_ROWS = 64, LAZY_ROWS = 32 };

static void rectify(size_t count, float *y) {
    for (size_t j = 0; j < count; j++) y[j] = y[j] > 0 ? y[j] : 0;
}

void decant__sparse_forward(const decant__layer *layer, size_t index, const float *params,
                            const decant__rows *x, const decant__dropout *dropout, float *y) {
    const decant__kernel *kernel = decant__kernel_in_use();
    const float *weights = params + layer->weight, *bias = params + layer->bias;
    TEAM_FOR_DYNAMIC (i, x->n, 16) {
        float *row = y + i * layer->out;
        size_t begin = x->begin[i], count = x->end[i] - begin;
        memcpy(row, bias, layer->out * sizeof *row);
        kernel->add_rows(layer->out, count, x->value + begin, x->column + begin, weights,
                         layer->out, row);
        if (layer->relu) rectify(layer->out, row);
        decant__drop_outputs(
            layer, index, (decant__tile){.row = i, .rows = 1, .columns = layer->out}, dropout, y);
    }
}

/* The block by columns (counting sort), so that each row of dW has one owner. */
static void transpose(const decant__rows *x, decant__pass *pass) {
    size_t *start = pass->column_start;
    memset(start, 0, (x->d + 2) * sizeof *start);
    for (size_t i = 0; i < x->n; i++)
        for (size_t e = x->begin[i]; e < x->end[i]; e++) start[x->column[e] + 2]++;
    for (size_t j = 2; j < x->d + 2; j++) start[j] += start[j - 1];
    for (size_t i = 0; i < x->n; i++) {
        for (size_t e = x->begin[i]; e < x->end[i]; e++) {
            size_t at = start[x->column[e] + 1]++;
            pass->entry_row[at] = (uint32_t)i;
            pass->entry_value[at] = x->value[e];
        }
    }
}

static void weight_rows(const decant__layer *layer, const decant__pass *pass, size_t from,
                        size_t to, const float *dy, float *grads,
                        const decant__optimizer *optimizer) {
    float *dw = grads + layer->weight;
    for (size_t j = from; j < to; j++) {
        size_t at = pass->column_start[j], count = pass->column_start[j + 1] - at;
        decant__sum_tree tree = decant__shards_tree_of(&pass->shards, pass->entry_row + at, count);
        decant__kernel_in_use()->sum_rows(layer->out, &tree, pass->entry_value + at,
                                          pass->entry_row + at, dy, layer->out,
                                          dw + j * layer->out);
    }
    if (optimizer != NULL)
        decant__optimizer_apply(optimizer, grads, layer->weight + from * layer->out,
                                (to - from) * layer->out, 1);
}

/* Only rows of W whose column occurs in the block: the others have no gradient, and keep their
 * moments. */
static void backward_lazily(const decant__layer *layer, const decant__rows *x, const float *dy,
                            const decant__sum_tree *tree, decant__pass *pass, float *grads,
                            const decant__optimizer *optimizer) {
    decant__row_steps steps = {layer->weight, layer->out, grads, optimizer};
    float *piece = pass->pieces + decant__team_member() * DECANT__PIECE;
    TEAM_SINGLE {
        decant__block_columns_fill(pass->columns, x);
        if (optimizer == NULL)
            memset(grads + layer->weight, 0, layer->in * layer->out * sizeof *grads);
    }
    size_t columns = pass->columns->set.count, pieces = (columns + LAZY_ROWS - 1) / LAZY_ROWS;
    TEAM_FOR_DYNAMIC (t, pieces + 1, 1) {
        if (t == pieces) {
            decant__bias_gradient(layer, dy, tree, grads, optimizer);
            continue;
        }
        for (size_t c = t * LAZY_ROWS; c < (t + 1) * LAZY_ROWS && c < columns; c++)
            decant__block_columns_step(pass->columns, c, dy, &pass->shards, &steps, piece);
    }
}

void decant__sparse_backward_weights(const decant__layer *layer, const decant__rows *x,
                                     const float *dy, const decant__sum_tree *tree,
                                     decant__pass *pass, float *grads,
                                     const decant__optimizer *optimizer) {
    if (layer->lazy) {
        backward_lazily(layer, x, dy, tree, pass, grads, optimizer);
        return;
    }
    TEAM_SINGLE transpose(x, pass);
    size_t pieces = (layer->in + WEIGHT_ROWS - 1) / WEIGHT_ROWS;
    TEAM_FOR_DYNAMIC (t, pieces + 1, 1) {
        if (t == pieces) {
            decant__bias_gradient(layer, dy, tree, grads, optimizer);
            continue;
        }
        size_t from = t * WEIGHT_ROWS;
        size_t to = from + WEIGHT_ROWS < layer->in ? from + WEIGHT_ROWS : layer->in;
        weight_rows(layer, pass, from, to, dy, grads, optimizer);
    }
}
