/* What is far from a centroid, learned from the rows of a fit.
 *
 * m_c is the median distance of cluster c's rows from its centroid, and t the quantile 1 - outliers
 * of distance / m_c over all rows. The novelty of a row at distance r is r / (m_c t): clusters may
 * be tight or wide, and the share `outliers` of the rows is beyond 1. */
#ifndef DECANT_DEC_NOVELTY_H
#define DECANT_DEC_NOVELTY_H

#include "store/model.h"

/* Sets model->far. distance: n. */
decant_status decant__novelty_learn(decant_model *model, const int32_t *labels,
                                    const float *distance, size_t n);

#endif
