/* One fit of an experiment: its files, its options, and the task that makes it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "dec/job.h"
#include "experiments/experiment_store.h"

/* ---- names ---- */

/* FOLDER/KIND/SET[-rR][.METHOD[.CHANGE]][.seedS][END]; what is NULL or 0 is left out. */
static decant_status name_file(const decant__experiment_store *store, const char *kind,
                               const decant__fit_spec *spec, int with_method, int with_seed,
                               const char *end, char **out) {
    decant__text text = {0};
    decant__text_print(&text, "%s/%s/%s", store->folder, kind, decant__data_set_at(spec->set)->key);
    if (spec->r_min > 0) decant__text_print(&text, "-r%g", spec->r_min);
    if (with_method) decant__text_print(&text, ".%s", spec->method);
    if (with_method && spec->change != NULL) decant__text_print(&text, ".%s", spec->change);
    if (with_seed) decant__text_print(&text, ".seed%llu", (unsigned long long)spec->seed);
    decant__text_print(&text, "%s", end);
    return decant__text_take(&text, out);
}

decant_status decant__fit_spec_folder(const decant__experiment_store *store,
                                      const decant__fit_spec *spec, char **out) {
    return name_file(store, "runs", spec, 1, 1, "", out);
}

decant_status decant__fit_spec_network(const decant__experiment_store *store,
                                       const decant__fit_spec *spec, char **out) {
    return name_file(store, "networks", spec, 0, 1, ".safetensors", out);
}

/* A sample and a network depend on the seed, and so do the graphs of their rows. */
static decant_status name_graph(const decant__experiment_store *store, const decant__fit_spec *spec,
                                int network, char **out) {
    return name_file(store, "graphs", spec, 0, network || spec->r_min > 0, ".safetensors", out);
}

/* ---- options ---- */

decant_status decant__fit_spec_options(const decant__experiment_store *store,
                                       const decant__fit_spec *spec, decant_options *options) {
    decant_status status = DECANT_OK;
    decant_options_init(options, sizeof *options);
    TRY(decant_options_set(options, "preset", decant_preset_name(store->how->preset)));
    TRY(decant_options_set(options, "method", spec->method));
    options->k = decant__data_set_at(spec->set)->k;
    options->seed = spec->seed;
    options->threads = store->how->threads;
    TRY(decant__settings_apply(options, spec->settings));
done:
    return status;
}

/* ---- the task ---- */

static decant_status run_fit(decant__experiment_store *store, const decant__experiment_task *task,
                             int threads, const decant_monitor *monitor, decant__outcome *out) {
    decant_status status = DECANT_OK;
    const decant__fit_spec *spec = &task->spec;
    const decant_dataset *data = NULL;
    decant_dataset *sample = NULL;
    float *sample_rows = NULL;
    decant_result *result = NULL;
    decant_monitor watched = *monitor;
    decant_options options;
    int found = 0;
    TRY(decant__fit_spec_options(store, spec, &options));
    TRY(decant__experiment_store_rows(store, spec->set, &data));
    if (spec->r_min > 0) {
        TRY(decant__data_set_imbalance(data, spec->r_min, spec->seed, &sample_rows, &sample));
        data = sample;
    }
    options.threads = threads;
    watched.pretrained = task->network;
    watched.graph = task->graph;
    watched.resume = 1;
    TRY(decant_run_fit(task->path, data, &options, &watched, NULL, &result));
    TRY(decant__run_recall(task->path, &options, out, &found));
done:
    decant_result_free(result);
    decant_dataset_free(sample);
    decant__free(sample_rows);
    return status;
}

static decant_status plan_fit(decant__experiment_store *store, const decant__fit_spec *spec,
                              const decant_options *options) {
    decant_status status = DECANT_OK;
    decant__time_estimate estimate = decant__estimate_time(spec, options);
    int learns = decant__method_has_network(options->method);
    decant__experiment_task task = {.run = run_fit, .spec = *spec};
    TRY(decant__fit_spec_folder(store, spec, &task.path));
    if (learns) TRY(decant__fit_spec_network(store, spec, &task.network));
    if (decant__method_of(options->method)->wants_graph)
        TRY(name_graph(store, spec, learns, &task.graph));
    TRY(decant__experiment_store_add(store, &task, &estimate));
done:
    decant__free(task.path);
    decant__free(task.network);
    decant__free(task.graph);
    return status;
}

decant_status decant__fit_spec_run(decant__experiment_store *store, const decant__fit_spec *spec,
                                   decant__outcome *out) {
    decant_status status = DECANT_OK;
    decant_options options;
    char *folder = NULL;
    int found = 0;
    *out = (decant__outcome){.scores = {NAN, NAN, NAN, NAN}, .start_acc = NAN, .loss = NAN};
    TRY(decant__fit_spec_options(store, spec, &options));
    TRY(decant__fit_spec_folder(store, spec, &folder));
    TRY(decant__run_recall(folder, &options, out, &found));
    if (found) goto done;
    if (store->planning)
        TRY(plan_fit(store, spec, &options));
    else
        TRY(decant__fail(DECANT_EDIVERGED, "%s: did not converge", folder));
done:
    decant__free(folder);
    return status;
}
