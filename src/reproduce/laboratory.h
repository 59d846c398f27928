/* Where trials are made: the folder they are kept in, the list of those to make, and the data sets
 * in memory.
 *
 * A trial is a run folder (run/run.c). One that is finished is not made again, one that was stopped
 * goes on from its checkpoint, and trials of the same rows share pretrained networks and neighbour
 * graphs:
 *
 *   OUTPUT/PRESET/runs/SET.METHOD[.CHANGE].seedS    the run
 *   OUTPUT/PRESET/networks/SET.seedS.safetensors    its autoencoder after pretraining
 *   OUTPUT/PRESET/graphs/SET[.seedS].safetensors    neighbours in the data, or in the features
 *
 * The experiments go through it twice: first planning, when their trials are only put on a list;
 * then, after decant__laboratory_work has made all of them, to show what came out. */
#ifndef DECANT_REPRODUCE_LABORATORY_H
#define DECANT_REPRODUCE_LABORATORY_H

#include <pthread.h>

#include "reproduce/sets.h"
#include "run/recall.h"

enum { DECANT__CHANGE_SIZE = 64, DECANT__SETTINGS_SIZE = 256 };

/* One fit. */
typedef struct decant__trial {
    decant__set_id set;
    double r_min;         /* an imbalanced sample by the trial's seed; 0: all rows */
    const char *method;   /* by its name */
    const char *change;   /* what else is different, in the name of the run; NULL: nothing */
    const char *settings; /* the same as options: "name=value name=value"; NULL: none */
    uint64_t seed;
} decant__trial;

typedef struct decant__laboratory decant__laboratory;
typedef struct decant__work decant__work;

/* Makes what is on the list, on so many threads. */
typedef decant_status decant__work_fn(decant__laboratory *lab, const decant__work *work,
                                      int threads, const decant_monitor *monitor,
                                      decant__outcome *out);

struct decant__work {
    decant__work_fn *make;
    decant__trial trial;
    char *path;            /* what is made: a run folder, or a file */
    char *network, *graph; /* what it shares with other work, or NULL */
    double seconds;        /* planned, on all cores */
    int taken;             /* by a worker */
    char change[DECANT__CHANGE_SIZE], settings[DECANT__SETTINGS_SIZE]; /* the trial's texts */
    decant__work *next;
};

struct decant__laboratory {
    const decant_reproduction *how;
    const decant_monitor *monitor;
    char *folder; /* OUTPUT/PRESET */
    int planning; /* trials are put on the list, and scores are NaN */
    decant__work *first, **end;
    double planned; /* seconds of all that is on the list */
    /* The data sets that were asked for, until the laboratory is closed. */
    decant_dataset *data[DECANT__SETS];
    pthread_mutex_t reading;
};

decant_status decant__laboratory_open(decant__laboratory *lab, const decant_reproduction *how,
                                      const decant_monitor *monitor);
void decant__laboratory_close(decant__laboratory *lab);

/* Is the data set there? */
int decant__laboratory_has(const decant__laboratory *lab, decant__set_id set);

/* The rows of a set; they stay. May be called by several threads. */
decant_status decant__laboratory_rows(decant__laboratory *lab, decant__set_id set,
                                      const decant_dataset **out);

/* Seconds that a trial will take on two cores, without its pretraining and its graph; and those
 * two. */
typedef struct decant__cost {
    double pretraining, graph, rest;
} decant__cost;
decant__cost decant__trial_cost(const decant__trial *trial, const decant_options *options);

/* Puts work on the list, unless what it makes is on it already. Takes the draft's names over. */
decant_status decant__laboratory_list(decant__laboratory *lab, decant__work *draft,
                                      const decant__cost *cost);

/* Makes all that is on the list, several at a time (workers.c). A trial that diverges does not keep
 * the others from being made. */
decant_status decant__laboratory_work(decant__laboratory *lab);

/* What came out of a trial; while planning, puts it on the list if it is not there yet. */
decant_status decant__trial_run(decant__laboratory *lab, const decant__trial *trial,
                                decant__outcome *out);

/* The folder of a trial's run; freed by the caller. */
decant_status decant__trial_folder(const decant__laboratory *lab, const decant__trial *trial,
                                   char **out);

/* The options of a trial, and the file of its pretrained network; freed by the caller. */
decant_status decant__trial_options(const decant__laboratory *lab, const decant__trial *trial,
                                    decant_options *options);
decant_status decant__trial_network(const decant__laboratory *lab, const decant__trial *trial,
                                    char **out);

#endif
