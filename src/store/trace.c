#include "store/trace.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

/* Max numbers of a frame: a wide feature space is traced with fewer rows. */
enum { MAX_NUMBERS = 1 << 19 };

/* Selection sampling (Knuth, algorithm S). */
void decant__choose_rows(size_t n, size_t count, uint64_t seed, uint32_t *row) {
    decant__random random = decant__random_start(seed, DECANT__RANDOM_TRACE, 0);
    size_t chosen = 0;
    for (size_t i = 0; i < n && chosen < count; i++)
        if (decant__random_below(&random, n - i) < count - chosen) row[chosen++] = (uint32_t)i;
}

static size_t row_count(size_t n, size_t width) {
    size_t max = width > 0 ? MAX_NUMBERS / width : 0;
    if (max > DECANT__TRACE_ROWS) max = DECANT__TRACE_ROWS;
    return n < max ? n : max;
}

decant_status decant__trace_new(decant__trace *trace, size_t n, size_t k, size_t width,
                                uint64_t seed) {
    decant_status status = DECANT_OK;
    size_t rows = row_count(n, width), frames = DECANT__MAX_FRAMES;
    *trace = (decant__trace){.kept = {.rows = rows, .k = k, .width = width}, .stride = 1};
    NEW_ZEROED(trace->kept.row, rows);
    NEW_ZEROED(trace->kept.step, frames);
    NEW_ZEROED(trace->kept.z, frames * rows * width);
    NEW_ZEROED(trace->kept.labels, frames * rows);
    NEW_ZEROED(trace->kept.centroids, frames * k * width);
    decant__choose_rows(n, rows, seed, trace->kept.row);
done:
    if (status != DECANT_OK) decant__trace_free(trace);
    return status;
}

void decant__trace_release(decant_trace *trace) {
    decant__free(trace->row);
    decant__free(trace->step);
    decant__free(trace->z);
    decant__free(trace->labels);
    decant__free(trace->centroids);
    *trace = (decant_trace){0};
}

void decant__trace_free(decant__trace *trace) {
    decant__trace_release(&trace->kept);
    *trace = (decant__trace){0};
}

static void move_frame(decant_trace *kept, size_t from, size_t to) {
    size_t z = kept->rows * kept->width, mu = kept->k * kept->width;
    kept->step[to] = kept->step[from];
    memcpy(kept->z + to * z, kept->z + from * z, z * sizeof *kept->z);
    memcpy(kept->labels + to * kept->rows, kept->labels + from * kept->rows,
           kept->rows * sizeof *kept->labels);
    memcpy(kept->centroids + to * mu, kept->centroids + from * mu, mu * sizeof *kept->centroids);
}

/* Drops every second frame, and doubles the stride. */
static void drop_frames(decant__trace *trace) {
    for (size_t f = 1; 2 * f < trace->frames; f++) move_frame(&trace->kept, 2 * f, f);
    trace->frames = (trace->frames + 1) / 2;
    trace->stride *= 2;
}

float *decant__trace_next(decant__trace *trace, uint64_t step, const int32_t *labels,
                          const float *centroids) {
    decant_trace *kept = &trace->kept;
    size_t mu = kept->k * kept->width;
    if (kept->rows == 0) return NULL;
    while (trace->frames > 0 && kept->step[trace->frames - 1] >= (double)step)
        trace->seen = --trace->frames * trace->stride;
    if (trace->seen++ % trace->stride != 0) return NULL;
    if (trace->frames == DECANT__MAX_FRAMES) {
        drop_frames(trace);
        if ((trace->seen - 1) % trace->stride != 0) return NULL;
    }
    size_t f = trace->frames++;
    kept->step[f] = (double)step;
    for (size_t i = 0; i < kept->rows; i++) kept->labels[f * kept->rows + i] = labels[kept->row[i]];
    memcpy(kept->centroids + f * mu, centroids, mu * sizeof *centroids);
    return kept->z + f * kept->rows * kept->width;
}

/* ---- other clusters ---- */

static void merge_centroids(const float *from, size_t k, size_t width, const int32_t *to,
                            size_t count, float *out) {
    for (size_t t = 0; t < count; t++)
        for (size_t j = 0; j < width; j++) {
            double sum = 0, parts = 0;
            for (size_t c = 0; c < k; c++) {
                if (to[c] != (int32_t)t) continue;
                sum += (double)from[c * width + j];
                parts++;
            }
            out[t * width + j] = (float)(sum / parts);
        }
}

static int32_t nearest(const float *z, const float *centroids, size_t k, size_t width) {
    size_t best = 0;
    double least = 0;
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t j = 0; j < width; j++) {
            double gap = (double)z[j] - (double)centroids[c * width + j];
            sum += gap * gap;
        }
        if (c > 0 && sum >= least) continue;
        least = sum;
        best = c;
    }
    return (int32_t)best;
}

decant_status decant__trace_regroup(decant_trace *trace, const int32_t *to, size_t count) {
    decant_status status = DECANT_OK;
    size_t k = trace->k, width = trace->width, rows = trace->rows;
    float *centroids = NULL;
    if (trace->frames == 0 || rows == 0) return DECANT_OK;
    NEW_ARRAY(centroids, trace->frames * count * width);
    for (size_t f = 0; f < trace->frames; f++) {
        float *mu = centroids + f * count * width;
        merge_centroids(trace->centroids + f * k * width, k, width, to, count, mu);
        for (size_t i = f * rows; i < (f + 1) * rows; i++) {
            int32_t target = to[trace->labels[i]];
            trace->labels[i] =
                target >= 0 ? target : nearest(trace->z + i * width, mu, count, width);
        }
    }
    decant__free(trace->centroids);
    trace->centroids = centroids;
    trace->k = count;
done:
    return status;
}
