/* Targets for the files that decant writes and reads back: models, checkpoints, networks, graphs.
 */
#include <string.h>

#include "tensor_edit.h"

static void require(decant_status status) {
    FUZZ_CHECK(status == DECANT_OK, "a good file could not be made: %s", decant_last_error());
}

/* ---- models ---- */

static tensor_bases models;

static void add_model(const decant_dataset *data, const decant_options *options) {
    decant_result *result = NULL;
    require(decant_fit(data, options, NULL, &result));
    require(decant_model_save(result->model, "base"));
    decant_result_free(result);
    tensor_add_base(&models, "base");
}

static void add_merged_model(void) {
    decant_options options = fuzz_fit_options(DECANT_METHOD_DEC);
    decant_result *result = NULL;
    int32_t to[16] = {0}; /* the first two clusters become one */
    require(decant_fit(fuzz_rows(), &options, NULL, &result));
    for (size_t c = 1; c < result->k && c < 16; c++) to[c] = (int32_t)c - 1;
    require(decant_model_regroup(result->model, to, result->k - 1));
    require(decant_model_save(result->model, "base"));
    decant_result_free(result);
    tensor_add_base(&models, "base");
}

static void add_text_model(void) {
    static const char lines[] = "the bank has a share\nthe sun and the rain\nrain falls on banks\n";
    decant_options options = fuzz_fit_options(DECANT_METHOD_KMEANS);
    decant_read_options reading = fuzz_read_options();
    decant_dataset *data = NULL;
    options.features = DECANT_FEATURES_TFIDF;
    reading.options = &options;
    fuzz_write("lines.txt", lines, sizeof lines - 1);
    require(fuzz_dataset_read("lines.txt", &reading, &data));
    add_model(data, &options);
    decant_dataset_free(data);
}

void fuzz_model_setup(void) {
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS,
                                            DECANT_METHOD_GMM, DECANT_METHOD_SEC,
                                            DECANT_METHOD_SPECTRAL};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        decant_options options = fuzz_fit_options(methods[i]);
        add_model(fuzz_rows(), &options);
        if (methods[i] != DECANT_METHOD_GMM) continue;
        options.covariance = DECANT_COVARIANCE_FULL;
        add_model(fuzz_rows(), &options);
    }
    add_text_model();
    add_merged_model();
}

void fuzz_model_words(FILE *file) { tensor_print_words(&models, file); }

static void predict(const decant_model *model, const decant_dataset *data) {
    enum { ROWS = 64, WIDTH = 256 };
    int32_t labels[ROWS];
    float confidence[ROWS], z[ROWS * WIDTH];
    size_t n = decant_dataset_rows(data);
    if (n > ROWS || decant_model_latent(model) > WIDTH) return;
    if (fuzz_succeeds(decant_model_predict(model, data, 1, NULL, labels, confidence)))
        for (size_t i = 0; i < n; i++)
            FUZZ_CHECK(labels[i] >= 0 && (size_t)labels[i] < decant_model_clusters(model),
                       "row %zu is in cluster %d of %zu", i, (int)labels[i],
                       decant_model_clusters(model));
    fuzz_succeeds(decant_model_embed(model, data, 1, NULL, z));
}

/* What a model that was taken is good for: it assigns rows and texts, and is saved as it was. */
static void use_model(const decant_model *model) {
    decant_read_options reading = fuzz_read_options();
    decant_dataset *texts = NULL;
    decant_model *again = NULL;
    predict(model, fuzz_rows());
    reading.features = decant_model_features(model);
    decant_options options = fuzz_fit_options(DECANT_METHOD_KMEANS);
    FUZZ_CHECK(decant_model_options(model, &options) == DECANT_OK, "%s", decant_last_error());
    reading.options = &options;
    if (fuzz_succeeds(fuzz_dataset_read("lines.txt", &reading, &texts))) predict(model, texts);
    decant_dataset_free(texts);
    if (fuzz_succeeds(decant_model_save(model, "saved")))
        FUZZ_CHECK(decant_model_load("saved", &again) == DECANT_OK, "%s", decant_last_error());
    decant_model_free(again);
}

void fuzz_model(const uint8_t *bytes, size_t size) {
    decant_model *model = NULL;
    tensor_edit(&models, bytes, size, "model");
    if (fuzz_succeeds(decant_model_load("model", &model)))
        use_model(model);
    else
        FUZZ_CHECK(model == NULL, "an output was set in spite of a failure");
    decant_model_free(model);
    fuzz_describe("model");
}

/* ---- checkpoints: a fit goes on from there ---- */

static tensor_bases checkpoints;
static decant_options checkpoint_options[TENSOR_BASES];

/* Stops a fit at a call of its callback. */
typedef struct stopper {
    const char *phase; /* begins with this */
    int calls;         /* in that phase, until the stop */
} stopper;

static int stop(const decant_progress *progress, void *user) {
    stopper *s = user;
    if (strncmp(progress->phase, s->phase, strlen(s->phase)) != 0) return 0;
    return s->calls-- == 0;
}

static void add_checkpoint(const decant_options *options, stopper stopped) {
    decant_result *result = NULL;
    decant_monitor monitor = fuzz_monitor();
    monitor.progress = stop;
    monitor.user = &stopped;
    monitor.checkpoint = "base";
    decant_status status = decant_fit(fuzz_rows(), options, &monitor, &result);
    decant_result_free(result);
    if (status == DECANT_OK) return; /* it was through before that phase */
    FUZZ_CHECK(status == DECANT_ECANCELLED, "%s", decant_last_error());
    checkpoint_options[checkpoints.count] = *options;
    tensor_add_base(&checkpoints, "base");
}

void fuzz_checkpoint_setup(void) {
    static const stopper stops[] = {{"greedy", 1}, {"finetune", 2}, {"kmeans", 0},
                                    {"start", 0},  {"refine", 1},   {"refine", 4}};
    decant_options options = fuzz_fit_options(DECANT_METHOD_DEC);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) add_checkpoint(&options, stops[i]);
    options.k_max = 3;
    add_checkpoint(&options, (stopper){"select", 0});
    add_checkpoint(&options, (stopper){"refine", 1});
    options = fuzz_fit_options(DECANT_METHOD_SPECTRAL);
    add_checkpoint(&options, (stopper){"spectral", 0});
    FUZZ_CHECK(checkpoints.count >= 5, "only %zu checkpoints", checkpoints.count);
}

void fuzz_checkpoint_words(FILE *file) { tensor_print_words(&checkpoints, file); }

static void check_result(const decant_result *result) {
    for (size_t i = 0; i < result->n; i++)
        FUZZ_CHECK(result->labels[i] >= 0 && (size_t)result->labels[i] < result->k,
                   "row %zu is in cluster %d of %zu", i, (int)result->labels[i], result->k);
}

static void fit_with(const decant_options *options, const decant_monitor *monitor) {
    decant_result *result = NULL;
    if (fuzz_succeeds(decant_fit(fuzz_rows(), options, monitor, &result))) check_result(result);
    decant_result_free(result);
}

void fuzz_checkpoint(const uint8_t *bytes, size_t size) {
    size_t base = tensor_edit(&checkpoints, bytes, size, "checkpoint");
    decant_monitor monitor = fuzz_monitor();
    monitor.checkpoint = "checkpoint";
    monitor.resume = 1;
    fit_with(&checkpoint_options[base], &monitor);
}

/* ---- pretrained networks and neighbour graphs ---- */

static tensor_bases networks, graphs;

void fuzz_network_setup(void) {
    decant_options options = fuzz_fit_options(DECANT_METHOD_AE_KMEANS);
    decant_monitor monitor = fuzz_monitor();
    monitor.pretrained = "base";
    fit_with(&options, &monitor);
    tensor_add_base(&networks, "base");
}

void fuzz_network_words(FILE *file) { tensor_print_words(&networks, file); }

void fuzz_network(const uint8_t *bytes, size_t size) {
    decant_options options = fuzz_fit_options(DECANT_METHOD_AE_KMEANS);
    decant_monitor monitor = fuzz_monitor();
    monitor.pretrained = "network";
    tensor_edit(&networks, bytes, size, "network");
    fit_with(&options, &monitor);
}

void fuzz_graph_setup(void) {
    decant_options options = fuzz_fit_options(DECANT_METHOD_SPECTRAL);
    decant_monitor monitor = fuzz_monitor();
    monitor.graph = "base";
    fit_with(&options, &monitor);
    tensor_add_base(&graphs, "base");
}

void fuzz_graph_words(FILE *file) { tensor_print_words(&graphs, file); }

void fuzz_graph(const uint8_t *bytes, size_t size) {
    decant_options options = fuzz_fit_options(DECANT_METHOD_SPECTRAL);
    decant_monitor monitor = fuzz_monitor();
    monitor.graph = "graph";
    tensor_edit(&graphs, bytes, size, "graph");
    fit_with(&options, &monitor);
}
