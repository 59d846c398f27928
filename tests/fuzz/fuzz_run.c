/* Targets for run folders: one file of a finished run is replaced, then the folder is described and
 * its report is written. */
#include <string.h>

#include "tensor_edit.h"

static tensor_bases traces;

static void make_run(const char *folder, decant_method method) {
    decant_result *result = NULL;
    decant_options options = fuzz_fit_options(method);
    FUZZ_CHECK(decant_run_fit(folder, fuzz_rows(), &options, NULL, "fuzz", &result) == DECANT_OK,
               "%s", decant_last_error());
    decant_result_free(result);
}

/* With maps (of the features), and without (k-means has none, and its rows are not in a file). */
void fuzz_make_runs(void) {
    make_run("mapped", DECANT_METHOD_DEC);
    make_run("plain", DECANT_METHOD_KMEANS);
}

void fuzz_run_setup(void) {
    fuzz_make_runs();
    tensor_add_base(&traces, "mapped/trace.safetensors");
}

static decant_status take_figure(const char *name, const char *svg, void *user) {
    (void)user;
    FUZZ_CHECK(name[0] != '\0' && strncmp(svg, "<svg", 4) == 0, "not a drawing: %s", name);
    return DECANT_OK;
}

/* Maps take longer than all the rest: libFuzzer does without them, the corpus is run with them. */
static int stop_map(const decant_progress *progress, void *user) {
    (void)progress;
    (void)user;
    return !fuzz_thorough;
}

static void report(const char *folder, const decant_dataset *data) {
    decant_report_options options;
    decant_monitor monitor = fuzz_monitor();
    monitor.progress = stop_map;
    decant_report_options_init(&options, sizeof options);
    options.threads = 1;
    options.figure = take_figure;
    fuzz_succeeds(decant_report_write(folder, data, &options, &monitor));
}

/* Paths inside the input stay in the scratch folder. */
static void write_inside(const char *path, const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size + 1);
    FUZZ_CHECK(copy != NULL, "no memory");
    for (size_t i = 0; i < size; i++) copy[i] = bytes[i] == '/' ? '_' : bytes[i];
    fuzz_write(path, copy, size);
    free(copy);
}

static void replace_in(const char *folder, const char *name, const uint8_t *bytes, size_t size) {
    char path[80], kept[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(kept, sizeof kept, "kept-%s", name);
    FUZZ_CHECK(rename(path, kept) == 0, "%s is not there", path);
    write_inside(path, bytes, size);
    fuzz_describe(folder);
    report(folder, NULL);
    if (fuzz_thorough) report(folder, fuzz_rows());
    FUZZ_CHECK(rename(kept, path) == 0, "%s cannot be put back", path);
}

void fuzz_manifest(const uint8_t *bytes, size_t size) {
    replace_in("plain", "manifest.json", bytes, size);
}

void fuzz_clusters(const uint8_t *bytes, size_t size) {
    replace_in("plain", "clusters.json", bytes, size);
}

void fuzz_history(const uint8_t *bytes, size_t size) {
    replace_in("plain", "history.csv", bytes, size);
}

void fuzz_run_labels(const uint8_t *bytes, size_t size) {
    replace_in("plain", "labels.csv", bytes, size);
}

void fuzz_embedding(const uint8_t *bytes, size_t size) {
    replace_in("mapped", "embedding.npy", bytes, size);
}

void fuzz_trace(const uint8_t *bytes, size_t size) {
    tensor_edit(&traces, bytes, size, "mapped/trace.safetensors");
    report("mapped", fuzz_rows());
}

void fuzz_trace_words(FILE *file) { tensor_print_words(&traces, file); }
