#include "dec/job.h"

#include <math.h>
#include <stdio.h>

/* Min time between two checkpoints, as a multiple of the time that writing one takes. */
static const double MIN_WORK = 50;

float *decant__job_centroids(const decant__job *job) {
    return job->state.params + job->plan.parameters;
}

const char *decant__job_phase_name(const decant__job *job, decant__phase phase) {
    return phase == DECANT__PHASE_CLUSTER ? decant__method_of(job->options->method)->name
                                          : decant__phase_name[phase];
}

decant__phase decant__job_clustering(const decant__job *job) {
    if (job->options->k == 0) return DECANT__PHASE_SELECT;
    return decant__method_of(job->options->method)->wants_graph ? DECANT__PHASE_NEIGHBOURS
                                                                : DECANT__PHASE_CLUSTER;
}

void decant__job_begin(decant__job *job) {
    decant__state *state = &job->state;
    if (job->trial > 0)
        snprintf(job->phase_text, sizeof job->phase_text, "k=%zu %s", job->trial,
                 decant__job_phase_name(job, state->phase));
    else if (state->phase == DECANT__PHASE_GREEDY)
        snprintf(job->phase_text, sizeof job->phase_text, "greedy %u/%u",
                 (unsigned)state->stage + 1, (unsigned)job->plan.depth);
    else if (state->phase == DECANT__PHASE_FINETUNE && state->tried.network > 0)
        snprintf(job->phase_text, sizeof job->phase_text, "network %u",
                 (unsigned)state->tried.network + 1);
    else
        snprintf(job->phase_text, sizeof job->phase_text, "%s",
                 decant__job_phase_name(job, state->phase));
    decant__watch_phase(&job->watch, job->phase_text);
    job->phase_before = state->seconds[state->phase];
}

double decant__job_phase_seconds(const decant__job *job) {
    return job->phase_before + decant__seconds() - job->watch.began;
}

size_t decant__job_all(const decant__job *job, size_t n) {
    return job->comm->size == 1 ? n : job->begin[job->comm->size];
}

void decant__job_gather(const decant__job *job, void *x, size_t size) {
    size_t begin[DECANT__MAX_RANKS + 1];
    if (job->comm->size == 1) return;
    for (int r = 0; r <= job->comm->size; r++) begin[r] = job->begin[r] * size;
    decant__comm_gather(job->comm, x, begin);
}

decant_status decant__job_agree(decant__job *job, decant_status status) {
    if (job->comm->size == 1) return status;
    return decant__comm_agree(job->comm, status != DECANT_OK ? status : job->wish);
}

static void gather_moments(decant__job *job) {
    decant__state *state = &job->state;
    for (size_t i = 0; i < state->sliced_count; i++) {
        size_t offset = state->sliced[i].offset, count = state->sliced[i].count;
        decant__comm_share_slices(job->comm, state->moment1 + offset, count);
        decant__comm_share_slices(job->comm, state->moment2 + offset, count);
    }
    state->sliced_count = 0;
}

decant_status decant__job_save(decant__job *job) {
    if (job->monitor == NULL || job->monitor->checkpoint == NULL) return DECANT_OK;
    gather_moments(job);
    if (job->comm->rank > 0) return DECANT_OK;
    double began = decant__seconds();
    decant_status status =
        decant__state_save(&job->state, job->monitor->checkpoint, job->requested, job->data_digest);
    job->saved_at = decant__seconds();
    job->save_seconds = job->saved_at - began;
    return status;
}

decant_status decant__job_stopped(decant__job *job, decant_status status) {
    status = decant__job_agree(job, status);
    if (status != DECANT_ECANCELLED || decant__job_save(job) != DECANT_OK) return status;
    job->kept = 1;
    return decant__fail(DECANT_ECANCELLED, "stopped during %s", job->phase_text);
}

/* What all ranks do now: one that wants to stop says so in the next step, and all stop after it. */
static decant_status common_wish(decant__job *job, decant_status own) {
    if (job->comm->size == 1) return own;
    if (job->wishes) return decant__job_agree(job, own);
    if (job->wish == DECANT_OK) job->wish = own;
    return DECANT_OK;
}

static int is_save_due(decant__job *job) {
    /* The state grows with the data: by default, writing it takes at most 1/MIN_WORK of the time.
     */
    double every = job->monitor->checkpoint_seconds > 0 ? job->monitor->checkpoint_seconds
                                                        : fmax(30, MIN_WORK * job->save_seconds);
    int due = decant__seconds() - job->saved_at >= every;
    if (job->comm->size == 1) return due;
    /* The ranks' clocks differ: that of rank 0 counts, which says so beside the loss of the next
     * step. */
    int now = job->saves;
    job->due = job->comm->rank == 0 && due && !now;
    job->saves = 0;
    return now;
}

decant_status decant__job_tick(decant__job *job, size_t steps, double loss, double changed) {
    job->state.seconds[job->state.phase] = decant__job_phase_seconds(job);
    const decant_monitor *monitor = job->monitor;
    decant_status cancel =
        common_wish(job, decant__watch_tick(&job->watch, job->state.step, steps, loss, changed));
    if (cancel != DECANT_OK && cancel != DECANT_ECANCELLED) return cancel;
    if (monitor == NULL || monitor->checkpoint == NULL) return cancel;
    if (cancel == DECANT_OK && !is_save_due(job)) return DECANT_OK;
    decant_status saved = decant__job_save(job);
    if (cancel == DECANT_OK) return common_wish(job, saved);
    if (saved != DECANT_OK) return saved;
    job->kept = 1;
    /* Set again: saving may have overwritten the sentence of the cancellation. */
    return decant__fail(cancel, "stopped during %s at step %zu of %zu", job->phase_text,
                        (size_t)job->state.step, steps);
}
