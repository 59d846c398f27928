/* A batch twice: n rows, and below them the same rows with something added to each, along a random
 * direction or along a gradient. Sparse rows are disturbed at their non-zeros only, so that they
 * stay sparse. All functions but new and free are for a whole team. */
#ifndef DECANT_NN_DISTURBED_H
#define DECANT_NN_DISTURBED_H

#include "linalg/source.h"

typedef struct decant__disturbed {
    size_t n, d;
    float *dense; /* 2 n x d; NULL: CSR */
    size_t *begin, *end;
    uint32_t *column;
    float *value;
    float *gradient; /* n x d, or one for each non-zero of the first n rows */
} decant__disturbed;

/* For batches of n rows of this source. */
decant_status decant__disturbed_new(decant__disturbed *pair, const decant__source *source,
                                    size_t n);
void decant__disturbed_free(decant__disturbed *pair);

/* Sets the first n rows. */
void decant__disturbed_set(decant__disturbed *pair, const decant__rows *x);

/* All 2 n rows; or n of them: the first, or the second. */
decant__rows decant__disturbed_both(const decant__disturbed *pair);
decant__rows decant__disturbed_half(const decant__disturbed *pair, size_t half);

/* The second n rows: x_i + length_i u_i, |u_i| = 1, all numbers of u_i equal but for random signs;
 * a pure function of seed, step and row. */
void decant__disturbed_randomly(decant__disturbed *pair, const float *length, uint64_t seed,
                                uint64_t step);

/* The same along the gradient, which the caller has written; x_i where it is 0. */
void decant__disturbed_by_gradient(decant__disturbed *pair, const float *length);

#endif
