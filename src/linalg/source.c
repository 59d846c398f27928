#include "linalg/source.h"

#include <string.h>

#include "base/memory.h"

decant_status decant__rows_buffer_new(decant__rows_buffer *buffer, const decant__source *source,
                                      size_t capacity) {
    decant_status status = DECANT_OK;
    *buffer = (decant__rows_buffer){0};
    if (source->dense != NULL) {
        NEW_ARRAY(buffer->dense, capacity * source->d);
    } else {
        NEW_ARRAY(buffer->begin, capacity);
        NEW_ARRAY(buffer->end, capacity);
    }
done:
    if (status != DECANT_OK) decant__rows_buffer_free(buffer);
    return status;
}

void decant__rows_buffer_free(decant__rows_buffer *buffer) {
    decant__free(buffer->dense);
    decant__free(buffer->begin);
    decant__free(buffer->end);
    *buffer = (decant__rows_buffer){0};
}

static void copy_row(const decant__source *source, size_t row, float *restrict out) {
    const float *restrict x = source->dense + row * source->d;
    if (source->scale == NULL) {
        memcpy(out, x, source->d * sizeof *out);
        return;
    }
    const float *restrict shift = source->shift, *restrict scale = source->scale;
    for (size_t j = 0; j < source->d; j++) out[j] = (x[j] - shift[j]) * scale[j];
}

decant__rows decant__source_fetch(const decant__source *source, const uint32_t *index, size_t first,
                                  size_t count, decant__rows_buffer *buffer) {
    decant__rows rows = {.n = count, .d = source->d};
    if (source->resident != NULL) {
        /* Threads that still read what goes here get it back. */
#pragma omp master
        decant__resident_touch(source->resident, count, source->d * sizeof(float),
                               index != NULL || source->rows != NULL);
    }
    if (source->dense != NULL && index == NULL && source->rows == NULL && source->scale == NULL) {
        rows.dense = source->dense + first * source->d;
        return rows;
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < count; i++) {
        size_t row = index != NULL ? index[i] : first + i;
        if (source->rows != NULL) row = source->rows[row];
        if (source->dense != NULL) {
            copy_row(source, row, buffer->dense + i * source->d);
        } else {
            buffer->begin[i] = source->start[row];
            buffer->end[i] = source->start[row + 1];
        }
    }
    rows.dense = buffer->dense;
    rows.begin = buffer->begin;
    rows.end = buffer->end;
    rows.column = source->column;
    rows.value = source->value;
    return rows;
}

void decant__rows_copy(const decant__rows *rows, size_t i, float *out) {
    if (rows->dense != NULL) {
        memcpy(out, rows->dense + i * rows->d, rows->d * sizeof *out);
        return;
    }
    memset(out, 0, rows->d * sizeof *out);
    for (size_t e = rows->begin[i]; e < rows->end[i]; e++) out[rows->column[e]] = rows->value[e];
}

double decant__rows_squares(const decant__rows *rows, size_t i) {
    double sum = 0;
    size_t begin = rows->dense != NULL ? i * rows->d : rows->begin[i];
    size_t end = rows->dense != NULL ? begin + rows->d : rows->end[i];
    const float *value = rows->dense != NULL ? rows->dense : rows->value;
#pragma omp simd reduction(+ : sum)
    for (size_t e = begin; e < end; e++) sum += (double)value[e] * (double)value[e];
    return sum;
}

void decant__source_row(const decant__source *source, size_t row, double *out) {
    if (source->rows != NULL) row = source->rows[row];
    if (source->dense == NULL) {
        memset(out, 0, source->d * sizeof *out);
        for (size_t e = source->start[row]; e < source->start[row + 1]; e++)
            out[source->column[e]] = (double)source->value[e];
        return;
    }
    const float *x = source->dense + row * source->d;
    if (source->scale == NULL) {
        for (size_t j = 0; j < source->d; j++) out[j] = (double)x[j];
        return;
    }
    for (size_t j = 0; j < source->d; j++)
        out[j] = (double)((x[j] - source->shift[j]) * source->scale[j]);
}

decant__source decant__source_dense(const float *x, size_t n, size_t d) {
    return (decant__source){.n = n, .d = d, .dense = x};
}
