/* A window of values is brought into the cache, from memory or from a file, and then looked at by
 * several threads at once: one hashes it, which can only be done in order, others take pieces of it
 * (finite, zeros, squares) or slices of columns (sums, min, max). What is summed over pieces is
 * added in their order, and a column belongs to one slice: the result does not depend on the
 * number of threads.
 *
 * Nor on the number of ranks: each continues with its rows where the one before stopped, and values
 * that do not fill a piece are handed on to the next rank, whose first values complete it. One pass
 * at the speed of memory is worth no more than that. */
#include "data/scan.h"

#include <math.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* a state without an allocation that could fail */
#include <xxhash.h>

#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"

enum {
    PIECE = 1 << 14, /* values */
    PIECES = 64,     /* in a window: 4 MiB */
    WINDOW = PIECE * PIECES,
    SLICE = 256, /* columns */
    LANES = 8
};

/* Infinite or not a number. */
static int is_special(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7F800000u) == 0x7F800000u;
}

size_t decant__first_not_finite(const float *x, size_t count) {
    enum { SOME = 4096 };
    for (size_t begin = 0; begin < count; begin += SOME) {
        size_t end = count - begin < SOME ? count : begin + SOME;
        int bad = 0; /* no early exit: this loop is vectorised */
        for (size_t i = begin; i < end; i++) bad |= is_special(x[i]);
        if (!bad) continue;
        for (size_t i = begin; i < end; i++)
            if (is_special(x[i])) return i;
    }
    return count;
}

typedef struct piece_result {
    size_t bad; /* first value that is not finite; the piece's size: none */
    size_t zeros;
    double lane[LANES]; /* of the sum of squares */
} piece_result;

/* What a rank hands to the next one, beside the sums of columns. */
typedef struct baton {
    XXH3_state_t value, start, column;
    size_t entries; /* CSR: of the ranks before */
    double squares;
    size_t zeros;
    size_t left; /* values in `rest` */
} baton;

typedef struct scan {
    baton baton;
    const decant_dataset *data;
    decant__summary *summary;
    unsigned what;
    const double *mean; /* of the second pass; NULL: it is the first */
    double *square;
    const float *x; /* the window */
    size_t at, count;
    size_t pieces, slices;
    float *buffer; /* for windows of a file, or of rows with a layout of their own */
    piece_result piece[PIECES];
    int threads;
    const decant__watch *watch;
    float *rest; /* PIECE: values of the ranks before that wait for their piece to be full */
} scan;

/* ---- one window, in tasks ---- */

/* Eight sums side by side, so that the compiler can vectorise without changing the order. */
DECANT_CLONES static void add_lanes(const float *x, size_t count, double lane[LANES]) {
    size_t i = 0;
    memset(lane, 0, LANES * sizeof *lane);
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += (double)x[i + l] * (double)x[i + l];
    for (; i < count; i++) lane[0] += (double)x[i] * (double)x[i];
}

/* count: at most a piece, so that 32 bits do and vectors hold more of them. */
DECANT_CLONES static size_t count_zeros(const float *x, size_t count) {
    uint32_t zeros = 0;
    for (size_t i = 0; i < count; i++) zeros += x[i] == 0;
    return zeros;
}

static void look_at(const float *x, size_t count, piece_result *piece) {
    piece->bad = decant__first_not_finite(x, count);
    piece->zeros = count_zeros(x, count);
    add_lanes(x, count, piece->lane);
}

static void look_at_piece(scan *self, size_t p) {
    size_t begin = p * PIECE, count = self->count - begin < PIECE ? self->count - begin : PIECE;
    look_at(self->x + begin, count, &self->piece[p]);
}

DECANT_CLONES static void add_values(const float *restrict x, size_t count, double *restrict sum,
                                     float *restrict min, float *restrict max) {
    for (size_t j = 0; j < count; j++) {
        sum[j] += (double)x[j];
        min[j] = x[j] < min[j] ? x[j] : min[j];
        max[j] = x[j] > max[j] ? x[j] : max[j];
    }
}

DECANT_CLONES static void add_squares(const float *restrict x, size_t count,
                                      const double *restrict mean, double *restrict square) {
    for (size_t j = 0; j < count; j++) {
        double difference = (double)x[j] - mean[j];
        square[j] += difference * difference;
    }
}

/* The columns of a slice in all rows of the window, of which the first and the last may be cut. */
static void add_slice(scan *self, size_t s) {
    size_t d = self->data->d, left = s * SLICE, right = left + SLICE < d ? left + SLICE : d;
    size_t end = self->at + self->count;
    decant__summary *to = self->summary;
    for (size_t row = self->at / d; row * d < end; row++) {
        size_t from = row * d + left, until = row * d + right;
        if (from < self->at) from = self->at;
        if (until > end) until = end;
        if (from >= until) continue;
        size_t j = from - row * d;
        const float *x = self->x + (from - self->at);
        if (self->mean != NULL)
            add_squares(x, until - from, self->mean + j, self->square + j);
        else
            add_values(x, until - from, to->sum + j, to->min + j, to->max + j);
    }
}

/* CSR: the entries of the window, of any column. */
static void add_entries(scan *self) {
    decant__summary *to = self->summary;
    for (size_t e = 0; e < self->count; e++) {
        size_t j = self->data->column[self->at + e];
        float x = self->x[e];
        if (self->mean != NULL) {
            double difference = (double)x - self->mean[j];
            self->square[j] += difference * difference;
            continue;
        }
        to->sum[j] += (double)x;
        to->min[j] = x < to->min[j] ? x : to->min[j];
        to->max[j] = x > to->max[j] ? x : to->max[j];
        to->entries[j]++;
    }
}

/* Task 0 is the digest, then come the slices, which take longest, then the pieces. */
static decant_status do_task(void *context, size_t task) {
    scan *self = context;
    if (task == 0) {
        if (self->what & DECANT__SCAN_DIGEST)
            XXH3_128bits_update(&self->baton.value, self->x, self->count * sizeof *self->x);
    } else if (task > self->slices) {
        look_at_piece(self, task - 1 - self->slices);
    } else if (self->data->dense != NULL) {
        add_slice(self, task - 1);
    } else {
        add_entries(self);
    }
    return DECANT_OK;
}

/* ---- all windows ---- */

/* The row that an entry of a CSR matrix is in. */
static size_t row_of_entry(const decant_dataset *data, size_t entry) {
    size_t low = 0, high = data->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (data->start[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static decant_status not_finite(const decant_dataset *data, size_t at, float value) {
    size_t row = data->dense != NULL ? at / data->d : row_of_entry(data, at);
    size_t column = data->dense != NULL ? at % data->d : data->column[at];
    return decant__fail(DECANT_EINVAL,
                        "row %zu, column %zu: expected a finite float32 number, found %s",
                        data->share.first + row + 1, column + 1, isnan(value) ? "NaN" : "inf");
}

static void add_piece(scan *self, const piece_result *piece) {
    self->baton.zeros += piece->zeros;
    for (size_t l = 0; l < LANES; l++) self->baton.squares += piece->lane[l];
}

/* Adds up what the pieces of a window found, in their order. */
static decant_status collect(scan *self) {
    for (size_t p = 0; p < self->pieces; p++) {
        const piece_result *piece = &self->piece[p];
        size_t begin = p * PIECE, count = self->count - begin < PIECE ? self->count - begin : PIECE;
        if (piece->bad < count)
            return not_finite(self->data, self->at + begin + piece->bad,
                              self->x[begin + piece->bad]);
        add_piece(self, piece);
    }
    return DECANT_OK;
}

static int is_last_rank(const scan *self) {
    const decant__comm *comm = decant__dataset_comm(self->data);
    return comm->rank + 1 == comm->size;
}

/* Puts the last `count` values of the window behind those that wait. */
static decant_status wait_for_more(scan *self, size_t count) {
    const float *x = self->x + self->count - count;
    size_t bad = decant__first_not_finite(x, count);
    if (bad < count) return not_finite(self->data, self->at + self->count - count + bad, x[bad]);
    memcpy(self->rest + self->baton.left, x, count * sizeof *x);
    self->baton.left += count;
    return DECANT_OK;
}

static void add_rest(scan *self) {
    if (self->baton.left == 0) return;
    look_at(self->rest, self->baton.left, &self->piece[0]);
    add_piece(self, &self->piece[0]);
    self->baton.left = 0;
}

/* How many of the values from self->at on are the next window: what completes the piece of the
 * ranks before, whole pieces, and at last what does not fill one. */
static size_t window_size(const scan *self, size_t total) {
    size_t rest = total - self->at;
    if (self->baton.left > 0 && self->mean == NULL)
        return rest < PIECE - self->baton.left ? rest : PIECE - self->baton.left;
    return rest < WINDOW ? rest : WINDOW;
}

/* Which of the window's values make pieces here, and which wait for the next rank. */
static decant_status divide_window(scan *self) {
    decant_status status = DECANT_OK;
    self->pieces = 0;
    if (self->mean != NULL) return DECANT_OK;
    if (self->baton.left > 0) {
        TRY(wait_for_more(self, self->count));
        if (self->baton.left == PIECE) add_rest(self);
        return DECANT_OK;
    }
    self->pieces = (self->count + PIECE - 1) / PIECE;
    if (self->count % PIECE > 0 && !is_last_rank(self)) {
        TRY(wait_for_more(self, self->count % PIECE));
        self->pieces--;
    }
done:
    return status;
}

/* All values of the n rows, window by window. */
static decant_status scan_windows(scan *self) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = self->data;
    size_t total = decant_dataset_nonzeros(data);
    const float *values = data->dense != NULL ? data->dense : data->value;
    int columns = self->mean != NULL || (self->what & DECANT__SCAN_COLUMNS);
    self->slices = !columns ? 0 : data->dense != NULL ? (data->d + SLICE - 1) / SLICE : 1;
    int copies = data->dense != NULL && !decant__layout_is_plain(data->layout);
    if (copies) NEW_ARRAY(self->buffer, total < WINDOW ? total : WINDOW);
    for (self->at = 0; self->at < total; self->at += self->count) {
        self->count = window_size(self, total);
        if (copies) {
            decant__layout_copy(data->dense, data->layout, data->d, self->at, self->count,
                                self->buffer);
            TRY(decant__row_file_check(data->file));
        }
        self->x = copies ? self->buffer : values + self->at;
        TRY(divide_window(self));
        TRY(decant__team_each(self->threads, 1 + self->slices + self->pieces, 1, do_task, self));
        TRY(collect(self));
        if (self->count == WINDOW) TRY(decant__watch_poll(self->watch));
    }
    if (is_last_rank(self)) add_rest(self);
done:
    decant__free(self->buffer);
    self->buffer = NULL;
    return status;
}

/* ---- the first pass ---- */

/* CSR: where rows begin, counted over the entries of all ranks. */
static void hash_starts(scan *self) {
    enum { SOME = 512 };
    size_t some[SOME], count = 0, rows = self->data->n + self->data->extra;
    for (size_t i = decant__dataset_comm(self->data)->rank > 0; i <= rows; i++) {
        some[count++] = self->baton.entries + self->data->start[i];
        if (count < SOME && i < rows) continue;
        XXH3_128bits_update(&self->baton.start, some, count * sizeof *some);
        count = 0;
    }
}

/* The rest of what is hashed on this rank: the extra rows, and where values are. */
static void hash_places(scan *self) {
    const decant_dataset *data = self->data;
    int sparse = data->dense == NULL;
    size_t rows = data->n + data->extra, done = decant_dataset_nonzeros(data);
    size_t total = sparse ? data->start[rows] : rows * data->d;
    const float *values = sparse ? data->value : data->dense;
    if (total > done)
        XXH3_128bits_update(&self->baton.value, values + done, (total - done) * sizeof *values);
    if (!sparse) return;
    hash_starts(self);
    XXH3_128bits_update(&self->baton.column, data->column, total * sizeof *data->column);
    self->baton.entries += total;
}

/* A hash of hashes: of the values, and of where they are. */
static void finish_digest(scan *self) {
    const decant_dataset *data = self->data;
    int sparse = data->dense == NULL;
    XXH128_hash_t start = {0}, column = {0}, value = XXH3_128bits_digest(&self->baton.value);
    if (sparse) {
        start = XXH3_128bits_digest(&self->baton.start);
        column = XXH3_128bits_digest(&self->baton.column);
    }
    const uint64_t all[] = {decant__dataset_all(data),
                            data->d,
                            (uint64_t)sparse,
                            value.high64,
                            value.low64,
                            start.high64,
                            start.low64,
                            column.high64,
                            column.low64};
    XXH128_hash_t hash = XXH3_128bits_withSeed(all, sizeof all, data->extra);
    self->summary->digest[0] = hash.high64;
    self->summary->digest[1] = hash.low64;
}

static decant_status allocate_columns(const decant_dataset *data, decant__summary *summary) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(summary->sum, data->d);
    NEW_ARRAY(summary->min, data->d);
    NEW_ARRAY(summary->max, data->d);
    if (data->dense == NULL) NEW_ZEROED(summary->entries, data->d);
    for (size_t j = 0; j < data->d; j++) {
        summary->min[j] = INFINITY;
        summary->max[j] = -INFINITY;
    }
done:
    return status;
}

/* Zeros that are not written down. */
static void add_hidden_zeros(const decant_dataset *data, decant__summary *summary) {
    for (size_t j = 0; j < data->d; j++) {
        if (summary->entries[j] == decant__dataset_all(data)) continue;
        if (summary->min[j] > 0) summary->min[j] = 0;
        if (summary->max[j] < 0) summary->max[j] = 0;
    }
}

/* A state of xxHash points to a table of its process: not to that of the rank before. */
static void take_baton(baton *from) {
    XXH3_state_t here;
    XXH3_128bits_reset(&here);
    from->value.extSecret = from->start.extSecret = from->column.extSecret = here.extSecret;
}

static decant_status scan_part(void *context) {
    scan *self = context;
    take_baton(&self->baton);
    decant_status status = scan_windows(self);
    if (status == DECANT_OK && (self->what & DECANT__SCAN_DIGEST)) hash_places(self);
    return status;
}

static decant_status scan_all(scan *self) {
    decant__summary *found = self->summary;
    size_t d = self->data->d;
    const decant__relay relay = {.work = scan_part,
                                 .context = self,
                                 .piece = {{&self->baton, sizeof self->baton},
                                           {self->rest, PIECE * sizeof *self->rest},
                                           {found->sum, d * sizeof *found->sum},
                                           {found->min, d * sizeof *found->min},
                                           {found->max, d * sizeof *found->max},
                                           {found->entries, d * sizeof *found->entries}}};
    decant_status status = decant__comm_relay(decant__dataset_comm(self->data), &relay);
    take_baton(&self->baton);
    return status;
}

decant_status decant__scan(const decant_dataset *data, unsigned what, int threads,
                           const decant__watch *watch, decant__summary *summary) {
    decant_status status = DECANT_OK;
    const decant__comm *comm = decant__dataset_comm(data);
    scan *self = NULL;
    decant__summary found = {0};
    NEW_ZEROED(self, 1);
    *self =
        (scan){.data = data, .summary = &found, .what = what, .threads = threads, .watch = watch};
    XXH3_128bits_reset(&self->baton.value);
    XXH3_128bits_reset(&self->baton.start);
    XXH3_128bits_reset(&self->baton.column);
    if (comm->size > 1) NEW_ARRAY(self->rest, PIECE);
    if (what & DECANT__SCAN_COLUMNS) TRY(allocate_columns(data, &found));
    TRY(decant__comm_agree(comm, DECANT_OK));
    TRY(scan_all(self));
    found.squares = self->baton.squares;
    found.zeros = self->baton.zeros;
    if (what & DECANT__SCAN_DIGEST) finish_digest(self);
    if (found.entries != NULL) add_hidden_zeros(data, &found);
    *summary = found;
    found = (decant__summary){0};
done:
    status = decant__comm_agree(comm, status);
    decant__summary_free(&found);
    if (self != NULL) decant__free(self->rest);
    decant__free(self);
    return status;
}

void decant__summary_free(decant__summary *summary) {
    decant__free(summary->sum);
    decant__free(summary->min);
    decant__free(summary->max);
    decant__free(summary->entries);
    *summary = (decant__summary){0};
}

/* ---- the second pass ---- */

static decant_status add_squared_differences(void *context) { return scan_windows(context); }

decant_status decant__scan_squares(const decant_dataset *data, const decant__summary *summary,
                                   int threads, const decant__watch *watch, double *square) {
    decant_status status = DECANT_OK;
    size_t all = decant__dataset_all(data);
    double *mean = NULL;
    scan *self = NULL;
    NEW_ZEROED(self, 1);
    NEW_ARRAY(mean, data->d);
    for (size_t j = 0; j < data->d; j++) {
        mean[j] = summary->sum[j] / (double)all;
        square[j] = 0;
    }
    *self =
        (scan){.data = data, .mean = mean, .square = square, .threads = threads, .watch = watch};
    const decant__relay relay = {.work = add_squared_differences,
                                 .context = self,
                                 .piece = {{square, data->d * sizeof *square}}};
    TRY(decant__comm_relay(decant__dataset_comm(data), &relay));
    for (size_t j = 0; summary->entries != NULL && j < data->d; j++)
        square[j] += (double)(all - summary->entries[j]) * mean[j] * mean[j];
done:
    status = decant__comm_agree(decant__dataset_comm(data), status);
    decant__free(mean);
    decant__free(self);
    return status;
}
