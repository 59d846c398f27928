#include "nn/sampled_output.h"

#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/simd.h"
#include "base/team.h"
#include "linalg/kernel.h"
#include "linalg/partition.h"

/* Columns outside the sample that one piece of the weight gradient covers. */
enum { PIECE_COLUMNS = 32 };

decant_status decant__sampled_new(decant__sampled **sampled, const decant__layer *layer,
                                  size_t capacity, size_t nonzeros) {
    decant_status status = DECANT_OK;
    decant__sampled *s;
    NEW_ZEROED(s, 1);
    *sampled = s;
    s->d = layer->out;
    s->in = layer->in;
    s->size = layer->sample < layer->out ? layer->sample : layer->out;
    TRY(decant__column_set_new(&s->sample, s->d, s->size));
    NEW_ARRAY(s->others, s->d);
    for (size_t j = 0; j < s->d; j++) s->others[j] = (uint32_t)j;
    NEW_ARRAY(s->weights, s->size * s->in);
    NEW_ARRAY(s->bias, s->size);
    NEW_ARRAY(s->y, capacity * s->size);
    NEW_ARRAY(s->delta, capacity * s->size);
    NEW_ARRAY(s->begin, capacity);
    NEW_ARRAY(s->end, capacity);
    NEW_ARRAY(s->entry_column, nonzeros);
    NEW_ARRAY(s->entry_delta, nonzeros);
    TRY(decant__block_columns_new(&s->by_column, s->d, nonzeros));
done:
    return status;
}

void decant__sampled_free(decant__sampled *sampled) {
    if (sampled == NULL) return;
    decant__column_set_free(&sampled->sample);
    decant__free(sampled->others);
    decant__free(sampled->weights);
    decant__free(sampled->bias);
    decant__free(sampled->y);
    decant__free(sampled->delta);
    decant__free(sampled->begin);
    decant__free(sampled->end);
    decant__free(sampled->entry_column);
    decant__free(sampled->entry_delta);
    decant__block_columns_free(&sampled->by_column);
    decant__free(sampled);
}

/* Which columns come first does not depend on how they are selected: equal counts go by number. */
decant_status decant__sampled_choose_head(decant__sampled *s, const decant__source *source) {
    decant_status status = DECANT_OK;
    float *less = NULL;
    NEW_ZEROED(less, s->d);
    for (size_t i = 0; i < source->n; i++) {
        size_t row = source->rows != NULL ? source->rows[i] : i;
        for (size_t e = source->start[row]; e < source->start[row + 1]; e++)
            less[source->column[e]]--;
    }
    for (size_t j = 0; j < s->d; j++) s->others[j] = (uint32_t)j;
    s->head = s->size / 2;
    if (s->head > 0) decant__select_middle(less, 1, s->others, s->head, s->d);
    s->sample.count = 0;
    for (size_t p = 0; p < s->head; p++) decant__column_set_add(&s->sample, s->others[p]);
    size_t rest = 0;
    for (size_t j = 0; j < s->d; j++)
        if (decant__column_set_find(&s->sample, (uint32_t)j) == s->sample.count)
            s->others[rest++] = (uint32_t)j;
done:
    decant__free(less);
    return status;
}

/* Floyd's: each subset of the others is as likely as any, in one pass over what is drawn. */
void decant__sampled_draw(decant__sampled *s, uint64_t seed, uint64_t step) {
    decant__random random = decant__random_start(seed, DECANT__RANDOM_COLUMNS, step);
    size_t others = s->d - s->head;
    s->sample.count = s->head;
    for (size_t i = others - (s->size - s->head); i < others; i++) {
        uint32_t column = s->others[decant__random_below(&random, i + 1)];
        if (decant__column_set_find(&s->sample, column) < s->sample.count) column = s->others[i];
        decant__column_set_add(&s->sample, column);
    }
}

/* ---- Loss ------------------------------------------------------------------------------------ */

DECANT_CLONES
static double square_outputs(size_t count, float scale, float weight, const float *restrict y,
                             float *restrict delta) {
    double sum;
    LANES_SUM_DOUBLE(sum, j, count, (double)(weight * (y[j] * y[j])));
    for (size_t j = 0; j < count; j++) delta[j] = scale * weight * y[j];
    return sum;
}

DECANT_CLONES
static float dot(size_t count, const float *restrict a, const float *restrict b) {
    float sum;
    LANES_SUM_FLOAT(sum, j, count, a[j] * b[j]);
    return sum;
}

static float weight_of(const decant__sampled *s, size_t place) {
    if (place < s->head || s->size == s->head) return 1;
    return (float)((double)(s->d - s->head) / (double)(s->size - s->head));
}

/* First as if all of the sample were zeros, then put right at the non-zeros. */
static double row_loss_of(const decant__layer *layer, const float *params, const decant__rows *x,
                          size_t i, const float *h, float scale, decant__sampled *s) {
    const float *y = s->y + i * s->size;
    float *delta = s->delta + i * s->size;
    double sum = square_outputs(s->head, scale, 1, y, delta);
    sum += square_outputs(s->size - s->head, scale, weight_of(s, s->head), y + s->head,
                          delta + s->head);
    size_t at = s->begin[i];
    for (size_t e = x->begin[i]; e < x->end[i]; e++) {
        uint32_t j = x->column[e];
        size_t p = decant__column_set_find(&s->sample, j);
        float difference;
        if (p < s->sample.count) {
            difference = y[p] - x->value[e];
            sum -= (double)(weight_of(s, p) * (y[p] * y[p]));
            delta[p] = scale * difference;
        } else {
            float output =
                params[layer->bias + j] + dot(s->in, h, params + layer->weight + (size_t)j * s->in);
            difference = output - x->value[e];
            s->entry_column[at] = j;
            s->entry_delta[at++] = scale * difference;
        }
        sum += (double)(difference * difference);
    }
    s->end[i] = at;
    return sum;
}

/* Every row has room for all of its non-zeros. */
static void place_rows(const decant__rows *x, decant__sampled *s) {
    size_t at = 0;
    for (size_t i = 0; i < x->n; i++) {
        s->begin[i] = at;
        at += x->end[i] - x->begin[i];
    }
}

/* The outputs in some columns of the sample. */
static void sample_outputs(const decant__layer *layer, const float *params, const float *h,
                           const decant__grid *grid, decant__tile tile, decant__sampled *s) {
    for (size_t p = tile.column; p < tile.column + tile.columns; p++) {
        size_t j = s->sample.column[p];
        memcpy(s->weights + p * s->in, params + layer->weight + j * s->in,
               s->in * sizeof *s->weights);
        s->bias[p] = params[layer->bias + j];
    }
    decant__product product = {.m = tile.rows,
                               .n = tile.columns,
                               .k = s->in,
                               .a = {h + tile.row * s->in, s->in},
                               .b = {s->weights + tile.column * s->in, s->in},
                               .transposed = 1,
                               .bias = s->bias + tile.column,
                               .c = s->y + tile.row * s->size + tile.column,
                               .stride = s->size};
    decant__product_run(&product, grid->scratch + decant__team_member() * DECANT__PRODUCT_SCRATCH);
}

void decant__sampled_loss(const decant__layer *layer, const float *params, const decant__rows *x,
                          const float *h, float scale, decant__pass *pass, double *row_loss) {
    decant__sampled *s = pass->sampled;
    /* Of whole columns, so that a column's weights are gathered by whoever needs them. */
    decant__grid grid = decant__grid_cut_columns(x->n, s->size, pass->scratch);
    TEAM_SINGLE place_rows(x, s);
    TEAM_FOR_DYNAMIC (t, grid.count, 1)
        sample_outputs(layer, params, h, &grid, decant__grid_tile(&grid, t), s);
    TEAM_FOR_DYNAMIC (i, x->n, 8)
        row_loss[i] = row_loss_of(layer, params, x, i, h + i * s->in, scale, s);
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* dx = dy W^T: the sample's part as a product, then the entries outside of it. */
static void input_gradient(const decant__backward *step, decant__pass *pass) {
    const decant__sampled *s = pass->sampled;
    const decant__kernel *kernel = decant__kernel_in_use();
    decant__grid grid = decant__grid_cut(step->n, s->in, pass->scratch);
    float *dx = step->below.dx;
    TEAM_FOR_DYNAMIC (t, grid.count, 1)
        decant__product_nn(&grid, decant__grid_tile(&grid, t), s->size, s->delta, s->weights, NULL,
                           0, dx);
    TEAM_FOR_DYNAMIC (i, step->n, 8) {
        size_t begin = s->begin[i];
        kernel->add_rows(s->in, s->end[i] - begin, s->entry_delta + begin, s->entry_column + begin,
                         step->params + step->layer->weight, s->in, dx + i * s->in);
        decant__mask_input(&step->below, (decant__tile){.row = i, .rows = 1, .columns = s->in},
                           s->in, step->x);
    }
}

/* The bias of one column of the output. */
static void step_bias(const decant__backward *step, size_t column, float gradient) {
    const decant__optimizer *o = step->optimizer;
    size_t offset = step->layer->bias + column;
    if (o != NULL)
        decant__optimizer_apply_piece(o, &gradient, offset, 1, o->bias_rate);
    else
        step->grads[offset] = gradient;
}

/* Some columns of the sample: their gradient takes the place of their gathered weights. */
static void step_sample(const decant__backward *step, const decant__grid *grid, size_t number,
                        const float *packed, const decant__row_steps *steps, decant__sampled *s) {
    decant__tile tile = decant__grid_tile(grid, number);
    float sum[DECANT__PRODUCT_TILE];
    decant__product_tn(grid, tile, step->n, s->delta, packed, step->tree, s->weights);
    decant__kernel_in_use()->sum_rows(tile.rows, step->tree, NULL, NULL, s->delta + tile.row,
                                      s->size, sum);
    for (size_t p = 0; p < tile.rows; p++) {
        size_t place = tile.row + p, column = s->sample.column[place];
        decant__row_steps_apply(steps, column, 0, s->in, s->weights + place * s->in);
        step_bias(step, column, sum[p]);
    }
}

/* Column number c outside the sample. */
static void step_column(const decant__backward *step, size_t c, const decant__shards *shards,
                        const decant__row_steps *steps, const decant__sampled *s, float *piece) {
    const decant__block_columns *block = &s->by_column;
    size_t at = block->start[c];
    decant__sum_tree tree =
        decant__shards_tree_of(shards, block->row + at, block->start[c + 1] - at);
    float sum;
    decant__block_columns_step(block, c, step->x, shards, steps, piece);
    decant__kernel_in_use()->sum_rows(1, &tree, NULL, NULL, block->value + at, 1, &sum);
    step_bias(step, block->set.column[c], sum);
}

static void prepare_weights(const decant__backward *step, decant__sampled *s) {
    const decant__layer *layer = step->layer;
    decant__rows entries = {.n = step->n,
                            .d = s->d,
                            .begin = s->begin,
                            .end = s->end,
                            .column = s->entry_column,
                            .value = s->entry_delta};
    decant__block_columns_fill(&s->by_column, &entries);
    if (step->optimizer == NULL)
        memset(step->grads + layer->weight, 0, (s->in + 1) * s->d * sizeof *step->grads);
}

void decant__sampled_backward(const decant__backward *step, decant__pass *pass) {
    decant__sampled *s = pass->sampled;
    float *piece = pass->pieces + decant__team_member() * DECANT__PIECE;
    decant__row_steps steps = {step->layer->weight, s->in, step->grads, step->optimizer};
    if (step->below.dx != NULL) input_gradient(step, pass);
    TEAM_SINGLE prepare_weights(step, s);
    decant__product_pack(step->n, s->in, step->x, pass->packed[0]);
    decant__grid grid = decant__grid_cut_rows(s->size, s->in, pass->scratch);
    size_t columns = s->by_column.set.count;
    size_t pieces = (columns + PIECE_COLUMNS - 1) / PIECE_COLUMNS;
    TEAM_FOR_DYNAMIC (t, grid.count + pieces, 1) {
        if (t < grid.count) {
            step_sample(step, &grid, t, pass->packed[0], &steps, s);
            continue;
        }
        size_t from = (t - grid.count) * PIECE_COLUMNS, to = from + PIECE_COLUMNS;
        for (size_t c = from; c < to && c < columns; c++)
            step_column(step, c, &pass->shards, &steps, s, piece);
    }
}
