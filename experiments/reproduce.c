/* The paper's tables and figures by name: planning, running, and writing the results. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/result_reader.h"
#include "experiments/experiments.h"
#include "experiments/results_html.h"
#include "experiments/reproduce.h"

enum { DEFAULT_SEEDS = 3 };

typedef struct entry {
    decant_experiment about;
    decant__experiment_fn *run;
} entry;

static const entry entries[] = {
    {{"table1", "Table 1: the data sets", 1}, decant__reproduce_table1},
    {{"table2", "Table 2: accuracy on four data sets", 1}, decant__reproduce_table2},
    {{"table3", "Table 3: accuracy on the autoencoder's features", 1}, decant__reproduce_table3},
    {{"table4", "Table 4: accuracy on imbalanced samples of MNIST", 1}, decant__reproduce_table4},
    {{"figure2", "Figure 2: accuracy over hyperparameters", 1}, decant__reproduce_figure2},
    {{"figure3", "Figure 3: the ten most typical rows of each cluster", 1},
     decant__reproduce_figure3},
    {{"figure4", "Figure 4: gradient against soft assignment", 1}, decant__reproduce_figure4},
    {{"figure5", "Figure 5: the clusters during training", 1}, decant__reproduce_figure5},
    {{"figure6", "Figure 6: the number of clusters", 1}, decant__reproduce_figure6},
    {{"defaults", "Not in the paper: the default over seeds", 0}, decant__reproduce_defaults},
    {{"texts", "Not in the paper: text over seeds", 0}, decant__reproduce_texts},
    {{"images", "Not in the paper: photographs over seeds", 0}, decant__reproduce_images},
};

size_t decant_experiment_count(void) { return sizeof entries / sizeof entries[0]; }

const decant_experiment *decant_experiment_at(size_t index) {
    return index < decant_experiment_count() ? &entries[index].about : NULL;
}

static const entry *find_experiment(const char *name) {
    for (size_t i = 0; i < decant_experiment_count(); i++)
        if (strcmp(entries[i].about.name, name) == 0) return &entries[i];
    decant__fail(DECANT_EINVAL, "there is no experiment '%s'", name);
    return NULL;
}

static decant_status check_reproduction(const decant_reproduction *how,
                                        decant_reproduction *filled) {
    if (how->struct_size != sizeof *how || how->data == NULL || how->output == NULL)
        return decant__fail(DECANT_EINVAL, "a reproduction needs its size, data and output");
    *filled = *how;
    if (filled->seeds == 0) filled->seeds = DEFAULT_SEEDS;
    if (filled->seeds > DECANT__MAX_ROW_VALUES)
        return decant__fail(DECANT_EINVAL, "at most %d seeds", (int)DECANT__MAX_ROW_VALUES);
    return DECANT_OK;
}

/* One experiment. While planning, its table is not written. */
static decant_status run_experiment(decant__experiment_store *store, const entry *experiment) {
    decant__result_table table;
    decant__result_table_new(&table, &experiment->about, store);
    decant_status status = experiment->run(store, &table);
    if (status == DECANT_OK && !store->planning) status = decant__result_table_write(&table, store);
    decant__result_table_free(&table);
    return status;
}

static decant_status run_experiments(decant__experiment_store *store, const char *const *names,
                                     size_t count) {
    for (size_t i = 0; i < count; i++) {
        const entry *experiment = find_experiment(names[i]);
        decant_status status =
            experiment != NULL ? run_experiment(store, experiment) : DECANT_EINVAL;
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

/* Opens the experiment store and lists all fits that have no result yet. */
static decant_status plan_experiments(decant__experiment_store *store, const char *const *names,
                                      size_t count, const decant_reproduction *how,
                                      const decant_monitor *monitor) {
    decant_status status = decant__experiment_store_open(store, how, monitor);
    if (status != DECANT_OK) return status;
    store->planning = 1;
    status = run_experiments(store, names, count);
    store->planning = 0;
    return status;
}

static void list_data_sets(const decant__experiment_store *store, decant_reproduction_plan *out) {
    size_t used = 0;
    for (int id = 0; id < DECANT__DATA_SETS; id++) {
        if (!store->used[id]) continue;
        char *path = decant__data_set_find((decant__data_set_id)id, store->how->data);
        out->found += path != NULL;
        if (path == NULL && used < sizeof out->missing)
            used += (size_t)snprintf(out->missing + used, sizeof out->missing - used, "%s%s",
                                     used > 0 ? ", " : "",
                                     decant__data_set_at((decant__data_set_id)id)->name);
        decant__free(path);
    }
}

decant_status decant_reproduce_plan(const char *const *names, size_t count,
                                    const decant_reproduction *how, decant_reproduction_plan *out) {
    decant_status status = DECANT_OK;
    decant_reproduction filled;
    decant__experiment_store store = {0};
    TRY(check_reproduction(how, &filled));
    TRY(plan_experiments(&store, names, count, &filled, NULL));
    *out = (decant_reproduction_plan){.runs = store.task_count, .seconds = store.planned};
    list_data_sets(&store, out);
done:
    decant__experiment_store_close(&store);
    return status;
}

decant_status decant_reproduce(const char *const *names, size_t count,
                               const decant_reproduction *how, const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    decant_reproduction filled;
    decant__experiment_store store = {0};
    TRY(check_reproduction(how, &filled));
    TRY(plan_experiments(&store, names, count, &filled, monitor));
    TRY(decant__experiment_store_run(&store));
    TRY(run_experiments(&store, names, count));
    TRY(decant__results_write(store.folder));
done:
    decant__experiment_store_close(&store);
    return status;
}

decant_status decant_reproduce_page(const char *path, char **text) {
    decant_status status = DECANT_OK;
    decant__text page = {0};
    json_t *root = NULL;
    TRY(decant__result_read(path, &root));
    decant__result_markdown(root, &page);
    TRY(decant__text_take(&page, text));
done:
    decant__text_free(&page);
    json_decref(root);
    return status;
}
