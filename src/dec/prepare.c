/* From a dataset and options to a job that can run. */
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"
#include "dec/job.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kernel.h"
#include "options/options.h"

/* Of -k auto; and the rows that a cluster needs for halves of the data to be clustered, too. */
enum { MIN_CLUSTERS = 2, ROWS_EACH = 4 };
/* Sparse rows of at least so many columns for each in a sample, and with fewer non-zeros than this
 * share, are reconstructed by a sample of their zeros. */
enum { MIN_WIDTH = 4 };
static const double MAX_DENSITY = 0.05;

static uint64_t hash_row(const decant_dataset *data, size_t i, float *buffer) {
    if (data->dense != NULL)
        return XXH3_64bits(decant__dataset_row(data, i, buffer), data->d * sizeof(float));
    size_t from = data->start[i], count = data->start[i + 1] - from;
    uint64_t columns = XXH3_64bits(data->column + from, count * sizeof *data->column);
    return XXH3_64bits_withSeed(data->value + from, count * sizeof *data->value, columns);
}

/* How many different rows there are. Stops at `enough`, which is soon. */
static decant_status count_distinct(const decant_dataset *data, size_t enough, size_t *found) {
    decant_status status = DECANT_OK;
    uint64_t *table = NULL;
    float *buffer = NULL;
    size_t capacity = 64;
    while (capacity < 4 * enough) capacity *= 2;
    NEW_ZEROED(table, capacity);
    TRY(decant__dataset_buffer(data, data->d, &buffer));
    *found = 0;
    for (size_t i = 0; i < data->n && *found < enough; i++) {
        uint64_t hash = hash_row(data, i, buffer) | 1; /* 0 marks a free place */
        size_t at = (size_t)(hash >> 1) & (capacity - 1);
        while (table[at] != 0 && table[at] != hash) at = (at + 1) & (capacity - 1);
        if (table[at] == 0) ++*found;
        table[at] = hash;
    }
    TRY(decant__row_file_check(data->file));
done:
    decant__free(table);
    decant__free(buffer);
    return status;
}

/* The range of k, cut for auto to what there are rows enough for. */
static decant_status find_range(const decant_dataset *data, const decant_options *options,
                                decant__range *range) {
    decant_status status = DECANT_OK;
    size_t distinct;
    *range = (decant__range){options->k > 0 ? options->k : MIN_CLUSTERS, options->k_max};
    TRY(count_distinct(data, ROWS_EACH * range->max, &distinct));
    if (options->k == 0 && range->max > distinct / ROWS_EACH) range->max = distinct / ROWS_EACH;
    size_t max = range->max > range->min ? range->max : range->min;
    if (max > distinct / ROWS_EACH)
        status = decant__fail(DECANT_EINVAL,
                              "to try %zu clusters takes %zu different rows, and the data has only "
                              "%zu",
                              max, ROWS_EACH * max, distinct);
done:
    return status;
}

/* k is chosen in features, by what centroids do in them. */
static decant_status check_range(const decant_dataset *data, const decant_options *options) {
    decant__range range;
    if (!decant__method_has_network(options->method) ||
        decant__method_of(options->method)->wants_graph ||
        !decant__method_of(options->method)->by_centroids)
        return decant__fail(DECANT_EINVAL,
                            "k can only be chosen for dec, idec, dec-nobackprop and ae+kmeans: "
                            "give a number of clusters");
    return find_range(data, options, &range);
}

decant_status decant__job_check(const decant_dataset *data, const decant_options *options,
                                const decant_monitor *monitor, decant__summary *found) {
    decant__watch watch = {.monitor = monitor};
    decant_status status = DECANT_OK;
    size_t distinct, max = options->k_max > options->k ? options->k_max : options->k;
    TRY(decant__options_check(options));
    TRY(decant__dataset_check_matrix(data));
    if (options->k > 0 && max > data->n)
        return decant__fail(DECANT_EINVAL, "k is %zu, but there %s only %zu row%s", max,
                            data->n == 1 ? "is" : "are", data->n, data->n == 1 ? "" : "s");
    decant__watch_phase(&watch, "read");
    TRY(decant__scan(data, DECANT__SCAN_DIGEST | decant__scale_needs(options->scaling),
                     decant__team_size(options->threads), &watch, found));
    if (options->k_max > 0) return check_range(data, options);
    TRY(count_distinct(data, options->k, &distinct));
    if (distinct < options->k)
        status = decant__fail(DECANT_EINVAL,
                              "the data has only %zu different rows, too few for %zu clusters",
                              distinct, options->k);
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

static size_t width_of(const decant__job *job) {
    const decant_options *options = job->options;
    return decant__method_has_network(options->method) ? options->layers[options->layer_count - 1]
                                                       : job->source->d;
}

size_t decant__job_parameters(const decant__job *job, size_t k) {
    return job->plan.parameters + k * width_of(job);
}

/* None for methods that neither refine nor work on a graph. A neighbourhood as large as a cluster
 * would smooth all of them into one, so little data has fewer. */
size_t decant__job_neighbours(const decant__job *job, size_t n, size_t k) {
    const decant_options *options = job->options;
    if (decant__method_of(options->method)->wants_graph) return options->neighbours;
    if (!decant__method_refines(options->method) || options->smooth_steps == 0 || k == 0) return 0;
    size_t max = n / (2 * k);
    return options->neighbours < max ? options->neighbours : max;
}

/* Nothing is refined before k is known. */
decant_status decant__job_trace(decant__job *job) {
    decant__state *state = &job->state;
    int traced = state->k > 0 && decant__method_refines(job->options->method);
    decant__trace_free(&state->trace);
    return decant__trace_new(&state->trace, state->n, state->k, traced ? width_of(job) : 0,
                             job->options->seed);
}

/* Where k is chosen, it is 0 until then. */
static decant_status defer_k(decant__job *job, int resume) {
    decant_status status = DECANT_OK;
    if (job->requested->k_max == 0) return DECANT_OK;
    job->effective.k = job->effective.k_max = 0;
    if (!resume) return DECANT_OK;
    TRY(decant__state_peek(job->monitor->checkpoint, &job->effective.k));
    if (job->effective.k > job->range.max)
        TRY(decant__fail(DECANT_EFORMAT, "%s: has %zu clusters, expected at most %zu",
                         job->monitor->checkpoint, job->effective.k, job->range.max));
done:
    return status;
}

/* Can a fit with these options be in this phase? */
static int is_phase_of(const decant__job *job, decant__phase phase) {
    const decant__method *method = decant__method_of(job->options->method);
    int has_network = job->plan.depth > 0, chosen = job->options->k > 0;
    switch (phase) {
        case DECANT__PHASE_GREEDY:
        case DECANT__PHASE_FINETUNE:
            return has_network;
        case DECANT__PHASE_SELECT:
            return has_network && !chosen;
        case DECANT__PHASE_NEIGHBOURS:
            return method->wants_graph && chosen;
        case DECANT__PHASE_CLUSTER:
            return chosen;
        case DECANT__PHASE_START:
        case DECANT__PHASE_REFINE:
            return decant__method_refines(job->options->method) && chosen;
        case DECANT__PHASE_DONE: /* but for the labels, which follow from the centroids */
            return method->by_centroids && chosen;
    }
    return 0;
}

/* What the file alone cannot know: the phases of this method, and the range that k is chosen from.
 * Trials are made in the order of k. */
static decant_status check_resumed(const decant__job *job) {
    const decant__state *state = &job->state;
    const decant__range *range = &job->range;
    int sound = is_phase_of(job, state->phase);
    size_t max = job->requested->k_max > 0 ? range->max - range->min + 1 : 0;
    if (state->trial_count > max) sound = 0;
    if (max > 0 && state->k > 0 && (state->k < range->min || state->k > range->max)) sound = 0;
    for (size_t t = 0; t < state->trial_count; t++)
        if (state->trials[t].k != range->min + t) sound = 0;
    if (sound) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: is not a state that this fit can be in",
                        job->monitor->checkpoint);
}

static decant_status make_state(decant__job *job, size_t n) {
    decant_status status = DECANT_OK;
    const decant_monitor *monitor = job->monitor;
    int resume = monitor != NULL && monitor->resume && monitor->checkpoint != NULL &&
                 access(monitor->checkpoint, F_OK) == 0;
    TRY(defer_k(job, resume));
    const decant_options *options = job->options;
    if (options->k > (SIZE_MAX / 64 - job->plan.parameters) / width_of(job))
        return decant__fail(DECANT_EINVAL, "%zu clusters of %zu numbers are too many", options->k,
                            width_of(job));
    TRY(decant__state_new(&job->state, n, options->k, decant__job_parameters(job, options->k),
                          decant__job_neighbours(job, n, options->k)));
    TRY(decant__job_trace(job));
    if (resume) {
        TRY(decant__state_load(&job->state, monitor->checkpoint, job->requested, job->data_digest));
        TRY(check_resumed(job));
    } else {
        TRY(start(job));
    }
    job->saved_at = decant__seconds();
done:
    return status;
}

static decant_status check_neighbours(const decant_options *options, size_t n) {
    if (n < 3)
        return decant__fail(DECANT_EINVAL,
                            "a neighbour graph needs 3 rows or more, and there are %zu: "
                            "take a method without a graph, such as kmeans",
                            n);
    if (options->neighbours < 2 || options->neighbours >= n)
        return decant__fail(DECANT_EINVAL,
                            "neighbours is %zu; for %zu rows it must be 2 or more, and at most %zu",
                            options->neighbours, n, n - 1);
    return DECANT_OK;
}

/* Does the reconstruction see a sample of the zeros? It pays where the sample is a small part of
 * the columns and nearly all numbers are 0. */
static int samples_zeros(const decant__source *source, const decant_options *options) {
    if (source->dense != NULL || options->zeros == 0) return 0;
    if (source->d / MIN_WIDTH < options->zeros) return 0;
    return (double)source->start[source->n] < MAX_DENSITY * (double)source->n * (double)source->d;
}

decant_status decant__job_open(decant__job *job, const decant_dataset *data,
                               const decant__summary *found, const decant_options *options,
                               const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    *job = (decant__job){.requested = options,
                         .options = &job->effective,
                         .effective = *options,
                         .monitor = monitor,
                         .watch = {.monitor = monitor, .rows = data->file, .last = &job->last},
                         .threads = decant__team_size(options->threads)};
    TRY(decant__kernel_check());
    if (decant__method_of(options->method)->wants_blas || options->whiten > 0)
        TRY(decant__blas_begin(job->threads));
    decant__watch_phase(&job->watch, "read");
    TRY(decant__scale_fit(&job->scale, options->scaling, data, found, job->threads, &job->watch));
    job->effective.scaling = job->scale.kind;
    TRY(decant__scaled_new(&job->scaled, &job->scale, data));
    if (decant__method_of(options->method)->wants_graph &&
        !decant__method_has_network(options->method))
        TRY(decant__scaled_compact(&job->scaled));
    job->all = job->scaled.source;
    job->all.n += data->extra;
    job->pretraining = &job->all;
    job->source = &job->scaled.source;
    if (decant__method_has_network(options->method)) {
        TRY(decant__autoencoder_plan(&job->plan, data->d, options->layers, options->layer_count));
        if (samples_zeros(&job->all, options))
            decant__autoencoder_sample(&job->plan, options->zeros);
    }
    if (decant__method_of(options->method)->wants_graph) TRY(check_neighbours(options, data->n));
    if (options->k_max > 0) TRY(find_range(data, options, &job->range));
    memcpy(job->data_digest, found->digest, sizeof job->data_digest);
    TRY(make_state(job, data->n));
done:
    return status;
}

void decant__job_close(decant__job *job) {
    decant__state_free(&job->state);
    decant__found_free(&job->found);
    decant__scaled_free(&job->scaled);
    decant__scale_free(&job->scale);
}
