/* The nine values of a sweep, by the paper's protocol. */
#ifndef DECANT_EXPERIMENTS_SWEEP_H
#define DECANT_EXPERIMENTS_SWEEP_H

#include "decant/decant.h"

#define DECANT_SWEEP_VALUES 9

/* The protocol of the paper's comparisons: one option of the method takes nine values. dec, idec
 * and dec-nobackprop: update-interval 10, 20, ... 2560; ldmgi: lambda, sec: mu, 1e-8, 1e-6, ...
 * 1e8; other methods: seeds, from options->seed on. */
typedef struct decant_sweep {
    char option[32]; /* its name */
    struct decant_sweep_entry {
        char value[32]; /* as text */
        double loss, seconds;
        size_t iterations;
        int converged;
        decant_scores scores; /* NaN without labels */
    } entry[DECANT_SWEEP_VALUES];
} decant_sweep;

/* Nine runs in a folder, each in a folder OPTION-VALUE of its own, and the network and the graph
 * that they share. Finished runs are not repeated and an interrupted run is resumed
 * (monitor->resume), or all runs are repeated (monitor->overwrite). For each value the restart with
 * the best objective is taken; no value is chosen. */
decant_status decant_sweep_run(const char *folder, const decant_dataset *data,
                               const decant_options *options, const decant_monitor *monitor,
                               const char *command, decant_sweep *out);

/* The option that a method's sweep varies. */
const char *decant__sweep_option(decant_method method);

/* Value `index` of it, as text. */
void decant__sweep_value(const decant_options *options, size_t index, char text[32]);

#endif
