/* Another network, where one has lost what the data shows: docs/method.md. */
#ifndef DECANT_DEC_NETWORKS_H
#define DECANT_DEC_NETWORKS_H

#include "dec/candidates.h"

/* Other first weights for each network of the state. */
void decant__networks_init(decant__job *job);

/* At the end of the start: refinement begins, or another network is trained, or the best one so far
 * is clustered again. */
decant_status decant__networks_next(decant__job *job, const decant__verdict *verdict);

/* After training diverged, or clustering failed because of the features: OK if another network
 * takes the place of this one, else the failure. */
decant_status decant__networks_failed(decant__job *job, decant_status failure);

#endif
