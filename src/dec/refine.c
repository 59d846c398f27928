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

#include "base/elementary.h"
#include "base/memory.h"
#include "base/team.h"
#include "dec/assign.h"
#include "dec/candidates.h"
#include "dec/encode.h"
#include "dec/minibatch.h"
#include "dec/schedule.h"
#include "dec/student.h"
#include "nn/loss.h"

/* The phase of the order of rows: pretraining has others. */
enum { ORDER_PHASE = 200 };

/* Refinement changes a few labels at a time. If half of them change between two updates, the
 * learning rate was too large and the clusters are lost, even if the loss is small. */
static const double MAX_CHANGED = 0.5;
/* Refinement is kept if its clusters have this share of the best score since it began. */
static const double MIN_SCORE = 0.98;
/* Training is lost if this share of the rows has lost the label that a fixed target asks for. */
static const double MAX_UNLEARNT = 0.1;
/* One for each row is a steeper target than eq. 3: a small network collapses at the full rate. */
static const double FIXED_RATE = 0.2;
/* Below this factor of the learning rate, the rate is not the reason. */
static const double MIN_FACTOR = 2e-3;
/* Training has diverged if the mean loss is this many times that of the kept parameters. */
static const double MAX_RISE = 100;

/* Outcome of an update of the target. */
typedef enum update_outcome {
    CONTINUE,    /* train on the new target */
    ROLLED_BACK, /* training had diverged; the restored parameters need an update of their own */
    CONVERGED    /* fewer than tol of the labels changed */
} update_outcome;

typedef struct refiner {
    decant__job *job;
    decant__net encoder, net; /* net: the layers that are trained; for idec also the decoder */
    size_t k, l;
    int frozen;
    float *z;        /* n x l, at the last update */
    int have_z;      /* z is valid: set if the network is frozen, so that z never changes */
    int32_t *labels; /* n: of this update */
    double *f, *partial;
    float *smooth; /* n x k, scratch for smoothing; NULL: the paper's target */
    int fixed;     /* the target is that of the initial labels, to the end */
    decant__minibatch batch;
    float *p, *q, *kernel, *dz; /* of a batch */
    double *row_error;
} refiner;

static void refiner_free(refiner *r) {
    decant__free(r->z);
    decant__free(r->labels);
    decant__free(r->f);
    decant__free(r->partial);
    decant__free(r->smooth);
    decant__free(r->p);
    decant__free(r->q);
    decant__free(r->kernel);
    decant__free(r->dz);
    decant__free(r->row_error);
    decant__minibatch_free(&r->batch);
}

static decant_status refiner_allocate(refiner *r) {
    decant_status status = DECANT_OK;
    const decant__job *job = r->job;
    size_t n = decant__job_all(job, job->source->n);
    TRY(decant__minibatch_new(&r->batch, r->job, job->source, &r->net, DECANT_OPTIMIZER_SGD,
                              ORDER_PHASE, 1));
    size_t batch = r->batch.capacity;
    NEW_ARRAY(r->z, n * r->l);
    NEW_ARRAY(r->labels, n);
    NEW_ARRAY(r->f, r->k);
    NEW_ARRAY(r->partial, decant__frequency_partials(n, r->k));
    if (job->state.graph.count > 0) NEW_ARRAY(r->smooth, n * r->k);
    NEW_ARRAY(r->p, batch * r->k);
    NEW_ARRAY(r->q, batch * r->k);
    NEW_ARRAY(r->kernel, batch * r->k);
    NEW_ARRAY(r->dz, batch * r->l);
    NEW_ZEROED(r->row_error, batch);
done:
    return status;
}

static decant_status refiner_new(refiner *r, decant__job *job) {
    const decant_options *options = job->options;
    *r = (refiner){.job = job, .k = options->k};
    r->encoder = decant__autoencoder_encoder(&job->plan);
    r->net = options->method == DECANT_METHOD_IDEC ? job->plan.net : r->encoder;
    r->l = r->encoder.layer[r->encoder.depth - 1].out;
    r->frozen = options->method == DECANT_METHOD_DEC_NOBACKPROP;
    r->fixed = job->state.graph.count > 0 && decant__candidates_certain(job);
    return refiner_allocate(r);
}

/* Eq. 1 for all rows into the state's target array, unless the target is fixed, and the labels that
 * follow from it. */
static void assign_rows(void *context) {
    refiner *r = context;
    const decant__state *state = &r->job->state;
    float *q = r->fixed ? r->smooth : state->target;
    decant__soft_assign(r->z, state->n, r->l, decant__job_centroids(r->job), r->k,
                        r->job->options->alpha, q);
    decant__hard_assign(q, state->n, r->k, r->labels, NULL);
}

static void assign_all(refiner *r) { decant__team_run(r->job->threads, assign_rows, r); }

static int all_finite(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

static size_t smallest_cluster(const refiner *r) {
    /* f is free to use until the target is computed. */
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

/* Fills empty clusters by splitting the widest one, a limited number of times in a fit. */
static decant_status revive_clusters(refiner *r, size_t *smallest, size_t *revived) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    *revived = 0;
    if (*smallest > 0 || r->fixed || state->reseeded >= 4 * r->k) return DECANT_OK;
    TRY(decant__guard_revive(r->job, r->z, r->labels, revived));
    if (*revived == 0) return DECANT_OK;
    state->reseeded += *revived;
    assign_all(r);
    *smallest = smallest_cluster(r);
done:
    return status;
}

static void target_rows(void *context) {
    refiner *r = context;
    decant__state *state = &r->job->state;
    if (r->smooth != NULL && !r->fixed)
        decant__graph_smooth(&state->graph, state->target, r->k, r->job->options->smooth_steps,
                             r->smooth);
    decant__frequencies(state->target, state->n, r->k, r->partial, r->f);
    double power = r->job->options->balance;
    TEAM_FOR (j, r->k)
        if (power != 1 && r->f[j] > 0) r->f[j] = decant__pow(r->f[j], power);
    decant__target(state->target, state->n, r->k, r->f);
}

static void make_target(refiner *r) {
    decant__state *state = &r->job->state;
    decant__team_run(r->job->threads, target_rows, r);
    state->target_step = state->step;
    decant__state_reset_moments(state);
}

/* Adds a frame to the trace. */
static void add_frame(refiner *r) {
    decant__state *state = &r->job->state;
    const decant_trace *kept = &state->trace.kept;
    float *frame =
        decant__trace_next(&state->trace, state->step, r->labels, decant__job_centroids(r->job));
    for (size_t i = 0; frame != NULL && i < kept->rows; i++)
        memcpy(frame + i * r->l, r->z + kept->row[i] * r->l, r->l * sizeof *frame);
}

/* The features of all rows. The state is consistent here, so a checkpoint can be written. */
static decant_status encode_rows(refiner *r) {
    return decant__job_stopped(r->job, decant__job_encode(r->job, &r->encoder, r->z));
}

/* How good the labels of this update are. With a fixed target: the share of rows that have the
 * label it asks for. */
static decant_status score_labels(const refiner *r, const int32_t *labels, double *score) {
    const decant__state *state = &r->job->state;
    size_t right = 0;
    if (!r->fixed) return decant__candidates_score(r->job, labels, score);
    for (size_t i = 0; i < state->n; i++)
        right += state->target[i * r->k + (size_t)labels[i]] > 0.5F;
    *score = (double)right / (double)state->n;
    return DECANT_OK;
}

/* With a graph, keeps the parameters with the best score; r->labels are theirs. */
static decant_status judge(refiner *r) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    double score;
    if (r->smooth == NULL) return DECANT_OK;
    TRY(score_labels(r, r->labels, &score));
    if (score < state->best_score) return DECANT_OK;
    state->best_score = score;
    memcpy(state->best_params, state->params, state->parameters * sizeof *state->params);
done:
    return status;
}

/* At the end: takes the best parameters if the last ones are clearly worse. */
static decant_status return_to_best(refiner *r) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    double score;
    if (r->smooth == NULL || state->best_score < 0) return DECANT_OK;
    TRY(score_labels(r, state->labels, &score));
    if (score >= (r->fixed ? 1 : MIN_SCORE) * state->best_score) return DECANT_OK;
    memcpy(state->params, state->best_params, state->parameters * sizeof *state->params);
    state->returned = 1;
done:
    return status;
}

/* Is training lost: did half of the labels change, or has a fixed target been unlearnt? */
static int is_lost(const refiner *r) {
    const decant__state *state = &r->job->state;
    double score;
    if (state->loss_count == 0 || state->rate_factor <= MIN_FACTOR) return 0;
    if (!r->fixed) return share_changed(r) > MAX_CHANGED;
    score_labels(r, r->labels, &score);
    return score < state->best_score - MAX_UNLEARNT;
}

/* With a graph, the first target is made of the initial labels, smoothed: they come from the graph
 * and are better than the distances to the centroids. */
static decant_status target_from_start(refiner *r) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    TRY(encode_rows(r));
    assign_all(r);
    memset(state->target, 0, state->n * r->k * sizeof *state->target);
    for (size_t i = 0; i < state->n; i++) state->target[i * r->k + (size_t)state->labels[i]] = 1;
    TRY(judge(r));
    memcpy(r->labels, state->labels, state->n * sizeof *r->labels);
    make_target(r);
    add_frame(r);
    TRY(decant__state_record(state, r->job->phase_text, decant__job_phase_seconds(r->job), NAN,
                             smallest_cluster(r)));
done:
    return status;
}

/* Restores the last good parameters; there is no target for them. */
static decant_status roll_back(refiner *r, update_outcome *outcome) {
    *outcome = ROLLED_BACK;
    return decant__guard_rollback(r->job);
}

/* Embeds and assigns all rows, and computes the next target unless the labels have converged. */
static decant_status update_target(refiner *r, double *changed, update_outcome *outcome) {
    decant_status status = DECANT_OK;
    decant__job *job = r->job;
    decant__state *state = &job->state;
    size_t revived;
    *outcome = CONTINUE;
    if (r->smooth != NULL && state->step == 0) return target_from_start(r);
    if (!r->have_z) TRY(encode_rows(r));
    r->have_z = r->frozen;
    double mean =
        state->loss_count > 0 ? state->loss_sum / (double)state->loss_count : state->rollback_loss;
    if (!all_finite(r->z, state->n * r->l) ||
        !all_finite(decant__job_centroids(job), r->k * r->l) ||
        (state->loss_count > 0 && decant__guard_diverged(job, mean, MAX_RISE)))
        return roll_back(r, outcome);
    assign_all(r);
    if (is_lost(r)) return roll_back(r, outcome);
    size_t smallest = smallest_cluster(r);
    TRY(revive_clusters(r, &smallest, &revived));
    TRY(judge(r));
    *changed = share_changed(r);
    memcpy(state->labels, r->labels, state->n * sizeof *state->labels);
    TRY(decant__state_record(state, job->phase_text, decant__job_phase_seconds(job), *changed,
                             smallest));
    add_frame(r);
    decant__guard_keep(job, mean);
    /* At the first update, or after a rollback, nothing was trained since the last labels. */
    int had_target = state->target_step != DECANT__NO_STEP;
    if (r->fixed) {
        state->target_step = state->step;
        if (state->best_score == 1) *outcome = CONVERGED;
        return DECANT_OK;
    }
    if (had_target && revived == 0 && *changed < job->options->tol) *outcome = CONVERGED;
    if (*outcome == CONTINUE) make_target(r);
done:
    return status;
}

/* The same; a rank that fails in it leaves none of the others waiting in the next step. A wish to
 * stop is known to all. */
static decant_status update_together(refiner *r, double *changed, update_outcome *outcome) {
    decant_status status = update_target(r, changed, outcome);
    return status == DECANT_ECANCELLED ? status : decant__comm_agree(r->job->comm, status);
}

/* Puts the gradient of KL into delta of the feature layer; for idec it is added to that of the
 * reconstruction. */
static void pass_kl_gradient(refiner *r, float *delta) {
    size_t count = r->batch.rows * r->l;
    if (r->net.depth == r->encoder.depth) {
        TEAM_SINGLE memcpy(delta, r->dz, count * sizeof *delta);
        return;
    }
    TEAM_FOR (i, count) delta[i] += r->dz[i];
}

/* KL gradients of the batch, for a whole team: dz, and the centroids' part of grads. */
static void batch_gradients(refiner *r, const float *z) {
    const decant_options *options = r->job->options;
    const float *mu = decant__job_centroids(r->job);
    double gamma = options->method == DECANT_METHOD_IDEC ? options->gamma : 1;
    float weight = (float)(gamma / (double)r->batch.size);
    size_t rows = r->batch.rows, first = r->job->begin[r->job->comm->rank];
    TEAM_FOR (i, rows)
        memcpy(r->p + i * r->k, r->job->state.target + (first + r->batch.index[i]) * r->k,
               r->k * sizeof *r->p);
    decant__soft_assign(z, rows, r->l, mu, r->k, options->alpha, r->q);
    decant__sum_tree tree = decant__shards_tree(&r->batch.pass.shards);
    decant__kl_gradients(z, rows, r->l, mu, r->k, options->alpha, r->p, r->q, weight, &tree,
                         r->kernel, r->dz, r->batch.grads + r->job->plan.parameters,
                         r->batch.row_loss);
}

static void step_network(refiner *r) {
    decant__job *job = r->job;
    const float *params = job->state.params;
    size_t bottleneck = r->encoder.depth - 1, last = r->net.depth - 1;
    size_t rows = r->batch.rows;
    decant__rows x = {.n = 0};
    if (rows > 0) {
        x = decant__source_fetch(job->source, r->batch.index, 0, rows, &r->batch.buffer);
        decant__net_forward(&r->net, params, &x, NULL, &r->batch.pass);
    }
    batch_gradients(r, r->batch.pass.output[bottleneck]);
    if (last > bottleneck) {
        if (rows > 0)
            decant__reconstruction_loss(&r->net, params, &x, 1, &r->batch.pass, r->row_error);
        decant__minibatch_backward(&r->batch, &r->net, &x, NULL, bottleneck + 1, last);
    }
    pass_kl_gradient(r, r->batch.pass.delta[bottleneck]);
    decant__minibatch_backward(&r->batch, &r->net, &x, NULL, 0, bottleneck);
}

static void step_centroids_only(refiner *r) {
    float *z = r->batch.pass.output[r->encoder.depth - 1];
    size_t first = r->job->begin[r->job->comm->rank];
    TEAM_FOR (i, r->batch.rows)
        memcpy(z + i * r->l, r->z + (first + r->batch.index[i]) * r->l, r->l * sizeof *z);
    batch_gradients(r, z);
}

/* The paper's learning rate is constant; annealed, it falls to 0 as a cosine. */
static double current_rate(const refiner *r) {
    const decant__job *job = r->job;
    const decant_options *options = job->options;
    double rate = options->refine_rate * job->state.rate_factor *
                  (r->fixed && job->state.n < DECANT__FEW_ROWS ? FIXED_RATE : 1);
    if (!options->anneal) return rate;
    double along = (double)job->state.step / (double)options->max_iterations;
    return rate * 0.5 * (1 + decant__cos_turns(0.5 * along));
}

static void batch_step(void *context) {
    refiner *r = context;
    if (r->frozen)
        step_centroids_only(r);
    else
        step_network(r);
    decant__minibatch_apply(&r->batch, r->job->plan.parameters, r->k * r->l);
}

/* One minibatch; returns its mean KL loss (for idec, with the reconstruction: eq. 1 of that paper).
 */
static double train_batch(refiner *r) {
    decant__job *job = r->job;
    const decant_options *options = job->options;
    decant__optimizer_step(&r->batch.optimizer, 0, current_rate(r), options->momentum);
    decant__team_run_helped(job->threads, batch_step, r);
    const double *const losses[] = {r->batch.row_loss, r->row_error};
    double sums[2], kl;
    int both = options->method == DECANT_METHOD_IDEC;
    decant__minibatch_sums(&r->batch, losses, both ? 2 : 1, sums);
    kl = sums[0] / (double)r->batch.size;
    if (!both) return kl;
    return sums[1] / (double)(r->batch.size * job->source->d) + options->gamma * kl;
}

static decant_status run_refinement(refiner *r) {
    decant_status status = DECANT_OK;
    decant__state *state = &r->job->state;
    const decant_options *options = r->job->options;
    double changed = NAN;
    update_outcome outcome = CONTINUE;
    /* With a frozen network, features are computed here: a resumed run may not begin with an
     * update.
     */
    if (r->frozen) {
        TRY(encode_rows(r));
        r->have_z = 1;
    }
    for (;;) {
        int due = state->step % options->update_interval == 0 ||
                  state->step == options->max_iterations || state->target_step == DECANT__NO_STEP;
        if (due && state->target_step != state->step) {
            TRY(update_together(r, &changed, &outcome));
            if (outcome == ROLLED_BACK) continue;
        }
        if (outcome == CONVERGED || state->step >= options->max_iterations) break;
        decant__minibatch_take(&r->batch);
        double loss = train_batch(r);
        decant__minibatch_count(&r->batch, loss);
        /* The loss of the first batch, of untrained parameters, is the reference of the guard. */
        if (!isfinite(state->rollback_loss)) state->rollback_loss = loss;
        if (!isfinite(loss)) TRY(decant__guard_rollback(r->job));
        TRY(decant__job_tick(r->job, options->max_iterations, loss, changed));
    }
    TRY(return_to_best(r));
    state->converged = outcome == CONVERGED;
    state->iterations = state->step;
done:
    return status;
}

decant_status decant__refine(decant__job *job) {
    refiner r;
    decant__job_begin(job);
    decant_status status = decant__job_agree(job, refiner_new(&r, job));
    if (status == DECANT_OK) status = run_refinement(&r);
    refiner_free(&r);
    if (status != DECANT_OK) return status;
    decant__state_enter(
        &job->state, decant__student_wanted(job) ? DECANT__PHASE_STUDENT : DECANT__PHASE_DONE, 0);
    return status;
}
