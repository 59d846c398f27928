/* A classifier with batch normalisation, kept smooth by virtual adversarial training (Miyato et al.
 * 2018; for clustering: Hu et al., IMSAT, 2017).
 *
 *   d - width - width - k, softmax s(x);   L = lesson (nn/softmax.h) + mean_i KL(s(x_i) || s(x_i +
 * r_i)) r_i = radius_i g_i / |g_i|,  g_i = gradient of KL(s(x_i) || s(x_i + v)) at v = PROBE
 * radius_i u, u a random direction
 *
 * s(x_i) is a constant in both divergences. Rows and disturbed rows go through the net as two
 * halves of one batch, each normalised by itself.
 *
 * After training it is a plain net: batch normalisation with the statistics of all rows folds into
 * the weights. */
#ifndef DECANT_NN_CLASSIFIER_H
#define DECANT_NN_CLASSIFIER_H

#include "nn/disturbed.h"
#include "nn/net.h"
#include "nn/softmax.h"

enum { DECANT__CLASSIFIER_HIDDEN = 2, DECANT__CLASSIFIER_DEPTH = DECANT__CLASSIFIER_HIDDEN + 1 };

/* Layers without ReLU, and the places of gain and offset of each hidden one. */
typedef struct decant__classifier {
    decant__net net;
    size_t gain[DECANT__CLASSIFIER_HIDDEN], offset[DECANT__CLASSIFIER_HIDDEN];
    size_t parameters;
} decant__classifier;

/* EINVAL: too large. lazy: as in decant__layer, of the first layer. */
decant_status decant__classifier_plan(decant__classifier *plan, size_t d, size_t width, size_t k,
                                      int lazy);
void decant__classifier_init(const decant__classifier *plan, uint64_t seed, float *params);

/* Room for training on batches of n rows. */
typedef struct decant__classifier_pass {
    size_t n;
    decant__pass pass; /* of 2 n rows; output[l] of a hidden layer holds the normalised values */
    decant__disturbed pair;
    float *active[DECANT__CLASSIFIER_HIDDEN];  /* 2 n x width: after gain, offset and ReLU */
    float *inverse[DECANT__CLASSIFIER_HIDDEN]; /* 2 x width */
    float *s;                                  /* 2 n x k */
    float *probe;                              /* n */
    double *loss, *divergence, *mean;          /* n, n, k */
    float *grads;
} decant__classifier_pass;

decant_status decant__classifier_pass_new(decant__classifier_pass *p,
                                          const decant__classifier *plan,
                                          const decant__source *source, size_t n, int threads);
void decant__classifier_pass_free(decant__classifier_pass *p);

/* One step on the rows x. optimizer: Adam, readied for this step. */
typedef struct decant__classifier_step {
    const decant__classifier *plan;
    const decant__rows *x;
    const decant__lesson *lesson;
    const float *radius; /* n */
    uint64_t seed, step; /* of the random directions */
    decant__optimizer optimizer;
} decant__classifier_step;

/* For a whole team. p->loss and p->divergence then have the losses of the rows. */
void decant__classifier_train(const decant__classifier_step *step, decant__classifier_pass *p);

/* For a whole team: the disturbed rows r of the step, and nothing else; for tests. */
void decant__classifier_disturb(const decant__classifier_step *step, decant__classifier_pass *p);

/* The plain net: the layers of the plan, hidden ones with ReLU. */
decant__net decant__classifier_folded(const decant__classifier *plan);

/* Folds the normalisation of hidden layer l, whose inputs a over all n rows have these column sums
 * and sums of squares, into its weights and biases. */
decant_status decant__classifier_fold(const decant__classifier *plan, size_t l, size_t n,
                                      const double *sum, const double *square, float *params);

#endif
