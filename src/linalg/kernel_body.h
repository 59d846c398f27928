/* The inner loops, written once for any vector unit. A file that includes this has defined
 *
 *   vec                 a vector of LANES floats, LANES a divisor of 16
 *   v_load, v_store, v_set (all lanes the same), v_fma (a b + c, rounded once), v_relu
 *   fma1                the same of single floats
 *   BLOCK_ROWS, BLOCK_PANELS   the register block
 *   KERNEL_NAME, KERNEL_GET, KERNEL_USABLE   its name, its function, and whether this processor
 *                       can run it
 *
 * The innermost product keeps BLOCK_ROWS x 16 BLOCK_PANELS sums in registers (Goto and van de
 * Geijn, "Anatomy of high-performance matrix multiplication", 2008, with the register block of Van
 * Zee and van de Geijn's BLIS): each step takes a row of each panel of b and single numbers of a.
 */
#include <string.h>

#include "linalg/kernel.h"

#define INLINE __attribute__((always_inline)) static inline
#define UNROLL _Pragma("GCC unroll 16")

enum {
    PANEL = DECANT__PANEL,
    PANEL_VECTORS = PANEL / LANES,
    BLOCK_VECTORS = BLOCK_PANELS * PANEL_VECTORS,
    BLOCK_COLUMNS = BLOCK_PANELS * PANEL
};

_Static_assert(BLOCK_ROWS <= DECANT__MAX_BLOCK_ROWS, "rows of a packed panel");

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
} block_at;

/* rows, panels and packed are constants where this is inlined. */
INLINE void block(const int rows, const int panels, const int packed, const block_at *t) {
    const int vectors = panels * PANEL_VECTORS;
    const float *restrict a = t->a, *restrict b = t->b;
    const size_t across = t->across, panel_stride = t->panel_stride;
    vec sum[BLOCK_ROWS][BLOCK_VECTORS];
    UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int v = 0; v < vectors; v++)
        sum[i][v] = t->init == NULL
                        ? v_set(0)
                        : v_load(t->init + (size_t)i * t->init_stride + (size_t)v * LANES);
    for (size_t p = 0; p < t->k; p++) {
        vec row[BLOCK_VECTORS];
        UNROLL
        for (int v = 0; v < vectors; v++)
            row[v] = v_load(b + (size_t)(v / PANEL_VECTORS) * panel_stride + p * PANEL +
                            (size_t)(v % PANEL_VECTORS) * LANES);
        UNROLL
        for (int i = 0; i < rows; i++) {
            vec factor = v_set(packed ? a[p * BLOCK_ROWS + (size_t)i] : a[(size_t)i * across + p]);
            UNROLL
            for (int v = 0; v < vectors; v++) sum[i][v] = v_fma(factor, row[v], sum[i][v]);
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
INLINE void block_rows(size_t rows, const int panels, const int packed, const block_at *t) {
    switch (rows) {
        case BLOCK_ROWS:
            block(BLOCK_ROWS, panels, packed, t);
            break;
#if BLOCK_ROWS > 4
        case 4:
            block(4, panels, packed, t);
            break;
#endif
        case 2:
            block(2, panels, packed, t);
            break;
        default:
            block(1, panels, packed, t);
    }
}

static void block_in_place(size_t rows, size_t panels, const block_at *t) {
#if BLOCK_PANELS > 1
    if (panels == 3) {
        block_rows(rows, 3, 0, t);
        return;
    }
    if (panels == 2) {
        block_rows(rows, 2, 0, t);
        return;
    }
#endif
    (void)panels;
    block_rows(rows, 1, 0, t);
}

static void block_packed(size_t rows, size_t panels, const block_at *t) {
#if BLOCK_PANELS > 1
    if (panels == 3) {
        block_rows(rows, 3, 1, t);
        return;
    }
    if (panels == 2) {
        block_rows(rows, 2, 1, t);
        return;
    }
#endif
    (void)panels;
    block_rows(rows, 1, 1, t);
}

/* A block whose last panel has columns that c has not: by way of a whole one. */
static void block_at_edge(size_t rows, size_t columns, int packed, const block_at *t) {
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
    if (packed)
        block_packed(rows, panels, &inner);
    else
        block_in_place(rows, panels, &inner);
    for (size_t i = 0; i < rows; i++)
        memcpy(t->c + i * t->c_stride, whole + i * BLOCK_COLUMNS, columns * sizeof *whole);
}

static void fetch_ahead(const decant__tile_product *t, size_t i, size_t rows, size_t j) {
    for (int x = 0; x < 3 && t->ahead[x] != NULL; x++)
        for (size_t r = 0; r < rows; r++)
            for (size_t v = 0; v < BLOCK_PANELS && j + v * PANEL < t->n; v++)
                __builtin_prefetch(t->ahead[x] + (i + r) * t->ahead_stride + j + v * PANEL, 1, 2);
}

static size_t rows_of_block(size_t left) {
    if (left >= BLOCK_ROWS) return BLOCK_ROWS;
    return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

static void product(const decant__tile_product *t) {
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
                           .relu = t->relu};
            if (t->ahead[0] != NULL) fetch_ahead(t, i, rows, j);
            if (columns % PANEL != 0)
                block_at_edge(rows, columns, t->a_packed, &at);
            else if (t->a_packed)
                block_packed(rows, columns / PANEL, &at);
            else
                block_in_place(rows, columns / PANEL, &at);
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

static void add_rows(size_t n, size_t count, const float *value, const uint32_t *index,
                     const float *w, size_t stride, float *y) {
    size_t j = 0;
    for (; j + 8 * LANES <= n; j += 8 * LANES)
        add_rows_piece(8, count, value, index, w + j, stride, y + j);
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        add_rows_piece(2, count, value, index, w + j, stride, y + j);
    for (; j + LANES <= n; j += LANES) add_rows_piece(1, count, value, index, w + j, stride, y + j);
    for (; j < n; j++)
        for (size_t e = 0; e < count; e++)
            y[j] = fma1(value[e], w[(size_t)index[e] * stride + j], y[j]);
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
    static const decant__kernel kernel = {KERNEL_NAME, BLOCK_ROWS, product,
                                          add_rows,    pack,       pack_rows};
    return KERNEL_USABLE ? &kernel : NULL;
}
