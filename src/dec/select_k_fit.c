/* The trial of one k: clustering and refinement from the shared pretraining, on the training rows.
 *
 * Generalizability (section 5.5 of the paper) is G = L_train / L_validation, each the mean over
 * rows of KL(p_i || q_i) with the final network and centroids. The paper does not say which
 * frequencies f_j the target p of eq. 3 has for the validation rows. Here they are those of the
 * training rows, so that validation rows are compared with what was learned; G with those of the
 * validation rows is reported as own_generalizability. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/team.h"
#include "dec/assign.h"
#include "dec/encode.h"
#include "dec/select_k.h"
#include "metrics/silhouette.h"

/* KL(p_i || q_i), averaged over rows from .. to. */
static double mean_loss(const float *p, const float *q, size_t from, size_t to, size_t k) {
    double sum = 0;
    for (size_t e = from * k; e < to * k; e++)
        if (p[e] > 0) sum += (double)p[e] * decant__log((double)p[e] / fmax((double)q[e], 1e-30));
    return sum / (double)(to - from);
}

/* Soft assignments q of all rows, their target p, and scratch memory. */
typedef struct evaluation {
    size_t n, k, l;
    const float *z, *centroids; /* n x l, k x l */
    double alpha;
    int32_t *labels;   /* n */
    float *q, *p;      /* n x k */
    size_t first, end; /* rows whose frequencies make the target */
    double *partial, *f;
} evaluation;

static void assign_evaluated(void *context) {
    const evaluation *on = context;
    decant__soft_assign(on->z, on->n, on->l, on->centroids, on->k, on->alpha, on->q);
    decant__hard_assign(on->q, on->n, on->k, on->labels, NULL);
}

static void target_evaluated(void *context) {
    const evaluation *on = context;
    decant__frequencies(on->q + on->first * on->k, on->end - on->first, on->k, on->partial, on->f);
    decant__target(on->p, on->n, on->k, on->f);
}

/* Mean loss of rows from .. to under the target with the frequencies of rows first .. last. */
static double loss_of(evaluation *on, size_t from, size_t to, size_t first, size_t last,
                      int threads) {
    memcpy(on->p, on->q, on->n * on->k * sizeof *on->p);
    on->first = first;
    on->end = last;
    decant__team_run(threads, target_evaluated, on);
    return mean_loss(on->p, on->q, from, to, on->k);
}

/* Labels of all rows and their losses. z: n x l, in the order of the division. */
static decant_status evaluate(const decant__job *job, const float *z, size_t l,
                              const decant__division *division, size_t n, decant_k_trial *trial) {
    decant_status status = DECANT_OK;
    size_t k = trial->k, training = division->training;
    evaluation on = {.n = n,
                     .k = k,
                     .l = l,
                     .z = z,
                     .centroids = decant__job_centroids(job),
                     .alpha = job->options->alpha};
    NEW_ARRAY(on.q, n * k);
    NEW_ARRAY(on.p, n * k);
    NEW_ARRAY(on.partial, decant__frequency_partials(n, k));
    NEW_ARRAY(on.f, k);
    NEW_ARRAY(on.labels, n);
    NEW_ARRAY(trial->labels, n);
    decant__team_run(job->threads, assign_evaluated, &on);
    for (size_t i = 0; i < n; i++) trial->labels[division->order[i]] = on.labels[i];
    trial->train_loss = loss_of(&on, 0, training, 0, training, job->threads);
    trial->validation_loss = loss_of(&on, training, n, 0, training, job->threads);
    trial->generalizability = trial->train_loss / trial->validation_loss;
    trial->own_generalizability =
        trial->train_loss / loss_of(&on, training, n, training, n, job->threads);
done:
    decant__free(on.q);
    decant__free(on.p);
    decant__free(on.partial);
    decant__free(on.f);
    decant__free(on.labels);
    return status;
}

static decant_status measure_trial(const decant__job *job, const decant__points *points,
                                   const decant__division *division, decant_k_trial *trial) {
    decant_status status = DECANT_OK;
    decant__net encoder = decant__autoencoder_encoder(&job->plan);
    decant__source everything = *job->source;
    float *z = NULL;
    everything.n = points->n;
    NEW_ARRAY(z, points->n * points->l);
    TRY(decant__encode(&encoder, job->state.params, &everything, job->threads, &job->watch, z));
    TRY(evaluate(job, z, points->l, division, points->n, trial));
    TRY(decant__silhouette(points->z, points->n, points->l, trial->labels, trial->k, job->threads,
                           &trial->silhouette));
done:
    decant__free(z);
    return status;
}

decant_status decant__select_fit(const decant__job *job, const decant__points *points,
                                 const decant__division *division, decant_k_trial *trial) {
    decant_status status = DECANT_OK;
    size_t k = trial->k;
    decant_options options = *job->options;
    decant_monitor watched = *job->monitor;
    decant__source source = *job->source;
    decant__job fit = {.requested = &options,
                       .options = &options,
                       .monitor = &watched,
                       .watch = {.monitor = &watched, .last = &fit.last},
                       .source = &source,
                       .plan = job->plan,
                       .threads = job->threads,
                       .comm = job->comm,
                       .begin = {0, division->training},
                       .trial = k};
    options.k = k;
    watched.checkpoint = NULL;
    source.rows = division->order;
    source.n = division->training;
    TRY(decant__state_new(&fit.state, source.n, k, decant__job_parameters(&fit, k),
                          decant__job_neighbours(&fit, source.n, k)));
    memcpy(fit.state.params, job->state.params, job->plan.parameters * sizeof(float));
    fit.state.tried.settled = 1; /* all trials share the network */
    decant__state_enter(&fit.state, decant__job_clustering(&fit), 0);
    TRY(decant__job_run(&fit));
    TRY(measure_trial(&fit, points, division, trial));
done:
    decant__state_free(&fit.state);
    decant__found_free(&fit.found);
    decant__links_free(&fit.links);
    return status;
}
