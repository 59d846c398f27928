/* The protocol of the paper's comparisons (section 4.2): nine values of one option. Figures show
 * all of them, tables the best. The best value is known only from labels, so none is chosen here.
 *
 * A sweep is a folder with nine run folders, and the network and graph that they share. */
#include "experiments/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "dec/job.h"
#include "run/recall.h"

const char *decant__sweep_option(decant_method method) {
    if (decant__method_refines(method)) return "update-interval";
    switch (method) {
        case DECANT_METHOD_LDMGI:
        case DECANT_METHOD_AE_LDMGI:
            return "lambda";
        case DECANT_METHOD_SEC:
        case DECANT_METHOD_AE_SEC:
            return "mu";
        default:
            return "seed";
    }
}

void decant__sweep_value(const decant_options *options, size_t index, char text[32]) {
    const char *option = decant__sweep_option(options->method);
    if (strcmp(option, "update-interval") == 0)
        snprintf(text, 32, "%d", 10 << index);
    else if (strcmp(option, "seed") == 0)
        snprintf(text, 32, "%llu", (unsigned long long)(options->seed + index));
    else
        snprintf(text, 32, "1e%d", 2 * (int)index - 8);
}

/* The folder of a value: "lambda-1e-8". */
static decant_status name_run(const char *folder, const decant_options *options,
                              const struct decant_sweep_entry *entry, char **path) {
    char name[80];
    snprintf(name, sizeof name, "%s-%s", decant__sweep_option(options->method), entry->value);
    return decant__path_join(folder, name, path);
}

static decant_status run_value(const char *path, const decant_dataset *data,
                               const decant_options *options, const decant_monitor *monitor,
                               const char *command, struct decant_sweep_entry *entry) {
    decant_status status = DECANT_OK;
    decant__outcome outcome;
    decant_result *result = NULL;
    int found = 0;
    if (!monitor->overwrite) TRY(decant__run_recall(path, options, &outcome, &found));
    if (!found) {
        TRY(decant_run_fit(path, data, options, monitor, command, &result));
        TRY(decant__run_recall(path, options, &outcome, &found));
    }
    entry->loss = outcome.loss;
    entry->seconds = outcome.seconds;
    entry->iterations = outcome.iterations;
    entry->converged = outcome.converged;
    entry->scores = outcome.scores;
done:
    decant_result_free(result);
    return status;
}

static decant_status run_values(const char *folder, const decant_dataset *data,
                                const decant_options *options, const decant_monitor *monitor,
                                const char *command, decant_sweep *sweep) {
    decant_status status = DECANT_OK;
    char *path = NULL;
    for (size_t i = 0; i < DECANT_SWEEP_VALUES; i++) {
        struct decant_sweep_entry *entry = &sweep->entry[i];
        decant_options each = *options;
        decant__sweep_value(options, i, entry->value);
        TRY(decant_options_set(&each, sweep->option, entry->value));
        TRY(name_run(folder, options, entry, &path));
        TRY(run_value(path, data, &each, monitor, command, entry));
        decant__free(path);
        path = NULL;
    }
done:
    decant__free(path);
    return status;
}

decant_status decant_sweep_run(const char *folder, const decant_dataset *data,
                               const decant_options *options, const decant_monitor *monitor,
                               const char *command, decant_sweep *out) {
    decant_status status = DECANT_OK;
    decant_monitor shared =
        monitor != NULL ? *monitor : (decant_monitor){.struct_size = sizeof shared};
    decant_sweep sweep = {0};
    char *network = NULL, *graph = NULL;
    if (options->k_max > 0)
        return decant__fail(DECANT_EINVAL, "a sweep needs one number of clusters, not a range");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return decant__fail(DECANT_EIO, "%s: the folder cannot be created: %s", folder,
                            strerror(errno));
    TRY(decant__path_join(folder, "network.safetensors", &network));
    TRY(decant__path_join(folder, "graph.safetensors", &graph));
    if (shared.overwrite) {
        remove(network);
        remove(graph);
    }
    if (shared.pretrained == NULL && decant__method_has_network(options->method))
        shared.pretrained = network;
    if (shared.graph == NULL && decant__method_of(options->method)->wants_graph)
        shared.graph = graph;
    snprintf(sweep.option, sizeof sweep.option, "%s", decant__sweep_option(options->method));
    TRY(run_values(folder, data, options, &shared, command, &sweep));
    *out = sweep;
done:
    decant__free(network);
    decant__free(graph);
    return status;
}
