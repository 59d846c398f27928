/* Applies a model to rows: their features, clusters and confidence. */
#include "dec/predict.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "dec/assign.h"
#include "dec/encode.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kernel.h"

enum { BLOCK_ROWS = 1024, MAX_SLICE = 64 * BLOCK_ROWS };

static const double SLICE_SECONDS = 0.1;

/* Rows of a sparse block as dense ones, for models with centroids in the data space. */
static const float *as_dense(const decant__rows *x, float *dense) {
    if (x->dense != NULL) return x->dense;
    TEAM_FOR (i, x->n) {
        float *row = dense + i * x->d;
        memset(row, 0, x->d * sizeof *row);
        for (size_t e = x->begin[i]; e < x->end[i]; e++) row[x->column[e]] += x->value[e];
    }
    return dense;
}

/* Assignment of rows by eq. 1, block by block. */
typedef struct assignment {
    const decant_model *model;
    const decant__source *source; /* in the scaled data space, or the features */
    size_t capacity;              /* rows of a block */
    decant__rows_buffer buffer;
    float *dense, *q; /* capacity x d, capacity x k */
    int32_t *labels;  /* capacity */
    decant__assigned out;
} assignment;

/* The distance of each row from the centroid of its cluster. */
static void measure(const float *x, size_t n, size_t d, const decant_model *model,
                    const int32_t *labels, float *distance) {
    TEAM_FOR (i, n) {
        const float *mu = model->centroids + (size_t)labels[i] * d;
        double sum = 0;
        for (size_t j = 0; j < d; j++) {
            double gap = (double)x[i * d + j] - (double)mu[j];
            sum += gap * gap;
        }
        distance[i] = (float)sqrt(sum);
    }
}

static void assign_blocks(void *context) {
    assignment *a = context;
    const decant__source *source = a->source;
    size_t k = a->model->options.k;
    for (size_t first = 0; first < source->n; first += a->capacity) {
        size_t count = source->n - first < a->capacity ? source->n - first : a->capacity;
        decant__assigned out = decant__assigned_from(&a->out, first, k);
        decant__rows x = decant__source_fetch(source, NULL, first, count, &a->buffer);
        const float *rows = as_dense(&x, a->dense);
        float *q = out.soft != NULL ? out.soft : a->q;
        decant__soft_assign(rows, count, source->d, a->model->centroids, k, a->model->options.alpha,
                            q);
        int32_t *labels = out.labels != NULL ? out.labels : a->labels;
        decant__hard_assign(q, count, k, labels, out.confidence);
        if (out.distance != NULL) measure(rows, count, source->d, a->model, labels, out.distance);
    }
}

static decant_status assign_by_centroids(const decant_model *model, const decant__source *source,
                                         int threads, const decant__assigned *out) {
    decant_status status = DECANT_OK;
    /* About a million numbers at a time, whatever d is. */
    assignment a = {
        .model = model, .source = source, .capacity = 1 + 1048576 / source->d, .out = *out};
    if (a.capacity > BLOCK_ROWS) a.capacity = BLOCK_ROWS;
    TRY(decant__rows_buffer_new(&a.buffer, source, a.capacity));
    if (out->soft == NULL) NEW_ARRAY(a.q, a.capacity * model->options.k);
    if (source->dense == NULL) NEW_ARRAY(a.dense, a.capacity * source->d);
    if (out->labels == NULL) NEW_ARRAY(a.labels, a.capacity);
    decant__team_run(threads, assign_blocks, &a);
done:
    decant__free(a.dense);
    decant__free(a.q);
    decant__free(a.labels);
    decant__rows_buffer_free(&a.buffer);
    return status;
}

/* By the rule of a method without centroids (gmm, sec). */
static decant_status assign_by_rule(const decant_model *model, const decant__source *points,
                                    int threads, const decant__assigned *out) {
    const decant__method *method = decant__method_of(model->options.method);
    decant__task task = {.x = points, .options = &model->options, .threads = threads};
    if (method->assign == NULL)
        return decant__fail(DECANT_EINVAL,
                            "%s cannot assign rows that it was not fitted on; fit a model with "
                            "dec, kmeans, gmm or sec",
                            method->name);
    return method->assign(&task, &model->rule, out);
}

/* By the second network: logits become soft assignments in place. */
typedef struct answers {
    const decant_model *model;
    size_t n;
    const float *z; /* n x latent, for distances */
    float *soft;
    int32_t *labels;
    const decant__assigned *out;
} answers;

static void answer_rows(void *context) {
    answers *a = context;
    size_t k = a->model->options.k;
    decant__softmax(a->soft, a->n, k, a->soft);
    decant__hard_assign(a->soft, a->n, k, a->labels, a->out->confidence);
    if (a->out->distance != NULL)
        measure(a->z, a->n, a->model->latent, a->model, a->labels, a->out->distance);
}

static decant_status assign_by_student(const decant_model *model, const decant__source *source,
                                       const float *z, int threads, const decant__assigned *out) {
    decant_status status = DECANT_OK;
    answers a = {.model = model, .n = source->n, .z = z, .out = out};
    decant__net net = decant__classifier_folded(&model->student);
    float *scratch = NULL;
    int32_t *labels = NULL;
    if (out->soft == NULL) NEW_ARRAY(scratch, a.n * model->options.k);
    if (out->labels == NULL) NEW_ARRAY(labels, a.n);
    a.labels = out->labels != NULL ? out->labels : labels;
    a.soft = out->soft != NULL ? out->soft : scratch;
    TRY(decant__encode(&net, model->student_params, source, threads, NULL, a.soft));
    decant__team_run(threads, answer_rows, &a);
done:
    decant__free(labels);
    decant__free(scratch);
    return status;
}

static decant_status apply_to_slice(const decant_model *model, const decant__source *source,
                                    int threads, const decant__assigned *out, float *z) {
    decant_status status = DECANT_OK;
    int by_centroids = decant__method_of(model->options.method)->by_centroids;
    float *features = NULL;
    if (model->plan.depth == 0) {
        if (z != NULL)
            return decant__fail(DECANT_EINVAL, "this model has no network, so no feature space");
        return by_centroids ? assign_by_centroids(model, source, threads, out)
                            : assign_by_rule(model, source, threads, out);
    }
    if (z == NULL) NEW_ARRAY(features, source->n * model->latent);
    float *to = z != NULL ? z : features;
    decant__net encoder = decant__autoencoder_encoder(&model->plan);
    TRY(decant__encode(&encoder, model->params, source, threads, NULL, to));
    if (out->labels == NULL && out->confidence == NULL && out->soft == NULL &&
        out->distance == NULL)
        goto done;
    if (model->student.parameters > 0) {
        status = assign_by_student(model, source, to, threads, out);
        goto done;
    }
    decant__source points = decant__source_dense(to, source->n, model->latent);
    status = by_centroids ? assign_by_centroids(model, &points, threads, out)
                          : assign_by_rule(model, &points, threads, out);
done:
    decant__free(features);
    return status;
}

/* A slice is a number of whole blocks, so that the result does not depend on its size. The size is
 * doubled while a slice takes less than SLICE_SECONDS, so that a caller can cancel soon. */
decant_status decant__model_apply(const decant_model *model, const decant__source *source,
                                  int threads, const decant__watch *watch,
                                  const decant__assigned *out, float *z) {
    decant_status status = DECANT_OK;
    size_t count = BLOCK_ROWS, size = BLOCK_ROWS;
    for (size_t first = 0; first < source->n; first += count) {
        double began = decant__seconds();
        TRY(decant__watch_tick(watch, first, source->n, (double)NAN, (double)NAN));
        count = source->n - first < size ? source->n - first : size;
        decant__source slice = decant__source_slice(source, first, count);
        decant__assigned rows = decant__assigned_from(out, first, model->options.k);
        TRY(apply_to_slice(model, &slice, threads, &rows,
                           z != NULL ? z + first * model->latent : NULL));
        if (size < MAX_SLICE && decant__seconds() - began < SLICE_SECONDS) size *= 2;
    }
    TRY(decant__watch_tick(watch, source->n, source->n, (double)NAN, (double)NAN));
done:
    return status;
}

static decant_status check_arguments(const decant_model *model, const decant_dataset *data,
                                     int threads) {
    decant_status status = decant__dataset_check_matrix(data);
    if (status != DECANT_OK) return status;
    if (data->d != model->d)
        return decant__fail(DECANT_EINVAL,
                            "the model was fitted on %zu columns, these rows have %zu", model->d,
                            data->d);
    if (threads < 0)
        return decant__fail(DECANT_EINVAL, "threads is %d: expected 0 (all cores) or more",
                            threads);
    return DECANT_OK;
}

static void gather_rows(const decant__comm *comm, const size_t *rows, void *x, size_t size) {
    size_t begin[DECANT__MAX_RANKS + 1];
    if (x == NULL) return;
    for (int r = 0; r <= comm->size; r++) begin[r] = rows[r] * size;
    decant__comm_gather(comm, x, begin);
}

/* Where several ranks have the same rows, each takes a part of them, and all have all results. */
static decant_status apply_by_ranks(const decant_model *model, const decant__source *source,
                                    int threads, const decant__watch *watch,
                                    const decant__assigned *out, float *z) {
    const decant__comm *comm = decant__comm_world();
    size_t begin[DECANT__MAX_RANKS + 1], k = model->options.k;
    if (comm->size == 1) return decant__model_apply(model, source, threads, watch, out, z);
    for (int r = 0; r <= comm->size; r++) begin[r] = source->n * (size_t)r / (size_t)comm->size;
    size_t first = begin[comm->rank], rows = begin[comm->rank + 1] - first;
    decant__source own = decant__source_slice(source, first, rows);
    decant__assigned here = decant__assigned_from(out, first, k);
    decant_status status = decant__model_apply(model, &own, threads, watch, &here,
                                               z != NULL ? z + first * model->latent : NULL);
    status = decant__comm_agree(comm, status);
    if (status != DECANT_OK) return status;
    gather_rows(comm, begin, out->labels, sizeof *out->labels);
    gather_rows(comm, begin, out->confidence, sizeof *out->confidence);
    gather_rows(comm, begin, out->soft, k * sizeof *out->soft);
    gather_rows(comm, begin, out->distance, sizeof *out->distance);
    gather_rows(comm, begin, z, model->latent * sizeof *z);
    return DECANT_OK;
}

static decant_status apply_to_dataset(const decant_model *model, const decant_dataset *data,
                                      int threads, const decant_monitor *monitor, const char *phase,
                                      const decant__assigned *out, float *z) {
    decant_status status = DECANT_OK;
    decant__scaled scaled = {0};
    decant_monitor watcher;
    decant__watch watch = {.monitor = &watcher, .rows = data != NULL ? data->file : NULL};
    TRY(check_arguments(model, data, threads));
    TRY(decant__monitor_read(&watcher, monitor));
    threads = decant__team_size(threads);
    TRY(decant__kernel_check());
    if (decant__method_of(model->options.method)->wants_blas) TRY(decant__blas_begin(threads));
    decant__watch_phase(&watch, phase);
    TRY(decant__scan(data, 0, threads, &watch, &(decant__summary){0}));
    TRY(decant__scaled_new(&scaled, &model->scale, data));
    TRY(apply_by_ranks(model, &scaled.source, threads, &watch, out, z));
    TRY(decant__row_file_check(data->file));
done:
    decant__scaled_free(&scaled);
    return status;
}

decant_status decant_model_predict(const decant_model *model, const decant_dataset *data,
                                   int threads, const decant_monitor *monitor, int32_t *labels,
                                   float *confidence) {
    REQUIRE(model);
    REQUIRE(data);
    REQUIRE(labels);
    const decant__assigned out = {.labels = labels, .confidence = confidence};
    return apply_to_dataset(model, data, threads, monitor, "predict", &out, NULL);
}

decant_status decant_model_assign(const decant_model *model, const decant_dataset *data,
                                  int threads, const decant_monitor *monitor, float *q) {
    REQUIRE(model);
    REQUIRE(data);
    REQUIRE(q);
    const decant__assigned out = {.soft = q};
    return apply_to_dataset(model, data, threads, monitor, "predict", &out, NULL);
}

decant_status decant_model_embed(const decant_model *model, const decant_dataset *data, int threads,
                                 const decant_monitor *monitor, float *z) {
    REQUIRE(model);
    REQUIRE(data);
    REQUIRE(z);
    const decant__assigned out = {0};
    return apply_to_dataset(model, data, threads, monitor, "embed", &out, z);
}

void decant_rows_wanted_init(decant_rows_wanted *wanted, size_t struct_size) {
    const decant_rows_wanted nothing = {.struct_size = sizeof nothing};
    decant__struct_init(wanted, struct_size, &nothing, sizeof nothing);
}

/* Distances become novelties: in units of what the fit called far for their cluster. */
decant_status decant_model_apply(const decant_model *model, const decant_dataset *data, int threads,
                                 const decant_monitor *monitor, const decant_rows_wanted *wanted) {
    REQUIRE(model);
    REQUIRE(data);
    REQUIRE(wanted);
    decant_status status = DECANT_OK;
    decant_rows_wanted known = {.struct_size = sizeof known};
    int32_t *labels = NULL;
    TRY(decant__struct_read(&known, sizeof known, wanted, "decant_rows_wanted"));
    if (known.novelty != NULL && model->far == NULL)
        TRY(decant__fail(DECANT_EINVAL,
                         "this model has no novelty: it was fitted by a method without centroids, "
                         "or by an older version"));
    if (known.labels == NULL && known.novelty != NULL) NEW_ARRAY(labels, data->n);
    const decant__assigned out = {.labels = known.labels != NULL ? known.labels : labels,
                                  .confidence = known.confidence,
                                  .soft = known.soft,
                                  .distance = known.novelty};
    TRY(apply_to_dataset(model, data, threads, monitor, "predict", &out, known.features));
    for (size_t i = 0; known.novelty != NULL && i < data->n; i++)
        known.novelty[i] = (float)((double)known.novelty[i] / model->far[out.labels[i]]);
done:
    decant__free(labels);
    return status;
}
