/* Near the peak of the learning rate some networks lose part of their features for good, and which
 * ones depends on the first weights. Then even the clusters of their features suit the neighbour
 * graph of the data less than what k-means finds in the data (candidates.c), the one space that all
 * networks have in common. Another network is trained, with other first weights and another order
 * of the rows; if none of a few is suitable, the one is taken that suits the data best. It is kept
 * in the state's best parameters, which refinement needs only later. */
#include "dec/networks.h"

#include <stdio.h>
#include <string.h>

/* How many networks may be trained. Greedy stages are not repeated, nor is whitening undone. */
static size_t max_networks(const decant_options *options) {
    if (options->finetune_iterations == 0 || options->greedy_iterations > 0 || options->whiten > 0)
        return 1;
    return options->networks;
}

void decant__networks_init(decant__job *job) {
    decant__autoencoder_init(&job->plan, job->options->init_std, job->options->seed,
                             job->state.tried.network, job->state.params);
}

/* The rows of history of the network that is taken have the name of the phase, others a number. */
static void rename_history(decant__state *state) {
    const char *name = decant__phase_name[DECANT__PHASE_FINETUNE];
    char taken[sizeof state->history->phase];
    if (state->tried.network == 0) return;
    snprintf(taken, sizeof taken, "network %u", (unsigned)state->tried.network + 1);
    for (size_t i = 0; i < state->history_count; i++) {
        char *phase = state->history[i].phase;
        if (strcmp(phase, name) == 0)
            snprintf(phase, sizeof taken, "network 1");
        else if (strcmp(phase, taken) == 0)
            snprintf(phase, sizeof taken, "%s", name);
    }
}

static uint64_t best_network(const decant__tried *tried) {
    uint64_t best = tried->network;
    for (uint64_t i = 0; i < tried->network; i++)
        if (tried->score[i] > tried->score[best]) best = i;
    return best;
}

static void train_another(decant__job *job) {
    decant__state *state = &job->state;
    decant__tried *tried = &state->tried;
    if (best_network(tried) == tried->network)
        memcpy(state->best_params, state->params, state->parameters * sizeof *state->params);
    tried->network++;
    tried->count = tried->network + 1;
    decant__networks_init(job);
    decant__state_enter(state, DECANT__PHASE_FINETUNE, 0);
}

/* The file of pretrained networks holds the last one that was trained. */
static decant_status return_to(decant__job *job, uint64_t best) {
    decant__state *state = &job->state;
    memcpy(state->params, state->best_params, state->parameters * sizeof *state->params);
    state->tried.network = best;
    state->tried.settled = 1;
    decant__state_enter(state, DECANT__PHASE_CLUSTER, 0);
    return decant__comm_agree(job->comm, decant__pretrained_keep(job));
}

/* Another network, or the best one so far; else this one stays. */
static decant_status leave(decant__job *job, double score, int *left) {
    decant__tried *tried = &job->state.tried;
    if (tried->settled) return DECANT_OK;
    tried->score[tried->network] = score;
    *left = 1;
    if (tried->network + 1 < max_networks(job->options)) {
        train_another(job);
        return DECANT_OK;
    }
    uint64_t best = best_network(tried);
    if (best != tried->network) return return_to(job, best);
    *left = 0;
    return DECANT_OK;
}

decant_status decant__networks_failed(decant__job *job, decant_status failure) {
    int left = 0;
    decant_status status = leave(job, -1, &left);
    return status != DECANT_OK || left ? status : failure;
}

decant_status decant__networks_next(decant__job *job, const decant__verdict *verdict) {
    decant__state *state = &job->state;
    int left = 0;
    if (verdict->unsuitable) {
        decant_status status = leave(job, verdict->score, &left);
        if (status != DECANT_OK || left) return status;
    }
    state->tried.settled = 1;
    rename_history(state);
    decant__state_enter(state, DECANT__PHASE_REFINE, 0);
    return DECANT_OK;
}
