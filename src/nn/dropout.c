#include "nn/dropout.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

/* Index of the input in a step's masks; layers count from 0. */
enum { INPUT_LAYER = 0xff };

/* One call of the generator gives eight 16-bit decisions. */
void decant__dropout_apply(const decant__dropout *dropout, size_t layer, size_t row, size_t column,
                           size_t count, float *values) {
    uint32_t threshold = (uint32_t)(dropout->rate * 65536);
    float keep = (float)(1 / (1 - dropout->rate));
    for (size_t i = 0; i < count; i += 8) {
        uint32_t word[4];
        uint64_t index = ((uint64_t)layer << 56) | ((uint64_t)row << 32) | (column + i) / 8;
        decant__philox(dropout->seed, DECANT__RANDOM_DROPOUT, dropout->step, index, word);
        size_t block = count - i < 8 ? count - i : 8;
        for (size_t j = 0; j < block; j++) {
            uint32_t draw = (word[j / 2] >> (16 * (j % 2))) & 0xffffU;
            values[i + j] *= draw < threshold ? 0.0F : keep;
        }
    }
}

decant_status decant__corrupted_new(decant__corrupted *room, const decant__source *source,
                                    size_t capacity) {
    decant_status status = DECANT_OK;
    *room = (decant__corrupted){0};
    if (source->dense != NULL) {
        NEW_ARRAY(room->dense, capacity * source->d);
    } else {
        size_t nonzeros = decant__source_most_nonzeros(source, capacity);
        NEW_ARRAY(room->begin, capacity);
        NEW_ARRAY(room->end, capacity);
        NEW_ARRAY(room->column, nonzeros);
        NEW_ARRAY(room->value, nonzeros);
    }
done:
    if (status != DECANT_OK) decant__corrupted_free(room);
    return status;
}

void decant__corrupted_free(decant__corrupted *room) {
    decant__free(room->dense);
    decant__free(room->begin);
    decant__free(room->end);
    decant__free(room->column);
    decant__free(room->value);
    *room = (decant__corrupted){0};
}

static void place_sparse_rows(const decant__rows *x, decant__corrupted *room) {
    size_t at = 0;
    for (size_t i = 0; i < x->n; i++) {
        room->begin[i] = at;
        at += x->end[i] - x->begin[i];
        room->end[i] = at;
    }
}

decant__rows decant__corrupt(const decant__rows *x, const decant__dropout *dropout,
                             decant__corrupted *room) {
    decant__rows out = *x;
    if (x->dense == NULL) {
#pragma omp single
        place_sparse_rows(x, room);
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < x->n; i++) {
        if (x->dense != NULL) {
            float *row = room->dense + i * x->d;
            memcpy(row, x->dense + i * x->d, x->d * sizeof *row);
            decant__dropout_apply(dropout, INPUT_LAYER, i, 0, x->d, row);
        } else {
            size_t count = x->end[i] - x->begin[i], at = room->begin[i];
            memcpy(room->column + at, x->column + x->begin[i], count * sizeof *room->column);
            memcpy(room->value + at, x->value + x->begin[i], count * sizeof *room->value);
            decant__dropout_apply(dropout, INPUT_LAYER, i, 0, count, room->value + at);
        }
    }
    out.dense = room->dense;
    out.begin = room->begin;
    out.end = room->end;
    out.column = room->column;
    out.value = room->value;
    return out;
}
