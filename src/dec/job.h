/* One fit at work: what it was asked, the rows it works on, its network's plan and its state. The
 * phases of a fit are functions of a job. */
#ifndef DECANT_DEC_JOB_H
#define DECANT_DEC_JOB_H

#include "base/watch.h"
#include "cluster/method.h"
#include "data/scale.h"
#include "store/state.h"
#include "linalg/source.h"
#include "nn/autoencoder.h"

typedef struct decant__range {
    size_t min, max;
} decant__range;

typedef struct decant__job {
    const decant_options *requested; /* as they were given */
    decant_options given;            /* a copy of the caller's; those of a trial are elsewhere */
    decant_monitor watcher;          /* the same for the monitor */
    const decant_options *options;   /* `effective`, or those of a fit on trial */
    decant_options effective; /* with the scaling that was chosen, and the k, or 0 before it is */
    const decant_monitor *monitor; /* NULL: none */
    decant__scale scale;
    decant__scaled scaled;
    decant__source all;                /* the rows, and those that only pretraining sees */
    const decant__source *pretraining; /* all */
    const decant__source *source;      /* those that are clustered */
    uint64_t data_digest[2];
    decant__autoencoder plan; /* depth 0 for k-means on the data */
    int threads;
    decant__range range; /* of k, where it is chosen */
    size_t trial;        /* a fit on trial: its k; else 0 */
    decant__state state;
    decant__clustering found; /* by the last clustering */
    decant__watch watch;
    decant_progress last; /* that the watch reported */
    char phase_text[32];
    double phase_before;           /* seconds that the phase took before a resume */
    double saved_at, save_seconds; /* the last checkpoint: when, and how long it took */
} decant__job;

/* From what a caller gives to a job (prepare.c). Read: a job that is all zero takes copies of the
 * options and the monitor, whatever version of the header they are of. Open: checks the data and
 * the options, finds the scaling, and continues from the checkpoint if that is asked for, or begins
 * with the method's first phase. Close: in any case; the job must stay where it is until then. */
decant_status decant__job_read(decant__job *job, const decant_options *options,
                               const decant_monitor *monitor);
decant_status decant__job_open(decant__job *job, const decant_dataset *data);
void decant__job_close(decant__job *job);

/* How many parameters and graph neighbours a state for n rows and k clusters has. */
size_t decant__job_parameters(const decant__job *job, size_t k);
size_t decant__job_neighbours(const decant__job *job, size_t n, size_t k);

/* Allocates the trace of the refinement. */
decant_status decant__job_trace(decant__job *job);

/* All phases that are left. */
decant_status decant__job_run(decant__job *job);

/* The centroids, in their place behind the autoencoder's parameters. */
float *decant__job_centroids(const decant__job *job);

/* Starts the clock of the phase that the state is in. */
void decant__job_begin(decant__job *job);

/* After an iteration: tells the watcher, keeps the time, writes a checkpoint when one is due. When
 * the watcher wants to stop: a checkpoint and ECANCELLED. */
decant_status decant__job_tick(decant__job *job, size_t steps, double loss, double changed);

/* Writes a checkpoint now, if there is a place for one. */
decant_status decant__job_save(decant__job *job);

/* The status of a phase that is begun anew after a stop; where it was stopped, a checkpoint of what
 * it began with. */
decant_status decant__job_stopped(decant__job *job, decant_status status);

/* Seconds in this phase, with those before a resume. */
double decant__job_phase_seconds(const decant__job *job);

/* The guard (guard.c). Keeps the present parameters for a rollback; loss is their mean loss. */
void decant__guard_keep(decant__job *job, double loss);

/* Restores the kept parameters and divides the rate by 10; EDIVERGED when that was done too
 * often. */
decant_status decant__guard_rollback(decant__job *job);

/* Has a mean loss left the finite numbers, or risen to more than `max` times the kept one's? */
int decant__guard_diverged(const decant__job *job, double loss, double max);

/* Gives every cluster without a point half of the widest one. z: n x latent. *revived counts. */
decant_status decant__guard_revive(decant__job *job, const float *z, const int32_t *labels,
                                   size_t *revived);

/* The name of a phase. */
const char *decant__job_phase_name(const decant__job *job, decant__phase phase);

/* The phase after pretraining. */
decant__phase decant__job_clustering(const decant__job *job);

/* The rows that are clustered: the features, written to *z, which the caller frees, or the data. A
 * job without a network may have features that another one made as its rows. */
decant_status decant__job_points(decant__job *job, float **z, decant__source *points);

/* Takes the autoencoder from the monitor's file, if there is one. *found: untouched, or 1. */
decant_status decant__pretrained_find(decant__job *job, int *found);

/* The phases. Each goes on from the state's step and leaves it at the phase's end. */
decant_status decant__pretrain(decant__job *job);
decant_status decant__select(decant__job *job);
decant_status decant__neighbours(decant__job *job);
decant_status decant__cluster(decant__job *job);
decant_status decant__start(decant__job *job);
decant_status decant__refine(decant__job *job);

#endif
