/* Figure 2: ACC for all nine values of each method's option. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/chart.h"
#include "experiments/experiments.h"
#include "experiments/sweep.h"

/* As table 2 has them, but DEC over its update interval, and k-means over nine seeds. */
static const decant__method_row swept[] = {
    {"k-means", "kmeans", NULL, NULL, "seed", {0}},
    {"LDMGI", "ldmgi", NULL, NULL, "lambda", {0}},
    {"SEC, Gaussian", "sec", NULL, NULL, "mu", {0}},
    {"SEC, local", "sec", "local", "laplacian=local", "mu", {0}},
    {"DEC w/o backprop", "dec-nobackprop", NULL, NULL, "update-interval", {0}},
    {"DEC", "dec", NULL, NULL, "update-interval", {0}},
};
enum { LINES = sizeof swept / sizeof swept[0] };

static decant_status draw_figure2(const decant__experiment_store *store,
                                  decant__result_table *table, const decant__data_set *set,
                                  double acc[LINES][DECANT__MAX_ROW_VALUES]) {
    decant_status status = DECANT_OK;
    double x[DECANT_SWEEP_VALUES];
    decant__series series[LINES];
    char title[64], file[64], *svg = NULL;
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) x[i] = i + 1;
    for (size_t l = 0; l < LINES; l++)
        series[l] = (decant__series){
            .name = swept[l].name, .x = x, .y = acc[l], .count = DECANT_SWEEP_VALUES};
    snprintf(title, sizeof title, "Accuracy over hyperparameters, %s", set->name);
    snprintf(file, sizeof file, "figure2-%s.svg", set->key);
    decant__chart chart = {.title = title,
                           .x_name = "value of the method's option, 1 to 9",
                           .y_name = "ACC",
                           .series = series,
                           .series_count = LINES};
    TRY(decant__chart_svg(&chart, &svg));
    TRY(decant__result_table_draw(table, store, file, svg));
done:
    decant__free(svg);
    return status;
}

static decant_status figure2_of_set(decant__experiment_store *store, decant__result_table *table,
                                    decant__data_set_id id) {
    decant_status status = DECANT_OK;
    const decant__data_set *set = decant__data_set_at(id);
    double acc[LINES][DECANT__MAX_ROW_VALUES];
    char name[64];
    for (size_t l = 0; l < LINES; l++) {
        size_t count = 0;
        TRY(decant__method_row_run(store, &swept[l], id, 0, acc[l], &count));
        snprintf(name, sizeof name, "%s, %s", set->name, swept[l].name);
        decant__result_table_row(table, name);
        for (size_t i = 0; i < count; i++)
            decant__result_table_values(table, &acc[l][i], 1, "seeds", NAN);
    }
    if (!store->planning) TRY(draw_figure2(store, table, set, acc));
done:
    return status;
}

decant_status decant__reproduce_figure2(decant__experiment_store *store,
                                        decant__result_table *table) {
    static const decant__data_set_id sets[] = {DECANT__DATA_MNIST, DECANT__DATA_STL,
                                               DECANT__DATA_REUTERS_10K};
    decant_status status = DECANT_OK;
    char name[32];
    for (int i = 1; i <= DECANT_SWEEP_VALUES; i++) {
        snprintf(name, sizeof name, "value %d", i);
        decant__result_table_column(table, name);
    }
    decant__result_table_note(table,
                              "ACC. LDMGI: lambda, SEC: mu, 1e-8, 1e-6, ... 1e8; DEC: the update "
                              "interval, 10, 20, ... 2560, from one pretraining; k-means: nine "
                              "seeds.");
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++)
        if (decant__experiment_store_has(store, sets[s]))
            TRY(figure2_of_set(store, table, sets[s]));
done:
    return status;
}
