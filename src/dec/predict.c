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

/* ---- from parts to clusters ---- */

/* The distance of each row from the nearest centroid of its cluster: as it is while a model is
 * made, then in units of what is far for that centroid, which is the novelty. */
static void measure(const float *x, size_t n, const decant_model *model, const int32_t *labels,
                    float *distance) {
    size_t d = model->latent;
    TEAM_FOR (i, n) {
        float best = INFINITY;
        for (size_t p = 0; p < model->parts; p++) {
            if (decant__model_cluster_of(model, p) != labels[i]) continue;
            const float *mu = model->centroids + p * d;
            double sum = 0;
            for (size_t j = 0; j < d; j++) {
                double gap = (double)x[i * d + j] - (double)mu[j];
                sum += gap * gap;
            }
            float found = (float)sqrt(sum);
            if (model->far != NULL) found = (float)((double)found / model->far[p]);
            if (found < best) best = found;
        }
        distance[i] = best;
    }
}

/* q and labels of parts become those of clusters. A cluster has the assignment to its best part,
 * scaled to sum 1: eq. 1 with the distance from the nearest of its centroids. */
static void merge_parts(const decant_model *model, size_t n, const float *q, int32_t *labels,
                        const decant__assigned *out) {
    size_t k = model->options.k;
    TEAM_FOR (i, n) {
        const float *row = q + i * model->parts;
        double sum = 0, own = 0;
        for (size_t p = 0; p < model->parts;) {
            int32_t c = model->cluster_of[p];
            float best = 0;
            for (; p < model->parts && model->cluster_of[p] == c; p++)
                if (row[p] > best) best = row[p];
            sum += (double)best;
            if (c == model->cluster_of[labels[i]]) own = (double)best;
            if (out->soft != NULL) out->soft[i * k + (size_t)c] = best;
        }
        for (size_t c = 0; out->soft != NULL && c < k; c++)
            out->soft[i * k + c] = (float)((double)out->soft[i * k + c] / sum);
        labels[i] = model->cluster_of[labels[i]];
        if (out->confidence != NULL) out->confidence[i] = (float)(own / sum);
    }
}

/* Scratch for what is not wanted itself, of n rows. */
typedef struct scratch {
    float *q;        /* n x parts; NULL: out->soft is used */
    int32_t *labels; /* n; NULL: out->labels is used */
} scratch;

static decant_status scratch_new(scratch *s, const decant_model *model, size_t n,
                                 const decant__assigned *out) {
    decant_status status = DECANT_OK;
    if (out->soft == NULL || model->cluster_of != NULL) NEW_ARRAY(s->q, n * model->parts);
    if (out->labels == NULL) NEW_ARRAY(s->labels, n);
done:
    return status;
}

static void scratch_free(scratch *s) {
    decant__free(s->q);
    decant__free(s->labels);
}

/* Labels, confidence and distances of rows x, by q. */
static void label_rows(const decant_model *model, const float *x, size_t n, const float *q,
                       int32_t *labels, const decant__assigned *out) {
    decant__hard_assign(q, n, model->parts, labels, out->confidence);
    if (model->cluster_of != NULL) merge_parts(model, n, q, labels, out);
    if (out->distance != NULL) measure(x, n, model, labels, out->distance);
}

/* Assignment of rows by eq. 1, block by block. */
typedef struct assignment {
    const decant_model *model;
    const decant__source *source; /* in the scaled data space, or the features */
    size_t capacity;              /* rows of a block */
    decant__rows_buffer buffer;
    float *dense; /* capacity x d */
    scratch scratch;
    decant__assigned out;
} assignment;

static void assign_blocks(void *context) {
    assignment *a = context;
    const decant__source *source = a->source;
    const decant_model *model = a->model;
    for (size_t first = 0; first < source->n; first += a->capacity) {
        size_t count = source->n - first < a->capacity ? source->n - first : a->capacity;
        decant__assigned out = decant__assigned_from(&a->out, first, model->options.k);
        decant__rows x = decant__source_fetch(source, NULL, first, count, &a->buffer);
        const float *rows = as_dense(&x, a->dense);
        float *q = a->scratch.q != NULL ? a->scratch.q : out.soft;
        int32_t *labels = out.labels != NULL ? out.labels : a->scratch.labels;
        decant__soft_assign(rows, count, source->d, model->centroids, model->parts,
                            model->options.alpha, q);
        label_rows(model, rows, count, q, labels, &out);
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
    TRY(scratch_new(&a.scratch, model, a.capacity, out));
    if (source->dense == NULL) NEW_ARRAY(a.dense, a.capacity * source->d);
    decant__team_run(threads, assign_blocks, &a);
done:
    decant__free(a.dense);
    scratch_free(&a.scratch);
    decant__rows_buffer_free(&a.buffer);
    return status;
}

/* Answers for all rows of a slice, in q. */
typedef struct answers {
    const decant_model *model;
    size_t n;
    const float *z; /* n x latent, for distances */
    float *q;
    int32_t *labels;
    const decant__assigned *out;
} answers;

static void merge_answers(void *context) {
    answers *a = context;
    merge_parts(a->model, a->n, a->q, a->labels, a->out);
}

/* By the rule of a method without centroids (gmm, sec). */
static decant_status assign_by_rule(const decant_model *model, const decant__source *points,
                                    int threads, const decant__assigned *out) {
    decant_status status = DECANT_OK;
    const decant__method *method = decant__method_of(model->options.method);
    decant_options options = decant__model_part_options(model);
    decant__task task = {.x = points, .options = &options, .threads = threads};
    scratch s = {0};
    if (method->assign == NULL)
        return decant__fail(DECANT_EINVAL,
                            "%s cannot assign rows that it was not fitted on; fit a model with "
                            "dec, kmeans, gmm or sec",
                            method->name);
    if (model->cluster_of == NULL) return method->assign(&task, &model->rule, out);
    TRY(scratch_new(&s, model, points->n, out));
    answers a = {.model = model, .n = points->n, .q = s.q, .out = out};
    a.labels = out->labels != NULL ? out->labels : s.labels;
    const decant__assigned parts = {.labels = a.labels, .soft = s.q};
    TRY(method->assign(&task, &model->rule, &parts));
    decant__team_run(threads, merge_answers, &a);
done:
    scratch_free(&s);
    return status;
}

/* By the second network: logits become soft assignments in place. */
static void answer_rows(void *context) {
    answers *a = context;
    decant__softmax(a->q, a->n, a->model->parts, a->q);
    label_rows(a->model, a->z, a->n, a->q, a->labels, a->out);
}

static decant_status assign_by_student(const decant_model *model, const decant__source *source,
                                       const float *z, int threads, const decant__assigned *out) {
    decant_status status = DECANT_OK;
    answers a = {.model = model, .n = source->n, .z = z, .out = out};
    decant__net net = decant__classifier_folded(&model->student);
    scratch s = {0};
    TRY(scratch_new(&s, model, a.n, out));
    a.labels = out->labels != NULL ? out->labels : s.labels;
    a.q = s.q != NULL ? s.q : out->soft;
    TRY(decant__encode(&net, model->student_params, source, threads, NULL, a.q));
    decant__team_run(threads, answer_rows, &a);
done:
    scratch_free(&s);
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

decant_status decant_model_apply(const decant_model *model, const decant_dataset *data, int threads,
                                 const decant_monitor *monitor, const decant_rows_wanted *wanted) {
    REQUIRE(model);
    REQUIRE(data);
    REQUIRE(wanted);
    decant_status status = DECANT_OK;
    decant_rows_wanted known = {.struct_size = sizeof known};
    TRY(decant__struct_read(&known, sizeof known, wanted, "decant_rows_wanted"));
    if (known.novelty != NULL && model->far == NULL)
        TRY(decant__fail(DECANT_EINVAL,
                         "this model has no novelty: it was fitted by a method without centroids, "
                         "or by an older version"));
    const decant__assigned out = {.labels = known.labels,
                                  .confidence = known.confidence,
                                  .soft = known.soft,
                                  .distance = known.novelty};
    TRY(apply_to_dataset(model, data, threads, monitor, "predict", &out, known.features));
done:
    return status;
}
