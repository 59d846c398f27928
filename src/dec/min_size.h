/* Clusters that are too small are dissolved: --min-size. */
#ifndef DECANT_DEC_MIN_SIZE_H
#define DECANT_DEC_MIN_SIZE_H

#include "base/status.h"

/* From n x k soft assignments and the labels to targets for decant_model_regroup, and how many
 * clusters are left. While the smallest cluster has fewer than min rows, it is dissolved, and each
 * of its rows goes to the most likely cluster that is left; one always stays. labels become those
 * of the clusters that are left, by their old numbers. */
decant_status decant__min_size_choose(size_t n, size_t k, const float *soft, size_t min,
                                      int32_t *labels, int32_t *to, size_t *left);

#endif
