/* Made-up grey images, and options with which a fit of them takes moments. */
#ifndef DECANT_TESTS_DRAWINGS_H
#define DECANT_TESTS_DRAWINGS_H

#include <stdlib.h>

#include "check.h"

static inline uint32_t drawings_random(uint32_t *seed) {
    *seed = (*seed * 1103515245u + 12345u) & 0x7fffffffu;
    return *seed >> 8;
}

/* n drawings of w x h pixels: four strokes somewhere, upright or flat, with soft edges. */
static inline float *drawings_new(size_t n, size_t w, size_t h) {
    enum { STROKES = 4 };
    float *x = calloc(n * w * h, sizeof *x);
    uint32_t seed = 11;
    for (size_t i = 0; i < n * STROKES; i++) {
        double cx = (double)(drawings_random(&seed) % (uint32_t)w);
        double cy = (double)(drawings_random(&seed) % (uint32_t)h);
        int upright = i / STROKES % 2 == 1;
        double wide = upright ? 1.2 : 4, high = upright ? 4 : 1.2;
        for (size_t p = 0; p < w * h; p++) {
            double dx = ((double)(p % w) - cx) / wide, dy = ((double)(p / w) - cy) / high;
            x[i / STROKES * w * h + p] += (float)(200 * exp(-dx * dx - dy * dy));
        }
    }
    return x;
}

static inline decant_options drawings_options(void) {
    decant_options o;
    decant_options_init(&o, sizeof o);
    o.k = 2;
    o.layer_count = 2;
    o.layers[0] = 24;
    o.layers[1] = 4;
    o.finetune_iterations = 60;
    o.max_iterations = 20;
    return o;
}

#endif
