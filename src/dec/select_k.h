/* The choice of k: the scores of each k, and the rule. */
#ifndef DECANT_DEC_SELECT_K_H
#define DECANT_DEC_SELECT_K_H

#include "dec/job.h"

/* All rows, z: n x l; their pretrained features, or principal components of the data. */
typedef struct decant__points {
    const float *z;
    size_t n, l;
    int of_data; /* k-means on them is what refinement starts with */
} decant__points;

/* How well the clusters of one half of the rows are found again in the other, over several splits
 * (stability.c): 0 is chance, 1 perfect. Halves have at most a few thousand rows, so the time does
 * not grow with n. A step of the phase is a split. */
enum { DECANT__SPLITS = 8 };
decant_status decant__stability(const decant__job *job, const decant__points *points, size_t k,
                                double *stability);

/* Fits k clusters to the training rows, and fills in all fields of a trial except stability
 * (select_k_fit.c). order: a permutation of the rows; the first `training` are training rows. */
typedef struct decant__division {
    const uint32_t *order;
    size_t training;
} decant__division;
decant_status decant__select_fit(const decant__job *job, const decant__points *points,
                                 const decant__division *division, decant_k_trial *trial);

/* Steps of the whole phase. */
size_t decant__select_steps(const decant__job *job);

/* The rule: index of the trial to take. */
size_t decant__select_best(const decant_k_trial *trials, size_t count);

/* Moves the trials out of a state, with the chosen k and the reason. */
decant_status decant__selection_take(decant__state *state, decant_selection **out);

#endif
