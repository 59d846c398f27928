/* Which mixture of Gaussians suits a small table: BIC decides (Fraley and Raftery 2002). */
#ifndef DECANT_CLUSTER_MIXTURE_CHOICE_H
#define DECANT_CLUSTER_MIXTURE_CHOICE_H

#include "cluster/method.h"

/* Wider rows are not tried. */
enum { DECANT__MIXTURE_COLUMNS = 60 };

/* Covariances of a mixture: diagonal or full, one for each component or one for all (tied). */
typedef struct decant__gmm_shape {
    int full, tied;
    double ridge;     /* is added to each variance */
    double tolerance; /* EM ends when the mean log likelihood rises by less */
} decant__gmm_shape;

/* EM from k clusters (gmm.c); labels: those of the components in the end. *bic = -2 log L + p log n
 * with p fitted numbers: the lowest is the best. */
decant_status decant__gmm_continue(const decant__task *task, const decant__gmm_shape *shape,
                                   int32_t *labels, double *bic);

/* Can the columns be those of Gaussians? Not if one value of a column makes up a large part of the
 * rows, as in yes or no, categories, counts and what was filled in; nor if there are many columns.
 */
decant_status decant__is_continuous(const decant__source *x, int *yes);

/* Columns to mean 0 and variance 1: the shape of a mixture does not depend on the units. */
void decant__standardise(float *x, size_t n, size_t d);

/* From k clusters to those of the best mixture that the rows are enough for. The columns of x are
 * standardised. *bic: INFINITY if there is none; the labels are then as they were. */
decant_status decant__mixture_choose(const decant__task *task, int32_t *labels, double *bic);

#endif
