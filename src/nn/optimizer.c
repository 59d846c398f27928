#include "nn/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/simd.h"

static const float BETA1 = 0.9F, BETA2 = 0.999F;
static const float EPSILON_SQUARED = 1e-16F;

void decant__optimizer_step(decant__optimizer *optimizer, size_t t, double rate, double momentum) {
    double next = (double)t + 1;
    optimizer->rate = (float)rate;
    optimizer->momentum = (float)momentum;
    optimizer->correction_first = (float)(1 / (1 - decant__pow((double)BETA1, next)));
    optimizer->correction_second = (float)(1 / (1 - decant__pow((double)BETA2, next)));
}

/* Where no gradient comes any more (a unit that is always off), moments decay until they are
 * subnormal, and stay so: Intel's processors then need some hundred cycles for each. What is too
 * small to move a parameter is 0. For Adam a gradient of 1e-15 moves one by 1e-7 of the rate. */
static const float NO_GRADIENT = 1e-15F, NO_MOMENT = 1e-30F;

static inline float drop_small(float x, float limit) { return x < limit && x > -limit ? 0 : x; }

DECANT_CLONES
static void apply_sgd(size_t count, float rate, float momentum, const float *restrict g,
                      float *restrict v, float *restrict p) {
    for (size_t i = 0; i < count; i++) {
        v[i] = drop_small(momentum * v[i] + rate * g[i], NO_MOMENT);
        p[i] -= v[i];
    }
}

/* 1 / sqrt(x), off by less than 1e-6, by multiplications: a guess by the exponent, one step with
 * constants that make its largest error small (6.5e-4, Kadlec 2010), and one of Newton's,
 * y <- y (3 - x y^2) / 2. On wide vectors a square root and a division take longer than all the
 * rest of a step of Adam. */
static inline float reciprocal_root(float x) {
    uint32_t bits;
    float y;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x5f1ffff9U - (bits >> 1);
    memcpy(&y, &bits, sizeof y);
    y *= 0.703952253F * (2.38924456F - x * (y * y));
    return y * (1.5F - (0.5F * x) * (y * y));
}

DECANT_CLONES
static void apply_adam(size_t count, float rate, float c1, float c2, const float *restrict g,
                       float *restrict m, float *restrict s, float *restrict p) {
    for (size_t i = 0; i < count; i++) {
        float now = drop_small(g[i], NO_GRADIENT);
        m[i] = drop_small(BETA1 * m[i] + (1 - BETA1) * now, NO_MOMENT);
        s[i] = drop_small(BETA2 * s[i] + (1 - BETA2) * (now * now), NO_MOMENT);
        p[i] -= (rate * c1) * m[i] * reciprocal_root(c2 * s[i] + EPSILON_SQUARED);
    }
}

void decant__optimizer_apply_piece(const decant__optimizer *optimizer, const float *gradient,
                                   size_t offset, size_t count, float scale) {
    const decant__optimizer *o = optimizer;
    float rate = o->rate * scale;
    if (offset < o->wide) rate *= o->wide_rate;
    if (o->kind == DECANT_OPTIMIZER_SGD)
        apply_sgd(count, rate, o->momentum, gradient, o->moment1 + offset, o->params + offset);
    else
        apply_adam(count, rate, o->correction_first, o->correction_second, gradient,
                   o->moment1 + offset, o->moment2 + offset, o->params + offset);
}

void decant__optimizer_apply(const decant__optimizer *optimizer, const float *grads, size_t offset,
                             size_t count, float scale) {
    decant__optimizer_apply_piece(optimizer, grads + offset, offset, count, scale);
}

double decant__rate_one_cycle(double peak, size_t t, size_t steps) {
    double up = 0.25 * (double)steps, at = (double)t;
    if (at < up) return peak * (0.04 + 0.96 * at / up);
    double along = ((double)t - up) / ((double)steps - up);
    return peak * 0.5 * (1 + decant__cos_turns(0.5 * along));
}

double decant__rate_step_decay(double start, size_t t, size_t step) {
    return start * decant__pow(0.1, (double)(t / step));
}
