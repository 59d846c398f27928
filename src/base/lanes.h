/* Sums whose order does not depend on the compiler, the vector width or the machine.
 *
 * `omp simd reduction(+ : ...)` lets the compiler add up in as many parts as a register has
 * elements: SSE, AVX2 and NEON give other last bits. Here the parts are fixed. There are 16 lanes
 * of float or 8 of double; lane l takes the items l, l + 16, l + 32 ... in this order, and the
 * lanes are then added in a fixed tree. Items of one block of 16 are independent, so any vector
 * unit can take them side by side, two or four vectors at a time.
 *
 * One sum of a term for each j in 0 .. count-1:
 *
 *     float sum;
 *     LANES_SUM_FLOAT(sum, j, count, a[j] * b[j]);
 *     double square;
 *     LANES_SUM_DOUBLE(square, j, count, (double)a[j] * (double)a[j]);
 *
 * Several sums, or a term of more than one expression: arrays of lanes and a body of statements,
 * in which l is the lane of item j.
 *
 *     float x[FLOAT_LANES] = {0}, y[FLOAT_LANES] = {0};
 *     LANES_FOR(FLOAT_LANES, l, j, count, {
 *         float t = a[j] - b[j];
 *         x[l] += t;
 *         y[l] += t * t;
 *     })
 *     out[0] = decant__lanes_sum_float(x);
 *
 * The arrays of lanes must be local to the function, so that they stay in registers; pointers that
 * the body reads are best `restrict`. Conversions, roundings and products in a term are those of
 * its types: the build sets -ffp-contract=off. */
#ifndef DECANT_BASE_LANES_H
#define DECANT_BASE_LANES_H

#include <float.h>
#include <stddef.h>

_Static_assert(FLT_EVAL_METHOD == 0, "float and double must be computed in their own precision");

enum { FLOAT_LANES = 16, DOUBLE_LANES = 8 };

/* The last block is shorter: its items go to the first lanes. */
#define LANES_FOR(width, l, j, count, ...)                                                    \
    {                                                                                         \
        const size_t lanes_count_ = (count), lanes_whole_ = lanes_count_ / (width) * (width); \
        for (size_t lanes_from_ = 0; lanes_from_ < lanes_whole_; lanes_from_ += (width)) {    \
            _Pragma("omp simd") for (size_t l = 0; l < (width); l++) {                        \
                const size_t j = lanes_from_ + l;                                             \
                __VA_ARGS__                                                                   \
            }                                                                                 \
        }                                                                                     \
        for (size_t j = lanes_whole_; j < lanes_count_; j++) {                                \
            const size_t l = j - lanes_whole_;                                                \
            __VA_ARGS__                                                                       \
        }                                                                                     \
    }

#define LANES_SUM_FLOAT(sum, j, count, term)                                        \
    do {                                                                            \
        float lanes_[FLOAT_LANES] = {0};                                            \
        LANES_FOR(FLOAT_LANES, lanes_l_, j, count, { lanes_[lanes_l_] += (term); }) \
        (sum) = decant__lanes_sum_float(lanes_);                                    \
    } while (0)

#define LANES_SUM_DOUBLE(sum, j, count, term)                                        \
    do {                                                                             \
        double lanes_[DOUBLE_LANES] = {0};                                           \
        LANES_FOR(DOUBLE_LANES, lanes_l_, j, count, { lanes_[lanes_l_] += (term); }) \
        (sum) = decant__lanes_sum_double(lanes_);                                    \
    } while (0)

/* Halves onto each other: 8 + 8, 4 + 4, 2 + 2, 1 + 1. */
static inline float decant__lanes_sum_float(const float lane[FLOAT_LANES]) {
    float s[FLOAT_LANES / 2];
    for (size_t l = 0; l < 8; l++) s[l] = lane[l] + lane[l + 8];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static inline double decant__lanes_sum_double(const double lane[DOUBLE_LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

#endif
