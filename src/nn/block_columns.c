#include "nn/block_columns.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/kernel.h"
#include "nn/layer.h"

decant_status decant__column_set_new(decant__column_set *set, size_t d, size_t capacity) {
    decant_status status = DECANT_OK;
    *set = (decant__column_set){0};
    NEW_ARRAY(set->column, capacity);
    NEW_ZEROED(set->place, d);
done:
    if (status != DECANT_OK) decant__column_set_free(set);
    return status;
}

void decant__column_set_free(decant__column_set *set) {
    decant__free(set->column);
    decant__free(set->place);
    *set = (decant__column_set){0};
}

decant_status decant__block_columns_new(decant__block_columns *block, size_t d, size_t nonzeros) {
    decant_status status = DECANT_OK;
    size_t columns = nonzeros < d ? nonzeros : d;
    *block = (decant__block_columns){0};
    TRY(decant__column_set_new(&block->set, d, columns));
    NEW_ARRAY(block->start, columns + 2);
    NEW_ARRAY(block->row, nonzeros);
    NEW_ARRAY(block->value, nonzeros);
done:
    if (status != DECANT_OK) decant__block_columns_free(block);
    return status;
}

void decant__block_columns_free(decant__block_columns *block) {
    decant__column_set_free(&block->set);
    decant__free(block->start);
    decant__free(block->row);
    decant__free(block->value);
    *block = (decant__block_columns){0};
}

/* A counting sort. start[c + 2] counts column c, then start[c + 1] is where its next entry goes. */
void decant__block_columns_fill(decant__block_columns *block, const decant__rows *x) {
    decant__column_set *set = &block->set;
    size_t *start = block->start;
    set->count = 0;
    start[0] = start[1] = 0;
    for (size_t i = 0; i < x->n; i++) {
        for (size_t e = x->begin[i]; e < x->end[i]; e++) {
            size_t c = decant__column_set_find(set, x->column[e]);
            if (c == set->count) {
                decant__column_set_add(set, x->column[e]);
                start[c + 2] = 0;
            }
            start[c + 2]++;
        }
    }
    for (size_t c = 0; c < set->count; c++) start[c + 2] += start[c + 1];
    for (size_t i = 0; i < x->n; i++) {
        for (size_t e = x->begin[i]; e < x->end[i]; e++) {
            size_t at = start[set->place[x->column[e]] + 1]++;
            block->row[at] = (uint32_t)i;
            block->value[at] = x->value[e];
        }
    }
}

/* What the optimiser will read and write of a row, into the cache. Rows are far apart: what the
 * processor itself fetches ahead ends with each of them. */
static void fetch_row(const decant__row_steps *steps, size_t row) {
    const decant__optimizer *o = steps->optimizer;
    enum { LINE = 16 }; /* floats */
    size_t from = steps->weight + row * steps->width, end = from + steps->width;
    for (size_t at = from; at < end; at += LINE) {
        __builtin_prefetch(o->params + at, 1);
        __builtin_prefetch(o->moment1 + at, 1);
        if (o->moment2 != NULL) __builtin_prefetch(o->moment2 + at, 1);
    }
}

void decant__row_steps_apply(const decant__row_steps *steps, size_t row, size_t from, size_t count,
                             const float *gradient) {
    size_t offset = steps->weight + row * steps->width + from;
    if (steps->optimizer != NULL)
        decant__optimizer_apply_piece(steps->optimizer, gradient, offset, count, 1);
    else
        memcpy(steps->grads + offset, gradient, count * sizeof *gradient);
}

void decant__block_columns_step(const decant__block_columns *block, size_t c, const float *dy,
                                const decant__shards *shards, const decant__row_steps *steps,
                                float *piece) {
    size_t at = block->start[c], entries = block->start[c + 1] - at;
    decant__sum_tree tree = decant__shards_tree_of(shards, block->row + at, entries);
    if (steps->optimizer != NULL && steps->width <= DECANT__PIECE && c + 1 < block->set.count)
        fetch_row(steps, block->set.column[c + 1]);
    for (size_t from = 0; from < steps->width; from += DECANT__PIECE) {
        size_t left = steps->width - from, count = left < DECANT__PIECE ? left : DECANT__PIECE;
        decant__kernel_in_use()->sum_rows(count, &tree, block->value + at, block->row + at,
                                          dy + from, steps->width, piece);
        decant__row_steps_apply(steps, block->set.column[c], from, count, piece);
    }
}
