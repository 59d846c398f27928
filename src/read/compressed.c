#include "read/compressed.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { PIECE = 1 << 14 }; /* entries at a time */

typedef struct entry {
    uint32_t index; /* of the column (CSR) or row (CSC) in the file; then of the column */
    float value;
} entry;

typedef struct compressed_reader {
    decant__reader reader;
    decant__compressed matrix;
    size_t done; /* rows handed out */
    entry *row;  /* CSR: one row */
    size_t row_capacity;
    /* CSC: all entries, sorted by row, and where each row begins */
    entry *entries;
    size_t *begin;
    uint64_t *piece_index;
    float *piece_value;
} compressed_reader;

/* ---- checks ---- */

static decant_status check_start(const decant__compressed *matrix) {
    const char *lines = matrix->by_columns ? "columns" : "rows";
    uint64_t count = matrix->by_columns ? matrix->d : matrix->n;
    decant_status status = decant__check_shape(matrix->path, matrix->n, matrix->d);
    if (status != DECANT_OK) return status;
    if (matrix->start_count != count + 1)
        return decant__fail(DECANT_EFORMAT, "%s: expected %llu starts of %s in indptr, found %zu",
                            matrix->path, (unsigned long long)count + 1, lines,
                            matrix->start_count);
    for (size_t i = 0; i <= count; i++) {
        uint64_t least = i > 0 ? matrix->start[i - 1] : 0;
        if (matrix->start[i] < least || matrix->start[i] > matrix->nonzeros ||
            (i == 0 && matrix->start[0] != 0))
            return decant__fail(DECANT_EFORMAT,
                                "%s: indptr[%zu]: expected a number from %llu to %llu, found %llu",
                                matrix->path, i, (unsigned long long)least,
                                (unsigned long long)(i == 0 ? 0 : matrix->nonzeros),
                                (unsigned long long)matrix->start[i]);
    }
    if (matrix->start[count] != matrix->nonzeros)
        return decant__fail(DECANT_EFORMAT, "%s: indptr ends with %llu, but there are %llu entries",
                            matrix->path, (unsigned long long)matrix->start[count],
                            (unsigned long long)matrix->nonzeros);
    return DECANT_OK;
}

/* Rows cost memory even when they are empty, and a header can claim billions of them. */
static decant_status check_emptiness(const decant__compressed *matrix) {
    if (!matrix->by_columns || matrix->n < 1 << 20 || matrix->n / 64 <= matrix->nonzeros)
        return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: expected entries for %llu rows, found only %llu",
                        matrix->path, (unsigned long long)matrix->n,
                        (unsigned long long)matrix->nonzeros);
}

static decant_status check_entry(const decant__compressed *matrix, size_t line, uint64_t index,
                                 float value) {
    uint64_t limit = matrix->by_columns ? matrix->n : matrix->d;
    uint64_t row = matrix->by_columns ? index : line, column = matrix->by_columns ? line : index;
    if (index >= limit)
        return decant__fail(DECANT_EFORMAT, "%s: %s %zu: expected an index below %llu, found %llu",
                            matrix->path, matrix->by_columns ? "column" : "row", line + 1,
                            (unsigned long long)limit, (unsigned long long)index);
    if (!isfinite(value))
        return decant__fail(DECANT_EFORMAT,
                            "%s: row %llu, column %llu: expected a finite float32 number, found %s",
                            matrix->path, (unsigned long long)row + 1,
                            (unsigned long long)column + 1, isnan(value) ? "nan" : "inf");
    return DECANT_OK;
}

/* ---- entries in the order of the file ---- */

/* The next `count` entries (at most PIECE), which begin at `first` and belong to lines from *line
 * on. */
static decant_status read_piece(compressed_reader *self, uint64_t first, size_t count, size_t *line,
                                entry *out) {
    decant_status status = DECANT_OK;
    const decant__compressed *matrix = &self->matrix;
    if (self->piece_index == NULL) NEW_ARRAY(self->piece_index, PIECE);
    if (self->piece_value == NULL) NEW_ARRAY(self->piece_value, PIECE);
    TRY(matrix->source.indices(matrix->source.user, count, self->piece_index));
    TRY(matrix->source.values(matrix->source.user, count, self->piece_value));
    for (size_t i = 0; i < count; i++) {
        while (first + i >= matrix->start[*line + 1]) ++*line;
        TRY(check_entry(matrix, *line, self->piece_index[i], self->piece_value[i]));
        out[i] = (entry){(uint32_t)self->piece_index[i], self->piece_value[i]};
    }
    TRY(decant__meter_add(matrix->meter, 0));
done:
    return status;
}

static decant_status end_source(const compressed_reader *self) {
    const decant__compressed_source *source = &self->matrix.source;
    return source->end != NULL ? source->end(source->user) : DECANT_OK;
}

/* Values count, too: qsort may leave equal entries in any order, and they are added up. */
static int by_index(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Appends a row: sorted, with the entries of one place added up. */
static decant_status add_row(const compressed_reader *self, entry *row, size_t count,
                             decant__block *block) {
    decant_status status = DECANT_OK;
    int sorted = 1;
    for (size_t i = 1; i < count && sorted; i++) sorted = row[i - 1].index < row[i].index;
    if (!sorted) qsort(row, count, sizeof *row, by_index);
    for (size_t i = 0; i < count;) {
        uint32_t column = row[i].index;
        double sum = (double)row[i++].value;
        for (; i < count && row[i].index == column; i++) sum += (double)row[i].value;
        if (!isfinite((float)sum))
            TRY(decant__fail(DECANT_EFORMAT,
                             "%s: row %zu, column %u: expected entries with a finite float32 sum, "
                             "found inf",
                             self->matrix.path, self->done + 1, column + 1));
        TRY(decant__block_add_entry(block, column, (float)sum));
    }
    TRY(decant__block_end_row(block));
done:
    return status;
}

static decant_status grow(entry **array, size_t *capacity, size_t needed) {
    if (needed <= *capacity) return DECANT_OK;
    size_t target = needed + needed / 2;
    entry *grown = decant__realloc_array(*array, target, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    *array = grown;
    *capacity = target;
    return DECANT_OK;
}

/* ---- CSR: a row after the other ---- */

static decant_status next_row(compressed_reader *self, decant__block *block) {
    decant_status status = DECANT_OK;
    uint64_t first = self->matrix.start[self->done], end = self->matrix.start[self->done + 1];
    size_t count = 0, line = self->done;
    while (first + count < end) {
        uint64_t left = end - first - count;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        TRY(grow(&self->row, &self->row_capacity, count + piece));
        TRY(read_piece(self, first + count, piece, &line, self->row + count));
        count += piece;
    }
    TRY(add_row(self, self->row, count, block));
    self->done++;
done:
    return status;
}

/* ---- CSC: whole, then turned ---- */

static decant_status load_columns(compressed_reader *self) {
    decant_status status = DECANT_OK;
    const decant__compressed *matrix = &self->matrix;
    entry *read = NULL;
    size_t capacity = 0, count = 0, line = 0, *end = NULL;
    while (count < matrix->nonzeros) {
        uint64_t left = matrix->nonzeros - count;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        TRY(grow(&read, &capacity, count + piece));
        TRY(read_piece(self, count, piece, &line, read + count));
        count += piece;
    }
    NEW_ZEROED(self->begin, (size_t)matrix->n + 1);
    NEW_ARRAY(end, (size_t)matrix->n + 1);
    NEW_ARRAY(self->entries, count);
    for (size_t i = 0; i < count; i++) self->begin[read[i].index + 1]++;
    for (size_t i = 0; i < matrix->n; i++) self->begin[i + 1] += self->begin[i];
    for (size_t i = 0; i <= matrix->n; i++) end[i] = self->begin[i];
    for (size_t i = 0, column = 0; i < count; i++) {
        while (i >= matrix->start[column + 1]) column++;
        self->entries[end[read[i].index]++] = (entry){(uint32_t)column, read[i].value};
    }
done:
    decant__free(read);
    decant__free(end);
    return status;
}

/* ---- the reader ---- */

static decant_status compressed_next(decant__reader *reader, size_t max_rows,
                                     decant__block *block) {
    decant_status status = DECANT_OK;
    compressed_reader *self = (compressed_reader *)reader;
    size_t n = (size_t)self->matrix.n;
    if (self->done == n) return end_source(self);
    if (self->matrix.by_columns && self->begin == NULL) TRY(load_columns(self));
    for (size_t i = 0; i < max_rows && self->done < n; i++) {
        if (!self->matrix.by_columns) {
            TRY(next_row(self, block));
            continue;
        }
        size_t first = self->begin[self->done];
        TRY(add_row(self, self->entries + first, self->begin[self->done + 1] - first, block));
        self->done++;
    }
done:
    return status;
}

static void compressed_close(decant__reader *reader) {
    compressed_reader *self = (compressed_reader *)reader;
    if (self->matrix.source.close != NULL) self->matrix.source.close(self->matrix.source.user);
    decant__free(self->matrix.start);
    decant__free(self->row);
    decant__free(self->entries);
    decant__free(self->begin);
    decant__free(self->piece_index);
    decant__free(self->piece_value);
    decant__free(self);
}

decant_status decant__compressed_open(const decant__compressed *matrix, decant__reader **out) {
    decant_status status = DECANT_OK;
    compressed_reader *self = NULL;
    NEW_ZEROED(self, 1);
    self->matrix = *matrix;
    TRY(check_start(matrix));
    TRY(check_emptiness(matrix));
    self->reader = (decant__reader){.format = matrix->format,
                                    .sparse = 1,
                                    .d = (size_t)matrix->d,
                                    .rows = (size_t)matrix->n,
                                    .next = compressed_next,
                                    .close = compressed_close};
    *out = &self->reader;
    return DECANT_OK;
done:
    if (self != NULL) {
        compressed_close(&self->reader);
    } else {
        matrix->source.close(matrix->source.user);
        decant__free(matrix->start);
    }
    return status;
}
