/* Matrix Market (https://math.nist.gov/MatrixMarket/formats.html): "coordinate" files list entries
 * in any order, "array" files all numbers column by column. Either way a row is complete only at
 * the end, so the file is read whole before the first row is handed out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "read/reader.h"

typedef struct entry {
    uint32_t row, column;
    float value;
} entry;

typedef struct mtx_reader {
    decant__reader reader;
    decant__input *input;
    int coordinate, pattern, symmetric;
    size_t n, d, promised;
    int loaded;
    entry *entries; /* coordinate: sorted by row, then column, without duplicates */
    size_t count, capacity;
    decant__block columns; /* array: the numbers in the order of the file */
    size_t done, done_entries;
} mtx_reader;

static decant_status bad_line(const mtx_reader *self, const char *expected, const char *line) {
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected %s, found %s", self->input->path,
                        self->input->line, expected, decant__quote(line, strlen(line)).text);
}

/* The next line with something on it; NULL at the end of the file. */
static decant_status next_line(mtx_reader *self, char **line) {
    size_t length;
    do {
        decant_status status = decant__input_read_line(self->input, line, &length);
        if (status != DECANT_OK || *line == NULL) return status;
    } while (**line == '%' || (*line)[strspn(*line, " \t")] == '\0');
    return DECANT_OK;
}

static char *skip_blanks(char *p) { return p + strspn(p, " \t"); }

/* A whole number; *at is moved behind it. 0: there is none, or it is too large. */
static int take_count(char **at, uint64_t *value) {
    char *p = skip_blanks(*at);
    *value = 0;
    for (*at = p; *p >= '0' && *p <= '9'; p++) {
        if (*value > UINT64_MAX / 20) return 0;
        *value = *value * 10 + (uint64_t)(*p - '0');
    }
    int found = p > *at;
    *at = p;
    return found;
}

static int take_value(char **at, float *value) {
    char *p = skip_blanks(*at);
    const char *stop = decant__number_parse_float(p, p + strcspn(p, " \t"), value);
    if (stop == NULL) return 0;
    *at = p + (stop - p);
    return 1;
}

static int at_end(char *p) { return *skip_blanks(p) == '\0'; }

/* ---- the header ---- */

/* The words after %%MatrixMarket. */
static decant_status parse_banner(mtx_reader *self, char *line) {
    char copy[128], *save = NULL, *word[4];
    size_t words = 0;
    strncpy(copy, line, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    strtok_r(copy, " \t", &save);
    while (words < 4 && (word[words] = strtok_r(NULL, " \t", &save)) != NULL) words++;
    if (words < 4 || strcasecmp(word[0], "matrix") != 0)
        return bad_line(self, "\"matrix\", a format, a field and a symmetry", line);
    self->coordinate = strcasecmp(word[1], "coordinate") == 0;
    if (!self->coordinate && strcasecmp(word[1], "array") != 0)
        return bad_line(self, "coordinate or array", word[1]);
    self->pattern = strcasecmp(word[2], "pattern") == 0;
    int number = strcasecmp(word[2], "real") == 0 || strcasecmp(word[2], "integer") == 0 ||
                 strcasecmp(word[2], "double") == 0;
    if (!number && !(self->pattern && self->coordinate))
        return bad_line(self, "real, integer or (coordinate only) pattern", word[2]);
    self->symmetric = strcasecmp(word[3], "symmetric") == 0;
    if (!self->symmetric && strcasecmp(word[3], "general") != 0)
        return bad_line(self, "general or symmetric", word[3]);
    return DECANT_OK;
}

static decant_status parse_sizes(mtx_reader *self) {
    char *line, *at;
    uint64_t n, d, promised = 0;
    decant_status status = next_line(self, &line);
    if (status != DECANT_OK) return status;
    if (line == NULL)
        return decant__fail(DECANT_EFORMAT, "%s: the file ends before the sizes",
                            self->input->path);
    at = line;
    if (!take_count(&at, &n) || !take_count(&at, &d) ||
        (self->coordinate && !take_count(&at, &promised)) || !at_end(at))
        return bad_line(self, self->coordinate ? "rows, columns and entries" : "rows and columns",
                        line);
    status = decant__check_shape(self->input->path, n, d);
    if (status != DECANT_OK) return status;
    if (self->symmetric && n != d) return bad_line(self, "a square shape (symmetric)", line);
    self->n = (size_t)n;
    self->d = (size_t)d;
    if (!self->coordinate) promised = self->symmetric ? n * (n + 1) / 2 : n * d;
    self->promised = (size_t)promised;
    return DECANT_OK;
}

/* ---- coordinate ---- */

static decant_status add_entry(mtx_reader *self, size_t row, size_t column, float value) {
    if (self->count == self->capacity) {
        size_t capacity = self->capacity + self->capacity / 2 + 1024;
        entry *grown = decant__realloc_array(self->entries, capacity, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        self->entries = grown;
        self->capacity = capacity;
    }
    self->entries[self->count++] =
        (entry){.row = (uint32_t)row, .column = (uint32_t)column, .value = value};
    return DECANT_OK;
}

static decant_status parse_entry(mtx_reader *self, char *line) {
    uint64_t row, column;
    float value = 1;
    char *at = line;
    if (!take_count(&at, &row) || !take_count(&at, &column) ||
        (!self->pattern && !take_value(&at, &value)) || !at_end(at))
        return bad_line(self, self->pattern ? "row and column" : "row, column and value", line);
    if (row < 1 || row > self->n || column < 1 || column > self->d)
        return decant__fail(DECANT_EFORMAT,
                            "%s: line %zu: expected a place from (1, 1) to (%zu, %zu), found %s",
                            self->input->path, self->input->line, self->n, self->d,
                            decant__quote(line, strlen(line)).text);
    if (!isfinite(value)) return bad_line(self, "a finite float32 value", line);
    if (self->symmetric && column > row)
        return bad_line(self, "an entry on or below the diagonal (symmetric)", line);
    decant_status status = add_entry(self, (size_t)row - 1, (size_t)column - 1, value);
    if (status == DECANT_OK && self->symmetric && row != column)
        status = add_entry(self, (size_t)column - 1, (size_t)row - 1, value);
    return status;
}

static int compare_places(const entry *x, const entry *y) {
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Values count, too: qsort may leave equal entries in any order, and they are added up. */
static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int places = compare_places(x, y);
    return places != 0 ? places : (x->value > y->value) - (x->value < y->value);
}

/* By row, counting, then each row by column: linear in the entries, and it can be cancelled. */
static decant_status sort_entries(mtx_reader *self) {
    decant_status status = DECANT_OK;
    entry *sorted = NULL;
    size_t *start = NULL;
    NEW_ZEROED(start, self->n + 1);
    NEW_ARRAY(sorted, self->count);
    for (size_t i = 0; i < self->count; i++) start[self->entries[i].row + 1]++;
    for (size_t i = 0; i < self->n; i++) start[i + 1] += start[i];
    for (size_t i = 0; i < self->count; i++)
        sorted[start[self->entries[i].row]++] = self->entries[i];
    decant__free(self->entries);
    self->entries = sorted;
    self->capacity = self->count;
    sorted = NULL;
    for (size_t i = 0, begin = 0; i < self->n; begin = start[i++]) { /* now start has the ends */
        if (start[i] - begin > 1)
            qsort(self->entries + begin, start[i] - begin, sizeof *self->entries, compare_entries);
        if (i % 4096 == 0) TRY(decant__meter_add(self->input->meter, 0));
    }
done:
    decant__free(sorted);
    decant__free(start);
    return status;
}

/* Sorts the entries, unless the file has them sorted, and adds up those of one place. */
static decant_status order_entries(mtx_reader *self) {
    int sorted = 1;
    size_t kept = 0;
    for (size_t i = 1; i < self->count && sorted; i++)
        sorted = compare_places(&self->entries[i - 1], &self->entries[i]) < 0;
    if (sorted) return DECANT_OK;
    decant_status status = sort_entries(self);
    if (status != DECANT_OK) return status;
    for (size_t i = 0; i < self->count;) {
        entry sum = self->entries[i];
        double value = 0;
        for (; i < self->count && compare_places(&sum, &self->entries[i]) == 0; i++)
            value += (double)self->entries[i].value;
        sum.value = (float)value;
        if (!isfinite(sum.value))
            return decant__fail(
                DECANT_EFORMAT,
                "%s: row %u, column %u: expected entries with a finite float32 sum, "
                "found inf",
                self->input->path, sum.row + 1, sum.column + 1);
        self->entries[kept++] = sum;
    }
    self->count = kept;
    return DECANT_OK;
}

/* Rows cost memory even when they are empty, and a header can claim billions of them. */
static decant_status check_emptiness(const mtx_reader *self) {
    if (self->n < 1 << 20 || self->n / 64 <= self->count) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: expected entries for %zu rows, found only %zu",
                        self->input->path, self->n, self->count);
}

/* ---- array ---- */

static decant_status parse_number(mtx_reader *self, char *line) {
    float value, *place;
    char *at = line;
    if (!take_value(&at, &value) || !at_end(at)) return bad_line(self, "one number", line);
    if (!isfinite(value)) return bad_line(self, "a finite float32 number", line);
    decant_status status = decant__block_extend(&self->columns, self->count, 1, &place);
    if (status != DECANT_OK) return status;
    *place = value;
    self->count++;
    return DECANT_OK;
}

/* Where the number for a place is; of a symmetric matrix the file has the lower half. */
static float number_at(const mtx_reader *self, size_t row, size_t column) {
    if (self->symmetric) {
        size_t high = row > column ? row : column, low = row > column ? column : row;
        return self->columns.dense[low * self->n - low * (low + 1) / 2 + high];
    }
    return self->columns.dense[column * self->n + row];
}

/* ---- both ---- */

static decant_status load(mtx_reader *self) {
    decant_status status = DECANT_OK;
    size_t found = 0;
    for (;; found++) {
        char *line;
        TRY(next_line(self, &line));
        if (line == NULL) break;
        if (found == self->promised)
            TRY(bad_line(self, "the end of the file after the last entry", line));
        TRY(self->coordinate ? parse_entry(self, line) : parse_number(self, line));
    }
    if (found < self->promised)
        TRY(decant__fail(DECANT_EFORMAT, "%s: the header promises %zu entries, found %zu",
                         self->input->path, self->promised, found));
    if (self->coordinate) {
        TRY(check_emptiness(self));
        TRY(order_entries(self));
    }
    self->loaded = 1;
done:
    return status;
}

static decant_status append_sparse(mtx_reader *self, size_t rows, decant__block *block) {
    decant_status status = DECANT_OK;
    for (size_t end = self->done + rows; self->done < end; self->done++) {
        size_t i = self->done_entries;
        for (; i < self->count && self->entries[i].row == self->done; i++)
            TRY(decant__block_add_entry(block, self->entries[i].column, self->entries[i].value));
        self->done_entries = i;
        TRY(decant__block_end_row(block));
    }
done:
    return status;
}

static decant_status append_dense(mtx_reader *self, size_t rows, decant__block *block) {
    float *place;
    decant_status status = decant__block_extend(block, 0, rows * self->d, &place);
    if (status != DECANT_OK) return status;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < self->d; j++)
            place[i * self->d + j] = number_at(self, self->done + i, j);
    block->n += rows;
    self->done += rows;
    return DECANT_OK;
}

static decant_status mtx_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    mtx_reader *self = (mtx_reader *)reader;
    decant_status status = self->loaded ? DECANT_OK : load(self);
    if (status != DECANT_OK) return status;
    size_t rows = self->n - self->done < max_rows ? self->n - self->done : max_rows;
    return self->coordinate ? append_sparse(self, rows, block) : append_dense(self, rows, block);
}

static void mtx_close(decant__reader *reader) {
    mtx_reader *self = (mtx_reader *)reader;
    decant__free(self->entries);
    decant__block_free(&self->columns);
    decant__free(self);
}

decant_status decant__mtx_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out) {
    (void)options;
    decant_status status = DECANT_OK;
    mtx_reader *self;
    char *line;
    size_t length;
    NEW_ZEROED(self, 1);
    self->input = input;
    TRY(decant__input_read_line(input, &line, &length));
    TRY(parse_banner(self, line));
    TRY(parse_sizes(self));
    self->reader = (decant__reader){.format = "Matrix Market",
                                    .sparse = self->coordinate,
                                    .d = self->d,
                                    .rows = self->n,
                                    .next = mtx_next,
                                    .close = mtx_close};
    *out = &self->reader;
done:
    if (status != DECANT_OK && self != NULL) mtx_close(&self->reader);
    return status;
}
