/* The innermost product keeps 6 x 16 sums in twelve registers of eight floats (Goto and van de
 * Geijn, "Anatomy of high-performance matrix multiplication", 2008, with the register block of
 * Van Zee and van de Geijn's BLIS): each step takes one row of 16 from b and six single numbers
 * from a. b is packed into panels of 16 columns that are read from end to end; a is read where it
 * lies if its rows run along k, and packed into panels of 6 rows if they run across. */
#include "linalg/kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum {
    ROWS = 6,
    COLUMNS = DECANT__KERNEL_PANEL,
    LANES = 8,
    /* Of one run over k: a packed tile of b, 48 x 512, fits the second-level cache. */
    DEPTH = DECANT__KERNEL_SCRATCH / DECANT__KERNEL_TILE,
    TALL = 256 /* the same where a is packed, too: 48 x 256 and two numbers more */
};

#define FMA_TARGET __attribute__((target("avx2,fma")))
#define FMA_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

int decant__kernel_usable(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           !__builtin_cpu_supports("avx512f");
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* c (rows x 16) = or += a b for one panel of b. Element (i, p) of a is a[i * across + p * along].
 * `rows` and `along` are constants where this is inlined. */
FMA_INLINE void block(const int rows, size_t k, const float *restrict a, size_t across,
                      const size_t along, const float *restrict b, float *c, size_t stride,
                      int add) {
    __m256 sum[ROWS][2];
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) sum[i][0] = sum[i][1] = _mm256_setzero_ps();
#pragma GCC unroll 2
    for (size_t p = 0; p < k; p++) {
        __m256 left = _mm256_loadu_ps(b + p * COLUMNS),
               right = _mm256_loadu_ps(b + p * COLUMNS + 8);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            __m256 factor = _mm256_broadcast_ss(a + (size_t)i * across + p * along);
            sum[i][0] = _mm256_fmadd_ps(factor, left, sum[i][0]);
            sum[i][1] = _mm256_fmadd_ps(factor, right, sum[i][1]);
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
        float *out = c + (size_t)i * stride;
        if (add) {
            sum[i][0] = _mm256_add_ps(sum[i][0], _mm256_loadu_ps(out));
            sum[i][1] = _mm256_add_ps(sum[i][1], _mm256_loadu_ps(out + LANES));
        }
        _mm256_storeu_ps(out, sum[i][0]);
        _mm256_storeu_ps(out + LANES, sum[i][1]);
    }
}

/* a's rows as they lie: along k. */
FMA_TARGET static void block_plain(size_t rows, size_t k, const float *a, size_t across,
                                   const float *b, float *c, size_t stride, int add) {
    switch (rows) {
        case 6:
            block(6, k, a, across, 1, b, c, stride, add);
            break;
        case 5:
            block(5, k, a, across, 1, b, c, stride, add);
            break;
        case 4:
            block(4, k, a, across, 1, b, c, stride, add);
            break;
        case 3:
            block(3, k, a, across, 1, b, c, stride, add);
            break;
        case 2:
            block(2, k, a, across, 1, b, c, stride, add);
            break;
        default:
            block(1, k, a, across, 1, b, c, stride, add);
    }
}

/* a packed: six rows side by side. */
FMA_TARGET static void block_packed(size_t rows, size_t k, const float *a, size_t across,
                                    const float *b, float *c, size_t stride, int add) {
    (void)across;
    switch (rows) {
        case 6:
            block(6, k, a, 1, ROWS, b, c, stride, add);
            break;
        case 5:
            block(5, k, a, 1, ROWS, b, c, stride, add);
            break;
        case 4:
            block(4, k, a, 1, ROWS, b, c, stride, add);
            break;
        case 3:
            block(3, k, a, 1, ROWS, b, c, stride, add);
            break;
        case 2:
            block(2, k, a, 1, ROWS, b, c, stride, add);
            break;
        default:
            block(1, k, a, 1, ROWS, b, c, stride, add);
    }
}

/* One block that may have fewer than 16 columns: the panel is filled up with zeros, c is not. */
static void block_at(void (*run)(size_t, size_t, const float *, size_t, const float *, float *,
                                 size_t, int),
                     size_t rows, size_t columns, size_t k, const float *a, size_t across,
                     const float *b, float *c, size_t stride, int add) {
    float whole[ROWS * COLUMNS];
    if (columns == COLUMNS) {
        run(rows, k, a, across, b, c, stride, add);
        return;
    }
    run(rows, k, a, across, b, whole, COLUMNS, 0);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            c[i * stride + j] =
                add ? c[i * stride + j] + whole[i * COLUMNS + j] : whole[i * COLUMNS + j];
}

/* 8 x 8 numbers, rows to columns. */
FMA_INLINE void transpose_8x8(const float *x, size_t stride, float *out) {
    __m256 r[LANES], s[LANES];
#pragma GCC unroll 8
    for (size_t i = 0; i < LANES; i++) r[i] = _mm256_loadu_ps(x + i * stride);
#pragma GCC unroll 4
    for (size_t i = 0; i < LANES; i += 2) {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < LANES; i += 4) {
        r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_ps(out + i * COLUMNS, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(out + (i + 4) * COLUMNS, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

/* Rows p .. p+k-1 of b's columns j .. j+n-1 (n <= 16) as a panel, k x 16. */
FMA_TARGET static void pack_plain(size_t k, size_t n, const float *b, size_t stride, float *out) {
    for (size_t p = 0; p < k && n == COLUMNS; p++) {
        _mm256_storeu_ps(out + p * COLUMNS, _mm256_loadu_ps(b + p * stride));
        _mm256_storeu_ps(out + p * COLUMNS + LANES, _mm256_loadu_ps(b + p * stride + LANES));
    }
    for (size_t p = 0; p < k && n < COLUMNS; p++)
        for (size_t j = 0; j < COLUMNS; j++) out[p * COLUMNS + j] = j < n ? b[p * stride + j] : 0;
}

/* The same of a b that is stored transposed: its columns are rows here. */
FMA_TARGET static void pack_transposed(size_t k, size_t n, const float *b, size_t stride,
                                       float *out) {
    size_t p = 0;
    for (; p + LANES <= k && n == COLUMNS; p += LANES) {
        transpose_8x8(b + p, stride, out + p * COLUMNS);
        transpose_8x8(b + LANES * stride + p, stride, out + p * COLUMNS + LANES);
    }
    for (; p < k; p++)
        for (size_t j = 0; j < COLUMNS; j++) out[p * COLUMNS + j] = j < n ? b[j * stride + p] : 0;
}

/* Rows of a^T, six to a panel: k x 6 each. Where a row of eight can be read it is, and the two
 * numbers too many are overwritten by the next. out must hold two numbers more than m x k. */
FMA_TARGET static void pack_left(size_t m, size_t k, const float *a, size_t stride, float *out) {
    for (size_t i = 0; i < m; i += ROWS, out += k * ROWS) {
        for (size_t p = 0; p < k && m - i >= LANES; p++)
            _mm256_storeu_ps(out + p * ROWS, _mm256_loadu_ps(a + p * stride + i));
        for (size_t p = 0; p < k && m - i < LANES; p++)
            for (size_t r = 0; r < min(ROWS, m - i); r++) out[p * ROWS + r] = a[p * stride + i + r];
    }
}

/* k in even runs of at most `max`. */
static size_t even_run(size_t k, size_t max) {
    size_t runs = (k + max - 1) / max;
    size_t run = runs > 0 ? (k + runs - 1) / runs : 1;
    return (run + LANES - 1) / LANES * LANES;
}

void decant__kernel_product(size_t m, size_t n, size_t k, decant__matrix a, decant__matrix b,
                            int transposed, float *c, size_t stride, float *scratch) {
    float *packed = scratch;
    size_t run = even_run(k, DEPTH);
    for (size_t first = 0; first < n; first += DECANT__KERNEL_TILE) {
        size_t width = min(n - first, DECANT__KERNEL_TILE);
        for (size_t p = 0; p < k; p += run) {
            size_t depth = min(k - p, run);
            for (size_t j = 0; j < width; j += COLUMNS) {
                size_t columns = min(width - j, COLUMNS), at = first + j;
                if (transposed)
                    pack_transposed(depth, columns, b.x + at * b.stride + p, b.stride,
                                    packed + j * depth);
                else
                    pack_plain(depth, columns, b.x + p * b.stride + at, b.stride,
                               packed + j * depth);
            }
            for (size_t i = 0; i < m; i += ROWS)
                for (size_t j = 0; j < width; j += COLUMNS)
                    block_at(block_plain, min(m - i, ROWS), min(width - j, COLUMNS), depth,
                             a.x + i * a.stride + p, a.stride, packed + j * depth,
                             c + i * stride + first + j, stride, p > 0);
        }
    }
}

void decant__kernel_pack(size_t k, size_t n, decant__matrix b, float *panel) {
    pack_plain(k, n, b.x, b.stride, panel);
}

void decant__kernel_transposed_product(size_t m, size_t n, size_t k, decant__matrix a,
                                       const float *panels, float *c, size_t stride,
                                       float *scratch) {
    float *left = scratch;
    size_t run = even_run(k, TALL);
    for (size_t first = 0; first < m; first += DECANT__KERNEL_TILE) {
        size_t height = min(m - first, DECANT__KERNEL_TILE);
        for (size_t p = 0; p < k; p += run) {
            size_t depth = min(k - p, run);
            pack_left(height, depth, a.x + p * a.stride + first, a.stride, left);
            for (size_t j = 0; j < n; j += COLUMNS)
                for (size_t i = 0; i < height; i += ROWS)
                    block_at(block_packed, min(height - i, ROWS), min(n - j, COLUMNS), depth,
                             left + i * depth, 0, panels + j * k + p * COLUMNS,
                             c + (first + i) * stride + j, stride, p > 0);
        }
    }
}

#else

int decant__kernel_usable(void) { return 0; }

void decant__kernel_product(size_t m, size_t n, size_t k, decant__matrix a, decant__matrix b,
                            int transposed, float *c, size_t stride, float *scratch) {
    (void)m, (void)n, (void)k, (void)a, (void)b, (void)transposed, (void)c, (void)stride;
    (void)scratch;
}

void decant__kernel_pack(size_t k, size_t n, decant__matrix b, float *panel) {
    (void)k, (void)n, (void)b, (void)panel;
}

void decant__kernel_transposed_product(size_t m, size_t n, size_t k, decant__matrix a,
                                       const float *panels, float *c, size_t stride,
                                       float *scratch) {
    (void)m, (void)n, (void)k, (void)a, (void)panels, (void)c, (void)stride, (void)scratch;
}

#endif
