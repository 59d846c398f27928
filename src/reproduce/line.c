#include <stdio.h>
#include <string.h>

#include "reproduce/experiments.h"
#include "run/sweep.h"

/* The whole of REUTERS has too many rows for exact neighbours in a tolerable time. */
static const char *for_size(decant__set_id set, const char *option) {
    int graph = option != NULL && (strcmp(option, "lambda") == 0 || strcmp(option, "mu") == 0);
    return graph && set == DECANT__SET_REUTERS ? " knn=approximate" : "";
}

decant_status decant__line_run(decant__laboratory *lab, const decant__line *line,
                               decant__set_id set, double r_min, double *acc, size_t *count) {
    char value[32], change[DECANT__CHANGE_SIZE], settings[DECANT__SETTINGS_SIZE];
    decant_options options;
    decant_options_init(&options);
    decant_status known = decant_options_set(&options, "method", line->method);
    if (known != DECANT_OK) return known;
    size_t most = line->option != NULL ? DECANT_SWEEP_VALUES : lab->how->seeds;
    for (size_t i = 0; i < most && i < DECANT__LINE_VALUES; i++) {
        decant__trial trial = {set, r_min, line->method, line->change, line->settings, i + 1};
        decant__outcome outcome;
        /* A seed is no change: the run is the same as among seeds. */
        if (line->option != NULL && strcmp(line->option, "seed") != 0) {
            decant__sweep_value(&options, i, value);
            snprintf(change, sizeof change, "%s%s%s-%s", line->change != NULL ? line->change : "",
                     line->change != NULL ? "-" : "", line->option, value);
            snprintf(settings, sizeof settings, "%s=%s%s%s%s", line->option, value,
                     line->settings != NULL ? " " : "",
                     line->settings != NULL ? line->settings : "", for_size(set, line->option));
            trial.change = change;
            trial.settings = settings;
            trial.seed = 1;
        }
        decant_status status = decant__trial_run(lab, &trial, &outcome);
        /* A value that a method fails at leaves a gap; the other values stand. */
        if (status != DECANT_OK && status != DECANT_EDIVERGED) return status;
        acc[i] = outcome.scores.acc;
        *count = i + 1;
    }
    return DECANT_OK;
}
