#include "embed/repulsion.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "base/memory.h"
#include "base/simd.h"
#include "linalg/fourier.h"

/* Distance of two nodes, where the map is large; a small map has LEAST_NODES in any case. */
static const double LARGEST_SPACING = 0.3;
enum { LANES = DECANT__FOURIER_LANES, GROUP = 2 * LANES, LEAST_NODES = 48, MOST_NODES = 2048 };
enum { CHUNK = 1024, FIELDS = 3, PARTS = 4 };

/* One point's place in the grid: the first of its 4 x 4 nodes, and their weights. */
typedef struct stencil {
    uint32_t point;
    uint16_t column, row;
    float wx[4], wy[4];
} stencil;

/* A spectrum holds the transforms of real rows: columns 0 to size/2 of them, in blocks of LANES
 * columns, a block row by row. That is the form in which the columns are transformed in turn. Only
 * `nodes` of `size` rows and columns hold anything: the rest is the padding that keeps the
 * convolution from wrapping around. */
typedef struct spectrum {
    float *re, *im; /* blocks x rows x LANES */
} spectrum;

struct decant__repulsion {
    size_t n;
    int threads;
    size_t nodes, size, blocks; /* nodes: a multiple of GROUP */
    double spacing;
    decant__fourier fourier;
    stencil *stencils; /* n, by row, then by point */
    size_t *row_begin; /* nodes + 1: the stencils that begin in a row */
    double *partial;   /* sums of chunks of points */
    spectrum charge;   /* of nodes rows */
    spectrum field[FIELDS];
    float *kernel[FIELDS]; /* blocks x size x LANES: transforms; real, imaginary, imaginary */
    float *node;           /* nodes x size x PARTS: the three fields, read by the points */
    float *scratch;        /* threads x 6 x size x LANES */
};

static void spectrum_free(spectrum *s) {
    decant__free(s->re);
    decant__free(s->im);
    *s = (spectrum){0};
}

static decant_status spectrum_new(spectrum *s, size_t blocks, size_t rows) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(s->re, blocks * rows * LANES);
    NEW_ZEROED(s->im, blocks * rows * LANES);
done:
    return status;
}

static void grid_free(decant__repulsion *r) {
    decant__fourier_free(&r->fourier);
    decant__free(r->row_begin);
    spectrum_free(&r->charge);
    for (int f = 0; f < FIELDS; f++) {
        spectrum_free(&r->field[f]);
        decant__free(r->kernel[f]);
        r->kernel[f] = NULL;
    }
    decant__free(r->node);
    decant__free(r->scratch);
    r->row_begin = NULL;
    r->node = r->scratch = NULL;
    r->size = 0;
}

static decant_status grid_new(decant__repulsion *r, size_t nodes, size_t size) {
    decant_status status = DECANT_OK;
    grid_free(r);
    r->size = size;
    r->nodes = nodes;
    r->blocks = (size / 2 + 1 + LANES - 1) / LANES;
    TRY(decant__fourier_new(&r->fourier, size));
    NEW_ZEROED(r->row_begin, nodes + 1);
    TRY(spectrum_new(&r->charge, r->blocks, nodes));
    for (int f = 0; f < FIELDS; f++) {
        TRY(spectrum_new(&r->field[f], r->blocks, nodes));
        NEW_ZEROED(r->kernel[f], r->blocks * size * LANES);
    }
    NEW_ZEROED(r->node, nodes * size * PARTS);
    NEW_ARRAY(r->scratch, (size_t)r->threads * 6 * size * LANES);
done:
    if (status != DECANT_OK) grid_free(r);
    return status;
}

decant_status decant__repulsion_new(decant__repulsion **out, size_t n, int threads) {
    decant_status status = DECANT_OK;
    decant__repulsion *r = NULL;
    NEW_ZEROED(r, 1);
    r->n = n;
    r->threads = threads;
    NEW_ARRAY(r->stencils, n);
    NEW_ARRAY(r->partial, n / CHUNK + 1);
    *out = r;
done:
    if (status != DECANT_OK) decant__repulsion_free(r);
    return status;
}

void decant__repulsion_free(decant__repulsion *r) {
    if (r == NULL) return;
    grid_free(r);
    decant__free(r->stencils);
    decant__free(r->partial);
    decant__free(r);
}

/* ---- Transforms of real rows, two in a complex one ---- */

/* With Z the transform of a + ib, those of a and b are (Z_k + Z*_-k) / 2 and (Z_k - Z*_-k) / 2i.
 * Rows first .. first+15: lane l of z holds rows l and l+8. rows: of the whole spectrum. */
static void part_rows(const decant__repulsion *r, const float *re, const float *im, size_t first,
                      size_t rows, const spectrum *out) {
    for (size_t k = 0; k <= r->size / 2; k++) {
        size_t mirror = k == 0 ? 0 : r->size - k;
        size_t at = (k / LANES * rows + first) * LANES + k % LANES;
        for (size_t l = 0; l < LANES; l++) {
            float zr = re[k * LANES + l], zi = im[k * LANES + l];
            float mr = re[mirror * LANES + l], mi = im[mirror * LANES + l];
            out->re[at + l * LANES] = (zr + mr) / 2;
            out->im[at + l * LANES] = (zi - mi) / 2;
            out->re[at + (l + LANES) * LANES] = (zi + mi) / 2;
            out->im[at + (l + LANES) * LANES] = (mr - zr) / 2;
        }
    }
}

/* The other way: Z = A + iB, from row first + l of a and of b. */
static void join_rows(const decant__repulsion *r, const spectrum *a, size_t first_a,
                      const spectrum *b, size_t first_b, float *re, float *im) {
    for (size_t k = 0; k <= r->size / 2; k++) {
        size_t mirror = k == 0 ? 0 : r->size - k;
        size_t block = k / LANES * r->nodes, lane = k % LANES;
        for (size_t l = 0; l < LANES; l++) {
            size_t at = (block + first_a + l) * LANES + lane;
            size_t bt = (block + first_b + l) * LANES + lane;
            float ar = a->re[at], ai = a->im[at], br = b->re[bt], bi = b->im[bt];
            re[mirror * LANES + l] = ar + bi;
            im[mirror * LANES + l] = br - ai;
            re[k * LANES + l] = ar - bi;
            im[k * LANES + l] = ai + br;
        }
    }
}

/* ---- The kernels ---- */

/* At the offset of two nodes: (1 + d^2)^-1, and what F's two coordinates add up. */
static float kernel_at(int f, double dx, double dy) {
    double close = 1 / (1 + dx * dx + dy * dy);
    return (float)(f == 0 ? close : (f == 1 ? dx : dy) * close * close);
}

/* Offset of an index of the periodic grid. */
static double offset_of(const decant__repulsion *r, size_t index) {
    return r->spacing * (2 * index < r->size ? (double)index : (double)index - (double)r->size);
}

/* The first kernel is even, so its transform is real; the others are odd in one coordinate: theirs
 * are imaginary. 1/size^2 is the scale of a transform there and back. */
static decant_status transform_kernel(decant__repulsion *r, int f) {
    decant_status status = DECANT_OK;
    spectrum whole = {0};
    float *re = r->scratch, *im = re + r->size * LANES, *room = im + r->size * LANES;
    size_t rows = (r->size + GROUP - 1) / GROUP * GROUP;
    float scale = (float)(1 / ((double)r->size * (double)r->size));
    TRY(spectrum_new(&whole, r->blocks, rows));
    for (size_t first = 0; first < rows; first += GROUP) {
        for (size_t a = 0; a < r->size; a++)
            for (size_t l = 0; l < LANES; l++) {
                double dx = offset_of(r, a);
                re[a * LANES + l] = kernel_at(f, dx, offset_of(r, (first + l) % r->size));
                im[a * LANES + l] = kernel_at(f, dx, offset_of(r, (first + LANES + l) % r->size));
            }
        decant__fourier_apply(&r->fourier, re, im, room);
        part_rows(r, re, im, first, rows, &whole);
    }
    for (size_t block = 0; block < r->blocks; block++) {
        float *block_re = whole.re + block * rows * LANES,
              *block_im = whole.im + block * rows * LANES;
        decant__fourier_apply(&r->fourier, block_re, block_im, room);
        float *kernel = r->kernel[f] + block * r->size * LANES;
        for (size_t i = 0; i < r->size * LANES; i++)
            kernel[i] = scale * (f == 0 ? block_re[i] : block_im[i]);
    }
done:
    spectrum_free(&whole);
    return status;
}

/* A grid for a map of this extent. Spacings are powers of a fixed ratio, so that kernels are seldom
 * made anew while the map grows. */
static decant_status fit_grid(decant__repulsion *r, double extent) {
    decant_status status = DECANT_OK;
    double wanted = extent / (LEAST_NODES - 8), spacing = LARGEST_SPACING;
    while (spacing > wanted && spacing > 1e-6) spacing /= 1.25;
    while (extent / spacing > MOST_NODES) spacing *= 1.25;
    size_t used = (size_t)(extent / spacing) + 5, nodes = (used + GROUP - 1) / GROUP * GROUP;
    size_t size = decant__fourier_size(2 * used > nodes ? 2 * used : nodes);
    int fits = r->size > 0 && used <= r->nodes && size <= r->size && 4 * r->size <= 5 * size;
    if (fits && spacing == r->spacing) return DECANT_OK;
    if (!fits) TRY(grid_new(r, nodes, size));
    r->spacing = spacing;
    for (int f = 0; f < FIELDS; f++) TRY(transform_kernel(r, f));
done:
    return status;
}

/* ---- From points to the grid ---- */

static void weigh(float t, float w[4]) {
    w[0] = -t * (t - 1) * (t - 2) / 6;
    w[1] = (t + 1) * (t - 1) * (t - 2) / 2;
    w[2] = -(t + 1) * t * (t - 2) / 2;
    w[3] = (t + 1) * t * (t - 1) / 6;
}

/* Counting sort by row keeps the order of the points inside a row. */
static void place_points(decant__repulsion *r, const float *x, const float *y, float low_x,
                         float low_y) {
    float inverse = (float)(1 / r->spacing);
    memset(r->row_begin, 0, (r->nodes + 1) * sizeof *r->row_begin);
    for (size_t i = 0; i < r->n; i++) r->row_begin[(size_t)((y[i] - low_y) * inverse) + 1]++;
    for (size_t b = 0; b < r->nodes; b++) r->row_begin[b + 1] += r->row_begin[b];
    for (size_t i = 0; i < r->n; i++) {
        float u = (x[i] - low_x) * inverse, v = (y[i] - low_y) * inverse;
        size_t column = (size_t)u, row = (size_t)v;
        stencil *s = &r->stencils[r->row_begin[row]++];
        s->point = (uint32_t)i;
        s->column = (uint16_t)column;
        s->row = (uint16_t)row;
        weigh(u - (float)column, s->wx);
        weigh(v - (float)row, s->wy);
    }
    for (size_t b = r->nodes; b > 0; b--) r->row_begin[b] = r->row_begin[b - 1];
    r->row_begin[0] = 0;
}

/* Adds to row b of nodes what the points of the four rows that reach it give, in the points' order.
 */
static void spread_row(const decant__repulsion *r, size_t b, float *lane) {
    for (size_t i = r->row_begin[b >= 3 ? b - 3 : 0]; i < r->row_begin[b + 1]; i++) {
        const stencil *s = &r->stencils[i];
        float weight = s->wy[b - s->row];
        for (size_t c = 0; c < 4; c++) lane[(s->column + c) * LANES] += weight * s->wx[c];
    }
}

/* For a whole team. */
static void spread(const decant__repulsion *r, float *scratch) {
    float *re = scratch, *im = re + r->size * LANES, *room = im + r->size * LANES;
#pragma omp for schedule(static)
    for (size_t group = 0; group < r->nodes / GROUP; group++) {
        memset(re, 0, 2 * r->size * LANES * sizeof *re);
        for (size_t l = 0; l < LANES; l++) {
            spread_row(r, group * GROUP + l, re + l);
            spread_row(r, group * GROUP + LANES + l, im + l);
        }
        decant__fourier_apply(&r->fourier, re, im, room);
        part_rows(r, re, im, group * GROUP, r->nodes, &r->charge);
    }
}

/* ---- Convolution ---- */

DECANT_CLONES
static void multiply(size_t count, const float *restrict kernel, int imaginary,
                     const float *restrict re, const float *restrict im, float *restrict out_re,
                     float *restrict out_im) {
    if (imaginary)
        for (size_t i = 0; i < count; i++) {
            out_re[i] = -kernel[i] * im[i];
            out_im[i] = kernel[i] * re[i];
        }
    else
        for (size_t i = 0; i < count; i++) {
            out_re[i] = kernel[i] * re[i];
            out_im[i] = kernel[i] * im[i];
        }
}

/* Blocks of columns: transform, times each kernel, and back. For a whole team. */
static void convolve(const decant__repulsion *r, float *scratch) {
    size_t all = r->size * LANES, used = r->nodes * LANES;
    float *re = scratch, *im = re + all, *out_re = im + all, *out_im = out_re + all;
    float *room = out_im + all;
#pragma omp for schedule(static)
    for (size_t block = 0; block < r->blocks; block++) {
        memcpy(re, r->charge.re + block * used, used * sizeof *re);
        memcpy(im, r->charge.im + block * used, used * sizeof *im);
        memset(re + used, 0, (all - used) * sizeof *re);
        memset(im + used, 0, (all - used) * sizeof *im);
        decant__fourier_apply(&r->fourier, re, im, room);
        for (int f = 0; f < FIELDS; f++) {
            multiply(all, r->kernel[f] + block * all, f > 0, re, im, out_re, out_im);
            decant__fourier_apply(&r->fourier, out_im, out_re, room); /* exchanged: the inverse */
            memcpy(r->field[f].re + block * used, out_re, used * sizeof *re);
            memcpy(r->field[f].im + block * used, out_im, used * sizeof *im);
        }
    }
}

/* Two real fields of eight rows each, back from their spectra into places `part` and `other` of the
 * nodes. */
static void restore(const decant__repulsion *r, const spectrum *a, size_t first_a, size_t part,
                    const spectrum *b, size_t first_b, size_t other, float *scratch) {
    float *re = scratch, *im = re + r->size * LANES, *room = im + r->size * LANES;
    join_rows(r, a, first_a, b, first_b, re, im);
    decant__fourier_apply(&r->fourier, im, re, room);
    for (size_t c = 0; c < r->nodes; c++)
        for (size_t l = 0; l < LANES; l++) {
            r->node[((first_a + l) * r->size + c) * PARTS + part] = re[c * LANES + l];
            r->node[((first_b + l) * r->size + c) * PARTS + other] = im[c * LANES + l];
        }
}

/* For a whole team. */
static void restore_all(const decant__repulsion *r, float *scratch) {
#pragma omp for schedule(static)
    for (size_t group = 0; group < r->nodes / GROUP; group++) {
        size_t first = group * GROUP, second = first + LANES;
        restore(r, &r->field[0], first, 0, &r->field[0], second, 0, scratch);
        restore(r, &r->field[1], first, 1, &r->field[2], first, 2, scratch);
        restore(r, &r->field[1], second, 1, &r->field[2], second, 2, scratch);
    }
}

/* ---- And back to the points ---- */

DECANT_CLONES
static void read_node(const float *restrict node, size_t pitch, const float *restrict wx,
                      const float *restrict wy, float *restrict out) {
    for (size_t p = 0; p < PARTS; p++) out[p] = 0;
    for (size_t b = 0; b < 4; b++, node += pitch)
        for (size_t c = 0; c < 4; c++)
            for (size_t p = 0; p < PARTS; p++) out[p] += wy[b] * wx[c] * node[c * PARTS + p];
}

/* For a whole team. */
static void collect(const decant__repulsion *r, float *force_x, float *force_y) {
    size_t chunks = (r->n + CHUNK - 1) / CHUNK;
#pragma omp for schedule(static)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t end = (chunk + 1) * CHUNK < r->n ? (chunk + 1) * CHUNK : r->n;
        double sum = 0;
        for (size_t i = chunk * CHUNK; i < end; i++) {
            const stencil *s = &r->stencils[i];
            float value[PARTS];
            read_node(r->node + (s->row * r->size + s->column) * PARTS, r->size * PARTS, s->wx,
                      s->wy, value);
            sum += (double)value[0];
            force_x[s->point] = value[1];
            force_y[s->point] = value[2];
        }
        r->partial[chunk] = sum;
    }
}

typedef struct extent {
    float low_x, low_y, high_x, high_y;
} extent;

static extent measure(const float *x, const float *y, size_t n) {
    extent e = {x[0], y[0], x[0], y[0]};
    for (size_t i = 1; i < n; i++) {
        e.low_x = x[i] < e.low_x ? x[i] : e.low_x;
        e.low_y = y[i] < e.low_y ? y[i] : e.low_y;
        e.high_x = x[i] > e.high_x ? x[i] : e.high_x;
        e.high_y = y[i] > e.high_y ? y[i] : e.high_y;
    }
    return e;
}

decant_status decant__repulsion_find(decant__repulsion *r, const float *x, const float *y,
                                     float *force_x, float *force_y, double *z) {
    decant_status status = DECANT_OK;
    extent e = measure(x, y, r->n);
    double width = (double)e.high_x - (double)e.low_x, height = (double)e.high_y - (double)e.low_y;
    TRY(fit_grid(r, width > height ? width : height));
    place_points(r, x, y, e.low_x, e.low_y);
#pragma omp parallel num_threads(r->threads)
    {
        float *scratch = r->scratch + (size_t)omp_get_thread_num() * 6 * r->size * LANES;
        spread(r, scratch);
        convolve(r, scratch);
        restore_all(r, scratch);
        collect(r, force_x, force_y);
    }
    *z = -(double)r->n; /* each point's term with itself */
    for (size_t c = 0; c * CHUNK < r->n; c++) *z += r->partial[c];
done:
    return status;
}
