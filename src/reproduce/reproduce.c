/* The paper's tables and figures by name. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "reproduce/cells.h"
#include "reproduce/experiments.h"
#include "reproduce/results.h"

enum { DEFAULT_SEEDS = 3 };

typedef struct entry {
    decant_experiment about;
    decant__experiment_fn *run;
} entry;

static const entry table[] = {
    {{"table1", "Table 1: the data sets", 1}, decant__reproduce_table1},
    {{"table2", "Table 2: accuracy on four data sets", 1}, decant__reproduce_table2},
    {{"table3", "Table 3: accuracy on the autoencoder's features", 1}, decant__reproduce_table3},
    {{"table4", "Table 4: accuracy on imbalanced samples of MNIST", 1}, decant__reproduce_table4},
    {{"figure2", "Figure 2: accuracy over hyperparameters", 1}, decant__reproduce_figure2},
    {{"figure3", "Figure 3: the ten best of each cluster", 1}, decant__reproduce_figure3},
    {{"figure4", "Figure 4: gradient against soft assignment", 1}, decant__reproduce_figure4},
    {{"figure5", "Figure 5: the clusters forming", 1}, decant__reproduce_figure5},
    {{"figure6", "Figure 6: the number of clusters", 1}, decant__reproduce_figure6},
    {{"defaults", "Beside the paper: the default over seeds", 0}, decant__reproduce_defaults},
    {{"texts", "Beside the paper: text over seeds", 0}, decant__reproduce_texts},
    {{"images", "Beside the paper: photographs over seeds", 0}, decant__reproduce_images},
};

size_t decant_experiment_count(void) { return sizeof table / sizeof table[0]; }

const decant_experiment *decant_experiment_at(size_t index) {
    return index < decant_experiment_count() ? &table[index].about : NULL;
}

static const entry *find(const char *name) {
    for (size_t i = 0; i < decant_experiment_count(); i++)
        if (strcmp(table[i].about.name, name) == 0) return &table[i];
    decant__fail(DECANT_EINVAL, "there is no experiment '%s'", name);
    return NULL;
}

static decant_status check(const decant_reproduction *how, decant_reproduction *filled) {
    if (how->struct_size != sizeof *how || how->data == NULL || how->output == NULL)
        return decant__fail(DECANT_EINVAL, "a reproduction needs its size, data and output");
    *filled = *how;
    if (filled->seeds == 0) filled->seeds = DEFAULT_SEEDS;
    if (filled->seeds > DECANT__LINE_VALUES)
        return decant__fail(DECANT_EINVAL, "at most %d seeds", (int)DECANT__LINE_VALUES);
    return DECANT_OK;
}

/* One experiment into a sheet, which is only written where something was made. */
static decant_status run(decant__laboratory *lab, const entry *experiment) {
    decant__sheet sheet;
    decant__sheet_new(&sheet, &experiment->about, lab);
    decant_status status = experiment->run(lab, &sheet);
    if (status == DECANT_OK && !lab->planning) status = decant__sheet_write(&sheet, lab);
    decant__sheet_free(&sheet);
    return status;
}

static decant_status run_all(decant__laboratory *lab, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const entry *experiment = find(names[i]);
        decant_status status = experiment != NULL ? run(lab, experiment) : DECANT_EINVAL;
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

/* Opens the laboratory, with all trials that are not there yet on its list. */
static decant_status plan(decant__laboratory *lab, const char *const *names, size_t count,
                          const decant_reproduction *how, const decant_monitor *monitor) {
    decant_status status = decant__laboratory_open(lab, how, monitor);
    if (status != DECANT_OK) return status;
    lab->planning = 1;
    status = run_all(lab, names, count);
    lab->planning = 0;
    return status;
}

decant_status decant_reproduce_plan(const char *const *names, size_t count,
                                    const decant_reproduction *how, double *seconds) {
    decant_status status = DECANT_OK;
    decant_reproduction filled;
    decant__laboratory lab = {0};
    TRY(check(how, &filled));
    TRY(plan(&lab, names, count, &filled, NULL));
    *seconds = lab.planned;
done:
    decant__laboratory_close(&lab);
    return status;
}

decant_status decant_reproduce(const char *const *names, size_t count,
                               const decant_reproduction *how, const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    decant_reproduction filled;
    decant__laboratory lab = {0};
    TRY(check(how, &filled));
    TRY(plan(&lab, names, count, &filled, monitor));
    TRY(decant__laboratory_work(&lab));
    TRY(run_all(&lab, names, count));
    TRY(decant__results_write(lab.folder));
done:
    decant__laboratory_close(&lab);
    return status;
}

decant_status decant_reproduce_page(const char *path, char **text) {
    decant_status status = DECANT_OK;
    decant__text page = {0};
    json_t *root = NULL;
    TRY(decant__sheet_read(path, &root));
    decant__sheet_page(root, &page);
    TRY(decant__text_take(&page, text));
done:
    decant__text_free(&page);
    json_decref(root);
    return status;
}
