/* Figure 2: ACC for all nine values of each method's option. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/chart.h"
#include "reproduce/experiments.h"

/* As table 2 has them, but DEC over its update interval, and k-means over nine seeds. */
static const decant__line swept[] = {
    {"k-means", "kmeans", NULL, NULL, "seed", {0}},
    {"LDMGI", "ldmgi", NULL, NULL, "lambda", {0}},
    {"SEC, Gaussian", "sec", NULL, NULL, "mu", {0}},
    {"SEC, local", "sec", "local", "laplacian=local", "mu", {0}},
    {"DEC w/o backprop", "dec-nobackprop", NULL, NULL, "update-interval", {0}},
    {"DEC", "dec", NULL, NULL, "update-interval", {0}},
};
enum { LINES = sizeof swept / sizeof swept[0] };

static decant_status draw(const decant__laboratory *lab, decant__sheet *sheet,
                          const decant__set *set, double acc[LINES][DECANT__LINE_VALUES]) {
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
    TRY(decant__sheet_draw(sheet, lab, file, svg));
done:
    decant__free(svg);
    return status;
}

static decant_status one_set(decant__laboratory *lab, decant__sheet *sheet, decant__set_id id) {
    decant_status status = DECANT_OK;
    const decant__set *set = decant__set_at(id);
    double acc[LINES][DECANT__LINE_VALUES];
    char name[64];
    for (size_t l = 0; l < LINES; l++) {
        size_t count = 0;
        TRY(decant__line_run(lab, &swept[l], id, 0, acc[l], &count));
        snprintf(name, sizeof name, "%s, %s", set->name, swept[l].name);
        decant__sheet_row(sheet, name);
        for (size_t i = 0; i < count; i++) decant__sheet_values(sheet, &acc[l][i], 1, "seeds", NAN);
    }
    if (!lab->planning) TRY(draw(lab, sheet, set, acc));
done:
    return status;
}

decant_status decant__reproduce_figure2(decant__laboratory *lab, decant__sheet *sheet) {
    static const decant__set_id sets[] = {DECANT__SET_MNIST, DECANT__SET_STL,
                                          DECANT__SET_REUTERS_10K};
    decant_status status = DECANT_OK;
    char name[32];
    for (int i = 1; i <= DECANT_SWEEP_VALUES; i++) {
        snprintf(name, sizeof name, "value %d", i);
        decant__sheet_column(sheet, name);
    }
    decant__sheet_note(sheet,
                       "ACC. LDMGI: lambda, SEC: mu, 1e-8, 1e-6, ... 1e8; DEC: the update "
                       "interval, 10, 20, ... 2560, from one pretraining; k-means: nine "
                       "seeds.");
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++)
        if (decant__laboratory_has(lab, sets[s])) TRY(one_set(lab, sheet, sets[s]));
done:
    return status;
}
