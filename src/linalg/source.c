#include "linalg/source.h"

#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/scalar.h"
#include "base/team.h"

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

/* The columns column .. column+count-1 of one row. */
static void copy_lent(decant__layout layout, size_t row, size_t column, size_t count, float *out) {
    int host = decant__host_is_big_endian();
    for (const decant_array *part = layout.part; count > 0; part++) {
        if (column >= part->columns) {
            column -= part->columns;
            continue;
        }
        size_t here = part->columns - column < count ? part->columns - column : count;
        const decant__scalars from = {
            .bytes = (const unsigned char *)part->x +
                     (ptrdiff_t)(layout.first + row) * part->row_step +
                     (ptrdiff_t)column * part->column_step,
            .step = part->column_step,
            .type = part->type,
            .big_endian = host ^ (part->swapped != 0),
        };
        decant__scalars_to_floats(&from, here, out);
        column = 0;
        out += here;
        count -= here;
    }
}

void decant__layout_copy(const float *dense, decant__layout layout, size_t d, size_t at,
                         size_t count, float *out) {
    if (layout.file != NULL) {
        decant__row_file_read(layout.file, layout.first * d + at, count, out);
        return;
    }
    if (layout.part == NULL) {
        memcpy(out, dense + at, count * sizeof *out);
        return;
    }
    while (count > 0) {
        size_t column = at % d, here = d - column < count ? d - column : count;
        copy_lent(layout, at / d, column, here, out);
        at += here;
        out += here;
        count -= here;
    }
}

int decant__source_copies(const decant__source *source) {
    return source->dense == NULL || source->scale != NULL || source->rows != NULL ||
           source->map.make != NULL || !decant__layout_is_plain(source->layout);
}

/* Numbers from one dense row of the matrix to the next. */
static size_t stored_columns(const decant__source *source) {
    return source->map.make != NULL ? source->map.from : source->d;
}

static void make_row(const decant__source *source, size_t row, float *restrict out) {
    float copy[DECANT__MAX_MADE_FROM];
    size_t from = source->map.from;
    const float *stored = copy;
    if (decant__layout_is_plain(source->layout))
        stored = source->dense + row * from;
    else
        decant__layout_copy(source->dense, source->layout, from, row * from, from, copy);
    source->map.make(source->map.context, stored, out);
}

void decant__source_copy(const decant__source *source, size_t row, float *restrict out) {
    size_t d = source->d;
    if (source->map.make != NULL)
        make_row(source, row, out);
    else
        decant__layout_copy(source->dense, source->layout, d, row * d, d, out);
    for (size_t j = 0; source->scale != NULL && j < d; j++)
        out[j] = decant__source_scaled(source, j, out[j]);
}

decant__rows decant__source_fetch(const decant__source *source, const uint32_t *index, size_t first,
                                  size_t count, decant__rows_buffer *buffer) {
    decant__rows rows = {.n = count, .d = source->d};
    if (source->dense != NULL && index == NULL && !decant__source_copies(source)) {
        rows.dense = source->dense + first * source->d;
        return rows;
    }
    TEAM_FOR (i, count) {
        size_t row = index != NULL ? index[i] : first + i;
        if (source->rows != NULL) row = source->rows[row];
        if (source->dense != NULL) {
            decant__source_copy(source, row, buffer->dense + i * source->d);
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
    size_t begin = rows->dense != NULL ? i * rows->d : rows->begin[i];
    size_t end = rows->dense != NULL ? begin + rows->d : rows->end[i];
    const float *value = rows->dense != NULL ? rows->dense : rows->value;
    double sum[DOUBLE_LANES] = {0};
    LANES_FOR(DOUBLE_LANES, l, j, end - begin, {
        double x = (double)value[begin + j];
        sum[l] += x * x;
    })
    return decant__lanes_sum_double(sum);
}

/* A row that is not stored as it is fetched. */
static void made_row(const decant__source *source, size_t row, double *out) {
    float made[DECANT__MAX_MADE];
    decant__source_copy(source, row, made);
    for (size_t j = 0; j < source->d; j++) out[j] = (double)made[j];
}

/* A row that is not floats in memory. */
static void row_by_parts(const decant__source *source, size_t row, double *out) {
    enum { PART = 1024 };
    float part[PART];
    for (size_t from = 0; from < source->d; from += PART) {
        size_t count = source->d - from < PART ? source->d - from : PART;
        decant__layout_copy(source->dense, source->layout, source->d, row * source->d + from, count,
                            part);
        for (size_t j = 0; j < count; j++)
            out[from + j] = (double)decant__source_scaled(source, from + j, part[j]);
    }
}

void decant__source_row(const decant__source *source, size_t row, double *out) {
    if (source->rows != NULL) row = source->rows[row];
    if (source->dense == NULL) {
        memset(out, 0, source->d * sizeof *out);
        for (size_t e = source->start[row]; e < source->start[row + 1]; e++)
            out[source->column[e]] = (double)source->value[e];
        return;
    }
    if (source->map.make != NULL) {
        made_row(source, row, out);
        return;
    }
    if (!decant__layout_is_plain(source->layout)) {
        row_by_parts(source, row, out);
        return;
    }
    const float *x = source->dense + row * source->d;
    for (size_t j = 0; j < source->d; j++) out[j] = (double)decant__source_scaled(source, j, x[j]);
}

decant__source decant__source_slice(const decant__source *source, size_t first, size_t count) {
    decant__source slice = *source;
    slice.n = count;
    if (source->rows != NULL)
        slice.rows += first;
    else if (!decant__layout_is_plain(source->layout))
        slice.layout.first += first;
    else if (source->dense != NULL)
        slice.dense += first * stored_columns(source);
    else
        slice.start += first;
    return slice;
}

decant__source decant__source_dense(const float *x, size_t n, size_t d) {
    return (decant__source){.n = n, .d = d, .dense = x};
}

size_t decant__source_max_nonzeros(const decant__source *source, size_t count) {
    if (source->dense != NULL) return 0;
    size_t longest = 1, total = 0;
    for (size_t i = 0; i < source->n; i++) {
        size_t row = source->rows != NULL ? source->rows[i] : i;
        size_t length = source->start[row + 1] - source->start[row];
        if (length > longest) longest = length;
        total += length;
    }
    /* A batch holds a row once for each epoch that it touches: two at the turn of an epoch. */
    size_t turns = source->n > 0 ? (count + source->n - 2) / source->n + 1 : 1;
    size_t by_rows = longest * count, by_data = total * turns;
    return (by_rows < by_data ? by_rows : by_data) + 1;
}
