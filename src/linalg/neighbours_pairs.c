/* Nearest neighbours by looking at every pair of rows once.
 *
 * Rows are cut into blocks, and the products of two blocks are one tile: dense rows by sgemm,
 * sparse ones by a panel of a few rows written out densely. A tile gives |x|^2 - 2 x.y + |y|^2 for
 * all its pairs, in float and with cancellation, off by at most about 2 eps sqrt(d) (|x|^2 + |y|^2)
 * (Higham 2002, ch. 4). So it only sorts out: a pair that by this bound may belong to a shortlist
 * is computed again, in double by differences. A row meets about K ln(n / K) such pairs, so the
 * result is exact at the price of the products.
 *
 * A pair serves both its rows, which halves the products but makes two threads want one shortlist.
 * Therefore blocks meet as in a round-robin tournament: in a round every block is in one pair at
 * most, and the pairs of a round are shared out among the threads. The shortlists do not depend on
 * the order of the rounds. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "linalg/neighbours.h"
#include "linalg/shortlist.h"
#include "linalg/team.h"

enum {
    BLOCK = 512,            /* most rows of a block: a tile of 1 MiB */
    LEAST_BLOCK = 16,       /* rows */
    BLOCK_BYTES = 16 << 20, /* of rows that have to be scaled */
    LANES = 16,             /* sparse rows in a panel */
    STRIP = 64,             /* pairs that are sorted out at a time */
    QUERY_BLOCK = 64        /* rows of a block of queries */
};

typedef struct search {
    const decant__source *x;
    size_t count, block, blocks;
    float *norm;  /* n: |x|^2 */
    float *error; /* n: how far a tile's distances of this row may be off */
    float *reach; /* a list: what a tile may say at most of a pair that matters */
    decant__shortlist *list;
    /* threads x what one of them needs for a tile */
    float *tile;    /* block x block */
    float *rows[2]; /* block x d each: scaled rows */
    float *panel;   /* d x LANES, zeros between uses */
} search;

/* Some rows of the source: dense, or by their numbers in the CSR matrix. */
typedef struct stretch {
    size_t count;
    const float *dense;    /* count x d */
    const uint32_t *index; /* their numbers; NULL: first, first + 1, ... */
    size_t first;
} stretch;

static size_t row_number(const stretch *rows, size_t i) {
    return rows->index != NULL ? rows->index[i] : rows->first + i;
}

/* ---- one pair ---- */

DECANT_CLONES
static double dense_distance(const float *restrict a, const float *restrict b, size_t d) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < d; j++) {
        double t = (double)a[j] - (double)b[j];
        sum += t * t;
    }
    return sum;
}

/* The same with the scaled values, rounded to float as a fetch rounds them. */
DECANT_CLONES
static double scaled_distance(const float *restrict a, const float *restrict b,
                              const float *restrict shift, const float *restrict scale, size_t d) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < d; j++) {
        float left = (a[j] - shift[j]) * scale[j], right = (b[j] - shift[j]) * scale[j];
        double t = (double)left - (double)right;
        sum += t * t;
    }
    return sum;
}

static double sparse_distance(const decant__source *x, size_t i, size_t j) {
    size_t a = x->start[i], a_end = x->start[i + 1], b = x->start[j], b_end = x->start[j + 1];
    double sum = 0;
    while (a < a_end || b < b_end) {
        double t = 0;
        if (b == b_end || (a < a_end && x->column[a] < x->column[b])) {
            t = (double)x->value[a++];
        } else if (a == a_end || x->column[b] < x->column[a]) {
            t = (double)x->value[b++];
        } else {
            t = (double)x->value[a++] - (double)x->value[b++];
        }
        sum += t * t;
    }
    return sum;
}

double decant__neighbours_distance(const decant__source *x, size_t i, size_t j) {
    if (x->dense == NULL) return sparse_distance(x, i, j);
    const float *a = x->dense + i * x->d, *b = x->dense + j * x->d;
    if (x->scale == NULL) return dense_distance(a, b, x->d);
    return scaled_distance(a, b, x->shift, x->scale, x->d);
}

/* ---- a tile ---- */

static void copy_row(const decant__source *x, size_t row, float *restrict out) {
    const float *restrict in = x->dense + row * x->d;
    if (x->scale == NULL) {
        memcpy(out, in, x->d * sizeof *out);
        return;
    }
    for (size_t j = 0; j < x->d; j++) out[j] = (in[j] - x->shift[j]) * x->scale[j];
}

/* Rows first .. or, where index is given, of those numbers. A copy only where it has to be one. */
static stretch take(const decant__source *x, const uint32_t *index, size_t first, size_t count,
                    float *room) {
    stretch rows = {.count = count, .index = index, .first = first};
    if (x->dense == NULL) return rows;
    if (index == NULL && x->scale == NULL) {
        rows.dense = x->dense + first * x->d;
        return rows;
    }
    for (size_t i = 0; i < count; i++) copy_row(x, row_number(&rows, i), room + i * x->d);
    rows.dense = room;
    return rows;
}

/* out: LANES dot products of one sparse row with the rows of a panel. */
DECANT_CLONES
static void panel_products(const float *restrict value, const uint32_t *restrict column,
                           size_t count, const float *restrict panel, float *restrict out) {
    float sum[LANES] = {0};
    for (size_t e = 0; e < count; e++) {
        const float *restrict row = panel + (size_t)column[e] * LANES;
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) sum[l] += value[e] * row[l];
    }
    for (size_t l = 0; l < LANES; l++) out[l] = sum[l];
}

/* Writes rows begin .. begin+lanes-1 of a stretch into the panel, or takes them out again. */
static void fill_panel(const decant__source *x, const stretch *rows, size_t begin, size_t lanes,
                       int in, float *panel) {
    for (size_t l = 0; l < lanes; l++) {
        size_t row = row_number(rows, begin + l);
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++)
            panel[(size_t)x->column[e] * LANES + l] = in ? x->value[e] : 0;
    }
}

/* tile (a->count x b->count) = -2 a b^T */
static void sparse_tile(const search *s, const stretch *a, const stretch *b, float *panel,
                        float *tile) {
    const decant__source *x = s->x;
    float sum[LANES];
    for (size_t begin = 0; begin < a->count; begin += LANES) {
        size_t lanes = a->count - begin < LANES ? a->count - begin : LANES;
        fill_panel(x, a, begin, lanes, 1, panel);
        for (size_t j = 0; j < b->count; j++) {
            size_t from = x->start[row_number(b, j)], to = x->start[row_number(b, j) + 1];
            panel_products(x->value + from, x->column + from, to - from, panel, sum);
            for (size_t l = 0; l < lanes; l++) tile[(begin + l) * b->count + j] = -2 * sum[l];
        }
        fill_panel(x, a, begin, lanes, 0, panel);
    }
}

static void make_tile(const search *s, const stretch *a, const stretch *b, size_t thread) {
    float *tile = s->tile + thread * s->block * s->block;
    if (s->x->dense == NULL) {
        sparse_tile(s, a, b, s->panel + thread * s->x->d * LANES, tile);
        return;
    }
    int d = (int)s->x->d;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)a->count, (int)b->count, d, -2.0F,
                a->dense, d, b->dense, d, 0.0F, tile, (int)b->count);
}

/* ---- sorting out ---- */

/* Makes distances of products; is there one among them that one of its two rows may want?
 * reach_b: NULL where only the row of the tile counts. */
DECANT_CLONES
static int strip_wanted(float *restrict tile, size_t count, float norm, float reach,
                        const float *restrict norm_b, const float *restrict reach_b) {
    int wanted = 0;
    if (reach_b == NULL) {
        for (size_t j = 0; j < count; j++) {
            tile[j] += norm + norm_b[j];
            wanted |= tile[j] <= reach;
        }
    } else {
        for (size_t j = 0; j < count; j++) {
            tile[j] += norm + norm_b[j];
            wanted |= (tile[j] <= reach) | (tile[j] <= reach_b[j]);
        }
    }
    return wanted;
}

/* Among many equal rows every distance is 0 and every pair close: then the number decides. */
static int may_enter(const decant__shortlist *list, uint32_t index) {
    return list->count < list->room || list->distance[list->count - 1] > 0 ||
           index < list->index[list->count - 1];
}

static void offer(search *s, size_t number, size_t row, size_t other, float distance) {
    decant__shortlist *list = &s->list[number];
    if (decant__shortlist_offer(list, (uint32_t)other, distance))
        s->reach[number] = decant__shortlist_worst(list) + s->error[row];
}

/* Row i of a tile, with rows first .. first+count-1 beside it; both sides want neighbours. */
static void sort_out_row(search *s, float *tile, size_t i, size_t first, size_t count) {
    for (size_t at = 0; at < count; at += STRIP) {
        size_t width = count - at < STRIP ? count - at : STRIP, begin = first + at;
        if (!strip_wanted(tile + at, width, s->norm[i], s->reach[i], s->norm + begin,
                          s->reach + begin))
            continue;
        for (size_t l = 0; l < width; l++) {
            size_t j = begin + l;
            int for_i = tile[at + l] <= s->reach[i] && may_enter(&s->list[i], (uint32_t)j);
            int for_j = tile[at + l] <= s->reach[j] && may_enter(&s->list[j], (uint32_t)i);
            if (!for_i && !for_j) continue;
            float distance = (float)decant__neighbours_distance(s->x, i, j);
            if (for_i) offer(s, i, i, j, distance);
            if (for_j) offer(s, j, j, i, distance);
        }
    }
}

static size_t block_rows(const search *s, size_t number) {
    size_t first = number * s->block;
    return s->x->n - first < s->block ? s->x->n - first : s->block;
}

/* All pairs of a row in block a and one in block b, or of two rows where a is b. a <= b. */
static void meet(search *s, size_t a, size_t b) {
    size_t thread = (size_t)omp_get_thread_num(), room = thread * s->block * s->x->d;
    stretch left = take(s->x, NULL, a * s->block, block_rows(s, a), s->rows[0] + room);
    stretch right = take(s->x, NULL, b * s->block, block_rows(s, b), s->rows[1] + room);
    float *tile = s->tile + thread * s->block * s->block;
    make_tile(s, &left, &right, thread);
    for (size_t i = 0; i < left.count; i++) {
        size_t skip = a == b ? i + 1 : 0;
        sort_out_row(s, tile + i * right.count + skip, left.first + i, right.first + skip,
                     right.count - skip);
    }
}

/* Round r of the circle method for an even number of seats: seat `seats - 1` stays, the others turn
 * past it. Pair p of the round; one of the two may be beyond the last block (a bye). */
static void pair_of_round(size_t seats, size_t r, size_t p, size_t *a, size_t *b) {
    size_t turning = seats - 1;
    size_t first = p == 0 ? turning : (r + p) % turning;
    size_t second = p == 0 ? r : (r + turning - p) % turning;
    *a = first < second ? first : second;
    *b = first < second ? second : first;
}

static void play_round(search *s, size_t seats, size_t round, int threads) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t p = 0; p < seats / 2; p++) {
        size_t a, b;
        pair_of_round(seats, round, p, &a, &b);
        if (b < s->blocks) meet(s, a, b);
    }
}

/* ---- the whole ---- */

static size_t choose_block(const decant__source *x) {
    if (x->dense == NULL || x->scale == NULL) return BLOCK;
    size_t rows = BLOCK_BYTES / sizeof(float) / (x->d > 0 ? x->d : 1);
    return rows > BLOCK ? BLOCK : rows < LEAST_BLOCK ? LEAST_BLOCK : rows;
}

static decant_status search_new(search *s, size_t lists, size_t threads, int copies) {
    decant_status status = DECANT_OK;
    const decant__source *x = s->x;
    s->block = choose_block(x);
    s->blocks = (x->n + s->block - 1) / s->block;
    NEW_ARRAY(s->norm, x->n);
    NEW_ARRAY(s->error, x->n);
    NEW_ARRAY(s->reach, lists);
    NEW_ARRAY(s->list, lists);
    NEW_ARRAY(s->tile, threads * s->block * s->block);
    if (x->dense == NULL) {
        NEW_ZEROED(s->panel, threads * x->d * LANES);
    } else if (x->scale != NULL || copies) {
        NEW_ARRAY(s->rows[0], threads * s->block * x->d);
        NEW_ARRAY(s->rows[1], threads * s->block * x->d);
    }
done:
    return status;
}

static void search_free(search *s) {
    decant__free(s->norm);
    decant__free(s->error);
    decant__free(s->reach);
    decant__free(s->list);
    decant__free(s->tile);
    decant__free(s->panel);
    decant__free(s->rows[0]);
    decant__free(s->rows[1]);
}

static double squares_of(const decant__source *x, size_t i) {
    double sum = 0;
    if (x->dense == NULL) {
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
            sum += (double)x->value[e] * (double)x->value[e];
        return sum;
    }
    const float *row = x->dense + i * x->d;
    for (size_t j = 0; j < x->d; j++) {
        float value = x->scale == NULL ? row[j] : (row[j] - x->shift[j]) * x->scale[j];
        sum += (double)value * (double)value;
    }
    return sum;
}

static void measure(search *s, int threads) {
    float largest = 0, unit = 2 * FLT_EPSILON * (2 + sqrtf((float)s->x->d));
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest)
    for (size_t i = 0; i < s->x->n; i++) {
        s->norm[i] = (float)squares_of(s->x, i);
        largest = s->norm[i] > largest ? s->norm[i] : largest;
    }
    for (size_t i = 0; i < s->x->n; i++) s->error[i] = unit * (s->norm[i] + largest);
}

static void empty_lists(search *s, size_t lists, uint32_t *index, float *distance) {
    for (size_t i = 0; i < lists; i++) {
        s->list[i] = (decant__shortlist){
            .room = s->count, .index = index + i * s->count, .distance = distance + i * s->count};
        s->reach[i] = INFINITY;
    }
}

decant_status decant__neighbours_pairs(const decant__source *x, size_t count, int threads,
                                       const decant__watch *watch, uint32_t *index,
                                       float *distance) {
    decant_status status = DECANT_OK;
    search s = {.x = x, .count = count};
    int saved = decant__team_enter();
    TRY(search_new(&s, x->n, (size_t)threads, 0));
    measure(&s, threads);
    empty_lists(&s, x->n, index, distance);
    size_t seats = s.blocks + s.blocks % 2;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t b = 0; b < s.blocks; b++) meet(&s, b, b);
    for (size_t round = 0; s.blocks > 1 && round + 1 < seats; round++) {
        TRY(decant__watch_tick(watch, round, seats - 1, NAN, NAN));
        play_round(&s, seats, round, threads);
    }
done:
    search_free(&s);
    decant__team_leave(saved);
    return status;
}

/* A block of queries against all rows, block by block. */
static void answer(search *s, const uint32_t *query, size_t first, size_t count) {
    size_t thread = (size_t)omp_get_thread_num(), room = thread * s->block * s->x->d;
    float *tile = s->tile + thread * s->block * s->block;
    stretch left = take(s->x, query + first, 0, count, s->rows[0] + room);
    for (size_t b = 0; b < s->blocks; b++) {
        stretch right = take(s->x, NULL, b * s->block, block_rows(s, b), s->rows[1] + room);
        make_tile(s, &left, &right, thread);
        for (size_t i = 0; i < count; i++) {
            size_t number = first + i, row = query[number];
            float *line = tile + i * right.count;
            strip_wanted(line, right.count, s->norm[row], 0, s->norm + right.first, NULL);
            for (size_t l = 0; l < right.count; l++) {
                size_t j = right.first + l;
                if (line[l] <= s->reach[number] && j != row &&
                    may_enter(&s->list[number], (uint32_t)j))
                    offer(s, number, row, j, (float)decant__neighbours_distance(s->x, row, j));
            }
        }
    }
}

decant_status decant__neighbours_of(const decant__source *x, const uint32_t *query, size_t queries,
                                    size_t count, int threads, uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    search s = {.x = x, .count = count};
    int saved = decant__team_enter();
    TRY(search_new(&s, queries, (size_t)threads, 1));
    measure(&s, threads);
    empty_lists(&s, queries, index, distance);
    size_t step = s.block < QUERY_BLOCK ? s.block : QUERY_BLOCK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t first = 0; first < queries; first += step)
        answer(&s, query, first, queries - first < step ? queries - first : step);
done:
    search_free(&s);
    decant__team_leave(saved);
    return status;
}
