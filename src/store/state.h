/* Everything that training needs to go on after a crash, in one struct that can be written and read
 * back between any two iterations. Random numbers need no state: they are functions of the step. */
#ifndef DECANT_STORE_STATE_H
#define DECANT_STORE_STATE_H

#include "store/trace.h"
#include "cluster/graph.h"

typedef enum decant__phase {
    DECANT__PHASE_GREEDY,
    DECANT__PHASE_FINETUNE,
    DECANT__PHASE_SELECT,     /* of k, where it is not given */
    DECANT__PHASE_NEIGHBOURS, /* of methods on a graph: in the features, or in the data space */
    DECANT__PHASE_CLUSTER,    /* by the method, or by k-means where refinement follows */
    DECANT__PHASE_START,      /* again, in the evened-out and smoothed features */
    DECANT__PHASE_REFINE,
    DECANT__PHASE_DONE
} decant__phase;

/* As they are called in history, timings and progress; but clustering has its method's name. */
extern const char *const decant__phase_name[];

enum { DECANT__PHASES = DECANT__PHASE_DONE };
#define DECANT__NO_STEP UINT64_MAX

typedef struct decant__state {
    size_t n, k, parameters; /* parameters: the autoencoder's, then the k centroids'; while k is not
                                chosen it is 0 */
    /* where we are */
    decant__phase phase;
    uint64_t stage; /* greedy stage */
    uint64_t step;  /* next iteration of the phase */
    /* what is trained */
    float *params, *moment1, *moment2; /* and the optimiser's moments */
    uint64_t moment_steps;             /* steps since the moments were 0 */
    /* the last state known to be good, for the guard */
    float *rollback_params;
    uint64_t rollback_step;
    double rollback_loss;
    double rate_factor; /* the guard makes steps smaller */
    /* the clustering */
    int32_t *labels, *initial_labels; /* n each */
    float *target;                    /* n x k, p of eq. 3 */
    uint64_t target_step;             /* when it was made */
    decant__graph graph; /* of the features that refinement began with; methods on a graph: the
                            nearest neighbours, with squared distances in place of weights */
    double graph_recall; /* share of true neighbours in it; NaN: no graph */
    decant__trace trace; /* what refinement did to some rows */
    /* the choice of k: what was tried so far, and whether each was fitted */
    decant_k_trial *trials;
    size_t trial_count;
    uint64_t trials_fitted;
    /* the account */
    double loss_sum;
    uint64_t loss_count;
    double last_loss;
    uint64_t converged, reseeded, rollbacks, iterations, resumed_step;
    double seconds[DECANT__PHASES];
    decant_history_row *history;
    size_t history_count, history_capacity;
} decant__state;

/* Allocates for `parameters` trained numbers and a graph of so many neighbours. */
decant_status decant__state_new(decant__state *state, size_t n, size_t k, size_t parameters,
                                size_t neighbours);
void decant__state_free(decant__state *state);

/* Reallocates for another k and number of parameters; the parameters that were there stay. */
decant_status decant__state_reshape(decant__state *state, size_t k, size_t parameters,
                                    size_t neighbours);

/* Takes a trial over, with its labels. */
decant_status decant__state_add_trial(decant__state *state, const decant_k_trial *trial);

/* Enters a phase: step 0, fresh moments, full rate, no loss yet, the present parameters as good. */
void decant__state_enter(decant__state *state, decant__phase phase, uint64_t stage);

/* Forgets the optimiser's moments. */
void decant__state_reset_moments(decant__state *state);

/* Appends a row with the mean loss since the last one, and starts a new mean. */
decant_status decant__state_record(decant__state *state, const char *phase, double seconds,
                                   double changed, size_t smallest);

/* Writes all of it, whole or not at all. */
decant_status decant__state_save(const decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]);

/* The k that a checkpoint was made with. */
decant_status decant__state_peek(const char *path, size_t *k);

/* Reads it into a state made for the same n, k and parameters. EINVAL if it belongs to other data
 * or other options (the sentence names the first that differs). */
decant_status decant__state_load(decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]);

#endif
