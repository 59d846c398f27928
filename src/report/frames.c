/* The last map is a t-SNE of the sample's final features. Each earlier map starts from the map
 * after it and does a few steps of descent on its own features: points keep their places, except
 * for what refinement changed. */
#include "report/frames.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/watch.h"
#include "dec/assign.h"
#include "base/team.h"
#include "report/map.h"
#include "decant/report.h"

enum { ITERATIONS = 600, FOLLOW_STEPS = 30 };

void decant__frames_free(decant__frames *frames) {
    decant__free(frames->step);
    decant__free(frames->cluster);
    decant__free(frames->map);
    decant__free(frames->accuracy);
    decant__free(frames->q);
    decant__free(frames->gradient);
    *frames = (decant__frames){0};
}

/* ---- progress: all maps are reported as one phase ---- */

typedef struct map_progress {
    const decant_monitor *outer; /* the caller's */
    size_t done, total;          /* steps of descent */
    double began;
} map_progress;

static int forward_progress(const decant_progress *progress, void *user) {
    const map_progress *self = user;
    size_t step = strcmp(progress->phase, "map") == 0 ? progress->step : 0;
    decant_progress all = {.struct_size = sizeof all,
                           .phase = "report",
                           .step = self->done + step,
                           .steps = self->total,
                           .loss = NAN,
                           .changed = NAN,
                           .seconds = decant__seconds() - self->began};
    return self->outer->progress(&all, self->outer->user);
}

/* ---- maps ---- */

/* A copy of some rows of a dataset. */
typedef struct subset {
    decant_dataset data;
    float *dense, *value;
    size_t *start;
    uint32_t *column;
} subset;

static void subset_free(subset *s) {
    decant__free(s->dense);
    decant__free(s->value);
    decant__free(s->start);
    decant__free(s->column);
}

static decant_status take_rows(subset *s, const decant_dataset *data, const uint32_t *row,
                               size_t count) {
    decant_status status = DECANT_OK;
    size_t d = data->d, used = 0;
    *s = (subset){.data = {.n = count, .d = d}};
    if (data->dense != NULL) {
        NEW_ARRAY(s->dense, count * d);
        for (size_t i = 0; i < count; i++) TRY(decant_dataset_row(data, row[i], s->dense + i * d));
        s->data.dense = s->dense;
        return DECANT_OK;
    }
    NEW_ARRAY(s->start, count + 1);
    s->start[0] = 0;
    for (size_t i = 0; i < count; i++)
        s->start[i + 1] = s->start[i] + data->start[row[i] + 1] - data->start[row[i]];
    NEW_ARRAY(s->column, s->start[count]);
    NEW_ARRAY(s->value, s->start[count]);
    for (size_t i = 0; i < count; i++)
        for (size_t e = data->start[row[i]]; e < data->start[row[i] + 1]; e++, used++) {
            s->column[used] = data->column[e];
            s->value[used] = data->value[e];
        }
    s->data.start = s->start;
    s->data.column = s->column;
    s->data.value = s->value;
done:
    return status;
}

/* The map of the result: of the learned features, or of the data if there is no network. */
static decant_status map_result(const decant__study *study, const decant_map_options *options,
                                const decant_monitor *monitor, float *map) {
    decant_status status = DECANT_OK;
    subset s = {0};
    decant__scaled scaled = {0};
    const decant_dataset *rows = study->embedding != NULL ? study->embedding : study->data;
    TRY(take_rows(&s, rows, study->row, study->count));
    if (study->embedding != NULL) {
        decant__source z = decant__source_dense(s.dense, study->count, rows->d);
        TRY(decant__map_source(&z, options, monitor, map, NULL));
    } else {
        TRY(decant__scaled_new(&scaled, &study->model->scale, &s.data));
        TRY(decant__map_source(&scaled.source, options, monitor, map, NULL));
    }
done:
    decant__scaled_free(&scaled);
    subset_free(&s);
    return status;
}

static decant_status make_maps(decant__frames *frames, const decant__study *study, int threads,
                               const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    const decant_trace *trace = &study->trace;
    size_t size = 2 * study->count, last = frames->count - 1;
    map_progress relay = {
        .outer = monitor, .total = ITERATIONS + last * FOLLOW_STEPS, .began = decant__seconds()};
    decant_monitor inner = {.progress = forward_progress, .user = &relay};
    const decant_monitor *watched = monitor != NULL && monitor->progress != NULL ? &inner : NULL;
    decant_map_options options;
    decant_map_options_init(&options, sizeof options);
    options.iterations = ITERATIONS;
    options.seed = study->model->options.seed;
    options.threads = threads;
    TRY(map_result(study, &options, watched, frames->map + last * size));
    relay.done = ITERATIONS;
    for (size_t f = last; f-- > 0;) {
        float *map = frames->map + f * size;
        decant__source z = decant__source_dense(trace->z + f * trace->rows * trace->width,
                                                trace->rows, trace->width);
        memcpy(map, map + size, size * sizeof *map);
        TRY(decant__map_follow(&z, &options, FOLLOW_STEPS, watched, map));
        relay.done += FOLLOW_STEPS;
    }
done:
    return status;
}

/* ---- steps, labels and accuracy ---- */

/* Frames before the result. A last update that is the result itself is not counted. */
static size_t earlier_frames(const decant__study *study) {
    const decant_trace *trace = &study->trace;
    size_t frames = trace->frames;
    double end = json_number_value(json_object_get(study->manifest, "iterations"));
    while (frames > 0 && trace->step[frames - 1] >= end) frames--;
    return frames;
}

static void list_frames(decant__frames *frames, const decant__study *study) {
    size_t last = frames->count - 1, n = study->count;
    for (size_t f = 0; f < last; f++) {
        frames->step[f] = (size_t)study->trace.step[f];
        memcpy(frames->cluster + f * n, study->trace.labels + f * n, n * sizeof *frames->cluster);
    }
    frames->step[last] = (size_t)json_integer_value(json_object_get(study->manifest, "iterations"));
    for (size_t i = 0; i < n; i++) frames->cluster[last * n + i] = study->cluster[study->row[i]];
}

static decant_status score_frames(decant__frames *frames, const decant__study *study) {
    decant_status status = DECANT_OK;
    int32_t *class = NULL;
    decant_scores scores;
    for (size_t f = 0; f < frames->count; f++) frames->accuracy[f] = NAN;
    if (study->data == NULL || study->data->labels == NULL) return DECANT_OK;
    NEW_ARRAY(class, study->count);
    for (size_t i = 0; i < study->count; i++) class[i] = decant__study_class(study, study->row[i]);
    for (size_t f = 0; f < frames->count; f++) {
        TRY(decant_score(frames->cluster + f * study->count, class, study->count, &scores));
        frames->accuracy[f] = scores.acc;
    }
done:
    decant__free(class);
    return status;
}

/* ---- Figure 4 ---- */

/* eq. 1 to 4 on the sample, at the first update of the target. */
typedef struct first_update {
    const decant_trace *trace;
    double alpha;
    float *confidence;     /* n */
    float *q, *p, *kernel; /* n x k */
    float *dz, *dmu;       /* n x l, k x l */
    double *f, *partial, *loss;
} first_update;

static void gradient_rows(void *context) {
    const first_update *u = context;
    const decant_trace *trace = u->trace;
    size_t n = trace->rows, k = trace->k, l = trace->width;
    decant__soft_assign(trace->z, n, l, trace->centroids, k, u->alpha, u->q);
    decant__hard_assign(u->q, n, k, NULL, u->confidence);
    TEAM_SINGLE memcpy(u->p, u->q, n * k * sizeof *u->p);
    decant__frequencies(u->p, n, k, u->partial, u->f);
    decant__target(u->p, n, k, u->f);
    decant__shards shards = decant__shards_even(n);
    decant__sum_tree tree = decant__shards_tree(&shards);
    decant__kl_gradients(trace->z, n, l, trace->centroids, k, u->alpha, u->p, u->q, 1, &tree,
                         u->kernel, u->dz, u->dmu, u->loss);
}

/* The norm of the gradient (eq. 4) of each row of the sample, with the target (eq. 3) over the
 * sample. */
static decant_status find_gradient(decant__frames *frames, const decant_trace *trace, double alpha,
                                   int threads) {
    decant_status status = DECANT_OK;
    size_t n = trace->rows, k = trace->k, l = trace->width;
    first_update u = {.trace = trace, .alpha = alpha};
    NEW_ARRAY(frames->q, n);
    NEW_ARRAY(frames->gradient, n);
    NEW_ARRAY(u.q, n * k);
    NEW_ARRAY(u.p, n * k);
    NEW_ARRAY(u.kernel, n * k);
    NEW_ARRAY(u.dz, n * l);
    NEW_ARRAY(u.dmu, k * l);
    NEW_ARRAY(u.f, k);
    NEW_ARRAY(u.partial, decant__frequency_partials(n, k));
    NEW_ARRAY(u.loss, n);
    u.confidence = frames->q;
    decant__team_run(threads, gradient_rows, &u);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < l; j++) sum += (double)u.dz[i * l + j] * (double)u.dz[i * l + j];
        frames->gradient[i] = (float)sqrt(sum);
    }
done:
    decant__free(u.q);
    decant__free(u.p);
    decant__free(u.kernel);
    decant__free(u.dz);
    decant__free(u.dmu);
    decant__free(u.f);
    decant__free(u.partial);
    decant__free(u.loss);
    return status;
}

decant_status decant__frames_make(decant__frames *frames, const decant__study *study, int threads,
                                  const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    *frames = (decant__frames){0};
    threads = decant__team_size(threads);
    if (study->embedding == NULL && study->data == NULL) goto done;
    frames->count = earlier_frames(study) + 1;
    NEW_ARRAY(frames->step, frames->count);
    NEW_ARRAY(frames->cluster, frames->count * study->count);
    NEW_ARRAY(frames->map, frames->count * study->count * 2);
    NEW_ARRAY(frames->accuracy, frames->count);
    list_frames(frames, study);
    TRY(score_frames(frames, study));
    if (study->trace.frames > 0)
        TRY(find_gradient(frames, &study->trace, study->model->options.alpha, threads));
    TRY(make_maps(frames, study, threads, monitor));
done:
    if (status != DECANT_OK) decant__frames_free(frames);
    return status;
}
