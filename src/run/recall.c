#include "run/recall.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "run/manifest.h"

/* Machine options may differ, and so may options that did not exist when the run was made. */
static int has_same_options(const json_t *manifest, const decant_options *options) {
    const json_t *stored = json_object_get(manifest, "options");
    int same = 1;
    for (size_t i = 0; i < decant_option_count() && same; i++) {
        const decant_option_info *info = decant_option_at(i);
        if (info->machine || strcmp(info->name, "memory") == 0) continue;
        json_t *value = decant__json_option(options, info);
        const json_t *was = json_object_get(stored, info->name);
        same = was == NULL || json_equal(was, value);
        json_decref(value);
    }
    return same;
}

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void read_outcome(const json_t *manifest, decant__outcome *out) {
    const json_t *metrics = json_object_get(manifest, "metrics");
    *out = (decant__outcome){
        .scores = {number_of(metrics, "acc"), number_of(metrics, "nmi"), number_of(metrics, "ari"),
                   number_of(metrics, "purity")},
        .start_acc = number_of(json_object_get(manifest, "metrics_initial"), "acc"),
        .loss = number_of(manifest, "loss"),
        .seconds = number_of(json_object_get(manifest, "seconds"), "total"),
        .iterations = (size_t)json_integer_value(json_object_get(manifest, "iterations")),
        .converged = json_is_true(json_object_get(manifest, "converged"))};
}

decant_status decant__run_recall(const char *folder, const decant_options *options,
                                 decant__outcome *out, int *found) {
    decant_status status = DECANT_OK;
    char *path = NULL;
    json_t *manifest = NULL;
    TRY(decant__path_join(folder, "manifest.json", &path));
    if (access(path, F_OK) != 0) goto done;
    TRY(decant__manifest_read(path, &manifest));
    if (!has_same_options(manifest, options))
        TRY(decant__fail(DECANT_EINVAL,
                         "%s: was made with other options; remove it, or use another output folder",
                         folder));
    read_outcome(manifest, out);
    *found = 1;
done:
    json_decref(manifest);
    decant__free(path);
    return status;
}
