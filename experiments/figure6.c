/* Figure 6: NMI and generalizability over the number of clusters. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "experiments/experiments.h"
#include "decant/report.h"

enum { MIN = 5, MAX = 15 };

static const decant__fit_spec shown = {.set = DECANT__DATA_MNIST, .method = "dec", .seed = 1};

static decant_status name_checkpoint(const decant__experiment_store *store, char **out) {
    return decant__path_join(store->folder, "figure6.checkpoint", out);
}

static decant_status put_selection_rows(decant__result_table *table,
                                        const decant_selection *selection,
                                        const decant_dataset *data) {
    decant_status status = DECANT_OK;
    const int32_t *classes = decant_dataset_labels(data);
    char name[16];
    for (size_t i = 0; i < selection->count; i++) {
        snprintf(name, sizeof name, "k = %zu", selection->trial[i].k);
        decant__result_table_column(table, name);
    }
    decant__result_table_row(table, "NMI");
    for (size_t i = 0; i < selection->count; i++) {
        decant_scores scores = {.nmi = NAN};
        if (selection->trial[i].labels != NULL && classes != NULL)
            TRY(decant_score(selection->trial[i].labels, classes, selection->n, &scores));
        decant__result_table_values(table, &scores.nmi, 1, "seeds", NAN);
    }
    decant__result_table_row(table, "G");
    for (size_t i = 0; i < selection->count; i++)
        decant__result_table_values(table, &selection->trial[i].generalizability, 1, "seeds", NAN);
    decant__result_table_row(table, "G, validation rows with f of their own");
    for (size_t i = 0; i < selection->count; i++)
        decant__result_table_values(table, &selection->trial[i].own_generalizability, 1, "seeds",
                                    NAN);
    decant__result_table_row(table, "stability");
    for (size_t i = 0; i < selection->count; i++)
        decant__result_table_values(table, &selection->trial[i].stability, 1, "seeds", NAN);
    decant__result_table_note(table, "Chosen without labels: k = %zu; %s.", selection->k,
                              selection->reason);
done:
    return status;
}

/* The checkpoint has every k that is done, and is kept: if all are done, this takes no time. */
static decant_status run_select_k(decant__experiment_store *store, int threads,
                                  const decant_monitor *watch, decant_selection **out) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant_monitor monitor =
        watch != NULL ? *watch : (decant_monitor){.struct_size = sizeof monitor};
    decant_options options;
    char *network = NULL, *checkpoint = NULL;
    TRY(decant__fit_spec_options(store, &shown, &options));
    options.k = MIN;
    options.k_max = MAX;
    options.threads = threads;
    TRY(decant__fit_spec_network(store, &shown, &network));
    TRY(name_checkpoint(store, &checkpoint));
    monitor.pretrained = network;
    monitor.checkpoint = checkpoint;
    monitor.resume = 1;
    TRY(decant__experiment_store_rows(store, shown.set, &data));
    TRY(decant_select_k(data, &options, &monitor, out));
done:
    decant__free(network);
    decant__free(checkpoint);
    return status;
}

static decant_status run_selection(decant__experiment_store *store,
                                   const decant__experiment_task *task, int threads,
                                   const decant_monitor *monitor, decant__outcome *out) {
    decant_selection *selection = NULL;
    (void)task;
    *out = (decant__outcome){.scores = {NAN, NAN, NAN, NAN}};
    decant_status status = run_select_k(store, threads, monitor, &selection);
    decant_selection_free(selection);
    return status;
}

/* One pretraining, then each k refines the network once. */
static decant_status plan_selection(decant__experiment_store *store) {
    decant_status status = DECANT_OK;
    decant_options options;
    decant__experiment_task task = {.run = run_selection, .spec = shown};
    TRY(decant__fit_spec_options(store, &shown, &options));
    decant__time_estimate estimate = decant__estimate_time(&shown, &options);
    estimate.rest *= MAX - MIN + 1;
    TRY(name_checkpoint(store, &task.path));
    TRY(decant__fit_spec_network(store, &shown, &task.network));
    if (access(task.path, F_OK) == 0)
        estimate.rest = 0; /* assumed: the checkpoint is not read here */
    TRY(decant__experiment_store_add(store, &task, &estimate));
done:
    decant__free(task.path);
    decant__free(task.network);
    return status;
}

decant_status decant__reproduce_figure6(decant__experiment_store *store,
                                        decant__result_table *table) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant_selection *selection = NULL;
    char *svg = NULL;
    decant__result_table_missing(table, store, shown.set);
    decant__result_table_note(table,
                              "MNIST, seed 1; G = training loss / validation loss, a fifth of the "
                              "rows left out of refinement. The paper sees G drop from 9 to 10.");
    if (!decant__experiment_store_has(store, shown.set)) return DECANT_OK;
    if (store->planning) return plan_selection(store);
    TRY(run_select_k(store, store->how->threads, store->monitor, &selection));
    TRY(decant__experiment_store_rows(store, shown.set, &data));
    TRY(put_selection_rows(table, selection, data));
    TRY(decant_selection_svg(selection, data, &svg));
    TRY(decant__result_table_draw(table, store, "figure6.svg", svg));
done:
    decant_selection_free(selection);
    decant_text_free(svg);
    return status;
}
