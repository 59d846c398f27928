#include "nn/net.h"

#include "base/memory.h"
#include "nn/layer.h"
#include "nn/sampled_output.h"

decant_status decant__pass_new(decant__pass *pass, const decant__net *net, size_t capacity,
                               int training, size_t nonzeros, int threads) {
    decant_status status = DECANT_OK;
    size_t widest = 0;
    *pass = (decant__pass){.capacity = capacity, .shards = decant__shards_even(capacity)};
    for (size_t l = 0; l < net->depth; l++) {
        size_t out = net->layer[l].out;
        if (net->layer[l].sample > 0) continue;
        NEW_ARRAY(pass->output[l], capacity * out);
        if (training) NEW_ARRAY(pass->delta[l], capacity * out);
        if (out > widest) widest = out;
    }
    NEW_ARRAY(pass->scratch, (size_t)threads * DECANT__PRODUCT_SCRATCH);
    if (training) NEW_ARRAY(pass->pieces, (size_t)threads * DECANT__PIECE);
    for (int p = 0; p < 2 && training; p++)
        NEW_ARRAY(pass->packed[p], decant__product_pack_size(capacity, widest));
    const decant__layer *last = &net->layer[net->depth - 1];
    if (training && last->sample > 0)
        TRY(decant__sampled_new(&pass->sampled, last, capacity, nonzeros));
    if (training && nonzeros > 0 && net->layer[0].lazy) {
        NEW_ZEROED(pass->columns, 1);
        TRY(decant__block_columns_new(pass->columns, net->layer[0].in, nonzeros));
    } else if (training && nonzeros > 0) {
        NEW_ARRAY(pass->column_start, net->layer[0].in + 2);
        NEW_ARRAY(pass->entry_row, nonzeros);
        NEW_ARRAY(pass->entry_value, nonzeros);
    }
done:
    if (status != DECANT_OK) decant__pass_free(pass);
    return status;
}

void decant__pass_free(decant__pass *pass) {
    for (size_t l = 0; l < DECANT__NET_MAX; l++) {
        decant__free(pass->output[l]);
        decant__free(pass->delta[l]);
    }
    decant__free(pass->scratch);
    decant__free(pass->pieces);
    for (int p = 0; p < 2; p++) decant__free(pass->packed[p]);
    decant__free(pass->column_start);
    decant__free(pass->entry_row);
    decant__free(pass->entry_value);
    if (pass->columns != NULL) decant__block_columns_free(pass->columns);
    decant__free(pass->columns);
    decant__sampled_free(pass->sampled);
    *pass = (decant__pass){0};
}

void decant__net_pack(const decant__net *net, size_t l, const float *params, float *panels) {
    const decant__layer *layer = &net->layer[l];
    decant__product_pack(layer->in, layer->out, params + layer->weight, panels);
}

/* Masks fall on hidden layers only: the last output is what the loss compares. */
static const decant__dropout *dropout_of(const decant__net *net, size_t l,
                                         const decant__dropout *dropout) {
    return l + 1 < net->depth ? dropout : NULL;
}

void decant__net_forward(const decant__net *net, const float *params, const decant__rows *x,
                         const decant__dropout *dropout, decant__pass *pass) {
    const float *input = x->dense;
    for (size_t l = 0; l < net->depth; l++) {
        const decant__dropout *mask = dropout_of(net, l, dropout);
        if (net->layer[l].sample > 0) break;
        if (input == NULL)
            decant__sparse_forward(&net->layer[l], l, params, x, mask, pass->output[l]);
        else
            decant__dense_forward(&net->layer[l], l, params, input, x->n, mask, pass);
        input = pass->output[l];
    }
}

void decant__net_backward(const decant__net *net, float *params, const decant__rows *x,
                          const decant__dropout *dropout, size_t first, size_t last,
                          decant__pass *pass, float *grads, const decant__optimizer *optimizer) {
    decant__sum_tree tree = decant__shards_tree(&pass->shards);
    const float *packed = NULL; /* the delta of layer l, if the one above has made it */
    for (size_t l = last + 1; l-- > first;) {
        const decant__layer *layer = &net->layer[l];
        if (l == 0 && x->dense == NULL) {
            decant__sparse_backward_weights(layer, x, pass->delta[l], &tree, pass, grads,
                                            optimizer);
            continue;
        }
        decant__backward step = {.layer = layer,
                                 .params = params,
                                 .x = l > 0 ? pass->output[l - 1] : x->dense,
                                 .dy = pass->delta[l],
                                 .packed = packed,
                                 .n = x->n,
                                 .tree = &tree,
                                 .grads = grads,
                                 .optimizer = optimizer};
        if (l > 0)
            step.below = (decant__below){&net->layer[l - 1], l - 1, dropout_of(net, l - 1, dropout),
                                         pass->delta[l - 1], NULL};
        if (l > first && layer->sample == 0 && (l > 1 || x->dense != NULL))
            step.below.packed = pass->packed[(l - 1) % 2];
        packed = step.below.packed;
        if (layer->sample > 0)
            decant__sampled_backward(&step, pass);
        else
            decant__dense_backward(&step, pass);
    }
}
