/* Batch normalisation (Ioffe and Szegedy 2015) before a ReLU.
 *
 *   x^_ij = (a_ij - m_j) / sqrt(v_j + e),   y_ij = max(0, g_j x^_ij + b_j)
 *
 * m and v are the mean and variance of column j over the batch in training, over all rows
 * afterwards; then it is a linear map, and folds into the weights of the layer before it.
 *
 * Where the batch consists of several groups (the rows, and the same rows disturbed), each group is
 * normalised by itself. All functions are for a whole team. */
#ifndef DECANT_NN_BATCH_NORM_H
#define DECANT_NN_BATCH_NORM_H

#include <stddef.h>

typedef struct decant__batch_norm {
    size_t width;
    const float *gain, *offset; /* g and b */
} decant__batch_norm;

/* A group of n rows: a (n x width) becomes x^, y is written, and inverse (width) receives
 * 1 / sqrt(v + e). */
void decant__batch_norm_forward(const decant__batch_norm *norm, size_t n, float *a, float *y,
                                float *inverse);

/* `groups` groups of n rows, one below the other; normal is x^, inverse is groups x width. dy, the
 * gradient with respect to y, becomes that with respect to a. gain_gradient and offset_gradient
 * (width each) may both be NULL. */
typedef struct decant__norm_backward {
    size_t n, groups;
    const float *normal, *y, *inverse;
    float *dy;
    float *gain_gradient, *offset_gradient;
} decant__norm_backward;

void decant__batch_norm_backward(const decant__batch_norm *norm, const decant__norm_backward *pass);

/* Adds the column sums of a (n x width) and of its squares. */
void decant__batch_norm_count(size_t n, size_t width, const float *a, double *sum, double *square);

/* What y = g x^ + b is as one factor and one summand for each column, for a mean and variance over
 * all n rows. Alone, not for a team. */
void decant__batch_norm_fold(const decant__batch_norm *norm, size_t n, const double *sum,
                             const double *square, float *factor, float *summand);

#endif
