/* A manifest as readable text. Any key may be missing: the manifest of an older or newer version is
 * shown as far as possible. */
#include <string.h>

#include "run/manifest.h"

static long long whole(const json_t *object, const char *key) {
    return (long long)json_integer_value(json_object_get(object, key));
}

static const char *text_or(const json_t *value, const char *otherwise) {
    const char *text = json_string_value(value);
    return text != NULL ? text : otherwise;
}

/* "1 row", "2 rows". */
static void put_count(decant__text *text, long long count, const char *noun, const char *after) {
    decant__text_print(text, "%lld %s%s%s", count, noun, count == 1 ? "" : "s", after);
}

/* Older manifests do not have it. */
static void put_diffuse(const json_t *manifest, decant__text *text) {
    const json_t *options = json_object_get(manifest, "options");
    long long used = whole(manifest, "finetune_iterations");
    long long given = whole(options, "finetune-iterations");
    if (used == 0 || used >= given) return;
    decant__text_print(text,
                       "diffuse rows, as of texts: pretraining had %lld iterations and not %lld "
                       "(--diffuse-iterations)\n",
                       used, given);
}

static void put_networks(const json_t *manifest, decant__text *text) {
    if (whole(manifest, "networks") <= 1) return;
    decant__text_print(text,
                       "%lld networks were trained: the first one lost what the data shows "
                       "(--networks)\n",
                       whole(manifest, "networks"));
}

static void put_heading(const json_t *manifest, decant__text *text) {
    const json_t *options = json_object_get(manifest, "options");
    decant__text_print(text, "method %s, preset %s, seed %lld, decant %s\n",
                       text_or(json_object_get(options, "method"), "?"),
                       text_or(json_object_get(options, "preset"), "?"), whole(manifest, "seed"),
                       text_or(json_object_get(manifest, "decant"), "?"));
    put_count(text, whole(manifest, "n"), "row", " of ");
    put_count(text, whole(manifest, "d"), "number", ", ");
    put_count(text, whole(manifest, "k"), "cluster", "");
    if (whole(manifest, "latent") > 0) {
        decant__text_print(text, " in a space of ");
        put_count(text, whole(manifest, "latent"), "feature", "");
    }
    decant__text_print(text, "\n");
    if (strcmp(text_or(json_object_get(options, "scaling"), ""), "auto") == 0 &&
        strcmp(text_or(json_object_get(manifest, "scaling"), ""), "standard") == 0)
        decant__text_print(text,
                           "columns in different units, or far from 0: each was scaled to mean 0 "
                           "and variance 1 (--scaling)\n");
    if (strcmp(text_or(json_object_get(options, "scaling"), ""), "auto") == 0 &&
        strcmp(text_or(json_object_get(manifest, "scaling"), ""), "counts") == 0)
        decant__text_print(text,
                           "sparse counts: each row was scaled to the sum 10000 and x became "
                           "ln(1 + x) (--scaling)\n");
    if (strcmp(text_or(json_object_get(options, "scaling"), ""), "auto") == 0 &&
        strcmp(text_or(json_object_get(manifest, "scaling"), ""), "gradients") == 0)
        decant__text_print(text,
                           "grey images: they are compared by their edges, as histograms of "
                           "gradients; --scaling paper compares pixels\n");
    put_diffuse(manifest, text);
    put_networks(manifest, text);
    const json_t *selection = json_object_get(manifest, "selection");
    if (json_is_object(selection))
        decant__text_print(text, "%lld clusters: %s\n", whole(manifest, "k"),
                           text_or(json_object_get(selection, "reason"), "?"));
}

/* The accuracy matches each cluster with one class: it says nothing if their numbers differ. */
static int is_matched(const json_t *manifest) {
    const json_t *classes = json_object_get(manifest, "classes"); /* older ones have none */
    return !json_is_integer(classes) || json_integer_value(classes) == whole(manifest, "k");
}

static void put_score_row(const json_t *scores, const char *name, int matched, decant__text *text) {
    static const char *const keys[] = {"acc", "nmi", "ari", "purity"};
    if (!json_is_number(json_object_get(scores, "acc"))) return;
    decant__text_print(text, "%-14s", name);
    for (size_t i = matched ? 0 : 1; i < sizeof keys / sizeof keys[0]; i++)
        decant__text_print(text, "  %7.4f", json_number_value(json_object_get(scores, keys[i])));
    decant__text_print(text, "\n");
}

static void put_scores(const json_t *manifest, decant__text *text) {
    const json_t *last = json_object_get(manifest, "metrics");
    if (!json_is_number(json_object_get(last, "acc"))) return;
    const json_t *options = json_object_get(manifest, "options");
    int matched = is_matched(manifest);
    decant__text_print(text, "\n%-14s%s  %7s  %7s  %7s\n", "", matched ? "      ACC" : "", "NMI",
                       "ARI", "purity");
    put_score_row(json_object_get(manifest, "metrics_initial"), "ae+kmeans", matched, text);
    put_score_row(last, text_or(json_object_get(options, "method"), "result"), matched, text);
}

static void put_outcome(const json_t *manifest, decant__text *text) {
    const json_t *warning;
    size_t i;
    decant__text_print(text, "\n");
    if (json_is_true(json_object_get(manifest, "converged")))
        decant__text_print(text, "converged after %lld iterations\n",
                           whole(manifest, "iterations"));
    json_array_foreach(json_object_get(manifest, "warnings"), i, warning)
        decant__text_print(text, "%s\n", text_or(warning, "?"));
}

static void put_clusters(const json_t *manifest, decant__text *text) {
    const json_t *sizes = json_object_get(manifest, "cluster_sizes");
    const json_t *confidence = json_object_get(manifest, "cluster_confidence");
    const json_t *classes = json_object_get(manifest, "cluster_classes");
    const json_t *shares = json_object_get(manifest, "cluster_class_shares");
    const json_t *names = json_object_get(manifest, "cluster_names");
    double rows = (double)whole(manifest, "n");
    int named = json_is_array(classes), matched = is_matched(manifest);
    decant__text_print(text, "\ncluster       size   share  confidence%s%s\n",
                       named ? "  class" : "", json_is_array(names) ? "  name" : "");
    for (size_t c = 0; c < json_array_size(sizes); c++) {
        double size = json_number_value(json_array_get(sizes, c));
        const json_t *mean = json_array_get(confidence, c);
        decant__text_print(text, "%7zu %10.0f  %5.1f%%", c, size, rows > 0 ? 100 * size / rows : 0);
        if (json_is_number(mean))
            decant__text_print(text, "  %10.4f", json_number_value(mean));
        else
            decant__text_print(text, "  %10s", "-");
        if (named) decant__text_print(text, "  %s", text_or(json_array_get(classes, c), "-"));
        if (named && !matched && json_is_number(json_array_get(shares, c)))
            decant__text_print(text, " %.0f %%",
                               100 * json_number_value(json_array_get(shares, c)));
        const char *name = json_string_value(json_array_get(names, c));
        if (name != NULL) decant__text_print(text, "  %s", name);
        decant__text_print(text, "\n");
    }
}

static void put_times(const json_t *manifest, decant__text *text) {
    json_t *seconds = json_object_get(manifest, "seconds");
    const char *phase;
    json_t *value;
    decant__text_print(text, "\n%-14s  %9s\n", "phase", "seconds");
    json_object_foreach(seconds, phase, value)
        decant__text_print(text, "%-14s  %9.2f\n", phase, json_number_value(value));
}

void decant__manifest_summary(const json_t *manifest, const char *folder, decant__text *text) {
    put_heading(manifest, text);
    put_scores(manifest, text);
    put_outcome(manifest, text);
    put_clusters(manifest, text);
    put_times(manifest, text);
    if (folder != NULL) decant__text_print(text, "\nrun folder: %s\n", folder);
}
