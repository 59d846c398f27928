/* A running fit: its options, rows, network plan and training state. Each phase of a fit is a
 * function of a job. */
#ifndef DECANT_DEC_JOB_H
#define DECANT_DEC_JOB_H

#include "base/comm.h"
#include "base/watch.h"
#include "cluster/louvain.h"
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
    /* The ranks of the fit (docs/architecture.md): the rows of the sources are those of this rank.
     * Parameters, and everything that has an entry for each row, are the same in all ranks. */
    const decant__comm *comm;
    size_t begin[DECANT__MAX_RANKS + 1]; /* of each rank, its first row; then how many there are */
    decant_dataset part;                 /* the rows of this rank: borrowed */
    float *loaded;                       /* the same, read from their file; NULL: they are there */
    decant_status wish;                  /* why this rank wants to stop; OK: it does not */
    int wishes;                          /* 1: one of the ranks wants to, as all know */
    int kept;                            /* 1: a checkpoint was written because of that */
    int due, saves; /* 1: rank 0 found that a checkpoint is due; 1: as all know, and write it */
    decant__scale scale;
    decant__scaled scaled;
    decant__source all;                /* all rows, with those that only pretraining uses */
    const decant__source *pretraining; /* points to `all` */
    const decant__source *source;      /* the rows that are clustered */
    uint64_t data_digest[2];
    decant__autoencoder plan; /* depth 0: no network */
    float wide_rate;          /* of the weights of a wide first layer: share of the rate; else 0 */
    int threads;
    decant__range range; /* of k, if it is to be chosen */
    size_t trial;        /* a trial fit of the choice of k: its k; else 0 */
    decant__state state;
    decant__clustering found; /* result of the last clustering */
    decant__links links;      /* the neighbour graph of the data, for judging; or empty */
    decant__watch watch;
    decant_progress last; /* what the watch reported last */
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
decant_status decant__job_open(decant__job *job, const decant_dataset *whole);
void decant__job_close(decant__job *job);

/* How many parameters and graph neighbours a state for n rows and k clusters has. */
size_t decant__job_parameters(const decant__job *job, size_t k);
size_t decant__job_neighbours(const decant__job *job, size_t n, size_t k);

/* Allocates the trace of the refinement. */
decant_status decant__job_trace(decant__job *job);

/* Runs the remaining phases. */
decant_status decant__job_run(decant__job *job);

/* The centroids: they are stored after the autoencoder's parameters. */
float *decant__job_centroids(const decant__job *job);

/* How many rows all ranks have together where this one has n. */
size_t decant__job_all(const decant__job *job, size_t n);

/* x: `size` bytes for each row of all ranks, of which this rank has made its own; after this, all
 * ranks have all. Before it, the ranks must have agreed. */
void decant__job_gather(const decant__job *job, void *x, size_t size);

/* decant__comm_agree, also on the wish of a rank to stop. */
decant_status decant__job_agree(decant__job *job, decant_status status);

/* All rows through the encoder: z (all rows x outputs), each rank its own; polled as
 * decant__encode is. */
decant_status decant__job_encode(decant__job *job, const decant__net *encoder, float *z);

/* The neighbour graph of x (all rows x width), the same in all ranks: each searches for its rows.
 */
decant_status decant__job_build_graph(decant__job *job, decant__graph *graph, const float *x,
                                      size_t width, const decant__watch *watch);

/* The first principal components of the rows (components.c), of all (landmarks 0) or of so many
 * landmarks (landmarks.h). scores: these rows x width, the same in all ranks. */
decant_status decant__job_components(decant__job *job, size_t landmarks, size_t width,
                                     const decant__watch *watch, float *scores);

/* Replaces the scaling by gradients if the rows are grey images; asked: EINVAL if they are not. */
decant_status decant__job_see_images(decant__job *job, int asked);

/* Do the first 30 principal components have less than half of the variance, by at most 2048
 * rows? */
decant_status decant__job_is_diffuse(decant__job *job, int *diffuse);

/* Can a fit by several ranks do what is asked for? EINVAL names the first thing that it cannot. */
decant_status decant__job_check_spread(const decant__job *job, const decant_dataset *data);

/* The rows of this rank, job->part (spread.c). */
decant_status decant__job_take_part(decant__job *job, const decant_dataset *data);

/* Starts the clock of the phase that the state is in. */
void decant__job_begin(decant__job *job);

/* After an iteration: reports progress, updates the seconds of the phase, writes a checkpoint if
 * one is due. If the monitor cancels: writes a checkpoint and returns ECANCELLED. */
decant_status decant__job_tick(decant__job *job, size_t steps, double loss, double changed);

/* Writes a checkpoint now, if the monitor has a path for it. All ranks call it: moments of which
 * each has a slice are gathered before. */
decant_status decant__job_save(decant__job *job);

/* For phases that a resumed run does again from their start: if the ranks agree on ECANCELLED,
 * writes a checkpoint. Returns what they agree on. */
decant_status decant__job_stopped(decant__job *job, decant_status status);

/* Seconds of this phase, including those before a resume. */
double decant__job_phase_seconds(const decant__job *job);

/* The guard (guard.c). Keeps the present parameters for a rollback; loss is their mean loss. */
void decant__guard_keep(decant__job *job, double loss);

/* Restores the kept parameters and divides the learning rate by 10; EDIVERGED after too many
 * rollbacks. */
decant_status decant__guard_rollback(decant__job *job);

/* Is a mean loss not finite, or more than `max` times that of the kept parameters? */
int decant__guard_diverged(const decant__job *job, double loss, double max);

/* Splits the widest cluster for each empty one. z: n x latent. *revived: how many were filled. */
decant_status decant__guard_revive(decant__job *job, const float *z, const int32_t *labels,
                                   size_t *revived);

/* The name of a phase. */
const char *decant__job_phase_name(const decant__job *job, decant__phase phase);

/* The phase after pretraining. */
decant__phase decant__job_clustering(const decant__job *job);

/* The points that are clustered: the features, written to *z, which the caller frees; or, without
 * a network, the rows of the job. */
decant_status decant__job_points(decant__job *job, float **z, decant__source *points);

/* Loads the autoencoder from the monitor's file, if there is one. *found: 1 if it was loaded, else
 * unchanged. */
decant_status decant__pretrained_find(decant__job *job, int *found);

/* Writes it to that file. */
decant_status decant__pretrained_keep(const decant__job *job);

/* The phases. Each continues from the state's step, and enters the next phase at its end. */
decant_status decant__pretrain(decant__job *job);
decant_status decant__select(decant__job *job);
decant_status decant__neighbours(decant__job *job);
decant_status decant__cluster(decant__job *job);
decant_status decant__start(decant__job *job);
decant_status decant__refine(decant__job *job);
decant_status decant__teach(decant__job *job);

#endif
