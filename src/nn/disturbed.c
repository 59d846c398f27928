#include "nn/disturbed.h"

#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/simd.h"
#include "base/team.h"

decant_status decant__disturbed_new(decant__disturbed *pair, const decant__source *source,
                                    size_t n) {
    decant_status status = DECANT_OK;
    *pair = (decant__disturbed){.n = n, .d = source->d};
    size_t numbers = n * source->d;
    if (source->dense != NULL) {
        NEW_ARRAY(pair->dense, 2 * numbers);
    } else {
        numbers = decant__source_max_nonzeros(source, n);
        NEW_ARRAY(pair->begin, 2 * n);
        NEW_ARRAY(pair->end, 2 * n);
        NEW_ARRAY(pair->column, 2 * numbers);
        NEW_ARRAY(pair->value, 2 * numbers);
    }
    NEW_ARRAY(pair->gradient, numbers);
done:
    if (status != DECANT_OK) decant__disturbed_free(pair);
    return status;
}

void decant__disturbed_free(decant__disturbed *pair) {
    decant__free(pair->dense);
    decant__free(pair->begin);
    decant__free(pair->end);
    decant__free(pair->column);
    decant__free(pair->value);
    decant__free(pair->gradient);
    *pair = (decant__disturbed){0};
}

/* The second n rows have the columns of the first. */
static void place_rows(decant__disturbed *pair, const decant__rows *x) {
    size_t n = pair->n, total = 0;
    for (size_t i = 0; i < n; i++) {
        pair->begin[i] = total;
        total += x->end[i] - x->begin[i];
        pair->end[i] = total;
    }
    for (size_t i = 0; i < n; i++) {
        pair->begin[n + i] = total + pair->begin[i];
        pair->end[n + i] = total + pair->end[i];
    }
}

void decant__disturbed_set(decant__disturbed *pair, const decant__rows *x) {
    size_t n = pair->n, d = pair->d;
    if (pair->dense != NULL) {
        TEAM_FOR (i, n) memcpy(pair->dense + i * d, x->dense + i * d, d * sizeof *pair->dense);
        return;
    }
    TEAM_SINGLE place_rows(pair, x);
    TEAM_FOR (i, n) {
        size_t count = x->end[i] - x->begin[i], from = x->begin[i];
        memcpy(pair->value + pair->begin[i], x->value + from, count * sizeof *pair->value);
        for (size_t half = 0; half < 2; half++)
            memcpy(pair->column + pair->begin[half * n + i], x->column + from,
                   count * sizeof *pair->column);
    }
}

decant__rows decant__disturbed_both(const decant__disturbed *pair) {
    return (decant__rows){.n = 2 * pair->n,
                          .d = pair->d,
                          .dense = pair->dense,
                          .begin = pair->begin,
                          .end = pair->end,
                          .column = pair->column,
                          .value = pair->value};
}

decant__rows decant__disturbed_half(const decant__disturbed *pair, size_t half) {
    decant__rows rows = decant__disturbed_both(pair);
    rows.n = pair->n;
    if (rows.dense != NULL) {
        rows.dense += half * pair->n * pair->d;
    } else {
        rows.begin += half * pair->n;
        rows.end += half * pair->n;
    }
    return rows;
}

/* A row: its numbers, where the disturbed ones go, and its gradient. */
typedef struct row_view {
    size_t count;
    const float *x;
    float *out, *gradient;
} row_view;

static row_view view_row(const decant__disturbed *pair, size_t i) {
    size_t n = pair->n, d = pair->d;
    if (pair->dense != NULL)
        return (row_view){d, pair->dense + i * d, pair->dense + (n + i) * d,
                          pair->gradient + i * d};
    size_t from = pair->begin[i];
    return (row_view){pair->end[i] - from, pair->value + from, pair->value + pair->begin[n + i],
                      pair->gradient + from};
}

/* One call of the generator gives 128 signs. */
static void add_signs(const row_view *row, float step, uint64_t seed, uint64_t number, size_t i) {
    for (size_t from = 0; from < row->count; from += 128) {
        uint32_t word[4];
        size_t block = row->count - from < 128 ? row->count - from : 128;
        decant__philox(seed, DECANT__RANDOM_SIGNS, number, (uint64_t)i << 32 | from / 128, word);
        for (size_t j = 0; j < block; j++)
            row->out[from + j] = row->x[from + j] + (word[j / 32] >> (j % 32) & 1 ? step : -step);
    }
}

void decant__disturbed_randomly(decant__disturbed *pair, const float *length, uint64_t seed,
                                uint64_t step) {
    TEAM_FOR (i, pair->n) {
        row_view row = view_row(pair, i);
        if (row.count > 0) add_signs(&row, length[i] / sqrtf((float)row.count), seed, step, i);
    }
}

DECANT_CLONES
static void add_scaled(size_t count, float factor, const float *restrict x,
                       const float *restrict gradient, float *restrict out) {
    for (size_t j = 0; j < count; j++) out[j] = x[j] + factor * gradient[j];
}

void decant__disturbed_by_gradient(decant__disturbed *pair, const float *length) {
    TEAM_FOR (i, pair->n) {
        row_view row = view_row(pair, i);
        double square;
        LANES_SUM_DOUBLE(square, j, row.count, (double)row.gradient[j] * (double)row.gradient[j]);
        double factor = square > 0 ? (double)length[i] / sqrt(square) : 0;
        add_scaled(row.count, isfinite((float)factor) ? (float)factor : 0, row.x, row.gradient,
                   row.out);
    }
}
