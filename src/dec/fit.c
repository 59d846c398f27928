/* A fit from a dataset to a result: pretrain, choose k, cluster, refine, fill in the result. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dec/predict.h"
#include "dec/like.h"
#include "dec/min_size.h"
#include "dec/novelty.h"
#include "store/model.h"
#include "dec/select_k.h"
#include "dec/student.h"
#include "options/options.h"

decant_status decant__job_run(decant__job *job) {
    decant_status status = DECANT_OK;
    static decant_status (*const run[DECANT__PHASES])(decant__job *) = {
        [DECANT__PHASE_GREEDY] = decant__pretrain, [DECANT__PHASE_FINETUNE] = decant__pretrain,
        [DECANT__PHASE_SELECT] = decant__select,   [DECANT__PHASE_NEIGHBOURS] = decant__neighbours,
        [DECANT__PHASE_CLUSTER] = decant__cluster, [DECANT__PHASE_START] = decant__start,
        [DECANT__PHASE_REFINE] = decant__refine,   [DECANT__PHASE_STUDENT] = decant__teach};
    while (job->state.phase != DECANT__PHASE_DONE)
        TRY(decant__job_agree(job, run[job->state.phase](job)));
done:
    /* A rank that was not itself asked to stop learns of it here. */
    if (status == DECANT_ECANCELLED && job->comm->size > 1 && !job->kept)
        (void)decant__job_save(job);
    return status;
}

static decant_status list_phases(const decant__job *job, decant_result *result) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(result->phases, DECANT__PHASES);
    for (int p = 0; p < DECANT__PHASES; p++) {
        if (job->state.seconds[p] == 0) continue;
        decant_phase_time *entry = &result->phases[result->phase_count++];
        const char *name = decant__job_phase_name(job, (decant__phase)p);
        memcpy(entry->phase, name, strlen(name) + 1);
        entry->seconds = job->state.seconds[p];
    }
done:
    return status;
}

/* Each rank its own rows. */
static decant_status apply_model(decant__job *job, const decant_result *result,
                                 const decant__assigned *all) {
    size_t first = job->begin[job->comm->rank];
    float *z = result->embedding != NULL ? result->embedding + first * result->latent : NULL;
    decant__assigned own = decant__assigned_from(all, first, result->k);
    decant_status status = decant__job_agree(
        job, decant__model_apply(result->model, job->source, job->threads, &job->watch, &own, z));
    if (status != DECANT_OK) return status;
    if (all->labels != NULL) decant__job_gather(job, all->labels, sizeof *all->labels);
    if (all->confidence != NULL) decant__job_gather(job, all->confidence, sizeof *all->confidence);
    if (all->soft != NULL) decant__job_gather(job, all->soft, result->k * sizeof *all->soft);
    if (all->distance != NULL) decant__job_gather(job, all->distance, sizeof *all->distance);
    if (z != NULL)
        decant__job_gather(job, result->embedding, result->latent * sizeof *result->embedding);
    return DECANT_OK;
}

/* Dissolves clusters that are too small; target: what each became. Labels are made again by the
 * model that is left, and looked at again: where two assignments are equal to the last digit, they
 * can differ. */
static decant_status keep_large(decant__job *job, decant_result *result, float *distance,
                                int32_t *target) {
    decant_status status = DECANT_OK;
    float *soft = NULL;
    int32_t *to = NULL;
    size_t left, before = result->k;
    NEW_ARRAY(soft, result->n * result->k);
    NEW_ARRAY(to, result->k);
    for (size_t c = 0; c < before; c++) target[c] = (int32_t)c;
    for (;;) {
        const decant__assigned all = {.labels = result->labels,
                                      .confidence = result->confidence,
                                      .soft = soft,
                                      .distance = distance};
        TRY(apply_model(job, result, &all));
        TRY(decant__min_size_choose(result->n, result->k, soft, job->options->min_size,
                                    result->labels, to, &left));
        if (left == result->k) break;
        TRY(decant_model_regroup(result->model, to, left));
        for (size_t c = 0; c < before; c++)
            if (target[c] >= 0) target[c] = to[target[c]];
        result->dissolved += result->k - left;
        result->k = left;
    }
done:
    decant__free(soft);
    decant__free(to);
    return status;
}

/* By the model, so that predict gives the same for these rows. */
static decant_status label_all(decant__job *job, decant_result *result, float *distance,
                               int32_t *target) {
    const decant__assigned all = {
        .labels = result->labels, .confidence = result->confidence, .distance = distance};
    return job->options->min_size > 1 ? keep_large(job, result, distance, target)
                                      : apply_model(job, result, &all);
}

/* Graph methods keep their own labels: their model is an approximation, or cannot assign. */
static decant_status label_known(decant__job *job, decant_result *result) {
    const decant__assigned nothing = {0};
    memcpy(result->labels, job->found.labels, result->n * sizeof *result->labels);
    memcpy(result->confidence, job->found.confidence, result->n * sizeof *result->confidence);
    if (result->embedding == NULL) return DECANT_OK;
    return apply_model(job, result, &nothing);
}

static decant_status label_rows(decant__job *job, decant_result *result, int32_t *target) {
    decant_status status = DECANT_OK;
    const decant__method *method = decant__method_of(job->options->method);
    float *distance = NULL;
    snprintf(job->phase_text, sizeof job->phase_text, "labels");
    decant__watch_phase(&job->watch, job->phase_text);
    if (method->by_centroids) NEW_ARRAY(distance, result->n);
    TRY(method->wants_graph ? label_known(job, result) : label_all(job, result, distance, target));
    if (distance != NULL)
        TRY(decant__novelty_learn(result->model, result->labels, distance, result->n));
done:
    decant__free(distance);
    /* A checkpoint holds centroids, but no other results of a method: see decant__clustering. */
    return method->by_centroids ? decant__job_stopped(job, status) : status;
}

static decant_status copy_graph_info(const decant__job *job, decant_result *result) {
    decant_status status = DECANT_OK;
    const decant__clustering *found = &job->found;
    result->graph_recall = job->state.graph_recall;
    result->graph_parts = found->parts;
    result->eigen_residual = found->residual;
    result->eigenvalue_count = found->eigenvalue_count;
    if (found->eigenvalue_count == 0) return DECANT_OK;
    NEW_ARRAY(result->eigenvalues, found->eigenvalue_count);
    memcpy(result->eigenvalues, found->eigenvalues,
           found->eigenvalue_count * sizeof *result->eigenvalues);
done:
    return status;
}

/* How training went; history and trace move to the result. */
static void take_outcome(decant__job *job, decant_result *result) {
    decant__state *state = &job->state;
    result->converged = (int)state->converged;
    result->returned = (size_t)state->returned;
    result->start = (int)state->start;
    result->iterations = (size_t)state->iterations;
    result->reseeded = (size_t)state->reseeded;
    result->rollbacks = (size_t)state->rollbacks;
    result->resumed_step = (size_t)state->resumed_step;
    result->loss = state->last_loss;
    result->student_changed = state->student_changed;
    result->student_kept = state->student.parameters > 0;
    memcpy(result->data_digest, job->data_digest, sizeof result->data_digest);
    result->history = state->history;
    result->history_count = state->history_count;
    state->history = NULL;
    result->trace = state->trace.kept;
    result->trace.frames = (size_t)state->trace.frames;
    state->trace = (decant__trace){0};
}

static decant_status fill_result(decant__job *job, decant_result *result) {
    decant_status status = DECANT_OK;
    int32_t *target = NULL; /* what clusters became, if some were dissolved */
    decant__state *state = &job->state;
    int has_network = job->plan.depth > 0;
    TRY(decant__model_new(&result->model, job->options, &job->scale,
                          has_network ? &job->plan : NULL, has_network ? state->params : NULL,
                          decant__job_centroids(job), &job->found.rule, job->data_digest));
    if (state->student.parameters > 0) {
        decant__classifier student;
        TRY(decant__student_plan(job, &student));
        TRY(decant__model_set_student(result->model, &student, state->student.params));
    }
    result->n = state->n;
    result->d = job->scale.d;
    result->k = state->k;
    result->latent = result->model->latent;
    result->scaling = job->scale.kind;
    result->finetune_iterations = job->options->finetune_iterations;
    result->networks = has_network ? (size_t)state->tried.count : 0;
    NEW_ARRAY(result->labels, result->n);
    NEW_ARRAY(result->confidence, result->n);
    if (has_network) NEW_ARRAY(result->embedding, result->n * result->latent);
    if (job->monitor->like != NULL) TRY(decant__like_names(job->monitor->like, result->model));
    NEW_ARRAY(target, result->k);
    TRY(label_rows(job, result, target));
    TRY(copy_graph_info(job, result));
    TRY(list_phases(job, result));
    if (state->trial_count > 0) TRY(decant__selection_take(state, &result->selection));
    take_outcome(job, result);
    if (result->dissolved > 0) TRY(decant__trace_regroup(&result->trace, target, result->k));
    if (has_network && decant__method_of(job->options->method)->by_centroids) {
        result->initial_labels = state->initial_labels;
        state->initial_labels = NULL;
    }
done:
    decant__free(target);
    return status;
}

static decant_status fit_job(decant__job *job, const decant_dataset *data, decant_result **out) {
    decant_status status = DECANT_OK;
    decant_result *result = NULL;
    NEW_ZEROED(result, 1);
    result->struct_size = sizeof *result;
    TRY(decant__job_run(job));
    TRY(decant__row_file_check(data->file));
    TRY(fill_result(job, result));
    if (data->features != NULL)
        TRY(decant__features_copy(data->features, &result->model->features));
    if (data->table != NULL) TRY(decant__table_copy(data->table, &result->model->table));
    if (data->column_names != NULL)
        TRY(decant__names_join((const char *const *)data->column_names, data->d,
                               &result->model->column_names));
    result->model->index_base = data->index_base;
done:
    if (status != DECANT_OK)
        decant_result_free(result);
    else
        *out = result;
    return status;
}

decant_status decant_fit(const decant_dataset *data, const decant_options *options,
                         const decant_monitor *monitor, decant_result **out) {
    REQUIRE(data);
    REQUIRE(options);
    REQUIRE(out);
    decant_status status = DECANT_OK;
    decant__job job = {0};
    TRY(decant__job_read(&job, options, monitor));
    TRY(decant__job_open(&job, data));
    TRY(fit_job(&job, data, out));
done:
    decant__job_close(&job);
    return status;
}

decant_model *decant_result_take_model(decant_result *result) {
    if (result == NULL) return NULL;
    decant_model *model = result->model;
    result->model = NULL;
    return model;
}

void decant_result_free(decant_result *result) {
    if (result == NULL) return;
    decant_model_free(result->model);
    decant_selection_free(result->selection);
    decant__free(result->labels);
    decant__free(result->confidence);
    decant__free(result->embedding);
    decant__free(result->initial_labels);
    decant__free(result->eigenvalues);
    decant__free(result->history);
    decant__free(result->phases);
    decant__trace_release(&result->trace);
    decant__free(result);
}
