/* Figures 3, 4 and 5: drawings of one refined run on MNIST, as its report has them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "run/study.h"
#include "experiments/experiments.h"
#include "decant/report.h"

/* Which drawing of a report becomes which figure. */
typedef struct pick {
    const char *drawing, *file;
} pick;

typedef struct picking {
    decant__experiment_store *store;
    decant__result_table *table;
    const pick *picks;
    size_t count;
} picking;

static decant_status take_drawing(const char *name, const char *svg, void *user) {
    const picking *p = user;
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->picks[i].drawing, name) == 0)
            return decant__result_table_draw(p->table, p->store, p->picks[i].file, svg);
    return DECANT_OK;
}

static const decant__fit_spec shown = {.set = DECANT__DATA_MNIST, .method = "dec", .seed = 1};

/* Writes the report of the run and keeps the drawings that were picked. While planning, lists the
 * run if it has no result. */
static decant_status draw_from_report(decant__experiment_store *store, decant__result_table *table,
                                      const pick *picks, size_t count) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant__outcome outcome;
    decant_report_options options;
    picking p = {store, table, picks, count};
    char *folder = NULL;
    decant__result_table_missing(table, store, DECANT__DATA_MNIST);
    if (!decant__experiment_store_has(store, DECANT__DATA_MNIST)) return DECANT_OK;
    TRY(decant__fit_spec_run(store, &shown, &outcome));
    if (store->planning) return DECANT_OK;
    TRY(decant__fit_spec_folder(store, &shown, &folder));
    TRY(decant__experiment_store_rows(store, DECANT__DATA_MNIST, &data));
    decant_report_options_init(&options, sizeof options);
    options.threads = store->how->threads;
    options.figure = take_drawing;
    options.user = &p;
    TRY(decant_report_write(folder, data, &options, store->monitor));
done:
    decant__free(folder);
    return status;
}

decant_status decant__reproduce_figure3(decant__experiment_store *store,
                                        decant__result_table *table) {
    static const pick picks[] = {{"best", "figure3.svg"}};
    decant__result_table_note(table,
                              "The ten rows nearest to the centre of each cluster, MNIST, seed 1.");
    return draw_from_report(store, table, picks, 1);
}

decant_status decant__reproduce_figure4(decant__experiment_store *store,
                                        decant__result_table *table) {
    static const pick picks[] = {{"gradient", "figure4.svg"}};
    decant__result_table_note(table,
                              "|dL/dz| of a row against its largest q when refinement begins, with "
                              "the target of eq. 3 over the sample; MNIST, seed 1.");
    return draw_from_report(store, table, picks, 1);
}

/* ACC of the traced rows at each frame of the trace. */
static decant_status put_accuracy(decant__experiment_store *store, decant__result_table *table) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant__study study = {0};
    decant_scores scores;
    int32_t *classes = NULL;
    char *folder = NULL, name[32];
    TRY(decant__fit_spec_folder(store, &shown, &folder));
    TRY(decant__experiment_store_rows(store, DECANT__DATA_MNIST, &data));
    TRY(decant__study_open(&study, folder, data));
    const decant_trace *trace = &study.trace;
    NEW_ARRAY(classes, trace->rows);
    for (size_t i = 0; i < trace->rows; i++)
        classes[i] = decant__study_class(&study, trace->row[i]);
    for (size_t f = 0; f < trace->frames; f++) {
        decant__format(name, sizeof name, "iteration %.0f", trace->step[f]);
        decant__result_table_column(table, name);
    }
    decant__result_table_row(table, "ACC");
    for (size_t f = 0; f < trace->frames; f++) {
        TRY(decant_score(trace->labels + f * trace->rows, classes, trace->rows, &scores));
        decant__result_table_values(table, &scores.acc, 1, "seeds", NAN);
    }
done:
    decant__study_close(&study);
    decant__free(classes);
    decant__free(folder);
    return status;
}

decant_status decant__reproduce_figure5(decant__experiment_store *store,
                                        decant__result_table *table) {
    static const pick picks[] = {{"forming", "figure5.svg"}, {"accuracy", "figure5-accuracy.svg"}};
    decant__result_table_note(table,
                              "t-SNE of a sample of MNIST's features at updates of the target, and "
                              "the sample's ACC, seed 1. An epoch is 274 iterations.");
    decant_status status = draw_from_report(store, table, picks, sizeof picks / sizeof picks[0]);
    if (status != DECANT_OK || store->planning ||
        !decant__experiment_store_has(store, DECANT__DATA_MNIST))
        return status;
    return put_accuracy(store, table);
}
