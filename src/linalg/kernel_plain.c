/* Plain C, for processors without fused multiply-adds, and to check the others by. */
#include <stdint.h>
#include <string.h>

#include "linalg/kernel.h"

#ifndef KERNEL_NAME /* a test gives the shape of the AVX-512 kernel instead */
#define BLOCK_ROWS 4
#define BLOCK_PANELS 1
#define KERNEL_NAME "plain"
#define KERNEL_GET decant__kernel_plain
#endif
#define LANES 16
#ifdef DECANT_SANITIZED
#define UNROLL /* with checks in unrolled loops clang takes minutes to compile them */
#endif
#define KERNEL_USABLE 1

typedef struct vec {
    float x[LANES];
} vec;

/* fmaf in double precision: the product is exact, and the sum is rounded to odd, so that rounding
 * it once more, to float, gives the float nearest to a b + c (Boldo and Melquiond 2008). */
static inline float fma1(float a, float b, float c) {
    double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    double virtual_addend = sum - product;
    double error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    int64_t inexact = (error > 0) | (error < 0), even = ~bits & 1;
    int64_t away = ((error > 0) == (sum > 0)) ? 1 : -1;
    bits += inexact & even ? away : 0;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}

static inline vec v_load(const float *x) {
    vec v;
    memcpy(v.x, x, sizeof v.x);
    return v;
}
static inline void v_store(float *x, vec v) { memcpy(x, v.x, sizeof v.x); }
static inline vec v_set(float x) {
    vec v;
    for (int l = 0; l < LANES; l++) v.x[l] = x;
    return v;
}
static inline vec v_add(vec a, vec b) {
    for (int l = 0; l < LANES; l++) a.x[l] += b.x[l];
    return a;
}
static inline vec v_fma(vec a, vec b, vec c) {
    vec v;
    for (int l = 0; l < LANES; l++) v.x[l] = fma1(a.x[l], b.x[l], c.x[l]);
    return v;
}
static inline vec v_relu(vec x) {
    for (int l = 0; l < LANES; l++) x.x[l] = x.x[l] > 0 ? x.x[l] : 0;
    return x;
}

#include "linalg/kernel_body.h"
