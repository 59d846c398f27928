/* Applies a model to rows. */
#ifndef DECANT_DEC_PREDICT_H
#define DECANT_DEC_PREDICT_H

#include "base/watch.h"
#include "linalg/source.h"
#include "store/model.h"

/* source: rows, scaled by the model's scaling. z (n x latent; needs a network) may be NULL.
 * Progress is counted in rows. */
decant_status decant__model_apply(const decant_model *model, const decant__source *source,
                                  int threads, const decant__watch *watch,
                                  const decant__assigned *out, float *z);

#endif
