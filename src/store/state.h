/* The state of training: all that is needed to resume after a crash, in one struct that can be
 * written and read between any two iterations. Random numbers need no state: they are functions of
 * the step. */
#ifndef DECANT_STORE_STATE_H
#define DECANT_STORE_STATE_H

#include "store/trace.h"
#include "cluster/graph.h"

typedef enum decant__phase {
    DECANT__PHASE_GREEDY,
    DECANT__PHASE_FINETUNE,
    DECANT__PHASE_SELECT,     /* choice of k, if it is not given */
    DECANT__PHASE_NEIGHBOURS, /* graph methods: neighbours in the features or in the data space */
    DECANT__PHASE_CLUSTER,    /* by the method, or by k-means if refinement follows */
    DECANT__PHASE_START,      /* clusters again, by the neighbour graph of the features */
    DECANT__PHASE_REFINE,
    DECANT__PHASE_STUDENT, /* self-training of a second network */
    DECANT__PHASE_DONE
} decant__phase;

/* Where the initial clusters of refinement come from: docs/method.md, section 3. */
typedef enum decant_start {
    DECANT_START_FEATURES, /* communities of the features' neighbour graph, or smoothed k-means */
    DECANT_START_FEATURES_KMEANS,
    DECANT_START_DATA_KMEANS, /* on the principal components of the data, as are the next two */
    DECANT_START_DATA_COMMUNITIES,
    DECANT_START_DATA_GROUPS,   /* communities that are merged to groups of any size */
    DECANT_START_DATA_SEPARATE, /* the same, if hardly a link leads from one to another */
    DECANT_START_DATA_MIXTURE,  /* a mixture of Gaussians, from the clusters of k-means */
    DECANT_START_JOINT,         /* communities of the graph of the features and the data */
    DECANT_START_JOINT_KMEANS,  /* k-means on the features and the principal components as one */
    DECANT_STARTS
} decant_start;

/* Names in history, timings and progress; but the cluster phase has the name of its method. */
extern const char *const decant__phase_name[];

/* MAX_SLICED: idec steps its decoder, its encoder and the centroids one after the other. */
enum { DECANT__PHASES = DECANT__PHASE_DONE, DECANT__MAX_SLICED = 3 };
#define DECANT__NO_STEP UINT64_MAX

/* The second network, while it is trained and afterwards; parameters 0: none. */
typedef struct decant__student {
    size_t parameters;
    float *params, *moment1, *moment2;
} decant__student;

/* The networks that were tried until one was suitable: dec/networks.c. */
enum { DECANT__MAX_NETWORKS = 9 };
typedef struct decant__tried {
    uint64_t network;                   /* the one whose parameters the state has */
    uint64_t count;                     /* how many were begun */
    uint64_t settled;                   /* 1: no other one is tried */
    double score[DECANT__MAX_NETWORKS]; /* how well each suits the data; NaN: not known */
} decant__tried;

typedef struct decant__state {
    size_t n, k, parameters; /* parameters: those of the autoencoder and of the k centroids; k is 0
                                until it is chosen */
    /* position */
    decant__phase phase;
    uint64_t stage; /* greedy stage */
    uint64_t step;  /* next iteration of the phase */
    /* parameters */
    float *params, *moment1, *moment2; /* moments of the optimizer */
    uint64_t moment_steps;             /* steps since the moments were 0 */
    /* With several ranks: the vectors of parameters whose moments a rank has up to date only in its
     * slice (base/comm.h); 0: all are whole. */
    struct {
        size_t offset, count;
    } sliced[DECANT__MAX_SLICED];
    size_t sliced_count;
    decant__tried tried;
    /* rollback: the last parameters known to be good */
    float *rollback_params;
    uint64_t rollback_step;
    double rollback_loss;
    /* the parameters whose clusters suit the data's neighbour graph best, since refinement began;
     * before it, the best network */
    float *best_params;
    double best_score;  /* -1: none */
    double rate_factor; /* of the learning rate; each rollback divides it by 10 */
    /* the clustering */
    int32_t *labels, *initial_labels; /* n each */
    float *target;                    /* n x k, p of eq. 3 */
    uint64_t target_step;             /* at which it was computed */
    decant__graph graph; /* of the features before refinement; for graph methods: the nearest
                            neighbours, with squared distances instead of weights */
    uint64_t start;      /* decant_start: where the initial clusters come from */
    double graph_recall; /* share of true neighbours in it; NaN: no graph */
    decant__trace trace; /* some rows during refinement */
    decant__student student;
    double student_changed; /* share of the labels that it changed; NaN: there was none */
    /* choice of k: trials so far, and whether each k was fitted (select-k) */
    decant_k_trial *trials;
    size_t trial_count;
    uint64_t trials_fitted;
    /* records */
    double loss_sum;
    uint64_t loss_count;
    double last_loss;
    uint64_t converged, reseeded, rollbacks, iterations, resumed_step;
    uint64_t
        returned; /* 1: refinement made the clusters worse, and the best parameters were taken */
    double seconds[DECANT__PHASES];
    decant_history_row *history;
    size_t history_count, history_capacity;
} decant__state;

/* Allocates a state, with a graph of `neighbours` for each row. */
decant_status decant__state_new(decant__state *state, size_t n, size_t k, size_t parameters,
                                size_t neighbours);
void decant__state_free(decant__state *state);

/* All parameters are 0. Free: takes one that is all zero. */
decant_status decant__student_new(decant__student *student, size_t parameters);
void decant__student_free(decant__student *student);

/* Reallocates for another k and number of parameters; keeps the old parameters. */
decant_status decant__state_reshape(decant__state *state, size_t k, size_t parameters,
                                    size_t neighbours);

/* Adds a trial, and takes ownership of its labels. */
decant_status decant__state_add_trial(decant__state *state, const decant_k_trial *trial);

/* Enters a phase: step 0, moments 0, full learning rate, no loss; the current parameters are those
 * of a rollback. */
void decant__state_enter(decant__state *state, decant__phase phase, uint64_t stage);

/* Sets the optimizer's moments to 0: they are whole again. */
void decant__state_reset_moments(decant__state *state);

/* Remembers that these parameters take their steps by slices. */
void decant__state_slice(decant__state *state, size_t offset, size_t count);

/* Appends a row of history with the mean loss since the last row, and resets the mean. */
decant_status decant__state_record(decant__state *state, const char *phase, double seconds,
                                   double changed, size_t smallest);

/* Writes a checkpoint, atomically. */
decant_status decant__state_save(const decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]);

/* Reads the k of a checkpoint. */
decant_status decant__state_peek(const char *path, size_t *k);

/* Reads a checkpoint into a state of the same n, k and parameters. EINVAL if it belongs to other
 * data or options (the sentence names the first option that differs). */
decant_status decant__state_load(decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]);

#endif
