/* Clustering with KL divergence (section 3.1 of the paper).
 *
 *   every update_interval iterations: embed all rows, q (eq. 1), labels, and the target p (eq. 3);
 *                                     stop when fewer than tol of the labels changed
 *   every iteration:                  one minibatch of SGD on KL(p || q), network and centroids
 *                                     together (eq. 4 and 5)
 *
 * With a neighbour graph, q is smoothed over it before eq. 3: docs/method.md.
 *
 * As in the authors' code the loss is a mean over the batch, and momentum starts from 0 after each
 * update of the target. idec keeps the decoder: L = reconstruction + gamma KL. dec-nobackprop
 * leaves the network as it is and moves the centroids only. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/order.h"
#include "dec/assign.h"
#include "dec/encode.h"
#include "dec/job.h"
#include "nn/loss.h"

/* Order of minibatches, apart from pretraining's. */
enum { ORDER_PHASE = 200 };

/* Refinement changes a few labels at a time. When half of them change between two updates, the
 * steps were so large that the clusters were lost, though the loss may stay small. */
static const double MOST_CHANGED = 0.5;
/* With steps a thousand times smaller it cannot be their fault. */
static const double LEAST_FACTOR = 2e-3;
/* A mean loss this many times the good one's means that training runs away. */
static const double RUNAWAY = 100;

typedef struct refiner {
    decant__job *job;
    decant__net encoder, net; /* net: what a batch goes through; idec has the decoder too */
    size_t k, l, batch;
    int frozen;
    float *z;        /* n x l, at the last update */
    int have_z;      /* frozen: z never changes */
    int32_t *labels; /* n, new ones */
    double *f, *partial;
    float *smooth; /* n x k, room for smoothing; NULL: the paper's target */
    uint32_t *index;
    float *p, *q, *kernel, *dz; /* of a batch */
    float *grads;
    double *row_loss, *row_error;
    decant__order order;
    decant__rows_buffer buffer;
    decant__pass pass;
    decant__optimizer optimizer;
} refiner;

static void refiner_free(refiner *r) {
    decant__free(r->z);
    decant__free(r->labels);
    decant__free(r->f);
    decant__free(r->partial);
    decant__free(r->smooth);
    decant__free(r->index);
    decant__free(r->p);
    decant__free(r->q);
    decant__free(r->kernel);
    decant__free(r->dz);
    decant__free(r->grads);
    decant__free(r->row_loss);
    decant__free(r->row_error);
    decant__order_free(&r->order);
    decant__rows_buffer_free(&r->buffer);
    decant__pass_free(&r->pass);
}

static decant_status refiner_allocate(refiner *r) {
    decant_status status = DECANT_OK;
    const decant__job *job = r->job;
    const decant_options *options = job->options;
    size_t n = job->source->n;
    NEW_ARRAY(r->z, n * r->l);
    NEW_ARRAY(r->labels, n);
    NEW_ARRAY(r->f, r->k);
    NEW_ARRAY(r->partial, decant__frequency_room(n, r->k));
    if (job->state.graph.count > 0) NEW_ARRAY(r->smooth, n * r->k);
    NEW_ARRAY(r->index, r->batch);
    NEW_ARRAY(r->p, r->batch * r->k);
    NEW_ARRAY(r->q, r->batch * r->k);
    NEW_ARRAY(r->kernel, r->batch * r->k);
    NEW_ARRAY(r->dz, r->batch * r->l);
    NEW_ARRAY(r->grads, job->state.parameters);
    NEW_ARRAY(r->row_loss, r->batch);
    NEW_ZEROED(r->row_error, r->batch);
    TRY(decant__order_new(&r->order, n, options->shuffle, options->seed, ORDER_PHASE));
    TRY(decant__rows_buffer_new(&r->buffer, job->source, r->batch));
    TRY(decant__pass_new(&r->pass, &r->net, r->batch, 1,
                         decant__source_most_nonzeros(job->source, r->batch)));
done:
    return status;
}

static decant_status refiner_new(refiner *r, decant__job *job) {
    const decant_options *options = job->options;
    *r = (refiner){.job = job, .k = options->k};
    r->encoder = decant__autoencoder_encoder(&job->plan);
    r->net = options->method == DECANT_METHOD_IDEC ? job->plan.net : r->encoder;
    r->l = r->encoder.layer[r->encoder.depth - 1].out;
    r->batch = options->batch < job->source->n ? options->batch : job->source->n;
    r->frozen = options->method == DECANT_METHOD_DEC_NOBACKPROP;
    r->optimizer = (decant__optimizer){.kind = DECANT_OPTIMIZER_SGD,
                                       .params = job->state.params,
                                       .first = job->state.first,
                                       .second = job->state.second,
                                       .bias_rate = (float)options->bias_rate};
    decant_status status = refiner_allocate(r);
    if (status != DECANT_OK) refiner_free(r);
    return status;
}

/* Eq. 1 for all rows into the state's target array, and the labels that follow from it. */
static void assign_all(refiner *r) {
    decant__state *state = &r->job->state;
#pragma omp parallel num_threads(r->job->threads)
    {
        decant__soft_assign(r->z, state->n, r->l, decant__job_centroids(r->job), r->k,
                            r->job->options->alpha, state->target);
        decant__hard_assign(state->target, state->n, r->k, r->labels, NULL);
    }
}

static int all_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

static size_t smallest_cluster(const refiner *r) {
    /* f is free until the target is made. */
    size_t n = r->job->state.n, smallest = n;
    memset(r->f, 0, r->k * sizeof *r->f);
    for (size_t i = 0; i < n; i++) r->f[r->labels[i]]++;
    for (size_t j = 0; j < r->k; j++)
        if (r->f[j] < (double)smallest) smallest = (size_t)r->f[j];
    return smallest;
}

static double share_changed(const refiner *r) {
    const decant__state *state = &r->job->state;
    size_t changed = 0;
    for (size_t i = 0; i < state->n; i++) changed += r->labels[i] != state->labels[i];
    return (double)changed / (double)state->n;
}

/* Empty clusters get half of the widest one, a bounded number of times in a run. */
static decant_status revive(refiner *r, size_t *smallest, size_t *revived) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    *revived = 0;
    if (*smallest > 0 || state->reseeded >= 4 * r->k) return DECANT_OK;
    TRY(decant__guard_revive(r->job, r->z, r->labels, revived));
    if (*revived == 0) return DECANT_OK;
    state->reseeded += *revived;
    assign_all(r);
    *smallest = smallest_cluster(r);
done:
    return status;
}

static void make_target(refiner *r) {
    decant__state *state = &r->job->state;
#pragma omp parallel num_threads(r->job->threads)
    {
        if (r->smooth != NULL)
            decant__graph_smooth(&state->graph, state->target, r->k, r->job->options->smooth_steps,
                                 r->smooth);
        decant__frequencies(state->target, state->n, r->k, r->partial, r->f);
        decant__target(state->target, state->n, r->k, r->f);
    }
    state->target_step = state->step;
    decant__state_reset_moments(state);
}

/* Keeps what people can look at of this update. z: of all rows; NULL: not known yet. */
static decant_status trace(refiner *r, const float *z) {
    decant__state *state = &r->job->state;
    const decant_trace *kept = &state->trace.kept;
    float *frame =
        decant__trace_next(&state->trace, state->step, r->labels, decant__job_centroids(r->job));
    if (frame == NULL) return DECANT_OK;
    if (z == NULL)
        return decant__encode_some(&r->encoder, state->params, r->job->source, kept->row,
                                   kept->rows, r->job->threads, frame);
    for (size_t i = 0; i < kept->rows; i++)
        memcpy(frame + i * r->l, z + kept->row[i] * r->l, r->l * sizeof *frame);
    return DECANT_OK;
}

/* With a graph, the first target is the start's own labels, smoothed: the start knows more than the
 * distances to its centroids do. */
static decant_status take_start(refiner *r) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    memcpy(r->labels, state->labels, state->n * sizeof *r->labels);
    memset(state->target, 0, state->n * r->k * sizeof *state->target);
    for (size_t i = 0; i < state->n; i++) state->target[i * r->k + (size_t)state->labels[i]] = 1;
    make_target(r);
    TRY(trace(r, NULL));
    TRY(decant__state_record(state, r->job->phase_text, decant__job_phase_seconds(r->job), NAN,
                             smallest_cluster(r)));
done:
    return status;
}

/* The update of the target. *stop: the labels have settled. */
static decant_status update(refiner *r, double *changed, int *stop) {
    decant_status status = DECANT_OK;
    decant__job *job = r->job;
    decant__state *state = &job->state;
    size_t revived;
    if (r->smooth != NULL && state->step == 0) return take_start(r);
    if (!r->have_z)
        TRY(decant__encode(&r->encoder, state->params, job->source, job->threads, r->z));
    r->have_z = r->frozen;
    double mean =
        state->loss_count > 0 ? state->loss_sum / (double)state->loss_count : state->good_loss;
    if (!all_finite(r->z, state->n * r->l) ||
        !all_finite(decant__job_centroids(job), r->k * r->l) ||
        (state->loss_count > 0 && decant__guard_diverged(job, mean, RUNAWAY)))
        return decant__guard_rollback(job);
    assign_all(r);
    if (state->loss_count > 0 && share_changed(r) > MOST_CHANGED &&
        state->rate_factor > LEAST_FACTOR)
        return decant__guard_rollback(job);
    size_t smallest = smallest_cluster(r);
    TRY(revive(r, &smallest, &revived));
    *changed = share_changed(r);
    memcpy(state->labels, r->labels, state->n * sizeof *state->labels);
    TRY(decant__state_record(state, job->phase_text, decant__job_phase_seconds(job), *changed,
                             smallest));
    TRY(trace(r, r->z));
    decant__guard_keep(job, mean);
    /* At the first update, or again after the guard went back, the labels had no time to change. */
    int had_target = state->target_step != DECANT__NO_STEP;
    *stop = had_target && revived == 0 && *changed < job->options->tol;
    if (!*stop) make_target(r);
done:
    return status;
}

/* The gradient of KL into delta of the feature layer (added to the reconstruction's, for idec). */
static void pass_kl_gradient(refiner *r, float *delta) {
    size_t count = r->batch * r->l;
    if (r->net.depth == r->encoder.depth) {
#pragma omp single
        memcpy(delta, r->dz, count * sizeof *delta);
        return;
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < count; i++) delta[i] += r->dz[i];
}

/* KL gradients of the batch, for a whole team: dz, and the centroids' part of grads. */
static void batch_gradients(refiner *r, const float *z) {
    const decant_options *options = r->job->options;
    const float *mu = decant__job_centroids(r->job);
    double gamma = options->method == DECANT_METHOD_IDEC ? options->gamma : 1;
    float weight = (float)(gamma / (double)r->batch);
#pragma omp for schedule(static)
    for (size_t i = 0; i < r->batch; i++)
        memcpy(r->p + i * r->k, r->job->state.target + r->index[i] * r->k, r->k * sizeof *r->p);
    decant__soft_assign(z, r->batch, r->l, mu, r->k, options->alpha, r->q);
    decant__kl_gradients(z, r->batch, r->l, mu, r->k, options->alpha, r->p, r->q, weight, r->kernel,
                         r->dz, r->grads + r->job->plan.parameters, r->row_loss);
}

static void step_network(refiner *r) {
    decant__job *job = r->job;
    float *params = job->state.params;
    size_t bottleneck = r->encoder.depth - 1, last = r->net.depth - 1;
    decant__rows x = decant__source_fetch(job->source, r->index, 0, r->batch, &r->buffer);
    decant__net_forward(&r->net, params, &x, NULL, &r->pass);
    batch_gradients(r, r->pass.output[bottleneck]);
    if (last > bottleneck) {
        decant__reconstruction_loss(&r->net.layer[last], &x, r->pass.output[last], 1,
                                    r->pass.delta[last], r->row_error);
        decant__net_backward(&r->net, params, &x, NULL, bottleneck + 1, last, &r->pass, r->grads,
                             &r->optimizer);
    }
    pass_kl_gradient(r, r->pass.delta[bottleneck]);
    decant__net_backward(&r->net, params, &x, NULL, 0, bottleneck, &r->pass, r->grads,
                         &r->optimizer);
}

static void step_centroids_only(refiner *r) {
    float *z = r->pass.output[r->encoder.depth - 1];
#pragma omp for schedule(static)
    for (size_t i = 0; i < r->batch; i++)
        memcpy(z + i * r->l, r->z + r->index[i] * r->l, r->l * sizeof *z);
    batch_gradients(r, z);
}

/* The paper's rate is constant; annealed, it falls to 0 by a cosine. */
static double rate_now(const decant__job *job) {
    const decant_options *options = job->options;
    double rate = options->refine_rate * job->state.rate_factor;
    if (!options->anneal) return rate;
    double along = (double)job->state.step / (double)options->max_iterations;
    return rate * 0.5 * (1 + cos(3.141592653589793 * along));
}

/* One minibatch; returns its mean KL loss (for idec, with the reconstruction: eq. 1 of that paper).
 */
static double train_batch(refiner *r) {
    decant__job *job = r->job;
    const decant_options *options = job->options;
    decant__optimizer_step(&r->optimizer, 0, rate_now(job), options->momentum);
#pragma omp parallel num_threads(job->threads)
    {
        if (r->frozen)
            step_centroids_only(r);
        else
            step_network(r);
#pragma omp single
        decant__optimizer_apply(&r->optimizer, r->grads, job->plan.parameters, r->k * r->l, 1);
    }
    double kl = 0, error = 0;
    for (size_t i = 0; i < r->batch; i++) {
        kl += r->row_loss[i];
        error += r->row_error[i];
    }
    kl /= (double)r->batch;
    if (options->method != DECANT_METHOD_IDEC) return kl;
    return error / (double)(r->batch * job->source->d) + options->gamma * kl;
}

static decant_status refine(refiner *r) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    const decant_options *options = r->job->options;
    double changed = NAN;
    int stop = 0;
    /* With the network frozen, a resumed run needs the features that the first update would make.
     */
    if (r->frozen) {
        TRY(decant__encode(&r->encoder, state->params, r->job->source, r->job->threads, r->z));
        r->have_z = 1;
    }
    for (;;) {
        int due =
            state->step % options->update_interval == 0 || state->step == options->max_iterations;
        if (due && state->target_step != state->step) TRY(update(r, &changed, &stop));
        if (stop || state->step >= options->max_iterations) break;
        if (state->target_step == DECANT__NO_STEP) continue; /* the guard went back */
        decant__order_take(&r->order, state->step * r->batch, r->batch, r->index);
        double loss = train_batch(r);
        state->step++;
        state->loss_sum += loss;
        state->loss_count++;
        /* What the first batch loses, before it has changed anything, is what later ones are held
         * to. */
        if (!isfinite(state->good_loss)) state->good_loss = loss;
        if (!isfinite(loss)) TRY(decant__guard_rollback(r->job));
        TRY(decant__job_tick(r->job, options->max_iterations, loss, changed));
    }
    state->converged = (uint64_t)stop;
    state->iterations = state->step;
done:
    return status;
}

decant_status decant__refine(decant__job *job) {
    refiner r;
    decant__job_begin(job);
    decant_status status = refiner_new(&r, job);
    if (status != DECANT_OK) return status;
    status = refine(&r);
    refiner_free(&r);
    if (status == DECANT_OK) decant__state_enter(&job->state, DECANT__PHASE_DONE, 0);
    return status;
}
