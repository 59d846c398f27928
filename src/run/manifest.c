#include "run/manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "run/class_match.h"
#include "run/origin_json.h"
#include "store/state.h"
#include "decant/report.h"

static json_t *iso_time(time_t when) {
    struct tm utc;
    char text[32];
    if (gmtime_r(&when, &utc) == NULL) return json_null();
    if (strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) return json_null();
    return json_string(text);
}

static json_t *digest_text(const uint64_t digest[2]) {
    char text[40];
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)digest[0],
             (unsigned long long)digest[1]);
    return json_string(text);
}

static json_t *all_options(decant__json *json, const decant_options *options) {
    json_t *object = json_object();
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        decant__json_put(json, object, info->name, decant__json_option(options, info));
    }
    return object;
}

/* Without clusters or classes the numbers are null, so that metrics.acc exists in every manifest.
 */
static json_t *score_object(decant__json *json, const int32_t *clusters,
                            const decant_dataset *data) {
    const int32_t *classes = decant_dataset_labels(data);
    decant_scores found = {NAN, NAN, NAN, NAN};
    if (clusters != NULL && classes != NULL &&
        decant_score(clusters, classes, decant_dataset_rows(data), &found) != DECANT_OK)
        return NULL;
    json_t *object = json_object();
    decant__json_put(json, object, "acc", decant__json_real(found.acc));
    decant__json_put(json, object, "nmi", decant__json_real(found.nmi));
    decant__json_put(json, object, "ari", decant__json_real(found.ari));
    decant__json_put(json, object, "purity", decant__json_real(found.purity));
    return object;
}

/* The seconds of phases include those before a resume, so their sum can be larger than the time of
 * this process. */
static json_t *seconds_object(decant__json *json, const decant__record *record) {
    const decant_result *result = record->result;
    json_t *object = json_object();
    double sum = 0, read = decant_dataset_seconds(record->data);
    if (read > 0) decant__json_put(json, object, "read", decant__json_real(read));
    for (size_t i = 0; i < result->phase_count; i++) {
        sum += result->phases[i].seconds;
        decant__json_put(json, object, result->phases[i].phase,
                         decant__json_real(result->phases[i].seconds));
    }
    decant__json_put(json, object, "total",
                     decant__json_real(read + (sum > record->seconds ? sum : record->seconds)));
    return object;
}

static json_t *machine_object(decant__json *json) {
    struct utsname name;
    json_t *object = json_object();
    if (uname(&name) == 0) {
        decant__json_put(json, object, "system", decant__json_text(name.sysname));
        decant__json_put(json, object, "release", decant__json_text(name.release));
        decant__json_put(json, object, "processor", decant__json_text(name.machine));
    }
    decant__json_put(json, object, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    return object;
}

/* Other builds of these libraries may round differently and give other bytes. */
static json_t *library_object(decant__json *json) {
    json_t *object = json_object();
    decant__json_put(json, object, "kernel", decant__json_text(decant_kernel(NULL)));
    decant__json_put(json, object, "openblas", decant__json_text(decant__blas_config()));
    decant__json_put(json, object, "openblas_core", decant__json_text(decant__blas_core()));
    return object;
}

static json_t *peak_memory(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return json_null();
    return json_integer((json_int_t)usage.ru_maxrss * 1024); /* Linux counts in KiB */
}

/* null for methods that do not refine. */
static json_t *start_name(const decant_result *result) {
    static const char *const names[DECANT_STARTS] = {
        "features",      "features-kmeans", "data-kmeans", "data-communities", "data-groups",
        "data-separate", "data-mixture",    "joint",       "joint-kmeans"};
    return result->trace.rows > 0 ? json_string(names[result->start]) : json_null();
}

/* Sentences that a user should read before using the result. */
static json_t *warning_list(decant__json *json, const decant_result *result, const size_t *sizes) {
    json_t *list = json_array();
    size_t empty = 0;
    for (size_t c = 0; c < result->k; c++) empty += sizes[c] == 0;
    if (!result->converged)
        decant__json_append(
            json, list,
            decant__json_print("did not converge within %zu iterations", result->iterations));
    if (result->reseeded != 0)
        decant__json_append(
            json, list,
            decant__json_print("clusters that became empty and were filled again: %zu",
                               result->reseeded));
    if (result->rollbacks != 0)
        decant__json_append(
            json, list,
            decant__json_print("safety check: training went back to an earlier "
                               "step %zu time%s and continued at a lower rate",
                               result->rollbacks, result->rollbacks == 1 ? "" : "s"));
    if (result->student_changed >= 0 && !result->student_kept)
        decant__json_append(json, list,
                            decant__json_print("the student would have changed %.1f %% of the "
                                               "labels: those of refinement were kept",
                                               100 * result->student_changed));
    if (result->dissolved != 0)
        decant__json_append(json, list,
                            decant__json_print("clusters that were dissolved, being smaller than "
                                               "--min-size: %zu",
                                               result->dissolved));
    if (result->returned != 0)
        decant__json_append(json, list,
                            decant__json_print("refinement made the clusters worse on the data's "
                                               "neighbour graph; an earlier step is the result"));
    if (result->graph_parts > result->k)
        decant__json_append(
            json, list,
            decant__json_print("the neighbour graph has %zu connected components, more than "
                               "clusters: try more --neighbours",
                               result->graph_parts));
    if (result->eigen_residual > 0)
        decant__json_append(
            json, list,
            decant__json_print("the eigenvectors converged only to a residual of %g, after %zu "
                               "products: the clusters may be inexact",
                               result->eigen_residual, result->iterations));
    if (empty != 0)
        decant__json_append(json, list, decant__json_print("empty clusters: %zu", empty));
    return list;
}

/* Results of graph methods; null for others. */
static json_t *graph_object(decant__json *json, const decant_result *result) {
    if (result->eigenvalue_count == 0) return json_null();
    json_t *object = json_object(), *values = json_array();
    decant__json_put(json, object, "recall", decant__json_real(result->graph_recall));
    decant__json_put(json, object, "parts", json_integer((json_int_t)result->graph_parts));
    decant__json_put(json, object, "loose", decant__json_real(result->eigen_residual));
    for (size_t i = 0; i < result->eigenvalue_count; i++)
        decant__json_append(json, values, decant__json_real(result->eigenvalues[i]));
    decant__json_put(json, object, "eigenvalues", values);
    return object;
}

static json_t *size_list(decant__json *json, const size_t *sizes, size_t k) {
    json_t *list = json_array();
    for (size_t c = 0; c < k; c++)
        decant__json_append(json, list, json_integer((json_int_t)sizes[c]));
    return list;
}

static json_t *confidence_list(decant__json *json, const size_t *sizes, const double *sums,
                               size_t k) {
    json_t *list = json_array();
    for (size_t c = 0; c < k; c++)
        decant__json_append(json, list,
                            sizes[c] ? decant__json_real(sums[c] / (double)sizes[c]) : json_null());
    return list;
}

/* For each cluster the name of its class, and the share of its rows that are of it. */
static decant_status put_classes(decant__json *json, json_t *root, const decant__record *record) {
    decant_status status = DECANT_OK;
    const decant_result *result = record->result;
    const int32_t *labels = decant_dataset_labels(record->data);
    size_t classes = decant_dataset_class_count(record->data);
    size_t *counts = NULL;
    int32_t *match = NULL;
    json_t *names = labels != NULL ? json_array() : json_null();
    json_t *shares = labels != NULL ? json_array() : json_null();
    decant__json_put(json, root, "classes",
                     labels != NULL ? decant__json_whole(classes) : json_null());
    decant__json_put(json, root, "cluster_classes", names);
    decant__json_put(json, root, "cluster_class_shares", shares);
    if (labels == NULL) return DECANT_OK;
    NEW_ARRAY(counts, result->k * classes);
    NEW_ARRAY(match, result->k);
    TRY(decant__class_match(result->labels, labels, result->n, result->k, classes, counts, match));
    for (size_t c = 0; c < result->k; c++) {
        size_t own = (size_t)match[c], rows = 0;
        for (size_t j = 0; j < classes; j++) rows += counts[c * classes + j];
        int known = match[c] >= 0;
        decant__json_append(
            json, names,
            known ? decant__json_text(decant_dataset_class_name(record->data, own)) : json_null());
        decant__json_append(
            json, shares,
            known && rows > 0 ? decant__json_real((double)counts[c * classes + own] / (double)rows)
                              : json_null());
    }
done:
    decant__free(counts);
    decant__free(match);
    return status;
}

static decant_status put_clusters(decant__json *json, json_t *root, const decant__record *record) {
    decant_status status = DECANT_OK;
    const decant_result *result = record->result;
    size_t *sizes = NULL;
    double *sums = NULL;
    NEW_ZEROED(sizes, result->k);
    NEW_ZEROED(sums, result->k);
    for (size_t i = 0; i < result->n; i++) {
        sizes[result->labels[i]]++;
        sums[result->labels[i]] += (double)result->confidence[i];
    }
    decant__json_put(json, root, "cluster_sizes", size_list(json, sizes, result->k));
    decant__json_put(json, root, "cluster_confidence",
                     confidence_list(json, sizes, sums, result->k));
    TRY(put_classes(json, root, record));
    decant__json_put(json, root, "warnings", warning_list(json, result, sizes));
done:
    decant__free(sizes);
    decant__free(sums);
    return status;
}

/* How k was chosen; null if it was given. */
static json_t *selection_object(decant__json *json, const decant_selection *chosen) {
    if (chosen == NULL) return json_null();
    json_t *object = json_object(), *list = json_array();
    decant__json_put(json, object, "k", decant__json_whole(chosen->k));
    decant__json_put(json, object, "reason", decant__json_text(chosen->reason));
    for (size_t t = 0; t < chosen->count; t++) {
        json_t *trial = json_object();
        decant__json_put(json, trial, "k", decant__json_whole(chosen->trial[t].k));
        decant__json_put(json, trial, "stability", decant__json_real(chosen->trial[t].stability));
        decant__json_append(json, list, trial);
    }
    decant__json_put(json, object, "trials", list);
    return object;
}

/* The scaling that was used, by its name among the options. */
static json_t *scaling_name(const decant__record *record) {
    decant_options used = *record->options;
    char name[16];
    used.scaling = record->result->scaling;
    decant_options_get(&used, "scaling", name, sizeof name);
    return json_string(name);
}

static void put_result(decant__json *json, json_t *root, const decant__record *record) {
    const decant_result *result = record->result;
    decant__json_put(json, root, "n", json_integer((json_int_t)result->n));
    decant__json_put(json, root, "pretrain_extra", decant__json_whole(record->data->extra));
    decant__json_put(json, root, "skipped", decant__json_whole(record->data->notes.skipped));
    decant__json_put(json, root, "d", json_integer((json_int_t)result->d));
    decant__json_put(json, root, "k", json_integer((json_int_t)result->k));
    decant__json_put(json, root, "latent",
                     result->embedding ? json_integer((json_int_t)result->latent) : json_null());
    decant__json_put(json, root, "scaling", scaling_name(record));
    decant__json_put(json, root, "finetune_iterations",
                     decant__json_whole(result->finetune_iterations));
    decant__json_put(json, root, "networks", decant__json_whole(result->networks));
    decant__json_put(json, root, "converged", json_boolean(result->converged));
    decant__json_put(json, root, "iterations", json_integer((json_int_t)result->iterations));
    decant__json_put(json, root, "reseeded", json_integer((json_int_t)result->reseeded));
    decant__json_put(json, root, "start", start_name(result));
    decant__json_put(json, root, "rollbacks", json_integer((json_int_t)result->rollbacks));
    decant__json_put(json, root, "student_changed", decant__json_real(result->student_changed));
    decant__json_put(json, root, "student_kept", json_boolean(result->student_kept));
    decant__json_put(json, root, "resumed_step", json_integer((json_int_t)result->resumed_step));
    decant__json_put(json, root, "loss", decant__json_real(result->loss));
    decant__json_put(json, root, "graph", graph_object(json, result));
    decant__json_put(json, root, "selection", selection_object(json, result->selection));
    decant__json_put(json, root, "data_digest", digest_text(result->data_digest));
    decant__json_put(json, root, "metrics", score_object(json, result->labels, record->data));
    decant__json_put(json, root, "metrics_initial",
                     score_object(json, result->initial_labels, record->data));
}

static void put_environment(decant__json *json, json_t *root, const decant__record *record) {
    decant__json_put(json, root, "seconds", seconds_object(json, record));
    decant__json_put(json, root, "peak_memory_bytes", peak_memory());
    decant__json_put(json, root, "machine", machine_object(json));
    decant__json_put(json, root, "libraries", library_object(json));
    decant__json_put(json, root, "started", iso_time(record->started));
    decant__json_put(json, root, "finished", iso_time(record->finished));
}

static decant_status build_manifest(const decant__record *record, json_t **out) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    json_t *root = json_object();
    decant__json_put(&json, root, "kind", json_string("decant run"));
    decant__json_put(&json, root, "format_version", json_integer(DECANT__MANIFEST_VERSION));
    decant__json_put(&json, root, "decant", json_string(decant_version()));
    decant__json_put(&json, root, "command", decant__json_text(record->command));
    decant__json_put(&json, root, "options", all_options(&json, record->options));
    decant__json_put(&json, root, "seed", decant__json_whole(record->options->seed));
    decant__json_put(&json, root, "threads",
                     json_integer(decant__team_size(record->options->threads)));
    decant__json_put(&json, root, "data", decant__origin_put(&json, &record->data->origin));
    put_result(&json, root, record);
    TRY(put_clusters(&json, root, record));
    put_environment(&json, root, record);
    TRY(decant__json_done(&json, root));
    *out = root;
    root = NULL;
done:
    json_decref(root);
    return status;
}

/* A regrouped run has the manifest of the run that it was made of, but for what is about its
 * clusters. */
static decant_status take_earlier(const decant__record *record, json_t **root) {
    static const char *const made[] = {"decant",
                                       "command",
                                       "data",
                                       "k",
                                       "metrics",
                                       "cluster_sizes",
                                       "cluster_confidence",
                                       "cluster_classes",
                                       "cluster_class_shares",
                                       "classes",
                                       "finished"};
    decant__json json = {0};
    json_t *merged = json_deep_copy(record->earlier);
    json_t *command = json_incref(json_object_get(merged, "command"));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        decant__json_put(&json, merged, made[i], json_incref(json_object_get(*root, made[i])));
    decant__json_put(&json, merged, "regrouped_from", command);
    decant_status status = decant__json_done(&json, merged);
    json_decref(*root);
    *root = merged;
    return status;
}

decant_status decant__manifest_write(const char *path, const decant__record *record) {
    json_t *root = NULL;
    decant_status status = build_manifest(record, &root);
    if (status == DECANT_OK && record->earlier != NULL) status = take_earlier(record, &root);
    if (status == DECANT_OK) status = decant__json_write(root, path);
    json_decref(root);
    return status;
}

decant_status decant__manifest_read(const char *path, json_t **out) {
    json_t *root = NULL;
    decant_status status = decant__json_load(path, &root);
    if (status != DECANT_OK) return status;
    const char *kind = json_string_value(json_object_get(root, "kind"));
    if (kind == NULL || strcmp(kind, "decant run") != 0) {
        json_decref(root);
        return decant__fail(DECANT_EFORMAT, "%s: not the manifest of a decant run", path);
    }
    *out = root;
    return DECANT_OK;
}
