/* A mixture for columns of several kinds: Gaussians for numbers, shares of values for categories.
 * For a few thousand rows at most. */
#ifndef DECANT_CLUSTER_MIXED_H
#define DECANT_CLUSTER_MIXED_H

#include "base/watch.h"

/* Zero-initialise. Columns by their kind; constant ones are left out. */
typedef struct decant__mixed {
    size_t n;
    size_t smooth, lumpy, classes; /* columns of each kind */
    double *x;                     /* n x smooth: no value is frequent */
    double *y;                     /* n x lumpy: one is, among many others */
    uint16_t *code;                /* n x classes: the value's number */
    size_t *first;                 /* classes + 1: where the values of each begin in `share` */
    double *share;                 /* of each value, among all rows */
} decant__mixed;

/* x: n x d, columns of variance 1. group: d, columns of one category have the same number and are
 * beside each other; NULL: there is none. */
decant_status decant__mixed_new(decant__mixed *m, const float *x, size_t n, size_t d,
                                const size_t *group);
void decant__mixed_free(decant__mixed *m);

/* Covariances of the smooth columns: diagonal or full, one for each component or one for all. */
typedef struct decant__mixed_shape {
    int full, tied;
} decant__mixed_shape;

/* Numbers of the covariances. */
double decant__mixed_numbers(const decant__mixed *m, size_t k, decant__mixed_shape shape);

typedef struct decant__mixed_request {
    const decant__mixed *rows;
    size_t k;
    decant__mixed_shape shape;
    const unsigned char *used; /* n: 1 for the rows that the mixture is fitted to; NULL: all */
    const decant__watch *watch;
} decant__mixed_request;

/* EM from the labels of the rows that are used; in the end they are those of the components, for
 * all rows. *bic = -2 log L + p log n with p fitted numbers: the lowest is the best. */
decant_status decant__mixed_fit(const decant__mixed_request *request, int32_t *labels, double *bic);

#endif
