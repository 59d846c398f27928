/* As OpenCV does it, in whole numbers: linear interpolation with weights of 11 bits and no
 * smoothing, at (r + 1/2) height/8 - 1/2; then with 14 bits
 *
 *   Y = .299 R + .587 G + .114 B,   Cr = .713 (R - Y) + 128,   Cb = .564 (B - Y) + 128 */
#include "features/colormap.h"

#include <math.h>

enum { BITS = 11, ONE = 1 << BITS, SHIFT = 14, ROUND = 1 << (SHIFT - 1) };

typedef struct between {
    size_t first, second;
    int weight; /* of the second */
} between;

static between find(size_t size, size_t o) {
    double at = ((double)o + 0.5) * (double)size / DECANT__COLORMAP_SIDE - 0.5;
    at = fmax(0, fmin(at, (double)size - 1));
    size_t first = (size_t)at, second = first + 1 < size ? first + 1 : first;
    return (between){first, second, (int)lround((at - (double)first) * ONE)};
}

static int clamp(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

void decant__colormap_compute(const decant__image *image, float *out) {
    size_t channels = image->channels, stride = image->width * channels;
    for (size_t r = 0; r < DECANT__COLORMAP_SIDE; r++) {
        between y = find(image->height, r);
        for (size_t s = 0; s < DECANT__COLORMAP_SIDE; s++) {
            between x = find(image->width, s);
            int rgb[3];
            for (size_t c = 0; c < 3; c++) {
                const uint8_t *p = image->pixels + (channels == 3 ? c : 0);
                int top = p[y.first * stride + x.first * channels] * (ONE - x.weight) +
                          p[y.first * stride + x.second * channels] * x.weight;
                int bottom = p[y.second * stride + x.first * channels] * (ONE - x.weight) +
                             p[y.second * stride + x.second * channels] * x.weight;
                rgb[c] = (top * (ONE - y.weight) + bottom * y.weight + (1 << (2 * BITS - 1))) >>
                         (2 * BITS);
            }
            int luma = (4899 * rgb[0] + 9617 * rgb[1] + 1868 * rgb[2] + ROUND) >> SHIFT;
            int cr = ((rgb[0] - luma) * 11682 + (128 << SHIFT) + ROUND) >> SHIFT;
            int cb = ((rgb[2] - luma) * 9241 + (128 << SHIFT) + ROUND) >> SHIFT;
            *out++ = (float)clamp(cr);
            *out++ = (float)clamp(cb);
        }
    }
}
