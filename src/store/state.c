#include "store/state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

const char *const decant__phase_name[] = {"greedy", "finetune", "select",  "neighbours", "cluster",
                                          "start",  "refine",   "student", "done"};

decant_status decant__state_new(decant__state *state, size_t n, size_t k, size_t parameters,
                                size_t neighbours) {
    decant_status status = DECANT_OK;
    *state = (decant__state){.n = n, .k = k, .parameters = parameters, .rate_factor = 1};
    state->target_step = DECANT__NO_STEP;
    state->graph_recall = NAN;
    state->student_changed = NAN;
    state->trace.stride = 1;
    state->tried.count = 1;
    for (int i = 0; i < DECANT__MAX_NETWORKS; i++) state->tried.score[i] = NAN;
    NEW_ZEROED(state->params, parameters);
    NEW_ZEROED(state->moment1, parameters);
    NEW_ZEROED(state->moment2, parameters);
    NEW_ZEROED(state->rollback_params, parameters);
    NEW_ZEROED(state->best_params, parameters);
    NEW_ZEROED(state->labels, n);
    NEW_ZEROED(state->initial_labels, n);
    NEW_ZEROED(state->target, n * k);
    TRY(decant__graph_new(&state->graph, n, neighbours));
done:
    if (status != DECANT_OK) decant__state_free(state);
    return status;
}

decant_status decant__student_new(decant__student *student, size_t parameters) {
    decant_status status = DECANT_OK;
    *student = (decant__student){.parameters = parameters};
    NEW_ZEROED(student->params, parameters);
    NEW_ZEROED(student->moment1, parameters);
    NEW_ZEROED(student->moment2, parameters);
done:
    if (status != DECANT_OK) decant__student_free(student);
    return status;
}

void decant__student_free(decant__student *student) {
    decant__free(student->params);
    decant__free(student->moment1);
    decant__free(student->moment2);
    *student = (decant__student){0};
}

/* Resizes an array: keeps the first `from` numbers, the others are 0. */
static decant_status resize_array(float **array, size_t from, size_t to) {
    float *grown = decant__alloc_zeroed(to, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    memcpy(grown, *array, from * sizeof *grown);
    decant__free(*array);
    *array = grown;
    return DECANT_OK;
}

decant_status decant__state_reshape(decant__state *state, size_t k, size_t parameters,
                                    size_t neighbours) {
    decant_status status = DECANT_OK;
    decant__graph graph = {0};
    TRY(resize_array(&state->params, state->parameters, parameters));
    TRY(resize_array(&state->moment1, state->parameters, parameters));
    TRY(resize_array(&state->moment2, state->parameters, parameters));
    TRY(resize_array(&state->rollback_params, state->parameters, parameters));
    TRY(resize_array(&state->best_params, state->parameters, parameters));
    TRY(resize_array(&state->target, 0, state->n * k));
    TRY(decant__graph_new(&graph, state->n, neighbours));
    decant__graph_free(&state->graph);
    state->graph = graph;
    state->k = k;
    state->parameters = parameters;
done:
    return status;
}

decant_status decant__state_add_trial(decant__state *state, const decant_k_trial *trial) {
    decant_k_trial *grown =
        decant__realloc_array(state->trials, state->trial_count + 1, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    state->trials = grown;
    grown[state->trial_count++] = *trial;
    return DECANT_OK;
}

void decant__state_free(decant__state *state) {
    for (size_t t = 0; t < state->trial_count; t++) decant__free(state->trials[t].labels);
    decant__free(state->trials);
    decant__free(state->params);
    decant__free(state->moment1);
    decant__free(state->moment2);
    decant__free(state->rollback_params);
    decant__free(state->best_params);
    decant__free(state->labels);
    decant__free(state->initial_labels);
    decant__free(state->target);
    decant__graph_free(&state->graph);
    decant__student_free(&state->student);
    decant__trace_free(&state->trace);
    decant__free(state->history);
    *state = (decant__state){0};
}

void decant__state_reset_moments(decant__state *state) {
    memset(state->moment1, 0, state->parameters * sizeof *state->moment1);
    memset(state->moment2, 0, state->parameters * sizeof *state->moment2);
    state->moment_steps = 0;
    state->sliced_count = 0;
}

void decant__state_slice(decant__state *state, size_t offset, size_t count) {
    for (size_t i = 0; i < state->sliced_count; i++)
        if (state->sliced[i].offset == offset) return;
    assert(state->sliced_count < DECANT__MAX_SLICED);
    state->sliced[state->sliced_count].offset = offset;
    state->sliced[state->sliced_count++].count = count;
}

void decant__state_enter(decant__state *state, decant__phase phase, uint64_t stage) {
    state->phase = phase;
    state->stage = stage;
    state->step = 0;
    state->rate_factor = 1;
    state->loss_sum = 0;
    state->loss_count = 0;
    state->rollback_step = 0;
    state->rollback_loss = INFINITY;
    state->target_step = DECANT__NO_STEP;
    state->best_score = -1;
    memcpy(state->rollback_params, state->params,
           state->parameters * sizeof *state->rollback_params);
    decant__state_reset_moments(state);
}

decant_status decant__state_record(decant__state *state, const char *phase, double seconds,
                                   double changed, size_t smallest) {
    if (state->history_count == state->history_capacity) {
        size_t capacity = state->history_capacity * 2 + 64;
        decant_history_row *grown = decant__realloc_array(state->history, capacity, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        state->history = grown;
        state->history_capacity = capacity;
    }
    decant_history_row *row = &state->history[state->history_count++];
    *row = (decant_history_row){.step = state->step,
                                .seconds = seconds,
                                .changed = changed,
                                .smallest = smallest,
                                .loss = NAN};
    snprintf(row->phase, sizeof row->phase, "%s", phase);
    if (state->loss_count > 0) {
        row->loss = state->loss_sum / (double)state->loss_count;
        state->last_loss = row->loss;
    }
    state->loss_sum = 0;
    state->loss_count = 0;
    return DECANT_OK;
}
