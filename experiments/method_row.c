/* A row of a table: one method over seeds, or over the nine values of its option. */
#include <stdio.h>
#include <string.h>

#include "experiments/experiments.h"
#include "experiments/sweep.h"

/* REUTERS has too many rows for exact neighbours, which take n^2 distances. */
static const char *knn_setting(decant__data_set_id set, const char *option) {
    int graph = option != NULL && (strcmp(option, "lambda") == 0 || strcmp(option, "mu") == 0);
    return graph && set == DECANT__DATA_REUTERS ? " knn=approximate" : "";
}

decant_status decant__method_row_run(decant__experiment_store *store, const decant__method_row *row,
                                     decant__data_set_id set, double r_min, double *acc,
                                     size_t *count) {
    char value[32], change[DECANT__CHANGE_SIZE], settings[DECANT__SETTINGS_SIZE];
    decant_options options;
    decant_options_init(&options, sizeof options);
    decant_status known = decant_options_set(&options, "method", row->method);
    if (known != DECANT_OK) return known;
    size_t max = row->option != NULL ? DECANT_SWEEP_VALUES : store->how->seeds;
    for (size_t i = 0; i < max && i < DECANT__MAX_ROW_VALUES; i++) {
        decant__fit_spec spec = {set, r_min, row->method, row->change, row->settings, i + 1};
        decant__outcome outcome;
        /* A sweep over seeds shares its run folders with the rows that take the mean over seeds. */
        if (row->option != NULL && strcmp(row->option, "seed") != 0) {
            decant__sweep_value(&options, i, value);
            snprintf(change, sizeof change, "%s%s%s-%s", row->change != NULL ? row->change : "",
                     row->change != NULL ? "-" : "", row->option, value);
            snprintf(settings, sizeof settings, "%s=%s%s%s%s", row->option, value,
                     row->settings != NULL ? " " : "", row->settings != NULL ? row->settings : "",
                     knn_setting(set, row->option));
            spec.change = change;
            spec.settings = settings;
            spec.seed = 1;
        }
        decant_status status = decant__fit_spec_run(store, &spec, &outcome);
        /* A fit that diverged leaves NaN; the other values are kept. */
        if (status != DECANT_OK && status != DECANT_EDIVERGED) return status;
        acc[i] = outcome.scores.acc;
        *count = i + 1;
    }
    return DECANT_OK;
}
