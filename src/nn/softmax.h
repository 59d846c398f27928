/* The softmax output s of a classifier (n x k), and the losses on it, by their gradients with
 * respect to the logits. All functions are for a whole team. */
#ifndef DECANT_NN_SOFTMAX_H
#define DECANT_NN_SOFTMAX_H

#include "base/status.h"

/* s_ij = exp(a_ij) / sum_l exp(a_il); may be in place. */
void decant__softmax(const float *logits, size_t n, size_t k, float *s);

/* What the rows of a batch teach a classifier:
 *
 *   L = mean over the labelled rows of -log s_i,label
 *     + spread ( mean_i H(s_i) + balance KL(mean_i s_i || share) )
 *
 * The entropy H of a row makes its assignment clear; the KL term keeps the sizes of the clusters
 * near `share`. For equal shares it is, up to a constant, minus the entropy of the mean. */
typedef struct decant__lesson {
    size_t n, k;
    const int32_t *label; /* n: -1 is none */
    const double *share;  /* k, positive, of sum 1 */
    double spread, balance;
} decant__lesson;

/* delta (n x k): the gradient; loss (n): of each row, without the KL term; mean (k): scratch. */
void decant__lesson_gradient(const decant__lesson *lesson, const float *s, float *delta,
                             double *loss, double *mean);

/* KL(s || t), a mean over the rows, as a function of the logits of t alone: delta (n x k) is its
 * gradient (t - s) / n; loss (n), if not NULL, is KL(s_i || t_i) of each row. */
void decant__divergence_gradient(size_t n, size_t k, const float *s, const float *t, float *delta,
                                 double *loss);

#endif
