/* Where trials are made: the folder they are kept in, and the data set that is in memory.
 *
 * A trial is a run folder (run/run.c). One that is finished is not made again, one that was stopped
 * goes on from its checkpoint, and trials of the same rows share pretrained networks and neighbour
 * graphs:
 *
 *   OUTPUT/PRESET/runs/SET.METHOD[.CHANGE].seedS    the run
 *   OUTPUT/PRESET/networks/SET.seedS.safetensors    its autoencoder after pretraining
 *   OUTPUT/PRESET/graphs/SET[.seedS].safetensors    neighbours in the data, or in the features
 */
#ifndef DECANT_REPRODUCE_LABORATORY_H
#define DECANT_REPRODUCE_LABORATORY_H

#include "reproduce/sets.h"
#include "run/recall.h"

enum { DECANT__MOST_PLANNED = 1024 };

typedef struct decant__laboratory {
    const decant_reproduction *how;
    const decant_monitor *monitor;
    char *folder; /* OUTPUT/PRESET */
    /* Planning: trials only add their seconds here, each run, network and graph once. */
    int planning;
    double planned;
    char *planned_file[DECANT__MOST_PLANNED];
    size_t planned_count;
    /* The rows in memory; there is one set at a time. */
    decant_dataset *data, *thinned;
    float *thinned_rows;
    decant__set_id set;
    double r_min;
    uint64_t thin_seed;
} decant__laboratory;

/* One fit. */
typedef struct decant__trial {
    decant__set_id set;
    double r_min;         /* an imbalanced sample by the trial's seed; 0: all rows */
    const char *method;   /* by its name */
    const char *change;   /* what else is different, in the name of the run; NULL: nothing */
    const char *settings; /* the same as options: "name=value name=value"; NULL: none */
    uint64_t seed;
} decant__trial;

decant_status decant__laboratory_open(decant__laboratory *lab, const decant_reproduction *how,
                                      const decant_monitor *monitor);
void decant__laboratory_close(decant__laboratory *lab);

/* Is the data set there? */
int decant__laboratory_has(const decant__laboratory *lab, decant__set_id set);

/* The rows of a set, or of its imbalanced sample; they stay until others are asked for. */
decant_status decant__laboratory_rows(decant__laboratory *lab, decant__set_id set, double r_min,
                                      uint64_t seed, const decant_dataset **out);

/* While planning, scores are NaN. */
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

/* Seconds that a trial will take on two cores, without its pretraining and its graph; and those
 * two. */
typedef struct decant__cost {
    double pretraining, graph, rest;
} decant__cost;
decant__cost decant__trial_cost(const decant__trial *trial, const decant_options *options);

#endif
