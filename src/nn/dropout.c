#include "nn/dropout.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/team.h"

/* Index of the input in a step's masks; layers count from 0. */
enum { INPUT_LAYER = 0xff };

/* One call of the generator gives eight 16-bit decisions. */
void decant__dropout_apply(const decant__dropout *dropout, size_t layer, size_t row, size_t column,
                           size_t count, float *values) {
    uint32_t threshold = (uint32_t)(dropout->rate * 65536);
    float keep = (float)(1 / (1 - dropout->rate));
    row += dropout->first;
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

decant_status decant__corrupted_new(decant__corrupted *buffer, const decant__source *source,
                                    size_t capacity) {
    decant_status status = DECANT_OK;
    *buffer = (decant__corrupted){0};
    if (source->dense != NULL) {
        NEW_ARRAY(buffer->dense, capacity * source->d);
    } else {
        size_t nonzeros = decant__source_max_nonzeros(source, capacity);
        NEW_ARRAY(buffer->begin, capacity);
        NEW_ARRAY(buffer->end, capacity);
        NEW_ARRAY(buffer->column, nonzeros);
        NEW_ARRAY(buffer->value, nonzeros);
    }
done:
    if (status != DECANT_OK) decant__corrupted_free(buffer);
    return status;
}

void decant__corrupted_free(decant__corrupted *buffer) {
    decant__free(buffer->dense);
    decant__free(buffer->begin);
    decant__free(buffer->end);
    decant__free(buffer->column);
    decant__free(buffer->value);
    *buffer = (decant__corrupted){0};
}

static void place_sparse_rows(const decant__rows *x, decant__corrupted *buffer) {
    size_t at = 0;
    for (size_t i = 0; i < x->n; i++) {
        buffer->begin[i] = at;
        at += x->end[i] - x->begin[i];
        buffer->end[i] = at;
    }
}

decant__rows decant__corrupt(const decant__rows *x, const decant__dropout *dropout,
                             decant__corrupted *buffer) {
    decant__rows out = *x;
    if (x->dense == NULL) {
        TEAM_SINGLE place_sparse_rows(x, buffer);
    }
    TEAM_FOR (i, x->n) {
        if (x->dense != NULL) {
            float *row = buffer->dense + i * x->d;
            memcpy(row, x->dense + i * x->d, x->d * sizeof *row);
            decant__dropout_apply(dropout, INPUT_LAYER, i, 0, x->d, row);
        } else {
            size_t count = x->end[i] - x->begin[i], at = buffer->begin[i];
            memcpy(buffer->column + at, x->column + x->begin[i], count * sizeof *buffer->column);
            memcpy(buffer->value + at, x->value + x->begin[i], count * sizeof *buffer->value);
            decant__dropout_apply(dropout, INPUT_LAYER, i, 0, count, buffer->value + at);
        }
    }
    out.dense = buffer->dense;
    out.begin = buffer->begin;
    out.end = buffer->end;
    out.column = buffer->column;
    out.value = buffer->value;
    return out;
}
