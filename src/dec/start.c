/* The initial clusters of refinement, or the final ones of a method without refinement: in the
 * autoencoder's features or, without a network, in the data space. For refinement they are found by
 * k-means, as in the paper; then, if the options say so, again by communities of the neighbour
 * graph of the whitened features, or by k-means on smoothed features (docs/method.md). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/communities.h"
#include "dec/candidates.h"
#include "dec/comparison.h"
#include "dec/encode.h"
#include "dec/job.h"
#include "dec/landmarks.h"
#include "dec/networks.h"
#include "dec/smooth.h"
#include "dec/whiten.h"

/* Clusters the points by the method of the options: k-means if refinement follows. */
static decant_status run_method(decant__job *job, const decant__source *points) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    const decant__method *method = decant__method_of(job->options->method);
    decant__task task = {.x = points,
                         .graph = method->wants_graph ? &state->graph : NULL,
                         .options = job->options,
                         .threads = job->threads,
                         .comm = job->comm,
                         .watch = &job->watch};
    decant__found_free(&job->found);
    TRY(decant__found_new(&job->found, job->options, points->n, points->d));
    status = method->fit(&task, &job->found);
    /* There are no checkpoints inside of a clustering: a resumed run does it again from its start.
     */
    if (status == DECANT_ECANCELLED) return decant__job_stopped(job, status);
    /* The rows are distinct, that was checked; if their features are not, training collapsed. */
    if (status == DECANT_EINVAL && job->plan.depth > 0 && !method->wants_graph)
        return decant__fail(DECANT_EDIVERGED,
                            "training collapsed: the network maps the rows to fewer than %zu "
                            "different points; try --scaling standard or a smaller learning rate",
                            job->options->k);
    if (status != DECANT_OK) return status;
    memcpy(state->labels, job->found.labels, state->n * sizeof *state->labels);
    memcpy(decant__job_centroids(job), job->found.centroids,
           state->k * points->d * sizeof *job->found.centroids);
    state->iterations = job->found.iterations;
    state->converged = (uint64_t)job->found.converged;
    state->last_loss = job->found.objective;
done:
    return status;
}

static decant_status embed_rows(decant__job *job, float **z, size_t *l) {
    decant_status status = DECANT_OK;
    decant__net encoder = decant__autoencoder_encoder(&job->plan);
    *l = encoder.layer[encoder.depth - 1].out;
    size_t n = decant__job_all(job, job->source->n);
    NEW_ARRAY(*z, n * *l);
    TRY(decant__job_encode(job, &encoder, *z));
    for (size_t i = 0; i < n * *l; i++)
        if (!isfinite((*z)[i])) {
            status = decant__fail(DECANT_EDIVERGED,
                                  "training diverged: some features are not finite; try --scaling "
                                  "standard or a smaller learning rate");
            goto done;
        }
done:
    return status;
}

decant_status decant__job_points(decant__job *job, float **z, decant__source *points) {
    size_t l;
    *points = *job->source;
    if (job->plan.depth == 0) return DECANT_OK;
    decant_status status = embed_rows(job, z, &l);
    if (status == DECANT_OK)
        *points = decant__source_dense(*z, decant__job_all(job, job->source->n), l);
    return status;
}

static decant__phase phase_after_clustering(const decant__job *job) {
    const decant_options *options = job->options;
    if (!decant__method_refines(options->method)) return DECANT__PHASE_DONE;
    int again = options->whiten > 0 || (options->neighbours > 0 && options->smooth_steps > 0);
    return again ? DECANT__PHASE_START : DECANT__PHASE_REFINE;
}

/* Beyond 64 features LAPACK is called, whose last digits depend on the processor: all ranks take
 * what rank 0 finds. */
static decant_status whiten_features(decant__job *job, float *z) {
    decant__state *state = &job->state;
    decant_status status = decant__job_agree(
        job, decant__whiten(&job->plan, z, state->n, job->options->whiten, state->params));
    if (status == DECANT_OK)
        decant__comm_broadcast(job->comm, 0, state->params,
                               state->parameters * sizeof *state->params);
    return status;
}

decant_status decant__cluster(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    decant__source points;
    float *z = NULL;
    decant__job_begin(job);
    status = decant__job_points(job, &z, &points);
    if (status == DECANT_OK) status = run_method(job, &points);
    state->seconds[state->phase] = decant__job_phase_seconds(job);
    if (status == DECANT_EDIVERGED) {
        status = decant__networks_failed(job, status);
        goto done;
    }
    TRY(status);
    memcpy(state->initial_labels, state->labels, state->n * sizeof *state->labels);
    decant__phase next = phase_after_clustering(job);
    if (next == DECANT__PHASE_START && job->options->whiten > 0 && job->plan.depth > 0)
        TRY(whiten_features(job, z));
    decant__state_enter(state, next, 0);
done:
    decant__free(z);
    return status;
}

/* Centroids are the means of the features themselves, not of the smoothed ones. */
static decant_status average_members(decant__job *job, const float *z, size_t l) {
    decant_status status = DECANT_OK;
    const decant__state *state = &job->state;
    float *mu = decant__job_centroids(job);
    double *sum = NULL;
    size_t *count = NULL;
    NEW_ZEROED(sum, state->k * l);
    NEW_ZEROED(count, state->k);
    for (size_t i = 0; i < state->n; i++) {
        size_t j = (size_t)state->labels[i];
        count[j]++;
        for (size_t c = 0; c < l; c++) sum[j * l + c] += (double)z[i * l + c];
    }
    for (size_t j = 0; j < state->k; j++)
        for (size_t c = 0; c < l && count[j] > 0; c++)
            mu[j * l + c] = (float)(sum[j * l + c] / (double)count[j]);
done:
    decant__free(sum);
    decant__free(count);
    return status;
}

/* k-means on the features, after many steps of smoothing over the graph. */
static decant_status cluster_smoothed(decant__job *job, const float *z, size_t l) {
    decant_status status = DECANT_OK;
    const decant__state *state = &job->state;
    float *x = NULL;
    NEW_ARRAY(x, state->n * l);
    memcpy(x, z, state->n * l * sizeof *z);
    if (state->graph.count > 0) TRY(decant__job_smooth(job, &state->graph, x, l));
    decant__source points = decant__source_dense(x, state->n, l);
    status = run_method(job, &points);
    /* Smoothing made all points equal: the labels of the features as they were stay. */
    if (status == DECANT_EDIVERGED) status = DECANT_OK;
done:
    decant__free(x);
    return status;
}

/* The state's labels become the communities of its graph, if these say something. */
static decant_status find_communities(decant__job *job, size_t l, int *found) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    size_t natural, count = decant__landmarks_count(state->n, l);
    decant__graph thin = {0};
    int32_t *labels = state->labels;
    decant__communities wanted = {.graph = &state->graph,
                                  .k = state->k,
                                  .max = DECANT__MAX_FINER * state->k,
                                  .seed = job->options->seed,
                                  .threads = job->threads,
                                  .comm = job->comm,
                                  .watch = &job->watch};
    if (count > 0) {
        TRY(decant__landmarks_thin(&state->graph, count, &thin));
        NEW_ARRAY(labels, count);
        decant__landmarks_take(state->labels, state->n, count, labels);
        wanted.graph = &thin;
    }
    TRY(decant__communities_find(&wanted, labels, &natural, found));
    if (count > 0 && *found)
        TRY(decant__landmarks_give(&state->graph, count, state->k, labels, state->labels));
done:
    decant__graph_free(&thin);
    if (labels != state->labels) decant__free(labels);
    return status;
}

decant_status decant__start(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    decant__source points;
    float *features = NULL;
    decant__verdict verdict = {0};
    int found = 0, like = job->monitor != NULL && job->monitor->like != NULL;
    decant__job_begin(job);
    /* Also for a resumed run, which does this phase again. */
    memcpy(state->labels, state->initial_labels, state->n * sizeof *state->labels);
    TRY(decant__job_points(job, &features, &points));
    const float *z = points.dense;
    size_t l = points.d;
    if (state->graph.count > 0) {
        TRY(decant__job_build_graph(job, &state->graph, z, l, &job->watch));
    }
    if (state->graph.count > 0 && !like) TRY(find_communities(job, l, &found));
    if (!found && !like) TRY(cluster_smoothed(job, z, l));
    if (!like && state->graph.count > 0 && job->plan.depth > 0 &&
        job->options->start == DECANT_START_RULE_AUTO)
        TRY(decant__candidates_compare(job, found ? NULL : z, l, &verdict));
    if (!like) TRY(average_members(job, z, l));
    state->step = 1;
    TRY(decant__job_tick(job, 1, NAN, NAN));
    TRY(decant__networks_next(job, &verdict));
done:
    decant__free(features);
    decant__memory_trim(); /* graphs, trees and parts were made and freed by all threads */
    return decant__job_stopped(job, status);
}
