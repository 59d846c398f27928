/* Parameter initialisation (section 3.2 of the paper): a stacked denoising autoencoder, trained
 * layer by layer and then as a whole.
 *
 * A greedy stage trains one encoder layer and its decoder layer to undo dropout on the output of
 * the frozen layers below, with dropout on its own features too. The authors' code has no dropout
 * on the data and on the last features (dropout-on hidden). The output of the layers below is
 * computed once and cached if it fits into the memory option, otherwise for each batch. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team.h"
#include "dec/encode.h"
#include "dec/minibatch.h"
#include "dec/networks.h"
#include "dec/schedule.h"
#include "store/network_file.h"
#include "nn/dropout.h"
#include "nn/loss.h"

/* Iterations in which the momentum of sgd grows to its full value, as in the authors' code. */
static const double MOMENTUM_BURN_IN = 1000;
/* Min iterations between two rows of history, which are also the points of rollback. */
enum { MIN_ROW_STEPS = 100 };
/* In normal training the mean loss falls from row to row. If it doubles, training has diverged: the
 * features may be constant, and the loss then stays at that of a constant output. */
static const double MAX_RISE = 2;

typedef struct trainer {
    decant__job *job;
    decant__net net;       /* the layers that are trained */
    decant__net below;     /* the frozen layers below; depth 0: none */
    decant__source source; /* rows, or their cached features */
    float *cache;
    decant__dropout noise, dropout; /* on the input, and on the hidden layer */
    decant__minibatch batch;
    decant__corrupted corrupted;
    decant__pass pass_below;
} trainer;

static void trainer_free(trainer *t) {
    decant__free(t->cache);
    decant__minibatch_free(&t->batch);
    decant__corrupted_free(&t->corrupted);
    decant__pass_free(&t->pass_below);
}

/* The input of a greedy stage above the first: cached features, or rows and the layers below. */
static decant_status choose_input(trainer *t) {
    decant_status status = DECANT_OK;
    decant__job *job = t->job;
    size_t width = t->net.layer[0].in, n = job->pretraining->n;
    /* As one process decides, which has all rows. */
    size_t all = decant__job_all(job, n);
    t->source = *job->pretraining;
    if (t->below.depth == 0 || width > job->options->memory / sizeof(float) / all) return status;
    NEW_ARRAY(t->cache, n * width);
    TRY(decant__job_stopped(job, decant__encode(&t->below, job->state.params, job->pretraining,
                                                job->threads, &job->watch, t->cache)));
    t->source = decant__source_dense(t->cache, n, width);
    t->below.depth = 0;
done:
    return status;
}

/* The rates of dropout of one stage; finetuning has none. */
typedef struct dropout_rates {
    double input, hidden;
} dropout_rates;

static dropout_rates stage_dropout(const decant__job *job) {
    const decant_options *options = job->options;
    dropout_rates rates = {options->dropout, options->dropout};
    if (options->dropout_on == DECANT_DROPOUT_ON_ALL) return rates;
    if (job->state.stage == 0) rates.input = 0;
    if (job->state.stage + 1 == job->plan.depth) rates.hidden = 0;
    return rates;
}

static decant_status trainer_new(trainer *t, decant__job *job, decant__net net, decant__net below,
                                 dropout_rates rates) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    decant__state *state = &job->state;
    uint64_t phase =
        state->phase == DECANT__PHASE_GREEDY ? 1 + state->stage : 100 + state->tried.network;
    *t = (trainer){.job = job, .net = net, .below = below};
    t->noise = (decant__dropout){.rate = rates.input, .seed = options->seed};
    t->dropout = (decant__dropout){.rate = rates.hidden, .seed = options->seed};
    TRY(choose_input(t));
    int has_below = t->below.depth > 0;
    TRY(decant__minibatch_new(&t->batch, job, &t->source, &t->net, options->optimizer, phase,
                              !has_below));
    size_t size = t->batch.capacity;
    if (has_below) TRY(decant__pass_new(&t->pass_below, &t->below, size, 0, 0, job->threads));
    if (rates.input > 0) {
        decant__source input = t->source;
        if (has_below) input = decant__source_dense(t->batch.pass.output[0], 1, net.layer[0].in);
        TRY(decant__corrupted_new(&t->corrupted, &input, size));
    }
    TRY(decant__minibatch_share(&t->batch));
done:
    return status;
}

static void set_rate(trainer *t, size_t steps) {
    const decant_options *options = t->job->options;
    const decant__state *state = &t->job->state;
    size_t at = (size_t)state->step;
    double rate = options->optimizer == DECANT_OPTIMIZER_ADAM
                      ? decant__rate_one_cycle(options->pretrain_rate, at, steps)
                      : decant__rate_step_decay(options->pretrain_rate, at, options->rate_step);
    double momentum = options->momentum * fmin(1, (double)at / MOMENTUM_BURN_IN);
    decant__optimizer_step(&t->batch.optimizer, (size_t)state->moment_steps,
                           rate * state->rate_factor, momentum);
}

/* Up to the loss; returns the input of the net. */
static decant__rows forward_batch(trainer *t) {
    float *params = t->job->state.params;
    size_t rows = t->batch.rows;
    decant__rows x = decant__source_fetch(&t->source, t->batch.index, 0, rows, &t->batch.buffer);
    if (t->below.depth > 0) {
        decant__net_forward(&t->below, params, &x, NULL, &t->pass_below);
        x = (decant__rows){
            .n = rows, .d = t->net.layer[0].in, .dense = t->pass_below.output[t->below.depth - 1]};
    }
    decant__rows corrupted = x;
    if (t->noise.rate > 0) corrupted = decant__corrupt(&x, &t->noise, &t->corrupted);
    decant__net_forward(&t->net, params, &corrupted, &t->dropout, &t->batch.pass);
    decant__reconstruction_loss(&t->net, params, &x, 1, &t->batch.pass, t->batch.row_loss);
    return corrupted;
}

static void batch_step(void *context) {
    trainer *t = context;
    decant__rows input = {.n = 0};
    if (t->batch.rows > 0) input = forward_batch(t);
    decant__minibatch_backward(&t->batch, &t->net, &input, &t->dropout, 0, t->net.depth - 1);
}

/* One minibatch; returns its mean square error. */
static double train_batch(trainer *t) {
    decant__job *job = t->job;
    decant__team_run_helped(job->threads, batch_step, t);
    const double *const losses[] = {t->batch.row_loss};
    double sum;
    decant__minibatch_sums(&t->batch, losses, 1, &sum);
    return sum / (double)(t->batch.size * t->net.layer[t->net.depth - 1].out);
}

/* At the end of a row of history: records it, and keeps the parameters or rolls back. */
static decant_status end_history_row(trainer *t) {
    decant__state *state = &t->job->state;
    double mean = state->loss_sum / (double)state->loss_count;
    if (decant__guard_diverged(t->job, mean, MAX_RISE)) return decant__guard_rollback(t->job);
    if (mean <= state->rollback_loss) decant__guard_keep(t->job, mean);
    return decant__state_record(state, t->job->phase_text, decant__job_phase_seconds(t->job), NAN,
                                0);
}

static decant_status train(trainer *t, size_t steps) {
    decant_status status = DECANT_OK;
    decant__state *state = &t->job->state;
    size_t n = decant__job_all(t->job, t->job->pretraining->n);
    size_t epoch = (n + t->batch.size - 1) / t->batch.size;
    size_t row_steps = epoch > MIN_ROW_STEPS ? epoch : MIN_ROW_STEPS;
    while (state->step < steps) {
        decant__minibatch_take(&t->batch);
        t->noise.step = t->dropout.step = (state->stage << 48) | state->step;
        t->noise.first = t->dropout.first = t->batch.first;
        set_rate(t, steps);
        double loss = train_batch(t);
        /* The first reference is the loss of the untrained net: about 1 if the data is scaled. */
        if (isinf(state->rollback_loss) && isfinite(loss)) state->rollback_loss = fmax(1, loss);
        decant__minibatch_count(&t->batch, loss);
        state->moment_steps++;
        if (!isfinite(loss))
            TRY(decant__guard_rollback(t->job));
        else if (state->step % row_steps == 0 || state->step == steps)
            TRY(decant__comm_agree(t->job->comm, end_history_row(t)));
        TRY(decant__job_tick(t->job, steps, loss, NAN));
    }
done:
    return status;
}

static decant_status run_stage(decant__job *job, decant__net net, decant__net below,
                               dropout_rates rates, size_t steps) {
    trainer t;
    decant__job_begin(job);
    decant_status status = decant__job_agree(job, trainer_new(&t, job, net, below, rates));
    if (status != DECANT_OK) {
        trainer_free(&t);
        return status;
    }
    size_t n = decant__job_all(job, job->pretraining->n);
    status =
        train(&t, decant__schedule_steps(steps, job->options->pretrain_epochs, n, t.batch.size));
    trainer_free(&t);
    return status;
}

static decant__network_owner owner_of(const decant__job *job) {
    const decant__layer *last = &job->plan.net.layer[job->plan.net.depth - 1];
    return (decant__network_owner){.options = job->options,
                                   .data_digest = {job->data_digest[0], job->data_digest[1]},
                                   .rows = decant__job_all(job, job->pretraining->n),
                                   .by_column = last->sample > 0};
}

static const char *pretrained_path(const decant__job *job) {
    return job->monitor != NULL ? job->monitor->pretrained : NULL;
}

decant_status decant__pretrained_find(decant__job *job, int *found) {
    const char *path = pretrained_path(job);
    decant__network_owner owner = owner_of(job);
    if (path == NULL || access(path, F_OK) != 0) return DECANT_OK;
    decant_status status =
        decant__network_load(path, &owner, job->state.params, job->plan.parameters);
    if (status == DECANT_OK) *found = 1;
    return status;
}

decant_status decant__pretrained_keep(const decant__job *job) {
    const char *path = pretrained_path(job);
    decant__network_owner owner = owner_of(job);
    if (path == NULL || job->comm->rank > 0) return DECANT_OK;
    return decant__network_save(path, &owner, job->state.params, job->plan.parameters);
}

decant_status decant__pretrain(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    const decant_options *options = job->options;
    while (state->phase == DECANT__PHASE_GREEDY) {
        if (options->greedy_iterations > 0)
            TRY(run_stage(job, decant__autoencoder_stage(&job->plan, (size_t)state->stage),
                          decant__autoencoder_below(&job->plan, (size_t)state->stage),
                          stage_dropout(job), options->greedy_iterations));
        int more = options->greedy_iterations > 0 && state->stage + 1 < job->plan.depth;
        decant__state_enter(state, more ? DECANT__PHASE_GREEDY : DECANT__PHASE_FINETUNE,
                            more ? state->stage + 1 : 0);
    }
    while (state->phase == DECANT__PHASE_FINETUNE) {
        decant__net none = {.depth = 0};
        status = run_stage(job, job->plan.net, none, (dropout_rates){0, 0},
                           options->finetune_iterations);
        if (status == DECANT_EDIVERGED) {
            TRY(decant__networks_failed(job, status));
            continue;
        }
        TRY(status);
        TRY(decant__pretrained_keep(job));
        decant__state_enter(state, decant__job_clustering(job), 0);
    }
done:
    return status;
}
