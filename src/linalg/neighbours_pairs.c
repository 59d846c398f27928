/* Nearest neighbours by comparing every pair of rows once.
 *
 * Rows are cut into blocks, and the products of two blocks are one tile: dense rows by the kernel,
 * sparse ones by a panel of a few rows written out densely. A tile serves to leave pairs out: of
 * every pair it gives a lower bound of the squared distance. A pair whose bound does not exceed the
 * worst distance in one of its two shortlists is computed again, in double by differences, and only
 * that distance counts. A row has about K ln(n / K) such pairs, so the result is exact at the price
 * of the products.
 *
 * The bound. Let N_i = |x_i|^2, D = N_i + N_j - 2 x_i.x_j, u = 2^-24 and g(m) = m u / (1 - m u). A
 * float product of t terms, added up in any order, with or without fma, is off by at most
 * g(t) sum |x_ic x_jc| <= g(t) (N_i + N_j) / 2 (Higham 2002, sec. 3.1), where nothing over- or
 * underflows. With
 *
 *   low_i = (1 - e) N_i, rounded down,   e = g(t + 8)
 *   bound = fl(fl(low_i + low_j) - 2 fl(x_i.x_j))
 *
 * the product adds at most g(t) (N_i + N_j) to the bound, its two additions at most
 * (1 + 2 + 2 g(t)) u (N_i + N_j), and N_i in double is off by t 2^-53 N_i at most; together that is
 * less than e (N_i + N_j): bound <= D. Each product that underflows is off by at most FLT_MIN, and
 * each sum, where small numbers are flushed to 0: low_i is 2 t FLT_MIN less. Where a product could
 * overflow, N_i > 2^124, or where t u > 1/2, low_i is -inf: all pairs of that row are computed.
 *
 * The distance in double, d_ij, is D within a factor of 1 +- (d + 2) 2^-53. If bound > w for a
 * float w, the next float after w is <= bound <= D, and d_ij rounded to float is not below it, as
 * (d + 2) 2^-53 is far from half a unit of float: no pair that is left out was in the answer.
 *
 * A pair serves both its rows, which halves the products but makes two threads want one shortlist.
 * Therefore blocks are paired as in a round-robin tournament: in a round every block is in one pair
 * at most, and the pairs of a round are shared out among the threads. The shortlists do not depend
 * on the order of the rounds. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "linalg/neighbours.h"
#include "linalg/product.h"
#include "linalg/shortlist.h"
#include "base/team.h"

enum {
    BLOCK = 512,            /* max rows of a block: a tile of 1 MiB */
    MIN_BLOCK = 16,         /* rows */
    BLOCK_BYTES = 16 << 20, /* of rows that have to be scaled */
    LANES = 16,             /* sparse rows in a panel */
    STRIP = 64,             /* pairs that are left out at a time */
    QUERY_BLOCK = 64        /* rows of a block of queries */
};

typedef struct search {
    const decant__source *x;
    size_t own, shares; /* this one of so many shares of the pairs of blocks */
    size_t count, block, blocks;
    float *low;   /* n: |x|^2 less what rounding may add to a tile */
    float *worst; /* for each list: pairs with a larger bound are left out */
    decant__shortlist *list;
    /* threads x what one of them needs for a tile */
    float *tile;    /* block x block */
    float *rows[2]; /* block x d each: scaled rows */
    float *scratch; /* of the products of dense rows */
    float *panel;   /* d x LANES, zeros between uses */
    decant__cancel cancel;
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
    double sum;
    LANES_SUM_DOUBLE(sum, j, d, ((double)a[j] - (double)b[j]) * ((double)a[j] - (double)b[j]));
    return sum;
}

/* The same with the scaled values, rounded to float as a fetch rounds them. */
DECANT_CLONES
static double scaled_distance(const float *restrict a, const float *restrict b,
                              const float *restrict shift, const float *restrict scale, size_t d) {
    double lane[DOUBLE_LANES] = {0};
    LANES_FOR(DOUBLE_LANES, l, j, d, {
        float left = (a[j] - shift[j]) * scale[j];
        float right = (b[j] - shift[j]) * scale[j];
        double t = (double)left - (double)right;
        lane[l] += t * t;
    })
    return decant__lanes_sum_double(lane);
}

static double sparse_pair_distance(const decant__source *x, size_t i, size_t j) {
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

double decant__neighbours_dense(const float *a, const float *b, size_t d) {
    return dense_distance(a, b, d);
}

double decant__neighbours_distance(const decant__source *x, size_t i, size_t j) {
    if (x->dense == NULL) return sparse_pair_distance(x, i, j);
    const float *a = x->dense + i * x->d, *b = x->dense + j * x->d;
    if (x->scale == NULL) return dense_distance(a, b, x->d);
    return scaled_distance(a, b, x->shift, x->scale, x->d);
}

/* ---- a tile ---- */

/* Rows first .. or, where index is given, of those numbers. A copy only where it has to be one. */
static stretch take(const decant__source *x, const uint32_t *index, size_t first, size_t count,
                    float *buffer) {
    stretch rows = {.count = count, .index = index, .first = first};
    if (x->dense == NULL) return rows;
    if (index == NULL && x->scale == NULL) {
        rows.dense = x->dense + first * x->d;
        return rows;
    }
    for (size_t i = 0; i < count; i++)
        decant__source_copy(x, row_number(&rows, i), buffer + i * x->d);
    rows.dense = buffer;
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

/* tile (a->count x b->count) = a b^T */
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
            for (size_t l = 0; l < lanes; l++) tile[(begin + l) * b->count + j] = sum[l];
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
    size_t d = s->x->d;
    decant__product product = {.m = a->count,
                               .n = b->count,
                               .k = d,
                               .a = {a->dense, d},
                               .b = {b->dense, d},
                               .transposed = 1,
                               .c = tile,
                               .stride = b->count};
    decant__product_run(&product, s->scratch + thread * DECANT__PRODUCT_SCRATCH);
}

/* ---- leaving pairs out ---- */

/* Makes bounds of products; is there one among them that one of its two rows may need? The
 * comparison is such that a NaN, infinity less infinity, must be computed again. worst_b: NULL
 * where only the row of the tile counts. */
DECANT_CLONES
static int strip_matters(float *restrict tile, size_t count, float low, float worst,
                         const float *restrict low_b, const float *restrict worst_b) {
    int matters = 0;
    if (worst_b == NULL) {
        for (size_t j = 0; j < count; j++) {
            tile[j] = (low + low_b[j]) - 2 * tile[j];
            matters |= !(tile[j] > worst);
        }
    } else {
        for (size_t j = 0; j < count; j++) {
            tile[j] = (low + low_b[j]) - 2 * tile[j];
            matters |= !(tile[j] > worst) | !(tile[j] > worst_b[j]);
        }
    }
    return matters;
}

/* Among many equal rows every distance is 0 and every pair close: then the number decides. */
static int may_enter(const decant__shortlist *list, uint32_t index) {
    return list->count < list->capacity || list->distance[list->count - 1] > 0 ||
           index < list->index[list->count - 1];
}

static void offer_pair(search *s, size_t number, size_t other, float distance) {
    decant__shortlist *list = &s->list[number];
    if (decant__shortlist_offer(list, (uint32_t)other, distance))
        s->worst[number] = decant__shortlist_worst(list);
}

/* Row i of a tile, with rows first .. first+count-1 beside it; both sides want neighbours. */
static void filter_row(search *s, float *tile, size_t i, size_t first, size_t count) {
    for (size_t at = 0; at < count; at += STRIP) {
        size_t width = count - at < STRIP ? count - at : STRIP, begin = first + at;
        if (!strip_matters(tile + at, width, s->low[i], s->worst[i], s->low + begin,
                           s->worst + begin))
            continue;
        for (size_t l = 0; l < width; l++) {
            size_t j = begin + l;
            int for_i = !(tile[at + l] > s->worst[i]) && may_enter(&s->list[i], (uint32_t)j);
            int for_j = !(tile[at + l] > s->worst[j]) && may_enter(&s->list[j], (uint32_t)i);
            if (!for_i && !for_j) continue;
            float distance = (float)decant__neighbours_distance(s->x, i, j);
            if (for_i) offer_pair(s, i, j, distance);
            if (for_j) offer_pair(s, j, i, distance);
        }
    }
}

static size_t block_rows(const search *s, size_t number) {
    size_t first = number * s->block;
    return s->x->n - first < s->block ? s->x->n - first : s->block;
}

/* This thread's memory for the rows of one side; NULL where those of x are used in place. */
static float *own_rows(const search *s, int side, size_t thread) {
    return s->rows[side] ? s->rows[side] + thread * s->block * s->x->d : NULL;
}

static stretch take_block(const search *s, size_t number, int side, size_t thread) {
    return take(s->x, NULL, number * s->block, block_rows(s, number), own_rows(s, side, thread));
}

/* All pairs of a row in block a and one in block b, or of two rows where a is b. a <= b. */
static void compare_blocks(search *s, size_t a, size_t b) {
    size_t thread = decant__team_member();
    stretch left = take_block(s, a, 0, thread);
    stretch right = take_block(s, b, 1, thread);
    float *tile = s->tile + thread * s->block * s->block;
    make_tile(s, &left, &right, thread);
    for (size_t i = 0; i < left.count; i++) {
        size_t skip = a == b ? i + 1 : 0;
        filter_row(s, tile + i * right.count + skip, left.first + i, right.first + skip,
                   right.count - skip);
    }
}

/* Round r of the circle method for an even number of slots: the last slot stays, the others rotate
 * past it. Pair p of the round; one of the two may be beyond the last block (a bye). */
static void pair_of_round(size_t slots, size_t r, size_t p, size_t *a, size_t *b) {
    size_t rotating = slots - 1;
    size_t first = p == 0 ? rotating : (r + p) % rotating;
    size_t second = p == 0 ? r : (r + rotating - p) % rotating;
    *a = first < second ? first : second;
    *b = first < second ? second : first;
}

typedef struct pair_round {
    search *s;
    size_t slots, number;
} pair_round;

static void process_round(void *context) {
    const pair_round *r = context;
    TEAM_FOR_DYNAMIC (p, r->slots / 2, 1) {
        size_t a, b;
        if ((r->number + p) % r->s->shares != r->s->own) continue;
        if (decant__cancel_asked(&r->s->cancel)) continue;
        pair_of_round(r->slots, r->number, p, &a, &b);
        if (b < r->s->blocks) compare_blocks(r->s, a, b);
    }
}

static void compare_within_blocks(void *context) {
    search *s = context;
    TEAM_FOR_DYNAMIC (b, s->blocks, 1)
        if (b % s->shares == s->own && !decant__cancel_asked(&s->cancel)) compare_blocks(s, b, b);
}

/* ---- the whole ---- */

static size_t choose_block(const decant__source *x) {
    if (x->dense == NULL || x->scale == NULL) return BLOCK;
    size_t rows = BLOCK_BYTES / sizeof(float) / (x->d > 0 ? x->d : 1);
    return rows > BLOCK ? BLOCK : rows < MIN_BLOCK ? MIN_BLOCK : rows;
}

static decant_status search_new(search *s, size_t lists, size_t threads, int copies) {
    decant_status status = DECANT_OK;
    const decant__source *x = s->x;
    s->block = choose_block(x);
    s->blocks = (x->n + s->block - 1) / s->block;
    NEW_ARRAY(s->low, x->n);
    NEW_ARRAY(s->worst, lists);
    NEW_ARRAY(s->list, lists);
    NEW_ARRAY(s->tile, threads * s->block * s->block);
    if (x->dense == NULL)
        NEW_ZEROED(s->panel, threads * x->d * LANES);
    else
        NEW_ARRAY(s->scratch, threads * DECANT__PRODUCT_SCRATCH);
    if (x->dense != NULL && (x->scale != NULL || copies)) {
        NEW_ARRAY(s->rows[0], threads * s->block * x->d);
        NEW_ARRAY(s->rows[1], threads * s->block * x->d);
    }
done:
    return status;
}

static void search_free(search *s) {
    decant__free(s->low);
    decant__free(s->worst);
    decant__free(s->list);
    decant__free(s->tile);
    decant__free(s->scratch);
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
        double value = (double)decant__source_scaled(x, j, row[j]);
        sum += value * value;
    }
    return sum;
}

/* Max number of terms of a product that are not 0. */
static size_t product_terms(const decant__source *x) {
    size_t max = 0;
    if (x->dense != NULL) return x->d;
    for (size_t i = 0; i < x->n; i++) {
        size_t terms = x->start[i + 1] - x->start[i];
        max = terms > max ? terms : max;
    }
    return max;
}

static void find_low_rows(void *context) {
    search *s = context;
    const double unit = 0x1p-24, largest = 0x1p124;
    double terms = (double)product_terms(s->x), rounding = (terms + 8) * unit;
    double error = rounding / (1 - rounding), small = 2 * terms * (double)FLT_MIN;
    TEAM_FOR (i, s->x->n) {
        double squares = squares_of(s->x, i);
        if (!isfinite(squares))
            s->low[i] = NAN;
        else if (rounding > 0.5 || squares > largest)
            s->low[i] = -INFINITY;
        else
            s->low[i] = nextafterf((float)((1 - error) * squares - small), -INFINITY);
    }
}

static decant_status find_lows(search *s, int threads) {
    decant__team_run(threads, find_low_rows, s);
    for (size_t i = 0; i < s->x->n; i++)
        if (isnan(s->low[i]))
            return decant__fail(DECANT_EINVAL,
                                "row %zu has a value that is not a finite number, and so no "
                                "neighbours",
                                i + 1);
    return DECANT_OK;
}

static void empty_lists(search *s, size_t lists, uint32_t *index, float *distance) {
    for (size_t i = 0; i < lists; i++) {
        s->list[i] = (decant__shortlist){.capacity = s->count,
                                         .index = index + i * s->count,
                                         .distance = distance + i * s->count};
        s->worst[i] = INFINITY;
    }
}

/* The places that a share has no neighbours for. */
static void mark_rest(const search *s) {
    for (size_t i = 0; i < s->x->n; i++)
        for (size_t e = s->list[i].count; e < s->count; e++) {
            s->list[i].index[e] = DECANT__NO_ROW;
            s->list[i].distance[e] = INFINITY;
        }
}

decant_status decant__neighbours_pairs(const decant__source *x, size_t count, int threads,
                                       const decant__watch *watch, uint32_t *index,
                                       float *distance) {
    const decant__search wanted = {.x = x, .count = count, .threads = threads, .watch = watch};
    return decant__neighbours_share(&wanted, 0, 1, index, distance);
}

decant_status decant__neighbours_share(const decant__search *wanted, size_t own, size_t shares,
                                       uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    const decant__source *x = wanted->x;
    int threads = wanted->threads;
    search s = {.x = x, .own = own, .shares = shares, .count = wanted->count};
    decant__cancel_init(&s.cancel, wanted->watch);
    TRY(search_new(&s, x->n, (size_t)threads, 0));
    TRY(find_lows(&s, threads));
    empty_lists(&s, x->n, index, distance);
    size_t slots = s.blocks + s.blocks % 2;
    decant__team_run(threads, compare_within_blocks, &s);
    TRY(s.cancel.status);
    for (size_t round = 0; s.blocks > 1 && round + 1 < slots; round++) {
        TRY(decant__watch_tick(wanted->watch, round, slots - 1, NAN, NAN));
        pair_round r = {&s, slots, round};
        decant__team_run(threads, process_round, &r);
        TRY(s.cancel.status);
    }
    mark_rest(&s);
done:
    search_free(&s);
    return status;
}

/* A block of queries against all rows, block by block. */
static void answer(search *s, const uint32_t *query, size_t first, size_t count) {
    size_t thread = decant__team_member();
    float *tile = s->tile + thread * s->block * s->block;
    stretch left = take(s->x, query + first, 0, count, own_rows(s, 0, thread));
    for (size_t b = 0; b < s->blocks; b++) {
        if (decant__cancel_asked(&s->cancel)) return;
        stretch right = take_block(s, b, 1, thread);
        make_tile(s, &left, &right, thread);
        for (size_t i = 0; i < count; i++) {
            size_t number = first + i, row = query[number];
            float *line = tile + i * right.count;
            strip_matters(line, right.count, s->low[row], 0, s->low + right.first, NULL);
            for (size_t l = 0; l < right.count; l++) {
                size_t j = right.first + l;
                if (!(line[l] > s->worst[number]) && j != row &&
                    may_enter(&s->list[number], (uint32_t)j))
                    offer_pair(s, number, j, (float)decant__neighbours_distance(s->x, row, j));
            }
        }
    }
}

typedef struct query_list {
    search *s;
    const uint32_t *query;
    size_t queries;
} query_list;

static void answer_all(void *context) {
    const query_list *q = context;
    size_t step = q->s->block < QUERY_BLOCK ? q->s->block : QUERY_BLOCK;
    TEAM_FOR_DYNAMIC (block, (q->queries + step - 1) / step, 1) {
        size_t first = block * step;
        answer(q->s, q->query, first, q->queries - first < step ? q->queries - first : step);
    }
}

decant_status decant__neighbours_of(const decant__search *wanted, const uint32_t *query,
                                    size_t queries, uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    int threads = wanted->threads;
    search s = {.x = wanted->x, .count = wanted->count};
    decant__cancel_init(&s.cancel, wanted->watch);
    TRY(search_new(&s, queries, (size_t)threads, 1));
    TRY(find_lows(&s, threads));
    empty_lists(&s, queries, index, distance);
    query_list q = {&s, query, queries};
    decant__team_run(threads, answer_all, &q);
    TRY(s.cancel.status);
done:
    search_free(&s);
    return status;
}
