#include "linalg/tall.h"

#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"
#include "linalg/dense_matrix.h"

enum { MAX_PARTS = 32, CHUNK = 128 };

/* Memory for the partial sums of all parts. */
static const double PARTIAL_BYTES = 256e6;

static size_t count_parts(size_t n, double bytes) {
    double fit = PARTIAL_BYTES / (bytes > 1 ? bytes : 1);
    size_t parts = fit > MAX_PARTS ? MAX_PARTS : fit < 2 ? 2 : (size_t)fit;
    return parts < n ? parts : n;
}

decant_status decant__tall_new(decant__tall *tall, const decant__source *x, size_t width,
                               int threads) {
    decant_status status = DECANT_OK;
    *tall = (decant__tall){.x = x, .threads = threads, .width = width};
    tall->parts = count_parts(x->n, 8.0 * (double)x->d * (double)width);
    NEW_ARRAY(tall->row, tall->parts * x->d);
    NEW_ARRAY(tall->partial, tall->parts * x->d * width);
done:
    if (status != DECANT_OK) decant__tall_free(tall);
    return status;
}

void decant__tall_free(decant__tall *tall) {
    decant__free(tall->row);
    decant__free(tall->partial);
    *tall = (decant__tall){0};
}

DECANT_CLONES
static double dot_product(const double *restrict a, const double *restrict b, size_t d) {
    double sum;
    LANES_SUM_DOUBLE(sum, j, d, a[j] * b[j]);
    return sum;
}

/* y += a x */
DECANT_CLONES
static void add_scaled(double a, const double *restrict x, size_t d, double *restrict y) {
    for (size_t j = 0; j < d; j++) y[j] += a * x[j];
}

/* out (w) = row u */
static void row_times(const decant__source *x, size_t i, const double *u, size_t w, double *row,
                      double *out) {
    if (x->dense != NULL && w == 1) {
        decant__source_row(x, i, row);
        out[0] = dot_product(row, u, x->d);
        return;
    }
    memset(out, 0, w * sizeof *out);
    if (x->dense == NULL) {
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
            add_scaled((double)x->value[e], u + (size_t)x->column[e] * w, w, out);
        return;
    }
    decant__source_row(x, i, row);
    for (size_t j = 0; j < x->d; j++)
        if (row[j] != 0) add_scaled(row[j], u + j * w, w, out);
}

/* The factors and the result of one product. */
typedef struct factors {
    const decant__tall *tall;
    const double *in;
    size_t width;
    double *out;
} factors;

static void times(void *context) {
    const factors *f = context;
    const decant__tall *tall = f->tall;
    const decant__source *x = tall->x;
    size_t w = f->width;
    TEAM_FOR_DYNAMIC (p, tall->parts, 1)
        for (size_t i = x->n * p / tall->parts; i < x->n * (p + 1) / tall->parts; i++)
            row_times(x, i, f->in, w, tall->row + p * x->d, f->out + i * w);
}

void decant__tall_times(const decant__tall *tall, const double *u, size_t w, double *out) {
    factors f = {tall, u, w, out};
    decant__team_run(tall->threads, times, &f);
}

/* out (d x w) += row^T v */
static void add_outer_product(const decant__source *x, size_t i, const double *v, size_t w,
                              double *row, double *out) {
    if (x->dense == NULL) {
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
            add_scaled((double)x->value[e], v, w, out + (size_t)x->column[e] * w);
        return;
    }
    decant__source_row(x, i, row);
    if (w == 1) {
        add_scaled(v[0], row, x->d, out);
        return;
    }
    for (size_t j = 0; j < x->d; j++)
        if (row[j] != 0) add_scaled(row[j], v, w, out + j * w);
}

static void transposed_times(void *context) {
    const factors *f = context;
    const decant__tall *tall = f->tall;
    const decant__source *x = tall->x;
    size_t w = f->width, size = x->d * w;
    TEAM_FOR_DYNAMIC (p, tall->parts, 1) {
        double *sum = tall->partial + p * size;
        memset(sum, 0, size * sizeof *sum);
        for (size_t i = x->n * p / tall->parts; i < x->n * (p + 1) / tall->parts; i++)
            add_outer_product(x, i, f->in + i * w, w, tall->row + p * x->d, sum);
    }
    TEAM_FOR (e, size) {
        double sum = 0;
        for (size_t p = 0; p < tall->parts; p++) sum += tall->partial[p * size + e];
        f->out[e] = sum;
    }
}

void decant__tall_transposed_times(const decant__tall *tall, const double *v, size_t w,
                                   double *out) {
    factors f = {tall, v, w, out};
    decant__team_run(tall->threads, transposed_times, &f);
}

/* Rows begin .. end-1: sum (d x d, lower triangle) += X^T X. */
static void gram_part(const decant__source *x, size_t begin, size_t end, double *rows,
                      double *sum) {
    size_t d = x->d;
    for (size_t i = begin; i < end && x->dense == NULL; i++)
        for (size_t a = x->start[i]; a < x->start[i + 1]; a++)
            for (size_t b = x->start[i]; b <= a; b++)
                sum[(size_t)x->column[a] * d + x->column[b]] +=
                    (double)x->value[a] * (double)x->value[b];
    for (size_t at = begin; at < end && x->dense != NULL; at += CHUNK) {
        size_t count = end - at < CHUNK ? end - at : CHUNK;
        for (size_t i = 0; i < count; i++) decant__source_row(x, at + i, rows + i * d);
        decant__dense_gram(rows, count, d, 1, sum);
    }
}

typedef struct gram {
    const decant__source *x;
    size_t parts;
    double *rows, *sum; /* of each part: CHUNK x d (dense rows only), d x d */
} gram;

static void gram_parts(void *context) {
    const gram *g = context;
    size_t n = g->x->n, d = g->x->d;
    TEAM_FOR_DYNAMIC (p, g->parts, 1)
        gram_part(g->x, n * p / g->parts, n * (p + 1) / g->parts,
                  g->x->dense != NULL ? g->rows + p * CHUNK * d : g->rows, g->sum + p * d * d);
}

decant_status decant__tall_gram(const decant__tall *tall, double *out) {
    decant_status status = DECANT_OK;
    const decant__source *x = tall->x;
    size_t d = x->d, parts = count_parts(x->n, 8.0 * (double)d * (double)d);
    gram g = {.x = x, .parts = parts};
    NEW_ARRAY(g.rows, x->dense != NULL ? parts * CHUNK * d : 1);
    NEW_ZEROED(g.sum, parts * d * d);
    decant__team_run(tall->threads, gram_parts, &g);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double total = 0;
            for (size_t p = 0; p < parts; p++) total += g.sum[(p * d + i) * d + j];
            out[i * d + j] = out[j * d + i] = total;
        }
done:
    decant__free(g.rows);
    decant__free(g.sum);
    return status;
}
