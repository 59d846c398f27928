/* A finished run as a new one, with its clusters merged or renumbered. What the fit learned stays:
 * features, history and settings are those of the run. What is about clusters is made again. */
#include <string.h>

#include "base/memory.h"
#include "base/watch.h"
#include "run/manifest.h"
#include "run/origin_json.h"
#include "run/run_files.h"
#include "run/study.h"
#include "store/trace.h"

/* Labels as they were, by their targets: a model of a graph method is an approximation, or cannot
 * assign. Confidence by the model, if it can; else it stays. */
static decant_status label_rows(const decant__study *study, const decant_model *model,
                                const int32_t *to, decant_result *result) {
    decant_status status = DECANT_OK;
    NEW_ARRAY(result->labels, study->n);
    NEW_ARRAY(result->confidence, study->n);
    const decant__method *method = decant__method_of(model->options.method);
    if (!method->wants_graph) {
        TRY(decant_model_predict(model, study->data, model->options.threads, NULL, result->labels,
                                 result->confidence));
        goto done;
    }
    memcpy(result->confidence, study->table->dense, study->n * sizeof *result->confidence);
    for (size_t i = 0; i < study->n; i++) {
        result->labels[i] = to[study->cluster[i]];
        if (result->labels[i] < 0)
            TRY(decant__fail(DECANT_EINVAL,
                             "%s cannot dissolve a cluster: it cannot assign its rows anew",
                             method->name));
    }
done:
    return status;
}

static decant_status fill_result(decant__study *study, const decant_model *model, const int32_t *to,
                                 decant_result *result) {
    decant_status status = DECANT_OK;
    *result = (decant_result){.struct_size = sizeof *result,
                              .n = study->n,
                              .d = model->d,
                              .k = model->options.k,
                              .latent = model->latent,
                              .scaling = model->options.scaling,
                              .history = study->history,
                              .history_count = study->history_count};
    memcpy(result->data_digest, model->data_digest, sizeof result->data_digest);
    TRY(label_rows(study, model, to, result));
    if (study->embedding != NULL) {
        NEW_ARRAY(result->embedding, study->n * model->latent);
        memcpy(result->embedding, study->embedding->dense,
               study->n * model->latent * sizeof *result->embedding);
    }
    TRY(decant__trace_regroup(&study->trace, to, result->k));
    result->trace = study->trace;
done:
    return status;
}

decant_status decant_run_regroup(const char *from, const char *folder, const decant_dataset *data,
                                 const decant_model *model, const int32_t *to,
                                 const char *command) {
    REQUIRE(from);
    REQUIRE(folder);
    REQUIRE(model);
    REQUIRE(to);
    decant_status status = DECANT_OK;
    decant__study study = {0};
    decant_result result = {0};
    decant_options options;
    decant_options_init(&options, sizeof options);
    decant_model *copy = NULL;
    void *bytes = NULL;
    size_t size;
    TRY(decant__study_open(&study, from, data));
    if (study.data == NULL)
        TRY(decant__fail(DECANT_EINVAL, "%s: needs the rows of this run: %s", from, study.missing));
    TRY(decant_model_options(model, &options));
    TRY(decant_model_to_bytes(model, &bytes, &size)); /* a result owns its model */
    TRY(decant_model_from_bytes(bytes, size, &copy));
    TRY(fill_result(&study, model, to, &result));
    result.model = copy;
    const decant__record record = {.data = study.data,
                                   .options = &options,
                                   .result = &result,
                                   .command = command,
                                   .finished = time(NULL),
                                   .earlier = study.manifest};
    TRY(decant__run_write_record(folder, &record));
done:
    decant__free(result.labels);
    decant__free(result.confidence);
    decant__free(result.embedding);
    decant_model_free(copy);
    decant_bytes_free(bytes);
    decant__study_close(&study); /* with history and trace */
    return status;
}

decant_status decant_run_read_data(const char *folder, const decant_model *model,
                                   const decant_monitor *monitor, decant_dataset **out) {
    REQUIRE(folder);
    REQUIRE(out);
    decant_status status = DECANT_OK;
    char *path = NULL, *own_path = NULL;
    json_t *manifest = NULL;
    decant_model *own = NULL;
    decant_dataset *data = NULL;
    decant__origin origin = {0};
    uint64_t digest[2];
    TRY(decant__path_join(folder, "manifest.json", &path));
    TRY(decant__manifest_read(path, &manifest));
    TRY(decant__path_join(folder, "model.safetensors", &own_path));
    if (model == NULL) TRY(decant_model_load(own_path, &own));
    const decant_model *reader = model != NULL ? model : own;
    TRY(decant__origin_get(json_object_get(manifest, "data"), &origin));
    if (!decant__origin_exists(&origin))
        TRY(decant__fail(DECANT_EIO, "%s: the data files of this run no longer exist", folder));
    decant_read_options reading = decant__origin_options(&origin);
    reading.struct_size = sizeof reading;
    reading.options = &reader->options;
    TRY(decant_model_reading(reader, &reading));
    TRY(decant_dataset_read((const char *const *)origin.data.path, origin.data.count, &reading,
                            monitor, &data));
    if (own != NULL) {
        TRY(decant__dataset_digest(data, digest));
        if (memcmp(digest, own->data_digest, sizeof digest) != 0)
            TRY(decant__fail(DECANT_EINVAL, "%s: its data files have other rows now", folder));
    }
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    decant__origin_free(&origin);
    decant_model_free(own);
    json_decref(manifest);
    decant__free(path);
    decant__free(own_path);
    return status;
}
