/* Figures 3, 4 and 5: drawings of one refined run on MNIST, as its report has them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/study.h"
#include "reproduce/experiments.h"

/* Which drawing of a report becomes which figure. */
typedef struct pick {
    const char *drawing, *file;
} pick;

typedef struct picking {
    decant__laboratory *lab;
    decant__sheet *sheet;
    const pick *picks;
    size_t count;
} picking;

static decant_status take(const char *name, const char *svg, void *user) {
    const picking *p = user;
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->picks[i].drawing, name) == 0)
            return decant__sheet_draw(p->sheet, p->lab, p->picks[i].file, svg);
    return DECANT_OK;
}

static const decant__trial shown = {.set = DECANT__SET_MNIST, .method = "dec", .seed = 1};

/* Makes the run if it is not there, then its report, of which the picked drawings are kept. */
static decant_status draw(decant__laboratory *lab, decant__sheet *sheet, const pick *picks,
                          size_t count) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant__outcome outcome;
    decant_report_options options;
    picking p = {lab, sheet, picks, count};
    char *folder = NULL;
    decant__sheet_missing(sheet, lab, DECANT__SET_MNIST);
    if (!decant__laboratory_has(lab, DECANT__SET_MNIST)) return DECANT_OK;
    TRY(decant__trial_run(lab, &shown, &outcome));
    if (lab->planning) return DECANT_OK;
    TRY(decant__trial_folder(lab, &shown, &folder));
    TRY(decant__laboratory_rows(lab, DECANT__SET_MNIST, &data));
    decant_report_options_init(&options);
    options.threads = lab->how->threads;
    options.figure = take;
    options.user = &p;
    TRY(decant_report_write(folder, data, &options, lab->monitor));
done:
    decant__free(folder);
    return status;
}

decant_status decant__reproduce_figure3(decant__laboratory *lab, decant__sheet *sheet) {
    static const pick picks[] = {{"best", "figure3.svg"}};
    decant__sheet_note(sheet, "The ten rows nearest to the centre of each cluster, MNIST, seed 1.");
    return draw(lab, sheet, picks, 1);
}

decant_status decant__reproduce_figure4(decant__laboratory *lab, decant__sheet *sheet) {
    static const pick picks[] = {{"gradient", "figure4.svg"}};
    decant__sheet_note(sheet,
                       "|dL/dz| of a row against its largest q when refinement begins, with "
                       "the target of eq. 3 over the sample; MNIST, seed 1.");
    return draw(lab, sheet, picks, 1);
}

/* ACC of the traced rows at each update that was kept. */
static decant_status put_accuracy(decant__laboratory *lab, decant__sheet *sheet) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant__study study = {0};
    decant_scores scores;
    int32_t *classes = NULL;
    char *folder = NULL, name[32];
    TRY(decant__trial_folder(lab, &shown, &folder));
    TRY(decant__laboratory_rows(lab, DECANT__SET_MNIST, &data));
    TRY(decant__study_open(&study, folder, data));
    const decant_trace *trace = &study.trace;
    NEW_ARRAY(classes, trace->rows);
    for (size_t i = 0; i < trace->rows; i++)
        classes[i] = decant__study_class(&study, trace->row[i]);
    for (size_t f = 0; f < trace->frames; f++) {
        snprintf(name, sizeof name, "iteration %.0f", trace->step[f]);
        decant__sheet_column(sheet, name);
    }
    decant__sheet_row(sheet, "ACC");
    for (size_t f = 0; f < trace->frames; f++) {
        TRY(decant_score(trace->labels + f * trace->rows, classes, trace->rows, &scores));
        decant__sheet_values(sheet, &scores.acc, 1, "seeds", NAN);
    }
done:
    decant__study_close(&study);
    decant__free(classes);
    decant__free(folder);
    return status;
}

decant_status decant__reproduce_figure5(decant__laboratory *lab, decant__sheet *sheet) {
    static const pick picks[] = {{"forming", "figure5.svg"}, {"accuracy", "figure5-accuracy.svg"}};
    decant__sheet_note(sheet,
                       "t-SNE of a sample of MNIST's features at updates of the target, and "
                       "the sample's ACC, seed 1. An epoch is 274 iterations.");
    decant_status status = draw(lab, sheet, picks, sizeof picks / sizeof picks[0]);
    if (status != DECANT_OK || lab->planning || !decant__laboratory_has(lab, DECANT__SET_MNIST))
        return status;
    return put_accuracy(lab, sheet);
}
