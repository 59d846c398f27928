/* Figure 6 of the paper: scores of each number of clusters. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/chart.h"
#include "decant/report.h"

enum { NMI, STABILITY, SILHOUETTE, GENERALIZABILITY, SERIES };

static decant_status fill_scores(const decant_selection *selection, const decant_dataset *data,
                                 double *value) {
    size_t count = selection->count;
    const int32_t *classes = decant_dataset_labels(data);
    for (size_t t = 0; t < count; t++) {
        const decant_k_trial *trial = &selection->trial[t];
        decant_scores scores = {.nmi = NAN};
        if (classes != NULL && trial->labels != NULL) {
            decant_status status = decant_score(trial->labels, classes, selection->n, &scores);
            if (status != DECANT_OK) return status;
        }
        value[NMI * count + t] = scores.nmi;
        value[STABILITY * count + t] = trial->stability;
        value[SILHOUETTE * count + t] = trial->silhouette;
        value[GENERALIZABILITY * count + t] = trial->generalizability;
        value[SERIES * count + t] = (double)trial->k;
    }
    return DECANT_OK;
}

decant_status decant_selection_svg(const decant_selection *selection, const decant_dataset *data,
                                   char **text) {
    REQUIRE(selection);
    REQUIRE(text);
    static const char *const names[SERIES] = {"NMI", "stability", "silhouette", "G"};
    decant_status status = DECANT_OK;
    decant__series series[SERIES];
    double *value = NULL;
    char mark[32];
    size_t count = selection->count, shown = 0;
    NEW_ARRAY(value, (SERIES + 1) * count);
    if (data != NULL && decant_dataset_rows(data) != selection->n)
        TRY(decant__fail(DECANT_EINVAL, "k was chosen on %zu rows, but the dataset has %zu",
                         selection->n, decant_dataset_rows(data)));
    TRY(fill_scores(selection, data, value));
    for (int s = decant_dataset_labels(data) != NULL ? NMI : STABILITY; s < SERIES; s++)
        series[shown++] = (decant__series){.name = names[s],
                                           .x = value + SERIES * count,
                                           .y = value + (size_t)s * count,
                                           .count = count,
                                           .right = s == GENERALIZABILITY};
    snprintf(mark, sizeof mark, "k = %zu", selection->k);
    decant__chart chart = {.title = "Number of clusters",
                           .x_name = "k",
                           .y_name = "score",
                           .right_name = "G = L train / L validation",
                           .series = series,
                           .series_count = shown,
                           .mark = (double)selection->k,
                           .mark_name = mark};
    TRY(decant__chart_svg(&chart, text));
done:
    decant__free(value);
    return status;
}
