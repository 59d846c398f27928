/* The choice of k (docs/method.md): the k with the highest
 *
 *   stability sqrt(1 - 1/k)
 *
 * where 1 - 1/k is the share of pairs of rows that k clusters of equal size separate. Without this
 * factor k = 2 would win too often: two clusters are easy to find again. But clusters that are not
 * found again are no reason to have more of them: if that k has less than CLEAR, the most stable k
 * is taken, whatever it separates. If no k is stable, the
 * data has no clusters, and the smallest k is taken. The paper takes the k where G drops; here G is
 * reported if every k is fitted, but not used. */
#include "dec/select_k.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/team.h"
#include "dec/candidates.h"
#include "options/options.h"

/* A lower stability is hardly better than chance. */
static const double MIN_STABILITY = 0.25;
static const double CLEAR = 0.6;
/* One row in five is a validation row: not used in refinement. */
enum { VALIDATION = 5 };

static double selection_score(const decant_k_trial *trial) {
    return trial->stability * sqrt(1 - 1 / (double)trial->k);
}

static int any_stable(const decant_k_trial *trials, size_t count) {
    for (size_t t = 0; t < count; t++)
        if (trials[t].stability >= MIN_STABILITY) return 1;
    return 0;
}

size_t decant__select_best(const decant_k_trial *trials, size_t count) {
    size_t best = 0, stable = 0;
    if (!any_stable(trials, count)) return 0;
    for (size_t t = 1; t < count; t++) {
        if (selection_score(&trials[t]) > selection_score(&trials[best])) best = t;
        if (trials[t].stability > trials[stable].stability) stable = t;
    }
    return trials[best].stability < CLEAR ? stable : best;
}

static void set_reason(decant_selection *selection, size_t taken) {
    const decant_k_trial *trial = &selection->trial[taken];
    const char *verdict = "the most stable number of those tried", *doubt = "";
    for (size_t t = 0; t < selection->count; t++)
        if (selection->trial[t].stability > trial->stability)
            verdict = "the best number of those tried; fewer are more stable, but separate less";
    if (selection->count == 1) verdict = "the only number that was tried";
    if (!any_stable(selection->trial, selection->count))
        verdict = "the smallest number tried, because the data shows no clusters beyond chance";
    else if (selection->count > 1 && trial->stability < CLEAR)
        doubt = ", but none is clear";
    decant__format(
        selection->reason, sizeof selection->reason,
        "%s%s; stability %.2f (0: chance, 1: perfect), from clustering two halves of the rows",
        verdict, doubt, trial->stability);
}

decant_status decant__selection_take(decant__state *state, decant_selection **out) {
    decant_selection *selection = decant__alloc_zeroed(1, sizeof *selection);
    if (selection == NULL) return DECANT_ENOMEM;
    selection->struct_size = sizeof *selection;
    selection->n = state->n;
    selection->trial = state->trials;
    selection->count = state->trial_count;
    state->trials = NULL;
    state->trial_count = 0;
    size_t taken = decant__select_best(selection->trial, selection->count);
    selection->k = selection->trial[taken].k;
    set_reason(selection, taken);
    *out = selection;
    return DECANT_OK;
}

void decant_selection_free(decant_selection *selection) {
    if (selection == NULL) return;
    for (size_t t = 0; t < selection->count; t++) decant__free(selection->trial[t].labels);
    decant__free(selection->trial);
    decant__free(selection);
}

size_t decant__select_steps(const decant__job *job) {
    return (job->range.max - job->range.min + 1) * DECANT__SPLITS;
}

/* What the trials share. */
typedef struct trial_rows {
    decant__points features;
    decant__points judged; /* by stability: the features, or the data */
    decant__division division;
} trial_rows;

static decant_status run_trial(decant__job *job, const trial_rows *rows, size_t k) {
    decant_status status = DECANT_OK;
    double began = decant__seconds();
    decant_k_trial trial = {.k = k,
                            .generalizability = NAN,
                            .own_generalizability = NAN,
                            .train_loss = NAN,
                            .validation_loss = NAN,
                            .silhouette = NAN};
    TRY(decant__stability(job, &rows->judged, k, &trial.stability));
    if (job->state.trials_fitted)
        TRY(decant__select_fit(job, &rows->features, &rows->division, &trial));
    trial.seconds = decant__seconds() - began;
    TRY(decant__state_add_trial(&job->state, &trial));
    trial.labels = NULL;
done:
    decant__free(trial.labels);
    return status;
}

/* After a trial. If trials are whole fits, each is followed by a checkpoint. */
static decant_status save_trials(decant__job *job) {
    decant__state *state = &job->state;
    state->step = state->trial_count * DECANT__SPLITS;
    state->seconds[state->phase] = decant__job_phase_seconds(job);
    if (state->trials_fitted) return decant__job_save(job);
    return decant__job_tick(job, decant__select_steps(job), NAN, NAN);
}

/* Runs the trials of the range that the checkpoint does not have. */
static decant_status run_trials(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    decant__source source;
    float *z = NULL, *x = NULL;
    uint32_t *order = NULL;
    decant__random random = decant__random_start(job->options->seed, DECANT__RANDOM_SPLIT, 0);
    decant__job_begin(job);
    TRY(decant__job_points(job, &z, &source));
    trial_rows rows = {.features = {z, source.n, source.d, 0}};
    size_t n = source.n;
    rows.judged = rows.features;
    TRY(decant__candidates_points(job, &x, &rows.judged.l));
    if (x != NULL) rows.judged.z = x, rows.judged.of_data = 1;
    NEW_ARRAY(order, n);
    decant__random_permutation(&random, n, order);
    rows.division = (decant__division){order, n - n / VALIDATION};
    TRY(save_trials(job));
    while (job->range.min + state->trial_count <= job->range.max) {
        TRY(run_trial(job, &rows, job->range.min + state->trial_count));
        TRY(save_trials(job));
    }
done:
    /* A trial that was cancelled has not written a checkpoint. */
    if (status == DECANT_ECANCELLED && decant__job_save(job) == DECANT_OK)
        status = decant__fail(DECANT_ECANCELLED, "stopped after %zu of %zu values of k",
                              state->trial_count, job->range.max - job->range.min + 1);
    decant__free(z);
    decant__free(x);
    decant__free(order);
    return status;
}

decant_status decant__select(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    TRY(run_trials(job));
    size_t k = state->trials[decant__select_best(state->trials, state->trial_count)].k;
    TRY(decant__state_reshape(state, k, decant__job_parameters(job, k),
                              decant__job_neighbours(job, state->n, k)));
    TRY(decant__job_trace(job));
    job->effective.k = k;
    decant__state_enter(state, decant__job_clustering(job), 0);
done:
    return status;
}

decant_status decant_select_k(const decant_dataset *data, const decant_options *options,
                              const decant_monitor *monitor, decant_selection **out) {
    REQUIRE(data);
    REQUIRE(options);
    REQUIRE(out);
    decant_status status = DECANT_OK;
    decant__job job = {0};
    TRY(decant__job_read(&job, options, monitor));
    if (job.requested->k_max == 0)
        TRY(decant__fail(DECANT_EINVAL,
                         "k is one number, so there is nothing to choose: give a range like "
                         "5..15, or auto"));
    TRY(decant__job_open(&job, data));
    if (job.state.trial_count > 0 && !job.state.trials_fitted)
        TRY(decant__fail(DECANT_EINVAL, "%s: is the checkpoint of a fit, not of select-k",
                         job.monitor->checkpoint));
    job.state.trials_fitted = 1;
    TRY(decant__pretrain(&job));
    TRY(run_trials(&job));
    TRY(decant__row_file_check(data->file));
    TRY(decant__selection_take(&job.state, out));
done:
    decant__job_close(&job);
    return status;
}
