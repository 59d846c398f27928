#include "linalg/tall.h"

#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "linalg/dense.h"

enum { MOST_PARTS = 32, CHUNK = 128 };

/* Memory for the partial sums of all parts. */
static const double PARTIAL_BYTES = 256e6;

static size_t count_parts(size_t n, double bytes) {
    double room = PARTIAL_BYTES / (bytes > 1 ? bytes : 1);
    size_t parts = room > MOST_PARTS ? MOST_PARTS : room < 2 ? 2 : (size_t)room;
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
static double dot(const double *restrict a, const double *restrict b, size_t d) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < d; j++) sum += a[j] * b[j];
    return sum;
}

/* y += a x */
DECANT_CLONES
static void add(double a, const double *restrict x, size_t d, double *restrict y) {
    for (size_t j = 0; j < d; j++) y[j] += a * x[j];
}

/* out (w) = row u */
static void row_times(const decant__source *x, size_t i, const double *u, size_t w, double *room,
                      double *out) {
    if (x->dense != NULL && w == 1) {
        decant__source_row(x, i, room);
        out[0] = dot(room, u, x->d);
        return;
    }
    memset(out, 0, w * sizeof *out);
    if (x->dense == NULL) {
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
            add((double)x->value[e], u + (size_t)x->column[e] * w, w, out);
        return;
    }
    decant__source_row(x, i, room);
    for (size_t j = 0; j < x->d; j++)
        if (room[j] != 0) add(room[j], u + j * w, w, out);
}

void decant__tall_times(const decant__tall *tall, const double *u, size_t w, double *out) {
    const decant__source *x = tall->x;
#pragma omp parallel for schedule(dynamic, 1) num_threads(tall->threads)
    for (size_t p = 0; p < tall->parts; p++)
        for (size_t i = x->n * p / tall->parts; i < x->n * (p + 1) / tall->parts; i++)
            row_times(x, i, u, w, tall->row + p * x->d, out + i * w);
}

/* out (d x w) += row^T v */
static void add_row(const decant__source *x, size_t i, const double *v, size_t w, double *room,
                    double *out) {
    if (x->dense == NULL) {
        for (size_t e = x->start[i]; e < x->start[i + 1]; e++)
            add((double)x->value[e], v, w, out + (size_t)x->column[e] * w);
        return;
    }
    decant__source_row(x, i, room);
    if (w == 1) {
        add(v[0], room, x->d, out);
        return;
    }
    for (size_t j = 0; j < x->d; j++)
        if (room[j] != 0) add(room[j], v, w, out + j * w);
}

void decant__tall_transposed_times(const decant__tall *tall, const double *v, size_t w,
                                   double *out) {
    const decant__source *x = tall->x;
    size_t size = x->d * w;
#pragma omp parallel num_threads(tall->threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (size_t p = 0; p < tall->parts; p++) {
            double *sum = tall->partial + p * size;
            memset(sum, 0, size * sizeof *sum);
            for (size_t i = x->n * p / tall->parts; i < x->n * (p + 1) / tall->parts; i++)
                add_row(x, i, v + i * w, w, tall->row + p * x->d, sum);
        }
#pragma omp for schedule(static)
        for (size_t e = 0; e < size; e++) {
            double sum = 0;
            for (size_t p = 0; p < tall->parts; p++) sum += tall->partial[p * size + e];
            out[e] = sum;
        }
    }
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

decant_status decant__tall_gram(const decant__tall *tall, double *out) {
    decant_status status = DECANT_OK;
    const decant__source *x = tall->x;
    size_t d = x->d, parts = count_parts(x->n, 8.0 * (double)d * (double)d);
    double *rows = NULL, *sum = NULL;
    NEW_ARRAY(rows, x->dense != NULL ? parts * CHUNK * d : 1);
    NEW_ZEROED(sum, parts * d * d);
#pragma omp parallel for schedule(dynamic, 1) num_threads(tall->threads)
    for (size_t p = 0; p < parts; p++)
        gram_part(x, x->n * p / parts, x->n * (p + 1) / parts,
                  x->dense != NULL ? rows + p * CHUNK * d : rows, sum + p * d * d);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double total = 0;
            for (size_t p = 0; p < parts; p++) total += sum[(p * d + i) * d + j];
            out[i * d + j] = out[j * d + i] = total;
        }
done:
    decant__free(rows);
    decant__free(sum);
    return status;
}
