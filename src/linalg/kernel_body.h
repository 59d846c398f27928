/* The inner loops, written once for any vector unit. A file that includes this has defined
 *
 *   vec                 a vector of LANES floats, LANES a divisor of 16
 *   v_load, v_store, v_set (all lanes the same), v_add, v_fma (a b + c, rounded once), v_relu
 *   fma1                the same of single floats
 *   BLOCK_ROWS, BLOCK_PANELS   the register block
 *   KERNEL_NAME, KERNEL_GET, KERNEL_USABLE   its name, its function, and whether this processor
 *                       can run it
 *   UNROLL              if it likes: what stands before a loop over registers
 *
 * The innermost product keeps BLOCK_ROWS x 16 BLOCK_PANELS sums in registers (Goto and van de
 * Geijn, "Anatomy of high-performance matrix multiplication", 2008, with the register block of Van
 * Zee and van de Geijn's BLIS): each step takes a row of each panel of b and single numbers of a.
 */
#include <string.h>

#include "linalg/kernel.h"

#define INLINE __attribute__((always_inline)) static inline
#define NOT_INLINE __attribute__((noinline))
#ifndef UNROLL
#ifdef __clang__
/* By a number, clang unrolls a loop of 6 only after it has put its array into memory. */
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#endif

enum {
    PANEL = DECANT__PANEL,
    PANEL_VECTORS = PANEL / LANES,
    BLOCK_VECTORS = BLOCK_PANELS * PANEL_VECTORS,
    BLOCK_COLUMNS = BLOCK_PANELS * PANEL,
    CACHE_LINE = 16, /* floats */
    FETCH_STEPS = 16,
    WIDE = 8 * LANES,                /* floats of a row that are summed at a time */
    STEPS = BLOCK_PANELS > 1 ? 2 : 1 /* made without a branch: wide blocks gain 2 % by this */
};

_Static_assert(BLOCK_ROWS <= DECANT__MAX_BLOCK_ROWS, "rows of a packed panel");

/* What is fetched for later: a few lines before every FETCH_STEPS steps or run of a tree, in the
 * shadow of the multiply-adds. */
typedef struct fetching {
    const decant__strip *strip, *end;
    size_t row, at; /* the next line of the strip */
    size_t each;    /* lines at a time */
} fetching;

/* A register block at a, b and c; k steps. */
typedef struct block_at {
    size_t k;
    const float *a;
    size_t across; /* in place: floats between two rows of a */
    const float *b;
    size_t panel_stride;
    const float *init;
    size_t init_stride;
    float *c;
    size_t c_stride;
    int relu;
    const decant__sum_tree *tree;
    fetching *fetch;
} block_at;

/* How a block reads a, and how it sums. */
typedef enum block_form {
    IN_PLACE,
    PACKED,
    TREE /* packed, too */
} block_form;

typedef vec block_sums[BLOCK_ROWS][BLOCK_VECTORS];

INLINE void fetch_lines(fetching *f) {
    for (size_t count = f->each; count > 0 && f->strip < f->end; count--) {
        const decant__strip *s = f->strip;
        if (f->row == s->rows) {
            f->strip++;
            f->row = 0;
            continue;
        }
        size_t at = f->at < s->length ? f->at : s->length - 1;
        const float *line = s->x + f->row * s->stride + at;
        if (s->write)
            __builtin_prefetch(line, 1, 2);
        else
            __builtin_prefetch(line, 0, 2);
        f->at = at + CACHE_LINE;
        if (at + 1 < s->length) continue;
        f->at = 0;
        f->row++;
    }
}

/* Step p of b: a row of each panel. rows, vectors and packed are constants where these are inlined.
 */
INLINE void load_row(const int vectors, const block_at *t, size_t p, vec row[BLOCK_VECTORS]) {
    UNROLL
    for (int v = 0; v < vectors; v++)
        row[v] = v_load(t->b + (size_t)(v / PANEL_VECTORS) * t->panel_stride + p * PANEL +
                        (size_t)(v % PANEL_VECTORS) * LANES);
}

INLINE void step_row(const int vectors, float a, const vec row[BLOCK_VECTORS], vec *sum) {
    vec factor = v_set(a);
    UNROLL
    for (int v = 0; v < vectors; v++) sum[v] = v_fma(factor, row[v], sum[v]);
}

INLINE void step(const int rows, const int vectors, const int packed, const float *restrict a,
                 size_t across, const block_at *t, size_t p, block_sums sum) {
    vec row[BLOCK_VECTORS];
    load_row(vectors, t, p, row);
    UNROLL
    for (int i = 0; i < rows; i++)
        step_row(vectors, a[packed ? p * BLOCK_ROWS + (size_t)i : (size_t)i * across + p], row,
                 sum[i]);
}

/* Steps from .. to-1 of the chains. */
INLINE void accumulate(const int rows, const int vectors, const int packed, const block_at *t,
                       size_t from, size_t to, block_sums sum) {
    const float *restrict a = t->a;
    const size_t across = t->across;
    size_t p = from;
    for (; STEPS > 1 && p + STEPS <= to; p += STEPS) UNROLL
    for (size_t s = 0; s < STEPS; s++) step(rows, vectors, packed, a, across, t, p + s, sum);
    for (; p < to; p++) step(rows, vectors, packed, a, across, t, p, sum);
}

/* The last step p of a run of a tree; row by row of the block, the sums are put aside in its
 * shadow. A tree that puts them aside after it, store after store, takes half as long again. */
INLINE void turn(const int rows, const int vectors, const int merges, const block_at *t, size_t p,
                 block_sums *left, block_sums sum) {
    const float *a = t->a + p * BLOCK_ROWS;
    vec last[BLOCK_VECTORS];
    load_row(vectors, t, p, last);
    UNROLL
    for (int i = 0; i < rows; i++) {
        step_row(vectors, a[i], last, sum[i]);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            UNROLL
            for (int m = 0; m < merges; m++) sum[i][v] = v_add(left[-m][i][v], sum[i][v]);
            left[1 - merges][i][v] = sum[i][v];
            sum[i][v] = v_set(0);
        }
    }
}

INLINE void turn_merging(const int rows, const int vectors, int merges, const block_at *t, size_t p,
                         block_sums *left, block_sums sum) {
    switch (merges) {
        case 0:
            turn(rows, vectors, 0, t, p, left, sum);
            break;
        case 1:
            turn(rows, vectors, 1, t, p, left, sum);
            break;
        case 2:
            turn(rows, vectors, 2, t, p, left, sum);
            break;
        default:
            turn(rows, vectors, 3, t, p, left, sum);
    }
}

INLINE void accumulate_tree(const int rows, const int vectors, const block_at *t, block_sums sum) {
    const decant__sum_tree *tree = t->tree;
    block_sums left[DECANT__SHARD_LEVELS + 1]; /* the first is not used */
    block_sums *top = left;
    size_t p = 0; /* the next step */
    UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int v = 0; v < vectors; v++) sum[i][v] = v_set(0);
    for (size_t r = 0; r + 1 < tree->runs; r++) {
        size_t last = tree->end[r] - 1;
        int merges = tree->merges[r];
        fetch_lines(t->fetch);
        accumulate(rows, vectors, 1, t, p, last, sum);
        turn_merging(rows, vectors, merges, t, last, top, sum);
        top += 1 - merges;
        p = last + 1;
    }
    accumulate(rows, vectors, 1, t, p, tree->end[tree->runs - 1], sum);
    for (; top > left; top--) UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int v = 0; v < vectors; v++) sum[i][v] = v_add((*top)[i][v], sum[i][v]);
}

/* rows, panels and form are constants where this is inlined. */
INLINE void block(const int rows, const int panels, const block_form form, const block_at *t) {
    const int vectors = panels * PANEL_VECTORS;
    block_sums sum;
    if (form == TREE) {
        accumulate_tree(rows, vectors, t, sum);
    } else {
        UNROLL
        for (int i = 0; i < rows; i++) UNROLL
        for (int v = 0; v < vectors; v++)
            sum[i][v] = t->init == NULL
                            ? v_set(0)
                            : v_load(t->init + (size_t)i * t->init_stride + (size_t)v * LANES);
        for (size_t p = 0; p < t->k; p += FETCH_STEPS) {
            fetch_lines(t->fetch);
            accumulate(rows, vectors, form == PACKED, t, p,
                       t->k - p < FETCH_STEPS ? t->k : p + FETCH_STEPS, sum);
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int v = 0; v < vectors; v++) {
        vec s = t->relu ? v_relu(sum[i][v]) : sum[i][v];
        v_store(t->c + (size_t)i * t->c_stride + (size_t)v * LANES, s);
    }
}

/* Blocks of fewer rows come at the end of a tile: 4, 2 and 1 together make any number. */
INLINE void block_rows(size_t rows, const int panels, const block_form form, const block_at *t) {
    switch (rows) {
        case BLOCK_ROWS:
            block(BLOCK_ROWS, panels, form, t);
            break;
#if BLOCK_ROWS > 4
        case 4:
            block(4, panels, form, t);
            break;
#endif
        case 2:
            block(2, panels, form, t);
            break;
        default:
            block(1, panels, form, t);
    }
}

INLINE void block_panels(size_t rows, size_t panels, const block_form form, const block_at *t) {
#if BLOCK_PANELS > 1
    if (panels == 3) {
        block_rows(rows, 3, form, t);
        return;
    }
    if (panels == 2) {
        block_rows(rows, 2, form, t);
        return;
    }
#endif
    (void)panels;
    block_rows(rows, 1, form, t);
}

/* A function for each form: one for all has so many variants that compilers run out of registers in
 * the inner loops of some. */
NOT_INLINE static void block_in_place(size_t rows, size_t panels, const block_at *t) {
    block_panels(rows, panels, IN_PLACE, t);
}
NOT_INLINE static void block_packed(size_t rows, size_t panels, const block_at *t) {
    block_panels(rows, panels, PACKED, t);
}
NOT_INLINE static void block_tree(size_t rows, size_t panels, const block_at *t) {
    block_panels(rows, panels, TREE, t);
}

static void block_whole(size_t rows, size_t panels, block_form form, const block_at *t) {
    if (form == IN_PLACE)
        block_in_place(rows, panels, t);
    else if (form == PACKED)
        block_packed(rows, panels, t);
    else
        block_tree(rows, panels, t);
}

/* A block whose last panel has columns that c has not: by way of a whole one. */
static void block_at_edge(size_t rows, size_t columns, block_form form, const block_at *t) {
    float whole[BLOCK_ROWS * BLOCK_COLUMNS] = {0};
    block_at inner = *t;
    inner.c = whole;
    inner.c_stride = BLOCK_COLUMNS;
    if (t->init != NULL) {
        for (size_t i = 0; i < rows; i++)
            memcpy(whole + i * BLOCK_COLUMNS, t->init + i * t->init_stride,
                   columns * sizeof *whole);
        inner.init = whole;
        inner.init_stride = BLOCK_COLUMNS;
    }
    size_t panels = (columns + PANEL - 1) / PANEL;
    block_whole(rows, panels, form, &inner);
    for (size_t i = 0; i < rows; i++)
        memcpy(t->c + i * t->c_stride, whole + i * BLOCK_COLUMNS, columns * sizeof *whole);
}

/* A row may begin anywhere in a line: it has at most two lines more than whole ones. */
static fetching fetch_begin(const decant__tile_product *t) {
    size_t blocks =
        (t->m + BLOCK_ROWS - 1) / BLOCK_ROWS * ((t->n + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS);
    size_t times = blocks * (t->tree != NULL ? t->tree->runs : t->k / FETCH_STEPS + 1);
    size_t lines = 0;
    for (int x = 0; x < DECANT__STRIPS; x++)
        lines += t->soon[x].rows * (t->soon[x].length / CACHE_LINE + 2);
    return (fetching){t->soon, t->soon + (lines > 0 ? DECANT__STRIPS : 0), 0, 0,
                      times > 0 ? lines / times + 1 : 0};
}

static size_t rows_of_block(size_t left) {
    if (left >= BLOCK_ROWS) return BLOCK_ROWS;
    return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* Rows i .. i+rows-1 of c, for writing. In a tree c is small and in the cache. */
static void fetch_output(const decant__tile_product *t, size_t i, size_t rows, size_t j,
                         size_t columns) {
    if (t->tree != NULL) return;
    for (size_t end = i + rows; i < end && i < t->m; i++) {
        const float *row = t->c + i * t->c_stride + j;
        for (size_t at = 0; at < columns; at += CACHE_LINE) __builtin_prefetch(row + at, 1, 2);
        __builtin_prefetch(row + columns - 1, 1, 2);
    }
}

static void product(const decant__tile_product *t) {
    block_form form = t->tree != NULL ? TREE : t->a_packed ? PACKED : IN_PLACE;
    fetching fetch = fetch_begin(t);
    size_t rows;
    for (size_t i = 0; i < t->m; i += rows) {
        rows = rows_of_block(t->m - i);
        /* Within a packed panel of a the rows lie side by side. */
        const float *a = t->a_packed ? t->a + i / BLOCK_ROWS * t->a_stride + i % BLOCK_ROWS
                                     : t->a + i * t->a_stride;
        for (size_t j = 0; j < t->n; j += BLOCK_COLUMNS) {
            size_t columns = t->n - j < BLOCK_COLUMNS ? t->n - j : BLOCK_COLUMNS;
            block_at at = {.k = t->k,
                           .a = a,
                           .across = t->a_stride,
                           .b = t->b + j / PANEL * t->panel_stride,
                           .panel_stride = t->panel_stride,
                           .init = t->init != NULL ? t->init + i * t->init_stride + j : NULL,
                           .init_stride = t->init_stride,
                           .c = t->c + i * t->c_stride + j,
                           .c_stride = t->c_stride,
                           .relu = t->relu,
                           .tree = t->tree,
                           .fetch = &fetch};
            fetch_output(t, i + rows, rows, j, columns); /* of the block below */
            if (columns % PANEL != 0)
                block_at_edge(rows, columns, form, &at);
            else
                block_whole(rows, columns / PANEL, form, &at);
        }
    }
}

/* y in registers, `vectors` of them, while the rows of w pass by. */
INLINE void add_rows_piece(const int vectors, size_t count, const float *restrict value,
                           const uint32_t *restrict index, const float *restrict w, size_t stride,
                           float *restrict y) {
    vec sum[8];
    UNROLL
    for (int v = 0; v < vectors; v++) sum[v] = v_load(y + (size_t)v * LANES);
    for (size_t e = 0; e < count; e++) {
        const float *row = w + (size_t)index[e] * stride;
        vec factor = v_set(value[e]);
        UNROLL
        for (int v = 0; v < vectors; v++)
            sum[v] = v_fma(factor, v_load(row + (size_t)v * LANES), sum[v]);
    }
    UNROLL
    for (int v = 0; v < vectors; v++) v_store(y + (size_t)v * LANES, sum[v]);
}

/* The last piece of a long row is a whole one, too: it has elements of the one before, and comes to
 * the same numbers there. */
static void add_rows(size_t n, size_t count, const float *value, const uint32_t *index,
                     const float *w, size_t stride, float *y) {
    float last[WIDE];
    size_t j = 0, from = n > WIDE && n % WIDE != 0 ? n - WIDE : 0;
    if (from > 0) {
        memcpy(last, y + from, sizeof last);
        add_rows_piece(8, count, value, index, w + from, stride, last);
    }
    for (; j + WIDE <= n; j += WIDE) add_rows_piece(8, count, value, index, w + j, stride, y + j);
    if (from > 0) {
        memcpy(y + from, last, sizeof last);
        return;
    }
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        add_rows_piece(2, count, value, index, w + j, stride, y + j);
    for (; j + LANES <= n; j += LANES) add_rows_piece(1, count, value, index, w + j, stride, y + j);
    for (; j < n; j++)
        for (size_t e = 0; e < count; e++)
            y[j] = fma1(value[e], w[(size_t)index[e] * stride + j], y[j]);
}

/* `vectors` of the sums at w and y, in registers. */
INLINE void sum_rows_piece(const int vectors, const decant__sum_tree *tree, const float *value,
                           const uint32_t *row, const float *restrict w, size_t stride,
                           float *restrict y) {
    vec sum[8], left[DECANT__SHARD_LEVELS][8];
    size_t depth = 0, e = 0;
    for (size_t r = 0;; r++) {
        UNROLL
        for (int v = 0; v < vectors; v++) sum[v] = v_set(0);
        for (; e < tree->end[r]; e++) {
            const float *x = w + (row != NULL ? (size_t)row[e] : e) * stride;
            vec factor = v_set(value != NULL ? value[e] : 1);
            UNROLL
            for (int v = 0; v < vectors; v++)
                sum[v] = v_fma(factor, v_load(x + (size_t)v * LANES), sum[v]);
        }
        for (int m = 0; m < tree->merges[r]; m++) {
            depth--;
            UNROLL
            for (int v = 0; v < vectors; v++) sum[v] = v_add(left[depth][v], sum[v]);
        }
        if (r + 1 == tree->runs) break;
        UNROLL
        for (int v = 0; v < vectors; v++) left[depth][v] = sum[v];
        depth++;
    }
    UNROLL
    for (int v = 0; v < vectors; v++) v_store(y + (size_t)v * LANES, sum[v]);
}

/* One of the sums: what is left of y beside whole vectors. */
static float sum_one(const decant__sum_tree *tree, const float *value, const uint32_t *row,
                     const float *w, size_t stride) {
    float sum = 0, left[DECANT__SHARD_LEVELS];
    size_t depth = 0, e = 0;
    for (size_t r = 0; r < tree->runs; r++) {
        if (r > 0) left[depth++] = sum;
        for (sum = 0; e < tree->end[r]; e++)
            sum = fma1(value != NULL ? value[e] : 1, w[(row != NULL ? (size_t)row[e] : e) * stride],
                       sum);
        for (int m = 0; m < tree->merges[r]; m++) sum = left[--depth] + sum;
    }
    return sum;
}

static void sum_rows(size_t n, const decant__sum_tree *tree, const float *value,
                     const uint32_t *row, const float *w, size_t stride, float *y) {
    size_t j = 0;
    if (tree->runs > 0) {
        for (; j + WIDE <= n; j += WIDE) sum_rows_piece(8, tree, value, row, w + j, stride, y + j);
        if (j < n && n > WIDE) { /* as in add_rows */
            j = n - WIDE;
            sum_rows_piece(8, tree, value, row, w + j, stride, y + j);
            return;
        }
        for (; j + 2 * LANES <= n; j += 2 * LANES)
            sum_rows_piece(2, tree, value, row, w + j, stride, y + j);
        for (; j + LANES <= n; j += LANES)
            sum_rows_piece(1, tree, value, row, w + j, stride, y + j);
    }
    for (; j < n; j++) y[j] = sum_one(tree, value, row, w + j, stride);
}

#ifndef TRANSPOSES
/* 8 x 8 numbers, rows to columns; rows of out are PANEL apart. */
static void transpose_8x8(const float *restrict x, size_t stride, float *restrict out) {
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++) out[j * PANEL + i] = x[i * stride + j];
}
#endif

static void pack(size_t k, size_t n, const float *b, size_t stride, int transposed, float *out) {
    size_t p = 0;
    if (!transposed) {
        for (; p < k && n == PANEL; p++)
            memcpy(out + p * PANEL, b + p * stride, PANEL * sizeof *out);
        for (; p < k; p++)
            for (size_t j = 0; j < PANEL; j++) out[p * PANEL + j] = j < n ? b[p * stride + j] : 0;
        return;
    }
    for (; p + 8 <= k && n == PANEL; p += 8) {
        transpose_8x8(b + p, stride, out + p * PANEL);
        transpose_8x8(b + 8 * stride + p, stride, out + p * PANEL + 8);
    }
    for (; p < k; p++)
        for (size_t j = 0; j < PANEL; j++) out[p * PANEL + j] = j < n ? b[j * stride + p] : 0;
}

/* Where eight numbers can be read they are; those too many are overwritten by the next. */
static void pack_rows(size_t m, size_t k, const float *a, size_t stride, float *out) {
    const size_t end = k > 0 ? (k - 1) * stride + m : 0;
    for (size_t i = 0; i < m; i += BLOCK_ROWS, out += k * BLOCK_ROWS) {
        size_t rows = m - i < BLOCK_ROWS ? m - i : BLOCK_ROWS, p = 0;
        for (; p < k && p * stride + i + 8 <= end; p++)
            memcpy(out + p * BLOCK_ROWS, a + p * stride + i, 8 * sizeof *out);
        for (; p < k; p++)
            for (size_t r = 0; r < rows; r++) out[p * BLOCK_ROWS + r] = a[p * stride + i + r];
    }
}

const decant__kernel *KERNEL_GET(void) {
    static const decant__kernel kernel = {KERNEL_NAME, BLOCK_ROWS, product,  add_rows,
                                          sum_rows,    pack,       pack_rows};
    return KERNEL_USABLE ? &kernel : NULL;
}
