/* The first clusters: k-means in the feature space (or, without a network, in the data space). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/kmeans.h"
#include "dec/encode.h"
#include "dec/job.h"

static decant_status run_kmeans(decant__job *job, const decant__source *points) {
    const decant_options *options = job->options;
    decant__state *state = &job->state;
    decant__kmeans_info info;
    decant__kmeans_options kmeans = {.k = options->k,
                                     .seeding = options->seeding,
                                     .restarts = options->restarts,
                                     .iterations = options->kmeans_iterations,
                                     .tol = 1e-4,
                                     .seed = options->seed,
                                     .threads = job->threads};
    decant_status status = decant__kmeans_fit(points, &kmeans, &job->watch,
                                              decant__job_centroids(job), state->labels, &info);
    /* k-means is not checkpointed inside; a stopped run begins it again from what it began with. */
    if (status == DECANT_ECANCELLED && decant__job_save(job) == DECANT_OK)
        return decant__fail(DECANT_ECANCELLED, "stopped during %s", job->phase_text);
    if (status != DECANT_OK) return status;
    memcpy(state->initial_labels, state->labels, state->n * sizeof *state->labels);
    state->iterations = info.iterations;
    state->converged = (uint64_t)info.converged;
    state->last_loss = info.inertia;
    return DECANT_OK;
}

decant_status decant__cluster(decant__job *job) {
    decant_status status = DECANT_OK;
    float *z = NULL;
    decant__job_begin(job);
    if (job->plan.depth == 0) {
        TRY(run_kmeans(job, job->source));
    } else {
        decant__net encoder = decant__autoencoder_encoder(&job->plan);
        size_t l = encoder.layer[encoder.depth - 1].out;
        NEW_ARRAY(z, job->source->n * l);
        TRY(decant__encode(&encoder, job->state.params, job->source, job->threads, z));
        decant__source points = decant__source_dense(z, job->source->n, l);
        TRY(run_kmeans(job, &points));
    }
    TRY(decant__job_tick(job, 0, NAN, NAN));
    int refines = job->plan.depth > 0 && job->options->method != DECANT_METHOD_AE_KMEANS;
    decant__state_enter(&job->state, refines ? DECANT__PHASE_REFINE : DECANT__PHASE_DONE, 0);
done:
    decant__free(z);
    return status;
}
