#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "features/image.h"

/* The input pixels that make output pixel o: count of them from first, with weights that sum to 1.
 *
 *   shrinking: the span [o s, (o+1) s), s = in/out, each pixel by its share of it
 *   growing:   the two pixels around (o + 1/2) s - 1/2 */
static size_t find_weights(size_t in, size_t out, size_t o, size_t *first, float *weight) {
    double scale = (double)in / (double)out;
    if (in <= out) {
        double at = fmax(0, fmin(((double)o + 0.5) * scale - 0.5, (double)in - 1));
        *first = (size_t)at;
        weight[1] = (float)(at - (double)*first);
        weight[0] = 1 - weight[1];
        return *first + 1 < in ? 2 : 1;
    }
    double begin = (double)o * scale, end = (double)(o + 1) * scale;
    *first = (size_t)begin;
    size_t last = (size_t)ceil(end), count = 0;
    if (last > in) last = in;
    for (size_t i = *first; i < last; i++) {
        double from = fmax(begin, (double)i), to = fmin(end, (double)i + 1);
        weight[count++] = (float)((to - from) / scale);
    }
    return count;
}

/* height x width x channels bytes to height x out x channels floats. */
static void resize_rows(const decant__image *from, size_t out, float *weight, float *to) {
    size_t channels = from->channels, stride = from->width * channels;
    for (size_t o = 0; o < out; o++) {
        size_t first, count = find_weights(from->width, out, o, &first, weight);
        for (size_t y = 0; y < from->height; y++) {
            const uint8_t *in = from->pixels + y * stride + first * channels;
            float *pixel = to + (y * out + o) * channels;
            for (size_t c = 0; c < channels; c++) {
                float sum = 0;
                for (size_t i = 0; i < count; i++) sum += weight[i] * (float)in[i * channels + c];
                pixel[c] = sum;
            }
        }
    }
}

/* Rows of floats to fewer or more rows of bytes. */
static void resize_columns(const float *from, size_t height, float *weight, float *sum,
                           decant__image *to) {
    size_t stride = to->width * to->channels;
    for (size_t o = 0; o < to->height; o++) {
        size_t first, count = find_weights(height, to->height, o, &first, weight);
        uint8_t *row = to->pixels + o * stride;
        memset(sum, 0, stride * sizeof *sum);
        for (size_t i = 0; i < count; i++) {
            const float *in = from + (first + i) * stride;
            for (size_t j = 0; j < stride; j++) sum[j] += weight[i] * in[j];
        }
        for (size_t j = 0; j < stride; j++) row[j] = (uint8_t)fminf(sum[j] + 0.5f, 255.0f);
    }
}

decant_status decant__image_resize(const decant__image *from, size_t width, size_t height,
                                   decant__resizer *resizer, decant__image *to) {
    size_t channels = from->channels,
           larger = from->width > from->height ? from->width : from->height;
    decant_status status = decant__image_allocate(to, width, height, channels);
    if (status != DECANT_OK) return status;
    size_t rows = from->height * width * channels, sums = width * channels, weights = larger + 2;
    if (rows + sums + weights > resizer->capacity) {
        float *grown = decant__alloc_array(rows + sums + weights, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        decant__free(resizer->buffer);
        resizer->buffer = grown;
        resizer->capacity = rows + sums + weights;
    }
    float *sum = resizer->buffer + rows, *weight = sum + sums;
    resize_rows(from, width, weight, resizer->buffer);
    resize_columns(resizer->buffer, from->height, weight, sum, to);
    return DECANT_OK;
}

void decant__resizer_free(decant__resizer *resizer) {
    decant__free(resizer->buffer);
    *resizer = (decant__resizer){0};
}
