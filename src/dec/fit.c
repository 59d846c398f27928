/* A fit from a dataset to a result: check, scale, pretrain, cluster, refine, tell. */
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"
#include "data/scale.h"
#include "dec/job.h"
#include "dec/model.h"
#include "linalg/team.h"
#include "options/options.h"

static uint64_t hash_row(const decant_dataset *data, size_t i) {
    if (data->dense != NULL) return XXH3_64bits(data->dense + i * data->d, data->d * sizeof(float));
    size_t from = data->start[i], count = data->start[i + 1] - from;
    uint64_t columns = XXH3_64bits(data->column + from, count * sizeof *data->column);
    return XXH3_64bits_withSeed(data->value + from, count * sizeof *data->value, columns);
}

/* Are there at least k different rows? Stops as soon as there are, which is soon. */
static decant_status check_distinct(const decant_dataset *data, size_t k) {
    decant_status status = DECANT_OK;
    uint64_t *table = NULL;
    size_t room = 64, found = 0;
    while (room < 4 * k) room *= 2;
    NEW_ZEROED(table, room);
    for (size_t i = 0; i < data->n && found < k; i++) {
        uint64_t hash = hash_row(data, i) | 1; /* 0 marks a free place */
        size_t at = (size_t)(hash >> 1) & (room - 1);
        while (table[at] != 0 && table[at] != hash) at = (at + 1) & (room - 1);
        if (table[at] == 0) found++;
        table[at] = hash;
    }
    if (found < k)
        status = decant__fail(DECANT_EINVAL,
                              "the data has only %zu different rows, too few for %zu clusters",
                              found, k);
done:
    decant__free(table);
    return status;
}

static decant_status check(const decant_dataset *data, const decant_options *options) {
    decant_status status = DECANT_OK;
    TRY(decant__options_check(options));
    if (options->k > data->n)
        return decant__fail(DECANT_EINVAL, "k is %zu, but there are only %zu rows", options->k,
                            data->n);
    TRY(decant__dataset_check_finite(data));
    TRY(check_distinct(data, options->k));
done:
    return status;
}

/* The phase a method begins with, for a state that was not resumed. */
static decant_status start(decant__job *job) {
    int trained = job->plan.depth == 0;
    if (!trained) {
        decant_status status = decant__pretrained_find(job, &trained);
        if (status != DECANT_OK) return status;
    }
    if (!trained)
        decant__autoencoder_init(&job->plan, job->options->init_std, job->options->seed,
                                 job->state.params);
    decant__state_enter(&job->state, trained ? decant__job_clustering(job) : DECANT__PHASE_GREEDY,
                        0);
    return DECANT_OK;
}

/* How many neighbours the graph has: none for methods that neither refine nor work on a graph. A
 * neighbourhood as large as a cluster would smooth all of them into one, so little data has fewer.
 */
static size_t graph_size(const decant__job *job, size_t n) {
    const decant_options *options = job->options;
    if (decant__method_of(options->method)->wants_graph) return options->neighbours;
    if (!decant__method_refines(options->method) || options->smooth_steps == 0) return 0;
    size_t most = n / (2 * options->k);
    return options->neighbours < most ? options->neighbours : most;
}

static decant_status prepare(decant__job *job, const decant_dataset *data) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    const decant_monitor *monitor = job->monitor;
    size_t width = data->d;
    if (decant__method_has_network(options->method)) {
        TRY(decant__autoencoder_plan(&job->plan, data->d, options->layers, options->layer_count));
        width = options->layers[options->layer_count - 1];
    }
    if (decant__method_of(options->method)->wants_graph &&
        (options->neighbours < 2 || options->neighbours >= data->n))
        return decant__fail(DECANT_EINVAL,
                            "neighbours is %zu, but a graph of %zu rows has 2 to %zu",
                            options->neighbours, data->n, data->n - 1);
    if (options->k > (SIZE_MAX / 64 - job->plan.parameters) / width)
        return decant__fail(DECANT_EINVAL, "%zu clusters of %zu numbers are too many", options->k,
                            width);
    decant__dataset_digest(data, job->data_digest);
    TRY(decant__state_new(&job->state, data->n, options->k,
                          job->plan.parameters + options->k * width, graph_size(job, data->n)));
    TRY(decant__trace_new(&job->state.trace, data->n, options->k,
                          decant__method_refines(options->method) ? width : 0, options->seed));
    int resume = monitor != NULL && monitor->resume && monitor->checkpoint != NULL &&
                 access(monitor->checkpoint, F_OK) == 0;
    if (resume)
        TRY(decant__state_load(&job->state, monitor->checkpoint, options, job->data_digest));
    else
        TRY(start(job));
    job->saved_at = decant__seconds();
done:
    return status;
}

static decant_status run_phases(decant__job *job) {
    decant_status status = DECANT_OK;
    TRY(decant__pretrain(job));
    if (job->state.phase == DECANT__PHASE_NEIGHBOURS) TRY(decant__neighbours(job));
    if (job->state.phase == DECANT__PHASE_CLUSTER) TRY(decant__cluster(job));
    if (job->state.phase == DECANT__PHASE_START) TRY(decant__start(job));
    if (job->state.phase == DECANT__PHASE_REFINE) TRY(decant__refine(job));
done:
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

/* Labels and confidence come from the model itself, so that predict says the same of these rows;
 * but a method on a graph knows more of the rows it was fitted on than its model can say. */
static decant_status label_rows(decant__job *job, decant_result *result) {
    int known = decant__method_of(job->options->method)->wants_graph;
    if (known) {
        memcpy(result->labels, job->found.labels, result->n * sizeof *result->labels);
        memcpy(result->confidence, job->found.confidence, result->n * sizeof *result->confidence);
        if (result->embedding == NULL) return DECANT_OK;
    }
    return decant__model_apply(result->model, job->source, job->threads,
                               known ? NULL : result->labels, known ? NULL : result->confidence,
                               result->embedding);
}

static decant_status tell_graph(const decant__job *job, decant_result *result) {
    decant_status status = DECANT_OK;
    const decant__found *found = &job->found;
    result->graph_recall = job->state.graph_recall;
    result->graph_parts = found->parts;
    result->eigenvalue_count = found->eigenvalue_count;
    if (found->eigenvalue_count == 0) return DECANT_OK;
    NEW_ARRAY(result->eigenvalues, found->eigenvalue_count);
    memcpy(result->eigenvalues, found->eigenvalues,
           found->eigenvalue_count * sizeof *result->eigenvalues);
done:
    return status;
}

static decant_status conclude(decant__job *job, const decant__scale *scale, decant_result *result) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    int has_network = job->plan.depth > 0;
    TRY(decant__model_new(&result->model, job->options, scale, has_network ? &job->plan : NULL,
                          has_network ? state->params : NULL, decant__job_centroids(job),
                          &job->found.rule, job->data_digest));
    result->n = state->n;
    result->d = job->source->d;
    result->k = state->k;
    result->latent = result->model->latent;
    NEW_ARRAY(result->labels, result->n);
    NEW_ARRAY(result->confidence, result->n);
    if (has_network) NEW_ARRAY(result->embedding, result->n * result->latent);
    TRY(label_rows(job, result));
    TRY(tell_graph(job, result));
    TRY(list_phases(job, result));
    result->converged = (int)state->converged;
    result->iterations = (size_t)state->iterations;
    result->reseeded = (size_t)state->reseeded;
    result->rollbacks = (size_t)state->rollbacks;
    result->resumed_step = (size_t)state->resumed_step;
    result->loss = state->last_loss;
    memcpy(result->data_digest, job->data_digest, sizeof result->data_digest);
    result->history = state->history;
    result->history_count = state->history_count;
    state->history = NULL;
    result->trace = state->trace.kept;
    result->trace.frames = (size_t)state->trace.frames;
    state->trace = (decant__trace){0};
    if (has_network && decant__method_of(job->options->method)->by_centroids) {
        result->initial_labels = state->initial_labels;
        state->initial_labels = NULL;
    }
done:
    return status;
}

/* What all fits of a sweep have in common, kept in memory and in the checkpoint. */
static decant_status run_shared(decant__job *job, decant__state *shared) {
    decant_status status = DECANT_OK;
    TRY(decant__pretrain(job));
    if (job->state.phase == DECANT__PHASE_NEIGHBOURS) TRY(decant__neighbours(job));
    TRY(decant__job_save(job));
    TRY(decant__state_copy(shared, &job->state));
done:
    return status;
}

static decant_status run_one(decant__job *job, const decant_dataset *data,
                             const decant__scale *scale, decant_result **out) {
    decant_status status = DECANT_OK;
    decant_result *result = NULL;
    NEW_ZEROED(result, 1);
    TRY(run_phases(job));
    TRY(conclude(job, scale, result));
    if (data->features != NULL)
        TRY(decant__features_copy(data->features, &result->model->features));
done:
    if (status != DECANT_OK)
        decant_result_free(result);
    else
        *out = result;
    return status;
}

/* Each from where the shared part ended, and without a checkpoint of its own. */
static decant_status run_each(decant__job *job, const decant_dataset *data,
                              const decant__scale *scale, const decant_options *options,
                              size_t count, decant_result **out) {
    decant_status status = DECANT_OK;
    decant__state shared = {0};
    decant_monitor watched = job->monitor != NULL ? *job->monitor : (decant_monitor){0};
    TRY(run_shared(job, &shared));
    watched.checkpoint = NULL;
    job->monitor = job->watch.monitor = &watched;
    for (size_t c = 0; c < count; c++) {
        decant__state_free(&job->state);
        TRY(decant__state_copy(&job->state, &shared));
        job->options = &options[c];
        TRY(run_one(job, data, scale, &out[c]));
    }
done:
    decant__state_free(&shared);
    return status;
}

decant_status decant__fit_each(const decant_dataset *data, const decant_options *options,
                               size_t count, const decant_monitor *monitor, decant_result **out) {
    decant_status status = DECANT_OK;
    decant__scale scale = {0};
    decant__scaled scaled = {0};
    decant__resident resident = {data->mapped, data->mapped_bytes, options->memory / 2, 0};
    decant__job job = {.options = options, .monitor = monitor, .watch = {.monitor = monitor}};
    int saved = decant__team_enter();
    for (size_t c = 0; c < count; c++) TRY(check(data, &options[c]));
    job.threads = decant__team_size(options->threads);
    TRY(decant__scale_fit(&scale, options->scaling, data));
    TRY(decant__scaled_new(&scaled, &scale, data));
    /* Half of the cap is for rows of a file that does not fit in it. */
    if (resident.bytes > resident.most) scaled.source.resident = &resident;
    decant__source pretraining = scaled.source;
    pretraining.n += data->extra;
    job.source = &scaled.source;
    job.pretraining = &pretraining;
    TRY(prepare(&job, data));
    if (count == 1)
        TRY(run_one(&job, data, &scale, out));
    else
        TRY(run_each(&job, data, &scale, options, count, out));
done:
    decant__state_free(&job.state);
    decant__found_free(&job.found);
    decant__scaled_free(&scaled);
    decant__scale_free(&scale);
    decant__team_leave(saved);
    return status;
}

decant_status decant_fit(const decant_dataset *data, const decant_options *options,
                         const decant_monitor *monitor, decant_result **out) {
    return decant__fit_each(data, options, 1, monitor, out);
}

void decant_result_free(decant_result *result) {
    if (result == NULL) return;
    decant_model_free(result->model);
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
