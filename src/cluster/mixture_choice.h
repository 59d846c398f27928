/* Which mixture suits a small table: BIC decides (Fraley and Raftery 2002). */
#ifndef DECANT_CLUSTER_MIXTURE_CHOICE_H
#define DECANT_CLUSTER_MIXTURE_CHOICE_H

#include "cluster/mixed.h"
#include "linalg/source.h"

/* Wider rows are not tried. */
enum { DECANT__MIXTURE_COLUMNS = 60 };

/* Can the columns be those of Gaussians? Not if one value of a column makes up a large part of the
 * rows, as in yes or no, categories, counts and what was filled in; nor if there are many columns.
 */
decant_status decant__is_continuous(const decant__source *x, int *yes);

/* Columns to mean 0 and variance 1: the shape of a mixture does not depend on the units. */
void decant__standardise(float *x, size_t n, size_t d);

typedef struct decant__mixture_found {
    double bic; /* INFINITY: there is none */
    decant__mixed_shape shape;
} decant__mixture_found;

/* From k clusters to those of the best mixture that the rows are enough for; without any, the
 * labels are as they were. */
decant_status decant__mixture_choose(const decant__mixed *rows, size_t k,
                                     const decant__watch *watch, int32_t *labels,
                                     decant__mixture_found *best);

#endif
