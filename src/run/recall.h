/* The scores of a finished run, read from its manifest: sweep and reproduce do not repeat it. */
#ifndef DECANT_RUN_RECALL_H
#define DECANT_RUN_RECALL_H

#include "base/status.h"

typedef struct decant__outcome {
    decant_scores scores; /* NaN without labels */
    double start_acc;     /* ACC of k-means on the features before refinement; NaN: none */
    double loss, seconds;
    size_t iterations;
    int converged;
} decant__outcome;

/* *found stays 0 if the folder has no finished run. EINVAL if it was made with other options. */
decant_status decant__run_recall(const char *folder, const decant_options *options,
                                 decant__outcome *out, int *found);

#endif
