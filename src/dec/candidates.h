/* The start of refinement, compared with clusters of the data itself: docs/method.md. */
#ifndef DECANT_DEC_CANDIDATES_H
#define DECANT_DEC_CANDIDATES_H

#include "dec/job.h"

/* What the comparison says of the network. */
typedef struct decant__verdict {
    int unsuitable; /* 1: it lost what the data shows */
    double score;   /* how well the clusters of its features suit the data: their Q */
} decant__verdict;

/* The state's labels are the clusters that were found in the features, its initial labels those of
 * k-means there. Replaces the labels by those of a better candidate, if there is one, and then also
 * the graph, if it was found in the data or in both; state->start says which one. z: the features
 * (state.n x l), if their graph has no k communities; else NULL. */
decant_status decant__candidates_compare(decant__job *job, const float *z, size_t l,
                                         decant__verdict *verdict);

/* Few rows of columns with few values, as in yes or no, start from k-means on the data: then their
 * principal components, state.n x width, in new memory. Else *x and *width stay as they are; of
 * many columns, as those of images and texts, the features say more. */
decant_status decant__candidates_points(decant__job *job, float **x, size_t *width);

/* Separate groups, k-means on the data, and few rows whose clusters were found in the data: the
 * network learns these labels as they are. */
int decant__candidates_certain(const decant__job *job);

/* How well k clusters suit the neighbour graph of the data, which is built if it is not there yet:
 * modularity or, if the start is groups of any size, the mean share of links inside. */
decant_status decant__candidates_score(decant__job *job, const int32_t *labels, double *score);

#endif
