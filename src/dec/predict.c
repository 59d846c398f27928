/* What a model says of rows: their features, their cluster, and how sure it is. */
#include <string.h>

#include "base/memory.h"
#include "dec/assign.h"
#include "dec/encode.h"
#include "dec/model.h"
#include "linalg/team.h"

enum { BLOCK_ROWS = 1024 };

/* Rows of a sparse block as dense ones, for models whose centroids live in the data space. */
static const float *as_dense(const decant__rows *x, float *room) {
    if (x->dense != NULL) return x->dense;
#pragma omp for schedule(static)
    for (size_t i = 0; i < x->n; i++) {
        float *row = room + i * x->d;
        memset(row, 0, x->d * sizeof *row);
        for (size_t e = x->begin[i]; e < x->end[i]; e++) row[x->column[e]] += x->value[e];
    }
    return room;
}

/* A model without a network: eq. 1 in the scaled data space. */
static decant_status apply_in_data_space(const decant_model *model, const decant__source *source,
                                         int threads, int32_t *labels, float *confidence) {
    decant_status status = DECANT_OK;
    decant__rows_buffer buffer = {0};
    float *q = NULL, *room = NULL;
    /* About a million numbers at a time, whatever d is. */
    size_t k = model->options.k, capacity = 1 + 1048576 / model->d;
    if (capacity > BLOCK_ROWS) capacity = BLOCK_ROWS;
    TRY(decant__rows_buffer_new(&buffer, source, capacity));
    NEW_ARRAY(q, capacity * k);
    if (source->dense == NULL) NEW_ARRAY(room, capacity * model->d);
#pragma omp parallel num_threads(threads)
    for (size_t first = 0; first < source->n; first += capacity) {
        size_t count = source->n - first < capacity ? source->n - first : capacity;
        decant__rows x = decant__source_fetch(source, NULL, first, count, &buffer);
        const float *rows = as_dense(&x, room);
        decant__soft_assign(rows, count, model->d, model->centroids, k, model->options.alpha, q);
        decant__hard_assign(q, count, k, labels != NULL ? labels + first : NULL,
                            confidence != NULL ? confidence + first : NULL);
    }
done:
    decant__free(room);
    decant__free(q);
    decant__rows_buffer_free(&buffer);
    return status;
}

static decant_status assign_features(const decant_model *model, const float *z, size_t n,
                                     int threads, int32_t *labels, float *confidence) {
    decant_status status = DECANT_OK;
    size_t k = model->options.k, l = model->latent;
    float *q = NULL;
    NEW_ARRAY(q, (n < BLOCK_ROWS ? n : BLOCK_ROWS) * k);
#pragma omp parallel num_threads(threads)
    for (size_t first = 0; first < n; first += BLOCK_ROWS) {
        size_t count = n - first < BLOCK_ROWS ? n - first : BLOCK_ROWS;
        decant__soft_assign(z + first * l, count, l, model->centroids, k, model->options.alpha, q);
        decant__hard_assign(q, count, k, labels != NULL ? labels + first : NULL,
                            confidence != NULL ? confidence + first : NULL);
    }
done:
    decant__free(q);
    return status;
}

/* By what the method keeps for it. */
static decant_status assign_by_rule(const decant_model *model, const decant__source *points,
                                    int threads, int32_t *labels, float *confidence) {
    const decant__method *method = decant__method_of(model->options.method);
    decant__task task = {.x = points, .options = &model->options, .threads = threads};
    if (method->assign == NULL)
        return decant__fail(DECANT_EINVAL,
                            "%s knows only the rows it was fitted on and cannot assign others; "
                            "kmeans, gmm, sec and dec can",
                            method->name);
    return method->assign(&task, &model->rule, labels, confidence);
}

decant_status decant__model_apply(const decant_model *model, const decant__source *source,
                                  int threads, int32_t *labels, float *confidence, float *z) {
    decant_status status = DECANT_OK;
    int by_centroids = decant__method_of(model->options.method)->by_centroids;
    float *features = NULL;
    if (model->plan.depth == 0) {
        if (z != NULL)
            return decant__fail(DECANT_EINVAL, "this model has no network, so no feature space");
        return by_centroids ? apply_in_data_space(model, source, threads, labels, confidence)
                            : assign_by_rule(model, source, threads, labels, confidence);
    }
    if (z == NULL) NEW_ARRAY(features, source->n * model->latent);
    float *to = z != NULL ? z : features;
    decant__net encoder = decant__autoencoder_encoder(&model->plan);
    TRY(decant__encode(&encoder, model->params, source, threads, to));
    if (labels == NULL && confidence == NULL) goto done;
    if (by_centroids) {
        TRY(assign_features(model, to, source->n, threads, labels, confidence));
    } else {
        decant__source points = decant__source_dense(to, source->n, model->latent);
        TRY(assign_by_rule(model, &points, threads, labels, confidence));
    }
done:
    decant__free(features);
    return status;
}

static decant_status apply_to_dataset(const decant_model *model, const decant_dataset *data,
                                      int threads, int32_t *labels, float *confidence, float *z) {
    decant_status status = DECANT_OK;
    decant__scaled scaled = {0};
    if (data->d != model->d)
        return decant__fail(DECANT_EINVAL,
                            "the model was fitted on %zu columns, these rows have %zu", model->d,
                            data->d);
    if (threads < 0) return decant__fail(DECANT_EINVAL, "threads must be 0 or more");
    int saved = decant__team_enter();
    TRY(decant__dataset_check_finite(data));
    TRY(decant__scaled_new(&scaled, &model->scale, data));
    TRY(decant__model_apply(model, &scaled.source, decant__team_size(threads), labels, confidence,
                            z));
done:
    decant__scaled_free(&scaled);
    decant__team_leave(saved);
    return status;
}

decant_status decant_model_predict(const decant_model *model, const decant_dataset *data,
                                   int threads, int32_t *labels, float *confidence) {
    return apply_to_dataset(model, data, threads, labels, confidence, NULL);
}

decant_status decant_model_embed(const decant_model *model, const decant_dataset *data, int threads,
                                 float *z) {
    return apply_to_dataset(model, data, threads, NULL, NULL, z);
}
