/* Gradient steps on pieces of a flat parameter buffer.
 *
 *   sgd:   v <- m v + rate g;  p <- p - v                          (the paper, section 4.3)
 *   adam:  m <- b1 m + (1-b1) g;  s <- b2 s + (1-b2) g^2
 *          p <- p - rate m^ / sqrt(s^ + eps^2), m^ and s^ corrected for their start at 0
 *          (Kingma and Ba 2015; they have sqrt(s^) + eps, the same unless a gradient is near
 *          eps = 1e-8)
 *
 * A step of Adam moves each weight by about the rate, whatever the gradient, so an output of a
 * layer by the rate times the sum of |x_j| over its inputs. Where that sum is large, as in the
 * first layer of wide rows, its weights must take smaller steps. */
#ifndef DECANT_NN_OPTIMIZER_H
#define DECANT_NN_OPTIMIZER_H

#include "base/status.h"

typedef struct decant__optimizer {
    decant_optimizer kind;
    float *params;
    float *moment1; /* sgd: velocity; adam: mean of the gradient */
    float *moment2; /* adam: mean of its square */
    float bias_rate;
    /* The first `wide` parameters, if any, take steps of this share of the rate. */
    size_t wide;
    float wide_rate;
    /* of the current step */
    float rate, momentum;
    float correction_first, correction_second;
} decant__optimizer;

/* Readies step t (from 0) with a learning rate. Momentum is for sgd. */
void decant__optimizer_step(decant__optimizer *optimizer, size_t t, double rate, double momentum);

/* Updates params[offset .. offset+count) by gradient[0 .. count); scale multiplies the rate. */
void decant__optimizer_apply_piece(const decant__optimizer *optimizer, const float *gradient,
                                   size_t offset, size_t count, float scale);

/* The same with gradients that lie as the parameters do: by grads[offset .. offset+count). */
void decant__optimizer_apply(const decant__optimizer *optimizer, const float *grads, size_t offset,
                             size_t count, float scale);

/* One-cycle: a quarter of the way up from peak/25 in a line, then down to 0 by a cosine. */
double decant__rate_one_cycle(double peak, size_t t, size_t steps);

/* The paper's: divided by 10 every `step` iterations. */
double decant__rate_step_decay(double start, size_t t, size_t step);

#endif
