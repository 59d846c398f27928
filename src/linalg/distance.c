/* The expanded form |x|^2 - 2 x.c + |c|^2 turns distances into a matrix product, but it subtracts
 * large numbers: in float it is off by about eps sqrt(d) (|x|^2 + |c|^2), where eps is half the
 * last place (the rounding errors of a dot product of length d grow like sqrt(d), Higham 2002, ch.
 * 4). The product is therefore used only where many rows meet many centers, and comes with that
 * bound; the caller asks for sum_j (x_j - c_j)^2, which has no cancellation, where the bound leaves
 * doubt. For CSR rows the expanded form is the only one that is proportional to the non-zeros, so
 * it is done in double.
 *
 * Measured (AMD Zen 3, one core, 784 columns, rows in L2): a pair by differences 66 ns, a pair
 * inside a product with 200 centers 24 ns, with 10 centers 48 ns: the product pays only when it is
 * wide. */
#include "linalg/distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "linalg/product.h"

#define TILE 16  /* centers that one pass over a row meets */
#define LANES 16 /* rows that one pass over the centers meets */

enum { INFINITE_BITS = 0x7f800000 }; /* of a float */

decant_status decant__centers_new(decant__centers *centers, const decant__source *source,
                                  size_t k) {
    decant_status status = DECANT_OK;
    int wide = source->dense != NULL && source->d > DECANT__NARROW;
    *centers = (decant__centers){.k = k, .d = source->d, .stride = (k + TILE - 1) / TILE * TILE};
    NEW_ARRAY(centers->row, k * centers->d);
    NEW_ARRAY(centers->norm, k);
    if (!wide) NEW_ZEROED(centers->column, centers->d * centers->stride);
done:
    if (status != DECANT_OK) decant__centers_free(centers);
    return status;
}

void decant__centers_free(decant__centers *centers) {
    decant__free(centers->column);
    decant__free(centers->norm);
    decant__free(centers->row);
    *centers = (decant__centers){0};
}

static double squares(const float *x, size_t d) {
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (double)x[j] * (double)x[j];
    return sum;
}

void decant__centers_ready(decant__centers *centers) {
    for (size_t c = 0; c < centers->k; c++) {
        const float *row = centers->row + c * centers->d;
        centers->norm[c] = squares(row, centers->d);
        if (centers->column == NULL) continue;
        for (size_t j = 0; j < centers->d; j++) centers->column[j * centers->stride + c] = row[j];
    }
}

decant__centers decant__centers_part(const decant__centers *centers, size_t first, size_t count) {
    return (decant__centers){.k = count,
                             .d = centers->d,
                             .row = centers->row + first * centers->d,
                             .norm = centers->norm + first};
}

/* Twice the lanes of base/lanes.h: enough sums under way that none waits for the other. */
DECANT_CLONES static float differences(const float *restrict x, const float *restrict c, size_t d) {
    float lane[2 * FLOAT_LANES] = {0};
    LANES_FOR(2 * FLOAT_LANES, l, j, d, {
        float t = x[j] - c[j];
        lane[l] += t * t;
    })
    for (size_t l = 0; l < FLOAT_LANES; l++) lane[l] += lane[FLOAT_LANES + l];
    return decant__lanes_sum_float(lane);
}

DECANT_CLONES static double differences_double(const float *restrict x, const float *restrict c,
                                               size_t d) {
    double sum;
    LANES_SUM_DOUBLE(sum, j, d, ((double)x[j] - (double)c[j]) * ((double)x[j] - (double)c[j]));
    return sum;
}

static double sparse_distance(double xx, double xc, double cc) {
    double distance = xx - 2 * xc + cc;
    return distance > DECANT__SAME_ROW * (xx + cc) ? distance : 0;
}

static double sparse_pair(const decant__rows *rows, size_t i, const decant__centers *centers,
                          size_t c) {
    const float *row = centers->row + c * centers->d;
    double xx = 0, xc = 0;
    for (size_t e = rows->begin[i]; e < rows->end[i]; e++) {
        double x = (double)rows->value[e];
        xx += x * x;
        xc += x * (double)row[rows->column[e]];
    }
    return sparse_distance(xx, xc, centers->norm[c]);
}

float decant__distance_pair(const decant__rows *rows, size_t i, const decant__centers *centers,
                            size_t c) {
    size_t d = centers->d;
    if (rows->dense == NULL) return (float)sparse_pair(rows, i, centers, c);
    return differences(rows->dense + i * d, centers->row + c * d, d);
}

double decant__distance_exact(const decant__rows *rows, size_t i, const decant__centers *centers,
                              size_t c) {
    size_t d = centers->d;
    if (rows->dense == NULL) return sparse_pair(rows, i, centers, c);
    return differences_double(rows->dense + i * d, centers->row + c * d, d);
}

/* out: TILE sums of differences with the columns of TILE centers. */
DECANT_CLONES static void narrow_tile(const float *restrict x, const float *restrict column,
                                      size_t stride, size_t d, float *restrict out) {
    float sum[TILE] = {0};
    for (size_t j = 0; j < d; j++) {
        const float *c = column + j * stride;
#pragma omp simd
        for (size_t l = 0; l < TILE; l++) {
            float t = x[j] - c[l];
            sum[l] += t * t;
        }
    }
    for (size_t l = 0; l < TILE; l++) out[l] = sum[l];
}

/* out: TILE dot products; returns |x|^2. */
DECANT_CLONES static double sparse_tile(const float *restrict value, const uint32_t *restrict at,
                                        size_t count, const float *restrict column, size_t stride,
                                        double *restrict out) {
    double sum[TILE] = {0}, xx = 0;
    for (size_t e = 0; e < count; e++) {
        double x = (double)value[e];
        const float *c = column + at[e] * stride;
        xx += x * x;
#pragma omp simd
        for (size_t l = 0; l < TILE; l++) sum[l] += x * (double)c[l];
    }
    for (size_t l = 0; l < TILE; l++) out[l] = sum[l];
    return xx;
}

/* Distances to centers c .. c+TILE-1, as far as there are so many; returns how many. */
static size_t sparse_tile_distances(const decant__rows *rows, size_t i,
                                    const decant__centers *centers, size_t c, float *out) {
    double dot[TILE];
    size_t begin = rows->begin[i], count = rows->end[i] - begin;
    size_t width = centers->k - c < TILE ? centers->k - c : TILE;
    double xx = sparse_tile(rows->value + begin, rows->column + begin, count, centers->column + c,
                            centers->stride, dot);
    for (size_t l = 0; l < width; l++)
        out[l] = (float)sparse_distance(xx, dot[l], centers->norm[c + l]);
    return width;
}

static void narrow_row(const float *x, const decant__centers *centers, float *out) {
    float tile[TILE];
    for (size_t c = 0; c < centers->k; c += TILE) {
        size_t width = centers->k - c < TILE ? centers->k - c : TILE;
        narrow_tile(x, centers->column + c, centers->stride, centers->d, tile);
        for (size_t l = 0; l < width; l++) out[c + l] = tile[l];
    }
}

void decant__distance_row(const decant__rows *rows, size_t i, const decant__centers *centers,
                          float *out) {
    size_t d = centers->d;
    if (rows->dense == NULL)
        for (size_t c = 0; c < centers->k; c += TILE)
            sparse_tile_distances(rows, i, centers, c, out + c);
    else if (centers->column != NULL)
        narrow_row(rows->dense + i * d, centers, out);
    else
        for (size_t c = 0; c < centers->k; c++)
            out[c] = differences(rows->dense + i * d, centers->row + c * d, d);
}

/* Nearest centers of LANES rows at a time, given as columns, x: d x LANES. Side by side are rows
 * and not centers, so that the search for the least runs in vectors too. */
DECANT_CLONES static void narrow_nearest(const float *restrict x, const float *restrict center,
                                         size_t k, size_t d, uint32_t *restrict best,
                                         float *restrict min, float *restrict second) {
    /* The bits of floats that are not negative are in the floats' order, and the least of integers
     * is one instruction where that of floats becomes a branch. */
    int32_t lo[LANES], next[LANES], at[LANES], bits[LANES];
    float sum[LANES];
    for (size_t l = 0; l < LANES; l++) {
        lo[l] = next[l] = INFINITE_BITS;
        at[l] = 0;
    }
    for (size_t c = 0; c < k; c++, center += d) {
        memset(sum, 0, sizeof sum);
        for (size_t j = 0; j < d; j++) {
#pragma omp simd
            for (size_t l = 0; l < LANES; l++) {
                float t = x[j * LANES + l] - center[j];
                sum[l] += t * t;
            }
        }
        memcpy(bits, sum, sizeof bits);
#pragma omp simd
        for (size_t l = 0; l < LANES; l++) {
            int32_t old = lo[l], now = bits[l], larger = old > now ? old : now;
            int32_t nearer = -(int32_t)(now < old);
            next[l] = next[l] < larger ? next[l] : larger;
            at[l] = (at[l] & ~nearer) | ((int32_t)c & nearer);
            lo[l] = now < old ? now : old;
        }
    }
    memcpy(best, at, sizeof at);
    memcpy(min, lo, sizeof lo);
    memcpy(second, next, sizeof next);
}

static void gather_columns(const decant__rows *rows, const uint32_t *index, size_t count,
                           float *x) {
    for (size_t l = 0; l < LANES; l++) {
        // Lanes beyond the last row repeat it.
        const float *row = rows->dense + index[l < count ? l : count - 1] * rows->d;
        for (size_t j = 0; j < rows->d; j++) x[j * LANES + l] = row[j];
    }
}

static void sparse_nearest(const decant__rows *rows, size_t i, const decant__centers *centers,
                           uint32_t *best, float *min, float *second) {
    float tile[TILE];
    *min = *second = HUGE_VALF;
    *best = 0;
    for (size_t c = 0; c < centers->k; c += TILE) {
        size_t width = sparse_tile_distances(rows, i, centers, c, tile);
        for (size_t l = 0; l < width; l++) {
            if (tile[l] < *min) {
                *second = *min;
                *min = tile[l];
                *best = (uint32_t)(c + l);
            } else if (tile[l] < *second) {
                *second = tile[l];
            }
        }
    }
}

void decant__distance_nearest(const decant__rows *rows, const uint32_t *index, size_t count,
                              const decant__centers *centers, uint32_t *best, float *min,
                              float *second) {
    float x[DECANT__NARROW * LANES], near[LANES], next[LANES];
    uint32_t number[LANES];
    for (size_t i = 0; i < count && rows->dense == NULL; i++)
        sparse_nearest(rows, index[i], centers, &best[i], &min[i], &second[i]);
    for (size_t i = 0; i < count && rows->dense != NULL; i += LANES) {
        size_t here = count - i < LANES ? count - i : LANES;
        gather_columns(rows, index + i, here, x);
        narrow_nearest(x, centers->row, centers->k, centers->d, number, near, next);
        memcpy(best + i, number, here * sizeof *best);
        memcpy(min + i, near, here * sizeof *min);
        memcpy(second + i, next, here * sizeof *second);
    }
}

DECANT_CLONES static float float_squares(const float *x, size_t d) {
    float sum;
    LANES_SUM_FLOAT(sum, j, d, x[j] * x[j]);
    return sum;
}

static void product_block(const float *x, size_t count, const decant__centers *centers, float *out,
                          float *error, float *scratch) {
    size_t k = centers->k, d = centers->d;
    double largest = 0;
    for (size_t c = 0; c < k; c++) largest = fmax(largest, centers->norm[c]);
    float unit = 0.5f * FLT_EPSILON * sqrtf((float)d);
    decant__product product = {.m = count,
                               .n = k,
                               .k = d,
                               .a = {x, d},
                               .b = {centers->row, d},
                               .transposed = 1,
                               .c = out,
                               .stride = k};
    decant__product_run(&product, scratch);
    for (size_t i = 0; i < count; i++) {
        float xx = float_squares(x + i * d, d);
        for (size_t c = 0; c < k; c++)
            out[i * k + c] = (xx + (float)centers->norm[c]) - 2 * out[i * k + c];
        error[i] = unit * (xx + (float)largest);
    }
}

int decant__distance_block(const decant__rows *rows, size_t first, size_t count,
                           const decant__centers *centers, float *out, float *error,
                           float *scratch) {
    if (rows->dense != NULL && centers->column == NULL) {
        product_block(rows->dense + first * centers->d, count, centers, out, error, scratch);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        decant__distance_row(rows, first + i, centers, out + i * centers->k);
        error[i] = 0;
    }
    return 1;
}
