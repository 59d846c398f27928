/* A fit that starts from the model of an earlier one: --like. */
#ifndef DECANT_DEC_LIKE_H
#define DECANT_DEC_LIKE_H

#include "dec/job.h"
#include "store/model.h"

/* Can a fit with these options continue from a model? */
decant_status decant__like_check(const decant_model *like, const decant_dataset *data,
                                 const decant_options *options);

/* The model's scaling. */
decant_status decant__like_scale(const decant_model *like, decant__scale *scale);

/* Network, centroids and labels of a state that was not resumed, and its first phase. Beyond the
 * model's k, clusters are added where rows are far from all centroids. */
decant_status decant__like_start(decant__job *job, const decant_model *like);

/* Centroids first .. k-1, beside those before them, which stay: mu is k x d. points: dense. */
decant_status decant__like_add(const decant__source *points, size_t first, size_t k, uint64_t seed,
                               const decant__watch *watch, float *mu);

/* Copies the names of clusters. */
decant_status decant__like_names(const decant_model *like, decant_model *model);

#endif
