#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "dec/job.h"
#include "reproduce/laboratory.h"

/* ---- names ---- */

/* FOLDER/KIND/SET[-rR][.METHOD[.CHANGE]][.seedS][END]; what is NULL or 0 is left out. */
static decant_status name_file(const decant__laboratory *lab, const char *kind,
                               const decant__trial *trial, int with_method, int with_seed,
                               const char *end, char **out) {
    decant__text text = {0};
    decant__text_print(&text, "%s/%s/%s", lab->folder, kind, decant__set_at(trial->set)->key);
    if (trial->r_min > 0) decant__text_print(&text, "-r%g", trial->r_min);
    if (with_method) decant__text_print(&text, ".%s", trial->method);
    if (with_method && trial->change != NULL) decant__text_print(&text, ".%s", trial->change);
    if (with_seed) decant__text_print(&text, ".seed%llu", (unsigned long long)trial->seed);
    decant__text_print(&text, "%s", end);
    return decant__text_take(&text, out);
}

decant_status decant__trial_folder(const decant__laboratory *lab, const decant__trial *trial,
                                   char **out) {
    return name_file(lab, "runs", trial, 1, 1, "", out);
}

decant_status decant__trial_network(const decant__laboratory *lab, const decant__trial *trial,
                                    char **out) {
    return name_file(lab, "networks", trial, 0, 1, ".safetensors", out);
}

/* A sample and a network depend on the seed, and so do the graphs of their rows. */
static decant_status name_graph(const decant__laboratory *lab, const decant__trial *trial,
                                int network, char **out) {
    return name_file(lab, "graphs", trial, 0, network || trial->r_min > 0, ".safetensors", out);
}

/* ---- options ---- */

decant_status decant__trial_options(const decant__laboratory *lab, const decant__trial *trial,
                                    decant_options *options) {
    decant_status status = DECANT_OK;
    decant_options_init(options);
    TRY(decant_options_set(options, "preset",
                           lab->how->preset == DECANT_PRESET_PAPER ? "paper" : "fast"));
    TRY(decant_options_set(options, "method", trial->method));
    options->k = decant__set_at(trial->set)->k;
    options->seed = trial->seed;
    options->threads = lab->how->threads;
    options->scaling = DECANT_SCALING_PAPER; /* theirs; auto would choose the same here */
    TRY(decant__settings_apply(options, trial->settings));
done:
    return status;
}

/* ---- making it ---- */

static decant_status make(decant__laboratory *lab, const decant__work *work, int threads,
                          const decant_monitor *monitor, decant__outcome *out) {
    decant_status status = DECANT_OK;
    const decant__trial *trial = &work->trial;
    const decant_dataset *data = NULL;
    decant_dataset *thinned = NULL;
    float *thinned_rows = NULL;
    decant_result *result = NULL;
    decant_monitor watched = *monitor;
    decant_options options;
    int found = 0;
    TRY(decant__trial_options(lab, trial, &options));
    TRY(decant__laboratory_rows(lab, trial->set, &data));
    if (trial->r_min > 0) {
        TRY(decant__set_thin(data, trial->r_min, trial->seed, &thinned_rows, &thinned));
        data = thinned;
    }
    options.threads = threads;
    watched.pretrained = work->network;
    watched.graph = work->graph;
    watched.resume = 1;
    TRY(decant_run_fit(work->path, data, &options, &watched, NULL, &result));
    TRY(decant__run_recall(work->path, &options, out, &found));
done:
    decant_result_free(result);
    decant_dataset_free(thinned);
    decant__free(thinned_rows);
    return status;
}

static decant_status plan(decant__laboratory *lab, const decant__trial *trial,
                          const decant_options *options) {
    decant_status status = DECANT_OK;
    decant__cost cost = decant__trial_cost(trial, options);
    int learns = decant__method_has_network(options->method);
    decant__work draft = {.make = make, .trial = *trial};
    TRY(decant__trial_folder(lab, trial, &draft.path));
    if (learns) TRY(decant__trial_network(lab, trial, &draft.network));
    if (decant__method_of(options->method)->wants_graph)
        TRY(name_graph(lab, trial, learns, &draft.graph));
    TRY(decant__laboratory_list(lab, &draft, &cost));
done:
    decant__free(draft.path);
    decant__free(draft.network);
    decant__free(draft.graph);
    return status;
}

decant_status decant__trial_run(decant__laboratory *lab, const decant__trial *trial,
                                decant__outcome *out) {
    decant_status status = DECANT_OK;
    decant_options options;
    char *folder = NULL;
    int found = 0;
    *out = (decant__outcome){.scores = {NAN, NAN, NAN, NAN}, .start_acc = NAN, .loss = NAN};
    TRY(decant__trial_options(lab, trial, &options));
    TRY(decant__trial_folder(lab, trial, &folder));
    TRY(decant__run_recall(folder, &options, out, &found));
    if (found) goto done;
    if (lab->planning)
        TRY(plan(lab, trial, &options));
    else
        TRY(decant__fail(DECANT_EDIVERGED, "%s: did not converge", folder));
done:
    decant__free(folder);
    return status;
}
