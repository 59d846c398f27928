/* Shared by all experiments: the folder of their runs, the list of tasks to do, and the data sets
 * in memory.
 *
 * The result of a fit is a run folder (run/run.c). A finished one is used again, an interrupted one
 * is resumed from its checkpoint, and fits of the same rows share pretrained networks and neighbour
 * graphs:
 *
 *   OUTPUT/PRESET/runs/SET.METHOD[.CHANGE].seedS    the run
 *   OUTPUT/PRESET/networks/SET.seedS.safetensors    its autoencoder after pretraining
 *   OUTPUT/PRESET/graphs/SET[.seedS].safetensors    neighbours in the data, or in the features
 *
 * Each experiment is called twice: first while planning, when its fits are only put on the list;
 * then, after decant__experiment_store_run has done all tasks, to fill its table with results. */
#ifndef DECANT_EXPERIMENTS_EXPERIMENT_STORE_H
#define DECANT_EXPERIMENTS_EXPERIMENT_STORE_H

#include <pthread.h>

#include "experiments/data_sets.h"
#include "run/recall.h"
#include "experiments/reproduce.h"

enum { DECANT__CHANGE_SIZE = 64, DECANT__SETTINGS_SIZE = 256 };

/* One fit of an experiment. */
typedef struct decant__fit_spec {
    decant__data_set_id set;
    double r_min;         /* an imbalanced sample, drawn by the seed; 0: all rows */
    const char *method;   /* by its name */
    const char *change;   /* what else is different, in the name of the run; NULL: nothing */
    const char *settings; /* the same as options: "name=value name=value"; NULL: none */
    uint64_t seed;
} decant__fit_spec;

typedef struct decant__experiment_store decant__experiment_store;
typedef struct decant__experiment_task decant__experiment_task;

/* Runs a task on this number of threads. */
typedef decant_status decant__experiment_task_fn(decant__experiment_store *store,
                                                 const decant__experiment_task *task, int threads,
                                                 const decant_monitor *monitor,
                                                 decant__outcome *out);

struct decant__experiment_task {
    decant__experiment_task_fn *run;
    decant__fit_spec spec;
    char *path;            /* of the result: a run folder, or a file */
    char *network, *graph; /* files that other tasks need too, or NULL */
    double seconds;        /* planned, on all cores */
    int started;           /* a worker has it */
    char change[DECANT__CHANGE_SIZE], settings[DECANT__SETTINGS_SIZE]; /* the spec's texts */
    decant__experiment_task *next;
};

struct decant__experiment_store {
    const decant_reproduction *how;
    const decant_monitor *monitor;
    char *folder; /* OUTPUT/PRESET */
    int planning; /* fits are put on the list, and scores are NaN */
    decant__experiment_task *first, **end;
    size_t task_count;
    double planned; /* seconds of all tasks */
    /* The data sets that were read, until the experiment store is closed. */
    decant_dataset *data[DECANT__DATA_SETS];
    pthread_mutex_t reading;
    int used[DECANT__DATA_SETS]; /* asked for by an experiment, found or not */
};

decant_status decant__experiment_store_open(decant__experiment_store *store,
                                            const decant_reproduction *how,
                                            const decant_monitor *monitor);
void decant__experiment_store_close(decant__experiment_store *store);

/* Is the data set there? Notes that it was asked for. */
int decant__experiment_store_has(decant__experiment_store *store, decant__data_set_id set);

/* The rows of a data set, owned by the store. May be called by several threads. */
decant_status decant__experiment_store_rows(decant__experiment_store *store,
                                            decant__data_set_id set, const decant_dataset **out);

/* Seconds that a fit takes on two cores: pretraining, neighbour graph, and all else. */
typedef struct decant__time_estimate {
    double pretraining, graph, rest;
} decant__time_estimate;
decant__time_estimate decant__estimate_time(const decant__fit_spec *spec,
                                            const decant_options *options);

/* Puts a task on the list, unless one with the same path is on it. Takes over the draft's paths. */
decant_status decant__experiment_store_add(decant__experiment_store *store,
                                           decant__experiment_task *draft,
                                           const decant__time_estimate *estimate);

/* Does all tasks, several at a time (worker_pool.c). A fit that diverges does not stop the others.
 */
decant_status decant__experiment_store_run(decant__experiment_store *store);

/* The result of a fit; while planning, a fit without a result is put on the list. */
decant_status decant__fit_spec_run(decant__experiment_store *store, const decant__fit_spec *spec,
                                   decant__outcome *out);

/* The run folder of a fit; freed by the caller. */
decant_status decant__fit_spec_folder(const decant__experiment_store *store,
                                      const decant__fit_spec *spec, char **out);

/* The options of a fit, and the file of its pretrained network; freed by the caller. */
decant_status decant__fit_spec_options(const decant__experiment_store *store,
                                       const decant__fit_spec *spec, decant_options *options);
decant_status decant__fit_spec_network(const decant__experiment_store *store,
                                       const decant__fit_spec *spec, char **out);

#endif
