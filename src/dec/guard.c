/* The collapse guard. Training can diverge to infinity or NaN (the learning rate is too large), and
 * clusters can lose their last point (the result would then have fewer than k clusters). The first
 * is repaired by a rollback to the last good parameters and a smaller rate, the second by splitting
 * the widest cluster. Both are counted and reported. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/kmeans.h"
#include "dec/job.h"

/* Each rollback divides the rate by 10; give up after this many in a phase, when it is lower than
 * this. */
enum { MAX_ROLLBACKS = 8 };
static const double MIN_RATE = 3e-8;

void decant__guard_keep(decant__job *job, double loss) {
    decant__state *state = &job->state;
    memcpy(state->rollback_params, state->params,
           state->parameters * sizeof *state->rollback_params);
    state->rollback_step = state->step;
    state->rollback_loss = loss;
}

int decant__guard_diverged(const decant__job *job, double loss, double max) {
    return !isfinite(loss) || loss > max * fmax(job->state.rollback_loss, 1e-3);
}

decant_status decant__guard_rollback(decant__job *job) {
    decant__state *state = &job->state;
    state->rollbacks++;
    if (state->rate_factor < MIN_RATE)
        return decant__fail(
            DECANT_EDIVERGED,
            "%s diverged %d times, each time at a lower learning rate; try %sa "
            "smaller learning rate",
            job->phase_text, MAX_ROLLBACKS,
            job->scale.kind == DECANT_SCALING_STANDARD ? "" : "--scaling standard or ");
    memcpy(state->params, state->rollback_params,
           state->parameters * sizeof *state->rollback_params);
    decant__state_reset_moments(state);
    state->step = state->rollback_step;
    state->target_step = DECANT__NO_STEP;
    state->rate_factor *= 0.1;
    state->loss_sum = 0;
    state->loss_count = 0;
    return DECANT_OK;
}

/* The cluster with the largest sum of squared distances to its centroid, among those that are not
 * excluded; k: none. spread: scratch, k. */
static size_t widest_cluster(const decant__job *job, const float *z, const int32_t *labels,
                             const char *excluded, double *spread) {
    size_t k = job->state.k, l = job->plan.net.layer[job->plan.depth - 1].out;
    const float *mu = decant__job_centroids(job);
    memset(spread, 0, k * sizeof *spread);
    for (size_t i = 0; i < job->state.n; i++) {
        size_t j = (size_t)labels[i];
        for (size_t c = 0; c < l; c++) {
            double difference = (double)z[i * l + c] - (double)mu[j * l + c];
            spread[j] += difference * difference;
        }
    }
    size_t best = k;
    for (size_t j = 0; j < k; j++)
        if (!excluded[j] && spread[j] > 0 && (best == k || spread[j] > spread[best])) best = j;
    return best;
}

/* 2-means on the points of one cluster; out (2 x l): the two new centroids. */
static decant_status split_cluster(const decant__job *job, const float *z, const int32_t *labels,
                                   size_t cluster, float *out) {
    decant_status status = DECANT_OK;
    size_t l = job->plan.net.layer[job->plan.depth - 1].out, count = 0;
    float *members = NULL;
    int32_t *halves = NULL;
    NEW_ARRAY(members, job->state.n * l);
    for (size_t i = 0; i < job->state.n; i++)
        if ((size_t)labels[i] == cluster)
            memcpy(members + l * count++, z + i * l, l * sizeof *members);
    NEW_ARRAY(halves, count);
    decant__source source = decant__source_dense(members, count, l);
    decant__kmeans_options options = {.k = 2,
                                      .restarts = 4,
                                      .iterations = 100,
                                      .tol = 1e-4,
                                      .seed = job->options->seed + job->state.step,
                                      .threads = job->threads};
    decant__kmeans_info info;
    TRY(decant__kmeans_fit(&source, &options, NULL, out, halves, &info));
done:
    decant__free(halves);
    decant__free(members);
    return status;
}

decant_status decant__guard_revive(decant__job *job, const float *z, const int32_t *labels,
                                   size_t *revived) {
    decant_status status = DECANT_OK;
    size_t k = job->state.k, l = job->plan.net.layer[job->plan.depth - 1].out;
    float *mu = decant__job_centroids(job), *halves = NULL;
    size_t *count = NULL;
    char *excluded = NULL;
    double *spread = NULL;
    *revived = 0;
    NEW_ZEROED(count, k);
    NEW_ZEROED(excluded, k);
    NEW_ARRAY(spread, k);
    NEW_ARRAY(halves, 2 * l);
    for (size_t i = 0; i < job->state.n; i++) count[labels[i]]++;
    for (size_t j = 0; j < k; j++) excluded[j] = count[j] < 2;
    for (size_t dead = 0; dead < k; dead++) {
        if (count[dead] > 0) continue;
        size_t donor = widest_cluster(job, z, labels, excluded, spread);
        if (donor == k) break;
        excluded[donor] = 1;
        status = split_cluster(job, z, labels, donor, halves);
        if (status == DECANT_EINVAL) { /* its points are all equal: it cannot be split */
            status = DECANT_OK;
            continue;
        }
        if (status != DECANT_OK) goto done;
        memcpy(mu + donor * l, halves, l * sizeof *mu);
        memcpy(mu + dead * l, halves + l, l * sizeof *mu);
        ++*revived;
    }
done:
    decant__free(count);
    decant__free(excluded);
    decant__free(spread);
    decant__free(halves);
    return status;
}
