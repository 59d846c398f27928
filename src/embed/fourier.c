#include "embed/fourier.h"

#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/simd.h"

enum { LANES = DECANT__FOURIER_LANES };

static size_t strip(size_t size, size_t factor) {
    while (size % factor == 0) size /= factor;
    return size;
}

size_t decant__fourier_size(size_t min) {
    for (size_t size = min > 1 ? min : 2;; size++)
        if (strip(strip(strip(size, 2), 3), 5) == 1) return size;
}

static void list_radices(decant__fourier *fourier) {
    static const size_t radices[] = {5, 3, 4, 2};
    size_t rest = fourier->size;
    for (size_t r = 0; r < sizeof radices / sizeof radices[0]; r++)
        for (; rest % radices[r] == 0; rest /= radices[r])
            fourier->radix[fourier->stages++] = radices[r];
}

decant_status decant__fourier_new(decant__fourier *fourier, size_t size) {
    decant_status status = DECANT_OK;
    *fourier = (decant__fourier){.size = size};
    NEW_ARRAY(fourier->cosine, size);
    NEW_ARRAY(fourier->sine, size);
    for (size_t k = 0; k < size; k++) {
        double turns = (double)k / (double)size;
        fourier->cosine[k] = (float)decant__cos_turns(turns);
        fourier->sine[k] = -(float)decant__sin_turns(turns);
    }
    list_radices(fourier);
done:
    if (status != DECANT_OK) decant__fourier_free(fourier);
    return status;
}

void decant__fourier_free(decant__fourier *fourier) {
    decant__free(fourier->cosine);
    decant__free(fourier->sine);
    *fourier = (decant__fourier){0};
}

/* One butterfly on runs of `length` numbers: input k at re + k * apart, output j, rotated by
 * (c[j], s[j]), at out_re + j * length. */
typedef struct butterfly {
    size_t length, apart;
    const float *re, *im;
    float *out_re, *out_im;
    float c[5], s[5];
} butterfly;

#define PUT(j, real, imaginary)                         \
    do {                                                \
        float r_ = (real), i_ = (imaginary);            \
        out_re[(j)*length + t] = r_ * c[j] - i_ * s[j]; \
        out_im[(j)*length + t] = r_ * s[j] + i_ * c[j]; \
    } while (0)

#define RUNS                                                          \
    const size_t length = b->length, apart = b->apart;                \
    const float *restrict re = b->re, *restrict im = b->im;           \
    float *restrict out_re = b->out_re, *restrict out_im = b->out_im; \
    float c[5], s[5];                                                 \
    memcpy(c, b->c, sizeof c);                                        \
    memcpy(s, b->s, sizeof s)

DECANT_CLONES
static void radix_2(const butterfly *b) {
    RUNS;
#pragma omp simd
    for (size_t t = 0; t < length; t++) {
        float r0 = re[t], i0 = im[t], r1 = re[apart + t], i1 = im[apart + t];
        PUT(0, r0 + r1, i0 + i1);
        PUT(1, r0 - r1, i0 - i1);
    }
}

DECANT_CLONES
static void radix_3(const butterfly *b) {
    RUNS;
    const float half_root_3 = 0.8660254037844386F;
#pragma omp simd
    for (size_t t = 0; t < length; t++) {
        float r0 = re[t], r1 = re[apart + t], r2 = re[2 * apart + t];
        float i0 = im[t], i1 = im[apart + t], i2 = im[2 * apart + t];
        float sum_r = r1 + r2, sum_i = i1 + i2;
        float mid_r = r0 - 0.5F * sum_r, mid_i = i0 - 0.5F * sum_i;
        float dif_r = half_root_3 * (r1 - r2), dif_i = half_root_3 * (i1 - i2);
        PUT(0, r0 + sum_r, i0 + sum_i);
        PUT(1, mid_r + dif_i, mid_i - dif_r);
        PUT(2, mid_r - dif_i, mid_i + dif_r);
    }
}

DECANT_CLONES
static void radix_4(const butterfly *b) {
    RUNS;
#pragma omp simd
    for (size_t t = 0; t < length; t++) {
        float r0 = re[t], r1 = re[apart + t], r2 = re[2 * apart + t], r3 = re[3 * apart + t];
        float i0 = im[t], i1 = im[apart + t], i2 = im[2 * apart + t], i3 = im[3 * apart + t];
        float ar = r0 + r2, ai = i0 + i2, br = r0 - r2, bi = i0 - i2;
        float cr = r1 + r3, ci = i1 + i3, dr = r1 - r3, di = i1 - i3;
        PUT(0, ar + cr, ai + ci);
        PUT(1, br + di, bi - dr);
        PUT(2, ar - cr, ai - ci);
        PUT(3, br - di, bi + dr);
    }
}

DECANT_CLONES
static void radix_5(const butterfly *b) {
    RUNS;
    const float c1 = 0.30901699437494745F, c2 = -0.8090169943749475F;
    const float s1 = 0.9510565162951535F, s2 = 0.5877852522924731F;
#pragma omp simd
    for (size_t t = 0; t < length; t++) {
        float r0 = re[t], i0 = im[t];
        float r1 = re[apart + t] + re[4 * apart + t], i1 = im[apart + t] + im[4 * apart + t];
        float r2 = re[2 * apart + t] + re[3 * apart + t],
              i2 = im[2 * apart + t] + im[3 * apart + t];
        float p1 = re[apart + t] - re[4 * apart + t], q1 = im[apart + t] - im[4 * apart + t];
        float p2 = re[2 * apart + t] - re[3 * apart + t],
              q2 = im[2 * apart + t] - im[3 * apart + t];
        float ar = r0 + c1 * r1 + c2 * r2, ai = i0 + c1 * i1 + c2 * i2;
        float br = r0 + c2 * r1 + c1 * r2, bi = i0 + c2 * i1 + c1 * i2;
        float er = s1 * q1 + s2 * q2, ei = s1 * p1 + s2 * p2;
        float fr = s2 * q1 - s1 * q2, fi = s2 * p1 - s1 * p2;
        PUT(0, r0 + r1 + r2, i0 + i1 + i2);
        PUT(1, ar + er, ai - ei);
        PUT(2, br + fr, bi - fi);
        PUT(3, br - fr, bi + fi);
        PUT(4, ar - er, ai + ei);
    }
}

/* Stage by stage: sequences of length `rest` become radix times as many of length rest / radix, the
 * results already in order. */
void decant__fourier_apply(const decant__fourier *fourier, float *re, float *im, float *scratch) {
    static void (*const kernels[])(const butterfly *) = {
        [2] = radix_2, [3] = radix_3, [4] = radix_4, [5] = radix_5};
    float *from_re = re, *from_im = im, *to_re = scratch, *to_im = scratch + fourier->size * LANES;
    size_t rest = fourier->size, stride = 1;
    for (size_t stage = 0; stage < fourier->stages; stage++) {
        size_t radix = fourier->radix[stage], part = rest / radix, run = stride * LANES;
        butterfly b = {.length = run, .apart = part * run};
        for (size_t q = 0; q < part; q++) {
            for (size_t j = 0; j < radix; j++) {
                b.c[j] = fourier->cosine[q * j * stride];
                b.s[j] = fourier->sine[q * j * stride];
            }
            b.re = from_re + q * run;
            b.im = from_im + q * run;
            b.out_re = to_re + q * radix * run;
            b.out_im = to_im + q * radix * run;
            kernels[radix](&b);
        }
        rest = part;
        stride *= radix;
        float *swap = from_re;
        from_re = to_re, to_re = swap;
        swap = from_im;
        from_im = to_im, to_im = swap;
    }
    if (from_re == re) return;
    memcpy(re, from_re, fourier->size * LANES * sizeof *re);
    memcpy(im, from_im, fourier->size * LANES * sizeof *im);
}
