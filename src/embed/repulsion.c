#include "embed/repulsion.h"

#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"
#include "embed/fourier.h"

/* Distance of two nodes, where the map is large; a small map has MIN_NODES in any case. */
static const double LARGEST_SPACING = 0.3;
enum { LANES = DECANT__FOURIER_LANES, GROUP = 2 * LANES, MIN_NODES = 48, MAX_NODES = 2048 };
enum { CHUNK = 1024, PAIRS_CHUNK = 16, FIELDS = 3, PARTS = 4 };

/* Pairs of points in the time that a node of the padded grid takes: about 11 ns a node, 0.3 ns a
 * pair with AVX-512 and twice that with AVX2 (one core of a Xeon of 2023). */
static const double PAIRS_FOR_A_NODE = 16;

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
    NEW_ARRAY(r->partial, n / PAIRS_CHUNK + 1);
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

/* ---- Transforms of real rows, two in a complex one ----
 *
 * With Z the transform of z = a + ib, Z* its conjugate and a, b real:
 *
 *   A_k = (Z_k + Z*_-k) / 2      B_k = (Z_k - Z*_-k) / 2i      and back      Z_k = A_k + i B_k
 *
 * and as A_-k = A*_k, columns 0 to size/2 are all that a spectrum has to hold. */

/* Where a spectrum of so many rows has column k of a row. */
static size_t spectrum_at(size_t rows, size_t row, size_t k) {
    return (k / LANES * rows + row) * LANES + k % LANES;
}

/* -k on the periodic grid */
static size_t mirror_of(const decant__repulsion *r, size_t k) { return k == 0 ? 0 : r->size - k; }

/* Rows first .. first+15 of a spectrum: lane l of z holds rows l and l+8 of them. */
static void split_rows(const decant__repulsion *r, const float *re, const float *im, size_t first,
                       size_t rows, const spectrum *out) {
    for (size_t k = 0; k <= r->size / 2; k++) {
        const float *zr = re + k * LANES, *zi = im + k * LANES;
        const float *mr = re + mirror_of(r, k) * LANES, *mi = im + mirror_of(r, k) * LANES;
        for (size_t l = 0; l < LANES; l++) {
            size_t a = spectrum_at(rows, first + l, k), b = spectrum_at(rows, first + LANES + l, k);
            out->re[a] = (zr[l] + mr[l]) / 2;
            out->im[a] = (zi[l] - mi[l]) / 2;
            out->re[b] = (zi[l] + mi[l]) / 2;
            out->im[b] = (mr[l] - zr[l]) / 2;
        }
    }
}

/* Lane l of z from row first_a + l of a and row first_b + l of b. */
static void join_rows(const decant__repulsion *r, const spectrum *a, size_t first_a,
                      const spectrum *b, size_t first_b, float *re, float *im) {
    for (size_t k = 0; k <= r->size / 2; k++) {
        float *zr = re + k * LANES, *zi = im + k * LANES;
        float *mr = re + mirror_of(r, k) * LANES, *mi = im + mirror_of(r, k) * LANES;
        for (size_t l = 0; l < LANES; l++) {
            size_t at = spectrum_at(r->nodes, first_a + l, k);
            size_t bt = spectrum_at(r->nodes, first_b + l, k);
            float ar = a->re[at], ai = a->im[at], br = b->re[bt], bi = b->im[bt];
            mr[l] = ar + bi;
            mi[l] = br - ai;
            zr[l] = ar - bi; /* after the mirror: k = 0 is its own */
            zi[l] = ai + br;
        }
    }
}

/* ---- The kernels ---- */

/* At the offset of two nodes: (1 + d^2)^-1, and the terms of F's two coordinates. */
static float kernel_at(int f, double dx, double dy) {
    double close = 1 / (1 + dx * dx + dy * dy);
    return (float)(f == 0 ? close : (f == 1 ? dx : dy) * close * close);
}

/* Offset of an index of the periodic grid. */
static double offset_of(const decant__repulsion *r, size_t index) {
    return r->spacing * (2 * index < r->size ? (double)index : (double)index - (double)r->size);
}

/* The transforms of the kernel's rows. rows: size, rounded up to whole groups; those beyond repeat
 * the first. */
static void transform_kernel_rows(const decant__repulsion *r, int f, size_t rows,
                                  const spectrum *out) {
    float *re = r->scratch, *im = re + r->size * LANES, *spare = im + r->size * LANES;
    for (size_t first = 0; first < rows; first += GROUP) {
        for (size_t c = 0; c < r->size; c++)
            for (size_t l = 0; l < LANES; l++) {
                double dx = offset_of(r, c);
                re[c * LANES + l] = kernel_at(f, dx, offset_of(r, (first + l) % r->size));
                im[c * LANES + l] = kernel_at(f, dx, offset_of(r, (first + LANES + l) % r->size));
            }
        decant__fourier_apply(&r->fourier, re, im, spare);
        split_rows(r, re, im, first, rows, out);
    }
}

/* The first kernel is even, so its transform is real; the others are odd in one coordinate: theirs
 * are imaginary. 1/size^2 is the scale of a transform and its inverse. */
static decant_status transform_kernel(decant__repulsion *r, int f) {
    decant_status status = DECANT_OK;
    spectrum whole = {0};
    size_t rows = (r->size + GROUP - 1) / GROUP * GROUP;
    float scale = (float)(1 / ((double)r->size * (double)r->size));
    TRY(spectrum_new(&whole, r->blocks, rows));
    transform_kernel_rows(r, f, rows, &whole);
    for (size_t block = 0; block < r->blocks; block++) {
        float *re = whole.re + block * rows * LANES, *im = whole.im + block * rows * LANES;
        float *kernel = r->kernel[f] + block * r->size * LANES;
        decant__fourier_apply(&r->fourier, re, im, r->scratch);
        for (size_t i = 0; i < r->size * LANES; i++) kernel[i] = scale * (f == 0 ? re[i] : im[i]);
    }
done:
    spectrum_free(&whole);
    return status;
}

/* A grid for a map of this extent: nodes it needs, and their number after padding. */
typedef struct grid_plan {
    double spacing;
    size_t used, nodes, size;
} grid_plan;

/* Spacings are powers of a fixed ratio, so that kernels are seldom made anew while the map grows.
 */
static grid_plan plan_grid(double extent) {
    double wanted = extent / (MIN_NODES - 8), spacing = LARGEST_SPACING;
    while (spacing > wanted && spacing > 1e-6) spacing /= 1.25;
    while (extent / spacing > MAX_NODES) spacing *= 1.25;
    size_t used = (size_t)(extent / spacing) + 5, nodes = (used + GROUP - 1) / GROUP * GROUP;
    size_t size = decant__fourier_size(2 * used > nodes ? 2 * used : nodes);
    return (grid_plan){spacing, used, nodes, size};
}

static decant_status fit_grid(decant__repulsion *r, const grid_plan *plan) {
    decant_status status = DECANT_OK;
    int fits = r->size > 0 && plan->used <= r->nodes && plan->size <= r->size &&
               4 * r->size <= 5 * plan->size;
    if (fits && plan->spacing == r->spacing) return DECANT_OK;
    if (!fits) TRY(grid_new(r, plan->nodes, plan->size));
    r->spacing = plan->spacing;
    for (int f = 0; f < FIELDS; f++) TRY(transform_kernel(r, f));
done:
    return status;
}

/* ---- From points to the grid ---- */

static void cubic_weights(float t, float w[4]) {
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
        cubic_weights(u - (float)column, s->wx);
        cubic_weights(v - (float)row, s->wy);
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
    float *re = scratch, *im = re + r->size * LANES, *spare = im + r->size * LANES;
    TEAM_FOR (group, r->nodes / GROUP) {
        memset(re, 0, 2 * r->size * LANES * sizeof *re);
        for (size_t l = 0; l < LANES; l++) {
            spread_row(r, group * GROUP + l, re + l);
            spread_row(r, group * GROUP + LANES + l, im + l);
        }
        decant__fourier_apply(&r->fourier, re, im, spare);
        split_rows(r, re, im, group * GROUP, r->nodes, &r->charge);
    }
}

/* ---- Convolution ---- */

DECANT_CLONES
static void multiply_spectra(size_t count, const float *restrict kernel, int imaginary,
                             const float *restrict re, const float *restrict im,
                             float *restrict out_re, float *restrict out_im) {
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
    float *spare = out_im + all;
    TEAM_FOR (block, r->blocks) {
        memcpy(re, r->charge.re + block * used, used * sizeof *re);
        memcpy(im, r->charge.im + block * used, used * sizeof *im);
        memset(re + used, 0, (all - used) * sizeof *re);
        memset(im + used, 0, (all - used) * sizeof *im);
        decant__fourier_apply(&r->fourier, re, im, spare);
        for (int f = 0; f < FIELDS; f++) {
            multiply_spectra(all, r->kernel[f] + block * all, f > 0, re, im, out_re, out_im);
            decant__fourier_apply(&r->fourier, out_im, out_re, spare); /* exchanged: the inverse */
            memcpy(r->field[f].re + block * used, out_re, used * sizeof *re);
            memcpy(r->field[f].im + block * used, out_im, used * sizeof *im);
        }
    }
}

/* Two real fields of eight rows each, back from their spectra into places `part` and `other` of the
 * nodes. */
static void restore(const decant__repulsion *r, const spectrum *a, size_t first_a, size_t part,
                    const spectrum *b, size_t first_b, size_t other, float *scratch) {
    float *re = scratch, *im = re + r->size * LANES, *spare = im + r->size * LANES;
    join_rows(r, a, first_a, b, first_b, re, im);
    decant__fourier_apply(&r->fourier, im, re, spare);
    for (size_t c = 0; c < r->nodes; c++)
        for (size_t l = 0; l < LANES; l++) {
            r->node[((first_a + l) * r->size + c) * PARTS + part] = re[c * LANES + l];
            r->node[((first_b + l) * r->size + c) * PARTS + other] = im[c * LANES + l];
        }
}

/* For a whole team. */
static void restore_all(const decant__repulsion *r, float *scratch) {
    TEAM_FOR (group, r->nodes / GROUP) {
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
    TEAM_FOR (chunk, chunks) {
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

/* ---- Few points: every pair ---- */

/* What all points do to the one at (own_x, own_y): its term of Z, itself included, and its force.
 */
DECANT_CLONES
static void push_point(size_t n, const float *restrict x, const float *restrict y, float own_x,
                       float own_y, float *restrict out) {
    float sum[FLOAT_LANES] = {0}, sum_x[FLOAT_LANES] = {0}, sum_y[FLOAT_LANES] = {0};
    LANES_FOR(FLOAT_LANES, l, j, n, {
        float dx = own_x - x[j], dy = own_y - y[j];
        float close = 1 / (1 + dx * dx + dy * dy);
        sum[l] += close;
        sum_x[l] += close * close * dx;
        sum_y[l] += close * close * dy;
    })
    out[0] = decant__lanes_sum_float(sum);
    out[1] = decant__lanes_sum_float(sum_x);
    out[2] = decant__lanes_sum_float(sum_y);
}

/* Is every pair less work than the grid? A map of few points can be large: its extent follows from
 * how far points push each other, not from their number. */
static int pairs_cost_less(size_t n, size_t size) {
    return (double)n * (double)n < PAIRS_FOR_A_NODE * (double)size * (double)size;
}

/* ---- All forces ---- */

typedef struct forces {
    const decant__repulsion *r;
    const float *x, *y; /* n: points */
    float *to_x, *to_y; /* n: forces */
} forces;

static void find_by_pairs(void *context) {
    const forces *f = context;
    const decant__repulsion *r = f->r;
    TEAM_FOR (chunk, (r->n + PAIRS_CHUNK - 1) / PAIRS_CHUNK) {
        size_t begin = chunk * PAIRS_CHUNK;
        size_t end = begin + PAIRS_CHUNK < r->n ? begin + PAIRS_CHUNK : r->n;
        double sum = 0;
        for (size_t i = begin; i < end; i++) {
            float value[FIELDS];
            push_point(r->n, f->x, f->y, f->x[i], f->y[i], value);
            sum += (double)value[0];
            f->to_x[i] = value[1];
            f->to_y[i] = value[2];
        }
        r->partial[chunk] = sum;
    }
}

static void find_by_grid(void *context) {
    const forces *f = context;
    const decant__repulsion *r = f->r;
    float *scratch = r->scratch + decant__team_member() * 6 * r->size * LANES;
    spread(r, scratch);
    convolve(r, scratch);
    restore_all(r, scratch);
    collect(r, f->to_x, f->to_y);
}

typedef struct extent {
    float low_x, low_y, high_x, high_y;
    int finite;
} extent;

static extent measure_extent(const float *x, const float *y, size_t n) {
    extent e = {x[0], y[0], x[0], y[0], 1};
    for (size_t i = 0; i < n; i++) {
        e.finite &= isfinite(x[i]) && isfinite(y[i]);
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
    extent e = measure_extent(x, y, r->n);
    double width = (double)e.high_x - (double)e.low_x, height = (double)e.high_y - (double)e.low_y;
    double larger = width > height ? width : height;
    size_t chunk = PAIRS_CHUNK;
    forces f = {r, x, y, force_x, force_y};
    if (!(e.finite && isfinite(larger)))
        return decant__fail(DECANT_EDIVERGED, "t-SNE: a point of the map is not finite");
    grid_plan plan = plan_grid(larger);
    if (pairs_cost_less(r->n, plan.size)) {
        decant__team_run(r->threads, find_by_pairs, &f);
    } else {
        TRY(fit_grid(r, &plan));
        place_points(r, x, y, e.low_x, e.low_y);
        decant__team_run(r->threads, find_by_grid, &f);
        chunk = CHUNK;
    }
    *z = -(double)r->n; /* each point's term with itself */
    for (size_t c = 0; c * chunk < r->n; c++) *z += r->partial[c];
done:
    return status;
}
