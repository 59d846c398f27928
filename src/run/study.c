#include "run/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "read/reader.h"
#include "store/trace.h"
#include "run/history.h"
#include "run/json.h"
#include "run/manifest.h"
#include "run/origin_json.h"
#include "store/trace_file.h"

/* ---- the run folder ---- */

static decant_status load_manifest(const char *path, decant__study *study) {
    return decant__manifest_read(path, &study->manifest);
}

static decant_status load_clusters(const char *path, decant__study *study) {
    return decant__json_load(path, &study->clusters);
}

static decant_status load_model(const char *path, decant__study *study) {
    return decant_model_load(path, &study->model);
}

/* One line of labels.csv: an id, a cluster and a confidence; a name may follow. */
static decant_status add_label(decant__study *study, const decant__csv_document *line,
                               const char *path, decant__block *block) {
    decant_status status = DECANT_OK;
    char *end;
    float confidence, *place;
    const char *stop =
        decant__number_parse_float(line->text, line->text + line->text_length, &confidence);
    if (stop != line->text + line->text_length || line->text_length == 0 || !isfinite(confidence))
        TRY(decant__fail(DECANT_EFORMAT, "%s: line %zu: expected a confidence, found %s", path,
                         line->line, decant__quote(line->text, line->text_length).text));
    char number[24] = "";
    if (line->label_length < sizeof number) memcpy(number, line->label, line->label_length);
    unsigned long cluster = strtoul(number, &end, 10);
    if (*end != '\0' || end == number || number[0] == '-' || cluster >= study->k)
        TRY(decant__fail(DECANT_EFORMAT, "%s: row %zu: expected a cluster below %zu, found %s",
                         path, block->n + 1, study->k,
                         decant__quote(line->label, line->label_length).text));
    TRY(decant__block_extend(block, 0, 1, &place));
    *place = confidence;
    TRY(decant__block_add_id(block, line->id, line->id_length));
    TRY(decant__block_add_label_number(block, (int32_t)cluster));
    block->n++;
done:
    return status;
}

/* labels.csv, one line for each row of the run. */
static decant_status load_labels(const char *path, decant__study *study) {
    decant_status status = DECANT_OK;
    const decant__reader_options columns = {
        .id_column = "id", .label_column = "cluster", .text_column = "confidence"};
    decant__input input = {0};
    decant__reader *reader = NULL;
    decant__block block = {.d = 1};
    study->k = study->model->options.k;
    TRY(decant__input_open(&input, path, NULL));
    TRY(decant__csv_open(&input, &columns, &reader));
    for (int more = 1;;) {
        decant__csv_document line;
        TRY(decant__csv_next_document(reader, &line, &more));
        if (!more) break;
        TRY(add_label(study, &line, path, &block));
    }
    TRY(decant__check_shape(path, block.n, 1));
    study->n = block.n;
    NEW_ARRAY(study->cluster, block.n);
    memcpy(study->cluster, block.labels, block.n * sizeof *study->cluster);
    block.label_count = 0; /* clusters are no classes */
    TRY(decant__block_finish(&block, 0, &study->table));
done:
    decant__reader_close(reader);
    decant__input_close(&input);
    decant__block_free(&block);
    return status;
}

static decant_status load_embedding(const char *path, decant__study *study) {
    decant_status status = DECANT_OK;
    if (!decant_model_has_network(study->model)) return DECANT_OK;
    TRY(decant_dataset_read(&path, 1, NULL, NULL, &study->embedding));
    if (study->embedding->n != study->n || study->embedding->d != study->model->latent ||
        study->embedding->dense == NULL)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: does not belong to this run: expected %zu rows of %zu numbers", path,
                         study->n, study->model->latent));
    TRY(decant__dataset_check_finite(study->embedding));
done:
    return status;
}

static decant_status load_history(const char *path, decant__study *study) {
    return decant__history_read(path, &study->history, &study->history_count);
}

static decant_status load_trace(const char *path, decant__study *study) {
    return decant__trace_read(path, study->n, study->k, study->model->latent, &study->trace);
}

static decant_status load_folder(decant__study *study) {
    static const struct {
        const char *name;
        decant_status (*load)(const char *path, decant__study *study);
    } files[] = {{"manifest.json", load_manifest},  {"clusters.json", load_clusters},
                 {"model.safetensors", load_model}, {"labels.csv", load_labels},
                 {"embedding.npy", load_embedding}, {"history.csv", load_history},
                 {"trace.safetensors", load_trace}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = NULL;
        decant_status status = decant__path_join(study->folder, files[i].name, &path);
        if (status == DECANT_OK) status = files[i].load(path, study);
        decant__free(path);
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

/* ---- the data ---- */

static decant_status check_data(const decant__study *study, const decant_dataset *data) {
    uint64_t digest[2];
    decant_status status = decant__dataset_check_matrix(data);
    if (status == DECANT_OK) status = decant__dataset_digest(data, digest);
    if (status != DECANT_OK) return status;
    if (data->n == study->n && memcmp(digest, study->model->data_digest, sizeof digest) == 0)
        return DECANT_OK;
    return decant__fail(DECANT_EINVAL, "%s: this run was made from other data", study->folder);
}

/* The report is made without the data, and says why. Only out of memory is an error. */
static decant_status skip_data(decant__study *study, decant_status status, const char *reason) {
    if (status == DECANT_ENOMEM) return status;
    study->missing = decant__copy_text(reason);
    return study->missing != NULL ? DECANT_OK : DECANT_ENOMEM;
}

static decant_status reload_data(decant__study *study) {
    decant__origin origin = {0};
    decant_status status = decant__origin_get(json_object_get(study->manifest, "data"), &origin);
    if (status != DECANT_OK) return status;
    if (!decant__origin_exists(&origin)) {
        decant__origin_free(&origin);
        return skip_data(study, DECANT_OK, "the data files no longer exist");
    }
    decant_read_options reading = decant__origin_options(&origin);
    reading.options = &study->model->options;
    reading.features = study->model->features;
    reading.table = study->model->table;
    status = decant_dataset_read((const char *const *)origin.data.path, origin.data.count, &reading,
                                 NULL, &study->read_again);
    if (status == DECANT_OK) status = check_data(study, study->read_again);
    decant__origin_free(&origin);
    if (status != DECANT_OK) return skip_data(study, status, decant_last_error());
    study->data = study->read_again;
    return DECANT_OK;
}

/* ---- the sample ---- */

/* The rows that the trace followed, or as many random ones. */
static decant_status choose_sample(decant__study *study) {
    decant_status status = DECANT_OK;
    size_t max = DECANT__TRACE_ROWS;
    study->count = study->trace.rows > 0 ? study->trace.rows : study->n < max ? study->n : max;
    NEW_ARRAY(study->row, study->count);
    if (study->trace.rows > 0)
        memcpy(study->row, study->trace.row, study->count * sizeof *study->row);
    else
        decant__choose_rows(study->n, study->count, study->model->options.seed, study->row);
done:
    return status;
}

decant_status decant__study_open(decant__study *study, const char *folder,
                                 const decant_dataset *data) {
    decant_status status = DECANT_OK;
    *study = (decant__study){.folder = folder};
    TRY(load_folder(study));
    if (data != NULL) {
        TRY(check_data(study, data));
        study->data = data;
    } else {
        TRY(reload_data(study));
    }
    if (study->data != NULL)
        TRY(decant__dataset_buffer(study->data, study->data->d, &study->buffer));
    TRY(choose_sample(study));
done:
    if (status != DECANT_OK) decant__study_close(study);
    return status;
}

void decant__study_close(decant__study *study) {
    json_decref(study->manifest);
    json_decref(study->clusters);
    decant_model_free(study->model);
    decant_dataset_free(study->table);
    decant__free(study->cluster);
    decant_dataset_free(study->embedding);
    decant__free(study->history);
    decant__trace_release(&study->trace);
    decant_dataset_free(study->read_again);
    decant__free(study->missing);
    decant__free(study->buffer);
    decant__free(study->row);
    *study = (decant__study){0};
}

int32_t decant__study_class(const decant__study *study, size_t row) {
    return study->data != NULL && study->data->labels != NULL ? study->data->labels[row] : -1;
}
