/* From a dataset and options to a job that can run. */
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"
#include "dec/job.h"
#include "linalg/team.h"
#include "options/options.h"

/* Of -k auto; and the rows that a cluster needs for halves of the data to be clustered, too. */
enum { LEAST_CLUSTERS = 2, ROWS_EACH = 4 };

static uint64_t hash_row(const decant_dataset *data, size_t i) {
    if (data->dense != NULL) return XXH3_64bits(data->dense + i * data->d, data->d * sizeof(float));
    size_t from = data->start[i], count = data->start[i + 1] - from;
    uint64_t columns = XXH3_64bits(data->column + from, count * sizeof *data->column);
    return XXH3_64bits_withSeed(data->value + from, count * sizeof *data->value, columns);
}

/* How many different rows there are. Stops at `enough`, which is soon. */
static decant_status count_distinct(const decant_dataset *data, size_t enough, size_t *found) {
    decant_status status = DECANT_OK;
    uint64_t *table = NULL;
    size_t room = 64;
    while (room < 4 * enough) room *= 2;
    NEW_ZEROED(table, room);
    *found = 0;
    for (size_t i = 0; i < data->n && *found < enough; i++) {
        uint64_t hash = hash_row(data, i) | 1; /* 0 marks a free place */
        size_t at = (size_t)(hash >> 1) & (room - 1);
        while (table[at] != 0 && table[at] != hash) at = (at + 1) & (room - 1);
        if (table[at] == 0) ++*found;
        table[at] = hash;
    }
done:
    decant__free(table);
    return status;
}

/* The range of k, cut for auto to what there are rows enough for. */
static decant_status find_range(const decant_dataset *data, const decant_options *options,
                                decant__range *range) {
    decant_status status = DECANT_OK;
    size_t distinct;
    *range = (decant__range){options->k > 0 ? options->k : LEAST_CLUSTERS, options->k_most};
    TRY(count_distinct(data, ROWS_EACH * range->most, &distinct));
    if (options->k == 0 && range->most > distinct / ROWS_EACH) range->most = distinct / ROWS_EACH;
    size_t most = range->most > range->least ? range->most : range->least;
    if (most > distinct / ROWS_EACH)
        status = decant__fail(DECANT_EINVAL,
                              "to try %zu clusters takes %zu different rows, and the data has only "
                              "%zu",
                              most, ROWS_EACH * most, distinct);
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

decant_status decant__job_check(const decant_dataset *data, const decant_options *options) {
    decant_status status = DECANT_OK;
    size_t distinct, most = options->k_most > options->k ? options->k_most : options->k;
    TRY(decant__options_check(options));
    if (options->k > 0 && most > data->n)
        return decant__fail(DECANT_EINVAL, "k is %zu, but there are only %zu rows", most, data->n);
    TRY(decant__dataset_check_finite(data));
    if (options->k_most > 0) return check_range(data, options);
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
    size_t most = n / (2 * k);
    return options->neighbours < most ? options->neighbours : most;
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
static decant_status settle(decant__job *job, int resume) {
    decant_status status = DECANT_OK;
    if (job->asked->k_most == 0) return DECANT_OK;
    job->settled.k = job->settled.k_most = 0;
    if (resume) TRY(decant__state_peek(job->monitor->checkpoint, &job->settled.k));
done:
    return status;
}

static decant_status make_state(decant__job *job, size_t n) {
    decant_status status = DECANT_OK;
    const decant_monitor *monitor = job->monitor;
    int resume = monitor != NULL && monitor->resume && monitor->checkpoint != NULL &&
                 access(monitor->checkpoint, F_OK) == 0;
    TRY(settle(job, resume));
    const decant_options *options = job->options;
    if (options->k > (SIZE_MAX / 64 - job->plan.parameters) / width_of(job))
        return decant__fail(DECANT_EINVAL, "%zu clusters of %zu numbers are too many", options->k,
                            width_of(job));
    TRY(decant__state_new(&job->state, n, options->k, decant__job_parameters(job, options->k),
                          decant__job_neighbours(job, n, options->k)));
    TRY(decant__job_trace(job));
    if (resume)
        TRY(decant__state_load(&job->state, monitor->checkpoint, job->asked, job->data_digest));
    else
        TRY(start(job));
    job->saved_at = decant__seconds();
done:
    return status;
}

decant_status decant__job_open(decant__job *job, const decant_dataset *data,
                               const decant_options *options, const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    *job = (decant__job){.asked = options,
                         .options = &job->settled,
                         .settled = *options,
                         .monitor = monitor,
                         .watch = {.monitor = monitor},
                         .threads = decant__team_size(options->threads)};
    TRY(decant__scale_fit(&job->scale, options->scaling, data));
    job->settled.scaling = job->scale.kind;
    TRY(decant__scaled_new(&job->scaled, &job->scale, data));
    /* Half of the cap is for rows of a file that does not fit in it. */
    job->resident = (decant__resident){data->mapped, data->mapped_bytes, options->memory / 2, 0};
    if (job->resident.bytes > job->resident.most) job->scaled.source.resident = &job->resident;
    job->all = job->scaled.source;
    job->all.n += data->extra;
    job->pretraining = &job->all;
    job->source = &job->scaled.source;
    if (decant__method_has_network(options->method))
        TRY(decant__autoencoder_plan(&job->plan, data->d, options->layers, options->layer_count));
    if (decant__method_of(options->method)->wants_graph &&
        (options->neighbours < 2 || options->neighbours >= data->n))
        return decant__fail(DECANT_EINVAL,
                            "neighbours is %zu, but a graph of %zu rows has 2 to %zu",
                            options->neighbours, data->n, data->n - 1);
    if (options->k_most > 0) TRY(find_range(data, options, &job->range));
    decant__dataset_digest(data, job->data_digest);
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
