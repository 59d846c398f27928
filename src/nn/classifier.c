#include "nn/classifier.h"

#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/simd.h"
#include "base/team.h"
#include "nn/batch_norm.h"
#include "nn/layer.h"

enum { HIDDEN = DECANT__CLASSIFIER_HIDDEN, DEPTH = DECANT__CLASSIFIER_DEPTH, TOP = DEPTH - 1 };

/* The random step before the gradient is taken, in radii. */
static const float PROBE = 8;
/* The last layer begins near 0: all clusters are equally likely. */
static const double LAST_SCALE = 1e-4;

decant_status decant__classifier_plan(decant__classifier *plan, size_t d, size_t width, size_t k,
                                      int lazy) {
    size_t sizes[DEPTH + 1] = {d, width, width, k}, at = 0;
    *plan = (decant__classifier){.net = {.depth = DEPTH}};
    for (size_t l = 0; l < DEPTH; l++) {
        decant__layer *layer = &plan->net.layer[l];
        *layer = (decant__layer){.in = sizes[l], .out = sizes[l + 1], .lazy = l == 0 && lazy};
        if (layer->in > (SIZE_MAX / 64 - at) / (layer->out + 3))
            return decant__fail(DECANT_EINVAL, "a layer of %zu x %zu weights is too large",
                                layer->in, layer->out);
        layer->weight = at;
        layer->bias = at + layer->in * layer->out;
        at = layer->bias + layer->out;
        if (l == TOP) continue;
        plan->gain[l] = at;
        plan->offset[l] = at + layer->out;
        at += 2 * layer->out;
    }
    plan->parameters = at;
    return DECANT_OK;
}

void decant__classifier_init(const decant__classifier *plan, uint64_t seed, float *params) {
    memset(params, 0, plan->parameters * sizeof *params);
    for (size_t l = 0; l < DEPTH; l++) {
        const decant__layer *layer = &plan->net.layer[l];
        double scale = sqrt(2.0 / (double)layer->in) * (l == TOP ? LAST_SCALE : 1);
        decant__random random = decant__random_start(seed, DECANT__RANDOM_STUDENT, l);
        for (size_t i = 0; i < layer->in * layer->out; i++)
            params[layer->weight + i] = (float)(scale * decant__random_normal(&random));
        if (l == TOP) continue;
        for (size_t j = 0; j < layer->out; j++) params[plan->gain[l] + j] = 1;
    }
}

decant_status decant__classifier_pass_new(decant__classifier_pass *p,
                                          const decant__classifier *plan,
                                          const decant__source *source, size_t n, int threads) {
    decant_status status = DECANT_OK;
    size_t k = plan->net.layer[TOP].out;
    size_t nonzeros = source->dense == NULL ? 2 * decant__source_max_nonzeros(source, n) : 0;
    *p = (decant__classifier_pass){.n = n};
    TRY(decant__pass_new(&p->pass, &plan->net, 2 * n, 1, nonzeros, threads));
    TRY(decant__disturbed_new(&p->pair, source, n));
    for (size_t l = 0; l < HIDDEN; l++) {
        NEW_ARRAY(p->active[l], 2 * n * plan->net.layer[l].out);
        NEW_ARRAY(p->inverse[l], 2 * plan->net.layer[l].out);
    }
    NEW_ARRAY(p->s, 2 * n * k);
    NEW_ARRAY(p->probe, n);
    NEW_ARRAY(p->loss, n);
    NEW_ARRAY(p->divergence, n);
    NEW_ARRAY(p->mean, k);
    NEW_ARRAY(p->grads, plan->parameters);
done:
    if (status != DECANT_OK) decant__classifier_pass_free(p);
    return status;
}

void decant__classifier_pass_free(decant__classifier_pass *p) {
    decant__pass_free(&p->pass);
    decant__disturbed_free(&p->pair);
    for (size_t l = 0; l < HIDDEN; l++) {
        decant__free(p->active[l]);
        decant__free(p->inverse[l]);
    }
    decant__free(p->s);
    decant__free(p->probe);
    decant__free(p->loss);
    decant__free(p->divergence);
    decant__free(p->mean);
    decant__free(p->grads);
    *p = (decant__classifier_pass){0};
}

static decant__batch_norm norm_of(const decant__classifier *plan, const float *params, size_t l) {
    return (decant__batch_norm){plan->net.layer[l].out, params + plan->gain[l],
                                params + plan->offset[l]};
}

/* The rows of one half through the net: active, and s. */
static void forward_half(const decant__classifier_step *step, decant__classifier_pass *p,
                         size_t half) {
    const decant__net *net = &step->plan->net;
    const float *params = step->optimizer.params;
    decant__rows x = decant__disturbed_half(&p->pair, half);
    const float *input = x.dense;
    decant__pass view = p->pass;
    for (size_t l = 0; l < DEPTH; l++) view.output[l] += half * p->n * net->layer[l].out;
    for (size_t l = 0; l < DEPTH; l++) {
        const decant__layer *layer = &net->layer[l];
        if (input == NULL)
            decant__sparse_forward(layer, l, params, &x, NULL, view.output[l]);
        else
            decant__dense_forward(layer, l, params, input, p->n, NULL, &view);
        if (l == TOP) break;
        float *active = p->active[l] + half * p->n * layer->out;
        decant__batch_norm norm = norm_of(step->plan, params, l);
        decant__batch_norm_forward(&norm, p->n, view.output[l], active,
                                   p->inverse[l] + half * layer->out);
        input = active;
    }
    size_t k = net->layer[TOP].out;
    decant__softmax(view.output[TOP], p->n, k, p->s + half * p->n * k);
}

/* dx = dy W^T of the rows of a layer, and no gradient of weights. */
static void backward_to_input(const decant__layer *layer, const float *params, const float *dy,
                              size_t n, decant__pass *pass, float *dx) {
    decant__grid grid = decant__grid_cut(n, layer->in, pass->scratch);
    TEAM_FOR_DYNAMIC (t, grid.count, 1)
        decant__product_nt(&grid, decant__grid_tile(&grid, t), layer->out, dy,
                           params + layer->weight, NULL, dx);
}

DECANT_CLONES
static float dot(size_t count, const float *restrict a, const float *restrict b) {
    float sum;
    LANES_SUM_FLOAT(sum, j, count, a[j] * b[j]);
    return sum;
}

/* The same for sparse rows: of their non-zeros only. */
static void backward_to_nonzeros(const decant__layer *layer, const float *params, const float *dy,
                                 const decant__rows *x, float *gradient) {
    TEAM_FOR_DYNAMIC (i, x->n, 4) {
        size_t first = x->begin[i] - x->begin[0];
        for (size_t e = x->begin[i]; e < x->end[i]; e++)
            gradient[first + e - x->begin[i]] =
                dot(layer->out, dy + i * layer->out,
                    params + layer->weight + x->column[e] * layer->out);
    }
}

/* From the logits of the second half to the gradient of its rows. */
static void backward_rows(const decant__classifier_step *step, decant__classifier_pass *p) {
    const decant__net *net = &step->plan->net;
    const float *params = step->optimizer.params;
    size_t n = p->n;
    decant__rows x = decant__disturbed_half(&p->pair, 1);
    for (size_t l = TOP; l > 0; l--) {
        size_t in = net->layer[l].in;
        float *dx = p->pass.delta[l - 1] + n * in;
        backward_to_input(&net->layer[l], params, p->pass.delta[l] + n * net->layer[l].out, n,
                          &p->pass, dx);
        decant__batch_norm norm = norm_of(step->plan, params, l - 1);
        decant__norm_backward back = {.n = n,
                                      .groups = 1,
                                      .normal = p->pass.output[l - 1] + n * in,
                                      .y = p->active[l - 1] + n * in,
                                      .inverse = p->inverse[l - 1] + in,
                                      .dy = dx};
        decant__batch_norm_backward(&norm, &back);
    }
    const float *dy = p->pass.delta[0] + n * net->layer[0].out;
    if (x.dense != NULL)
        backward_to_input(&net->layer[0], params, dy, n, &p->pass, p->pair.gradient);
    else
        backward_to_nonzeros(&net->layer[0], params, dy, &x, p->pair.gradient);
}

void decant__classifier_disturb(const decant__classifier_step *step, decant__classifier_pass *p) {
    size_t n = p->n, k = step->plan->net.layer[TOP].out;
    decant__disturbed_set(&p->pair, step->x);
    TEAM_FOR (i, n) p->probe[i] = PROBE * step->radius[i];
    forward_half(step, p, 0);
    decant__disturbed_randomly(&p->pair, p->probe, step->seed, step->step);
    forward_half(step, p, 1);
    decant__divergence_gradient(n, k, p->s, p->s + n * k, p->pass.delta[TOP] + n * k, NULL);
    backward_rows(step, p);
    decant__disturbed_by_gradient(&p->pair, step->radius);
}

/* Through layer l of both halves: its step, and the gradient of the layer below. */
static void backward_layer(const decant__classifier_step *step, decant__classifier_pass *p,
                           size_t l, const decant__optimizer *optimizer) {
    const decant__classifier *plan = step->plan;
    decant__rows x = decant__disturbed_both(&p->pair);
    decant__sum_tree tree = decant__shards_tree(&p->pass.shards);
    if (l == 0 && x.dense == NULL) {
        decant__sparse_backward_weights(&plan->net.layer[0], &x, p->pass.delta[0], &tree, &p->pass,
                                        p->grads, optimizer);
        return;
    }
    decant__backward back = {.layer = &plan->net.layer[l],
                             .params = step->optimizer.params,
                             .x = l > 0 ? p->active[l - 1] : x.dense,
                             .dy = p->pass.delta[l],
                             .n = 2 * p->n,
                             .tree = &tree,
                             .grads = p->grads,
                             .optimizer = optimizer};
    if (l > 0)
        back.below = (decant__below){
            .layer = &plan->net.layer[l - 1], .index = l - 1, .dx = p->pass.delta[l - 1]};
    decant__dense_backward(&back, &p->pass);
}

static void backward_norm(const decant__classifier_step *step, decant__classifier_pass *p,
                          size_t l) {
    const decant__classifier *plan = step->plan;
    size_t width = plan->net.layer[l].out;
    decant__batch_norm norm = norm_of(plan, step->optimizer.params, l);
    decant__norm_backward back = {.n = p->n,
                                  .groups = 2,
                                  .normal = p->pass.output[l],
                                  .y = p->active[l],
                                  .inverse = p->inverse[l],
                                  .dy = p->pass.delta[l],
                                  .gain_gradient = p->grads + plan->gain[l],
                                  .offset_gradient = p->grads + plan->offset[l]};
    decant__batch_norm_backward(&norm, &back);
    TEAM_SINGLE decant__optimizer_apply(&step->optimizer, p->grads, plan->gain[l], 2 * width, 1);
}

void decant__classifier_train(const decant__classifier_step *step, decant__classifier_pass *p) {
    size_t n = p->n, k = step->plan->net.layer[TOP].out;
    decant__optimizer hidden = step->optimizer;
    hidden.bias_rate = 0; /* normalisation takes any bias away: it stays 0 */
    decant__classifier_disturb(step, p);
    forward_half(step, p, 1);
    decant__lesson_gradient(step->lesson, p->s, p->pass.delta[TOP], p->loss, p->mean);
    decant__divergence_gradient(n, k, p->s, p->s + n * k, p->pass.delta[TOP] + n * k,
                                p->divergence);
    backward_layer(step, p, TOP, &step->optimizer);
    for (size_t l = TOP; l-- > 0;) {
        backward_norm(step, p, l);
        backward_layer(step, p, l, &hidden);
    }
}

decant__net decant__classifier_folded(const decant__classifier *plan) {
    decant__net net = plan->net;
    for (size_t l = 0; l < HIDDEN; l++) net.layer[l].relu = 1;
    return net;
}

decant_status decant__classifier_fold(const decant__classifier *plan, size_t l, size_t n,
                                      const double *sum, const double *square, float *params) {
    decant_status status = DECANT_OK;
    const decant__layer *layer = &plan->net.layer[l];
    decant__batch_norm norm = norm_of(plan, params, l);
    float *factor = NULL;
    NEW_ARRAY(factor, layer->out);
    decant__batch_norm_fold(&norm, n, sum, square, factor, params + layer->bias);
    for (size_t i = 0; i < layer->in; i++)
        for (size_t j = 0; j < layer->out; j++)
            params[layer->weight + i * layer->out + j] *= factor[j];
done:
    decant__free(factor);
    return status;
}
