/* From a dataset and options to a job that can run. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/memory.h"
#include "dec/job.h"
#include "dec/like.h"
#include "dec/networks.h"
#include "dec/schedule.h"
#include "dec/student.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kernel.h"
#include "options/options.h"

/* The smallest k of -k auto; and the min rows of a cluster, so that half of the rows can be
 * clustered too. */
enum { MIN_CLUSTERS = 2, ROWS_EACH = 4, AUTO_ROWS_EACH = 8 };
/* Sparse rows of at least so many columns for each in a sample, and with fewer non-zeros than this
 * share, are reconstructed by a sample of their zeros. */
enum { MIN_WIDTH = 4 };
static const double MAX_DENSITY = 0.05;
/* The rate of pretraining is meant for layers of up to so many inputs, as the paper's widest has.
 * The numbers of a row add up to more in wide rows: in single cells to twice as much. */
static const double WIDE = 2000;

static uint64_t hash_row(const decant_dataset *data, size_t i, float *buffer) {
    if (data->dense != NULL)
        return XXH3_64bits(decant__dataset_row(data, i, buffer), data->d * sizeof(float));
    size_t from = data->start[i], count = data->start[i + 1] - from;
    uint64_t columns = XXH3_64bits(data->column + from, count * sizeof *data->column);
    return XXH3_64bits_withSeed(data->value + from, count * sizeof *data->value, columns);
}

/* A count of distinct rows, which stops at `enough`. */
typedef struct tally {
    const decant_dataset *data;
    size_t enough, capacity;
    uint64_t *table; /* capacity: hashes of rows; 0: an empty slot */
    float *buffer;
    size_t found;
} tally;

static decant_status count_rows(void *context) {
    tally *c = context;
    const decant_dataset *data = c->data;
    for (size_t i = 0; i < data->n && c->found < c->enough; i++) {
        uint64_t hash = hash_row(data, i, c->buffer) | 1;
        size_t at = (size_t)(hash >> 1) & (c->capacity - 1);
        while (c->table[at] != 0 && c->table[at] != hash) at = (at + 1) & (c->capacity - 1);
        if (c->table[at] == 0) c->found++;
        c->table[at] = hash;
    }
    return decant__row_file_check(data->file);
}

static decant_status count_distinct(const decant_dataset *data, size_t enough, size_t *found) {
    decant_status status = DECANT_OK;
    tally c = {.data = data, .enough = enough, .capacity = 64};
    while (c.capacity < 4 * enough) c.capacity *= 2;
    NEW_ZEROED(c.table, c.capacity);
    TRY(decant__dataset_buffer(data, data->d, &c.buffer));
    const decant__relay relay = {
        .work = count_rows,
        .context = &c,
        .piece = {{c.table, c.capacity * sizeof *c.table}, {&c.found, sizeof c.found}}};
    TRY(decant__comm_relay(decant__dataset_comm(data), &relay));
    *found = c.found;
done:
    status = decant__comm_agree(decant__dataset_comm(data), status);
    decant__free(c.table);
    decant__free(c.buffer);
    return status;
}

/* The range of k; for auto, limited by the number of distinct rows: halves are clustered, and of a
 * cluster of two or three rows nobody can say that it is found again. */
static decant_status find_range(const decant_dataset *data, const decant_options *options,
                                decant__range *range) {
    decant_status status = DECANT_OK;
    size_t distinct;
    *range = (decant__range){options->k > 0 ? options->k : MIN_CLUSTERS, options->k_max};
    TRY(count_distinct(data, AUTO_ROWS_EACH * range->max, &distinct));
    if (options->k == 0 && range->max > distinct / AUTO_ROWS_EACH) {
        range->max = distinct / AUTO_ROWS_EACH;
        if (range->max < MIN_CLUSTERS) range->max = MIN_CLUSTERS;
    }
    size_t max = range->max > range->min ? range->max : range->min;
    if (max > distinct / ROWS_EACH)
        status = decant__fail(DECANT_EINVAL,
                              "trying %zu clusters needs at least %zu different rows, but the data "
                              "has only %zu",
                              max, ROWS_EACH * max, distinct);
done:
    return status;
}

/* The choice of k clusters features by centroids, so the method must do that too. */
static decant_status check_choice_of_k(const decant_dataset *data, const decant_options *options) {
    decant__range range;
    if (!decant__method_has_network(options->method) ||
        decant__method_of(options->method)->wants_graph ||
        !decant__method_of(options->method)->by_centroids)
        return decant__fail(DECANT_EINVAL,
                            "k can only be chosen for dec, idec, dec-nobackprop and ae+kmeans: "
                            "give a number of clusters");
    return find_range(data, options, &range);
}

/* found: what a scan of the rows finds; freed by the caller. */
static decant_status check_data(const decant_dataset *data, const decant_options *options,
                                const decant_monitor *monitor, decant__summary *found) {
    decant__watch watch = {.monitor = monitor};
    decant_status status = DECANT_OK;
    size_t n = decant__dataset_all(data), distinct;
    size_t max = options->k_max > options->k ? options->k_max : options->k;
    if (options->k > 0 && max > n)
        return decant__fail(DECANT_EINVAL, "k is %zu, but there %s only %zu row%s", max,
                            n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
    if (options->min_size > n)
        return decant__fail(DECANT_EINVAL, "min-size is %zu, but there %s only %zu row%s",
                            options->min_size, n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
    if (options->min_size > 1 && decant__method_of(options->method)->wants_graph)
        return decant__fail(DECANT_EINVAL,
                            "min-size needs a method that can assign rows to other clusters: dec, "
                            "idec, dec-nobackprop, kmeans or gmm");
    decant__watch_phase(&watch, "read");
    TRY(decant__scan(data, DECANT__SCAN_DIGEST | decant__scale_needs(options->scaling),
                     decant__team_size(options->threads), &watch, found));
    if (options->k_max > 0) return check_choice_of_k(data, options);
    TRY(count_distinct(data, options->k, &distinct));
    if (distinct < options->k)
        status = decant__fail(DECANT_EINVAL,
                              "the data has only %zu different row%s, too few for %zu clusters",
                              distinct, decant__plural(distinct), options->k);
done:
    return status;
}

/* Enters the first phase of the method, for a state that was not resumed. */
static decant_status enter_first_phase(decant__job *job) {
    if (job->monitor->like != NULL) return decant__like_start(job, job->monitor->like);
    int trained = job->plan.depth == 0;
    if (!trained) {
        decant_status status = decant__pretrained_find(job, &trained);
        if (status != DECANT_OK) return status;
    }
    if (trained)
        job->state.tried.settled = 1;
    else
        decant__networks_init(job);
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

/* 0 for methods that neither refine nor use a graph. With few rows there are fewer neighbours: a
 * neighbourhood as large as a cluster would smooth all clusters into one. */
size_t decant__job_neighbours(const decant__job *job, size_t n, size_t k) {
    const decant_options *options = job->options;
    if (decant__method_of(options->method)->wants_graph) return options->neighbours;
    if (!decant__method_refines(options->method) || options->smooth_steps == 0 || k == 0) return 0;
    size_t max = n / (2 * k);
    return options->neighbours < max ? options->neighbours : max;
}

/* No trace until k is known. */
decant_status decant__job_trace(decant__job *job) {
    decant__state *state = &job->state;
    int traced = state->k > 0 && decant__method_refines(job->options->method);
    decant__trace_free(&state->trace);
    return decant__trace_new(&state->trace, state->n, state->k, traced ? width_of(job) : 0,
                             job->options->seed);
}

/* If k is to be chosen it is 0 until then; a checkpoint may hold the chosen one. */
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
        case DECANT__PHASE_STUDENT:
            return decant__method_refines(job->options->method) && chosen &&
                   decant__student_wanted(job);
        case DECANT__PHASE_DONE: /* only the labels are left: computed from the centroids */
            return method->by_centroids && chosen;
    }
    return 0;
}

/* A student is in training, or was trained, or there is none. */
static int is_student(const decant__job *job) {
    const decant__state *state = &job->state;
    decant__classifier plan;
    if (state->student.parameters == 0)
        return state->phase != DECANT__PHASE_STUDENT || state->step == 0;
    return decant__student_wanted(job) && state->phase >= DECANT__PHASE_STUDENT &&
           decant__student_plan(job, &plan) == DECANT_OK &&
           plan.parameters == state->student.parameters;
}

/* Checks that reading the file cannot do: the phase must be one of this method, and k and the
 * trials, which are in order of k, must be in the range. */
static decant_status check_resumed(const decant__job *job) {
    const decant__state *state = &job->state;
    const decant__range *range = &job->range;
    int sound = is_phase_of(job, state->phase);
    size_t max = job->requested->k_max > 0 ? range->max - range->min + 1 : 0;
    if (state->trial_count > max) sound = 0;
    if (max > 0 && state->k > 0 && (state->k < range->min || state->k > range->max)) sound = 0;
    for (size_t t = 0; t < state->trial_count; t++)
        if (state->trials[t].k != range->min + t) sound = 0;
    if (!is_student(job)) sound = 0;
    if (sound) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: its phase or its trials do not belong to this fit",
                        job->monitor->checkpoint);
}

static decant_status make_state(decant__job *job, size_t n) {
    decant_status status = DECANT_OK;
    const decant_monitor *monitor = job->monitor;
    int resume = monitor != NULL && monitor->resume && monitor->checkpoint != NULL &&
                 access(monitor->checkpoint, F_OK) == 0;
    TRY(decant__comm_same(job->comm, &resume, sizeof resume, "the checkpoint"));
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
        TRY(enter_first_phase(job));
    }
    const uint64_t place[] = {job->state.phase, job->state.stage, job->state.step};
    TRY(decant__comm_same(job->comm, place, sizeof place, "the step of the checkpoint"));
    job->saved_at = decant__seconds();
done:
    return status;
}

static decant_status check_neighbours(const decant_options *options, size_t n) {
    if (n < 3)
        return decant__fail(DECANT_EINVAL,
                            "a neighbour graph needs 3 rows or more, and there are %zu: "
                            "use a method without a graph, such as kmeans",
                            n);
    if (options->neighbours < 2 || options->neighbours >= n)
        return decant__fail(DECANT_EINVAL,
                            "neighbours is %zu; for %zu rows it must be 2 or more, and at most %zu",
                            options->neighbours, n, n - 1);
    return DECANT_OK;
}

static double nonzeros_a_row(const decant__job *job) {
    const decant__source *source = &job->all;
    if (source->start == NULL) return (double)source->d;
    double nonzeros = (double)source->start[source->n];
    decant__comm_sum_doubles(job->comm, &nonzeros, 1);
    return nonzeros / (double)decant__job_all(job, source->n);
}

/* Is the reconstruction computed from a sample of the zeros? Worth it if the sample is a small part
 * of the columns and nearly all values are 0. */
static int samples_zeros(const decant__job *job, const decant_options *options) {
    const decant__source *source = &job->all;
    if (source->start == NULL || options->zeros == 0) return 0;
    if (source->d / MIN_WIDTH < options->zeros) return 0;
    return nonzeros_a_row(job) < MAX_DENSITY * (double)source->d;
}

/* By Cauchy and Schwarz the numbers of a row with a mean square of 1, m of d of them not 0, add up
 * to at most sqrt(m d), and to d if none of them is 0. */
static float rate_of_first_layer(const decant__job *job) {
    double sum = sqrt(nonzeros_a_row(job) * (double)job->all.d);
    return sum > WIDE ? (float)(WIDE / sum) : 0;
}

/* Which columns occur in a minibatch is not known to a rank that has a part of it. */
static decant_status sample_zeros(decant__job *job, const decant_options *options) {
    if (!samples_zeros(job, options)) return DECANT_OK;
    if (job->comm->size > 1)
        return decant__fail(DECANT_EINVAL,
                            "a sample of the zeros of %zu columns cannot be spread over several "
                            "processes: take all zeros with --zeros 0, which is slower",
                            job->all.d);
    decant__autoencoder_sample(&job->plan, options->zeros);
    return DECANT_OK;
}

/* Where most of the variance is not in a few directions, it is mostly noise: words that a document
 * happens to have, genes that were missed. A long training would spend the features on it. Whoever
 * asks for a training of another length gets it, unless the limit was chosen too. */
static decant_status limit_diffuse(decant__job *job) {
    decant_status status = DECANT_OK;
    size_t max = job->options->diffuse_iterations;
    int diffuse;
    if (max == 0 || job->options->finetune_iterations <= max || job->monitor->like != NULL)
        return DECANT_OK;
    if (!decant__options_is_default(job->requested, "finetune-iterations") &&
        decant__options_is_default(job->requested, "diffuse-iterations"))
        return DECANT_OK;
    TRY(decant__job_is_diffuse(job, &diffuse));
    if (diffuse) job->effective.finetune_iterations = max;
done:
    return status;
}

decant_status decant__job_read(decant__job *job, const decant_options *options,
                               const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    TRY(decant__options_read(&job->given, options));
    TRY(decant__monitor_read(&job->watcher, monitor));
    job->requested = &job->given;
    job->options = &job->effective;
    job->effective = job->given;
    job->monitor = &job->watcher;
    job->comm = decant__comm_world();
    job->watch = (decant__watch){.monitor = job->monitor, .last = &job->last};
done:
    return status;
}

/* Is it worth a look? Columns that a recipe made are not pixels. */
static int may_be_images(const decant__job *job, const decant_dataset *data) {
    return job->options->scaling == DECANT_SCALING_AUTO && job->monitor->like == NULL &&
           job->scale.kind == DECANT_SCALING_PAPER && (data->table == NULL || data->table->plain) &&
           decant__method_has_network(job->options->method);
}

/* The scaling, the rows seen through it, and the network's plan. */
static decant_status open_rows(decant__job *job, const decant_dataset *data,
                               const decant__summary *found) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    int has_network = decant__method_has_network(options->method);
    int wants_graph = decant__method_of(options->method)->wants_graph;
    job->watch.rows = data->file;
    decant__watch_phase(&job->watch, "read");
    int asked =
        options->scaling == DECANT_SCALING_GRADIENTS && has_network && job->monitor->like == NULL;
    decant__scaling wanted = {asked ? DECANT_SCALING_PAPER : options->scaling,
                              options->mean_square};
    if (job->monitor->like != NULL) {
        TRY(decant__like_scale(job->monitor->like, &job->scale));
        job->effective.layer_count = job->monitor->like->options.layer_count;
        memcpy(job->effective.layers, job->monitor->like->options.layers,
               sizeof job->effective.layers);
    } else {
        TRY(decant__scale_fit(&job->scale, wanted, data, found, job->threads, &job->watch));
    }
    TRY(decant__scaled_new(&job->scaled, &job->scale, data));
    job->source = &job->scaled.source;
    if (asked || may_be_images(job, data)) {
        TRY(decant__job_see_images(job, asked));
        decant__scaled_free(&job->scaled);
        TRY(decant__scaled_new(&job->scaled, &job->scale, data));
    }
    job->effective.scaling = job->scale.kind;
    decant__schedule(&job->effective, decant__dataset_all(data) + data->extra);
    if (wants_graph && !has_network) TRY(decant__scaled_compact(&job->scaled));
    job->all = job->scaled.source;
    job->all.n += data->extra;
    job->pretraining = &job->all;
    if (has_network)
        TRY(decant__autoencoder_plan(&job->plan, job->all.d, options->layers,
                                     options->layer_count));
    if (has_network) job->wide_rate = rate_of_first_layer(job);
    if (has_network) TRY(sample_zeros(job, options));
    if (has_network) TRY(limit_diffuse(job));
    if (wants_graph) TRY(check_neighbours(options, data->n));
done:
    return status;
}

decant_status decant__job_open(decant__job *job, const decant_dataset *whole) {
    decant_status status = DECANT_OK;
    decant__summary found = {0};
    const decant_options *options = job->requested;
    const decant_dataset *data = &job->part;
    TRY(decant__options_check(options));
    TRY(decant__dataset_check_matrix(whole));
    TRY(decant__job_check_spread(job, whole));
    TRY(decant__job_agree(job, decant__job_take_part(job, whole)));
    TRY(check_data(data, options, job->monitor, &found));
    if (job->monitor->like != NULL) TRY(decant__like_check(job->monitor->like, data, options));
    job->threads = decant__team_size(options->threads);
    TRY(decant__kernel_check());
    if (decant__method_of(options->method)->wants_blas || options->whiten > 0)
        TRY(decant__blas_begin(job->threads));
    TRY(open_rows(job, data, &found));
    if (options->k_max > 0) TRY(find_range(data, options, &job->range));
    memcpy(job->data_digest, found.digest, sizeof job->data_digest);
    TRY(make_state(job, whole->n));
done:
    decant__summary_free(&found);
    return decant__job_agree(job, status);
}

void decant__job_close(decant__job *job) {
    decant__state_free(&job->state);
    decant__found_free(&job->found);
    decant__links_free(&job->links);
    decant__scaled_free(&job->scaled);
    decant__scale_free(&job->scale);
    decant__free(job->loaded);
}
