/* Assigns new rows block by block, so that memory does not grow with their number (but 8 bytes a
 * row are kept when there are labels to score with, and with --append all that is written). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "cmd.h"
#include "data_args.h"
#include "json_lines.h"
#include "output.h"
#include "print_scores.h"
#include "records.h"
#include "signals.h"
#include "decant/model.h"

typedef struct prediction {
    const cli_arguments *given;
    const decant_model *model;
    decant_file *output;
    size_t k;
    int has_names, has_novelty;
    int begun;                   /* the header is written */
    decant_rows_wanted found;    /* of a block, or with --append of all rows */
    int32_t *clusters, *classes; /* of all rows, if they have labels */
    size_t rows, scored, capacity, kept;
} prediction;

/* ---- Columns ---- */

static int model_has_names(const decant_model *model) {
    for (size_t c = 0; c < decant_model_clusters(model); c++)
        if (decant_model_cluster_name(model, c) != NULL) return 1;
    return 0;
}

static void print_header(const prediction *work, char comma) {
    decant_file_print(work->output, "cluster%cconfidence", comma);
    if (work->has_names) decant_file_print(work->output, "%cname", comma);
    if (work->has_novelty) decant_file_print(work->output, "%cnovelty%coutlier", comma, comma);
    for (size_t c = 0; work->given->soft && c < work->k; c++)
        decant_file_print(work->output, "%ccluster_%zu", comma, c);
    decant_file_put(work->output, "\n", 1);
}

static void print_values(const prediction *work, size_t i, char comma) {
    const decant_rows_wanted *found = &work->found;
    size_t cluster = (size_t)found->labels[i];
    decant_file_print(work->output, "%zu%c%.6f", cluster, comma, (double)found->confidence[i]);
    if (work->has_names) {
        const char *name = decant_model_cluster_name(work->model, cluster);
        decant_file_print(work->output, "%c", comma);
        decant_file_put_csv(work->output, name != NULL ? name : "");
    }
    if (work->has_novelty)
        decant_file_print(work->output, "%c%.4f%c%d", comma, (double)found->novelty[i], comma,
                          found->novelty[i] > 1);
    for (size_t c = 0; work->given->soft && c < work->k; c++)
        decant_file_print(work->output, "%c%.6f", comma, (double)found->soft[i * work->k + c]);
    decant_file_put(work->output, "\n", 1);
}

static json_t *json_row(const prediction *work, const char *id, size_t i) {
    const decant_rows_wanted *found = &work->found;
    size_t cluster = (size_t)found->labels[i];
    const char *name = decant_model_cluster_name(work->model, cluster);
    json_t *row = json_object();
    int failed = json_object_set_new(
        row, "id", id != NULL ? json_name(id) : json_integer((json_int_t)(work->rows + i)));
    failed |= json_object_set_new(row, "cluster", json_integer((json_int_t)cluster));
    failed |= json_object_set_new(row, "confidence", json_real((double)found->confidence[i]));
    if (work->has_names)
        failed |= json_object_set_new(row, "name", name != NULL ? json_name(name) : json_null());
    if (work->has_novelty) {
        failed |= json_object_set_new(row, "novelty", json_number((double)found->novelty[i]));
        failed |= json_object_set_new(row, "outlier", json_boolean(found->novelty[i] > 1));
    }
    if (work->given->soft) {
        json_t *soft = json_array();
        for (size_t c = 0; c < work->k; c++)
            failed |= json_array_append_new(soft, json_real((double)found->soft[i * work->k + c]));
        failed |= json_object_set_new(row, "soft", soft);
    }
    if (!failed) return row;
    json_decref(row);
    return NULL;
}

/* ---- Rows of a block ---- */

/* 0, or an exit code after an error message. */
static int print_json_row(const prediction *work, const char *id, size_t i) {
    json_t *row = json_row(work, id, i);
    char *text = row != NULL ? json_dumps(row, JSON_REAL_PRECISION(6)) : NULL;
    if (text != NULL) decant_file_print(work->output, "%s\n", text);
    json_decref(row);
    free(text);
    return text != NULL ? 0 : complain_memory();
}

/* The header is written with the first row, so that stdout stays empty after a failure. */
static void begin_output(prediction *work) {
    if (!work->begun && !work->given->json && !work->given->append) {
        decant_file_print(work->output, "id,");
        print_header(work, ',');
    }
    work->begun = 1;
}

static int print_rows(prediction *work, const decant_dataset *block) {
    int code = 0;
    begin_output(work);
    for (size_t i = 0; code == 0 && i < decant_dataset_rows(block); i++) {
        const char *id = decant_dataset_id(block, i);
        if (work->given->json) {
            code = print_json_row(work, id, i);
            continue;
        }
        if (id != NULL)
            decant_file_put_csv(work->output, id);
        else
            decant_file_print(work->output, "%zu", work->rows + i);
        decant_file_put(work->output, ",", 1);
        print_values(work, i, ',');
    }
    return code;
}

static int grow_labels(prediction *work, size_t count) {
    if (work->scored + count <= work->capacity) return 1;
    size_t capacity = 2 * (work->scored + count);
    int32_t *clusters = realloc(work->clusters, capacity * sizeof *clusters);
    if (clusters != NULL) work->clusters = clusters;
    int32_t *classes = realloc(work->classes, capacity * sizeof *classes);
    if (classes != NULL) work->classes = classes;
    if (clusters == NULL || classes == NULL) return 0;
    work->capacity = capacity;
    return 1;
}

static int keep_for_scores(prediction *work, const int32_t *labels, const decant_dataset *block) {
    const int32_t *classes = decant_dataset_labels(block);
    size_t count = decant_dataset_rows(block);
    if (classes == NULL) return 0;
    if (!grow_labels(work, count)) return complain_memory();
    memcpy(work->clusters + work->scored, labels, count * sizeof *labels);
    memcpy(work->classes + work->scored, classes, count * sizeof *classes);
    work->scored += count;
    return 0;
}

/* realloc; where there is no memory the old array stays, and *failed is set. */
static void *resized(void *array, size_t count, size_t size, int *failed) {
    void *grown = realloc(array, count * size);
    if (grown != NULL) return grown;
    *failed = 1;
    return array;
}

/* Room for `count` rows in all. */
static int reserve(prediction *work, size_t count) {
    decant_rows_wanted *found = &work->found;
    if (count <= work->kept) return 0;
    if (work->kept > 0) count += count / 2;
    int failed = 0;
    found->labels = resized(found->labels, count, sizeof *found->labels, &failed);
    found->confidence = resized(found->confidence, count, sizeof *found->confidence, &failed);
    if (work->has_novelty)
        found->novelty = resized(found->novelty, count, sizeof *found->novelty, &failed);
    if (work->given->soft)
        found->soft = resized(found->soft, count * work->k, sizeof *found->soft, &failed);
    if (failed) return complain_memory();
    work->kept = count;
    return 0;
}

static int predict_block(const decant_dataset *block, void *user) {
    prediction *work = user;
    decant_monitor monitor = signals_monitor();
    size_t first = work->given->append ? work->rows : 0, count = decant_dataset_rows(block);
    int code = reserve(work, first + count);
    if (code != 0) return code;
    decant_rows_wanted here = work->found;
    here.labels += first;
    here.confidence += first;
    if (here.novelty != NULL) here.novelty += first;
    if (here.soft != NULL) here.soft += first * work->k;
    decant_status status =
        decant_model_apply(work->model, block, work->given->options.threads, &monitor, &here);
    if (status != DECANT_OK) return complain_status(status);
    if (!work->given->append) code = print_rows(work, block);
    if (code != 0) return code;
    work->rows += count;
    if (decant_file_failed(work->output)) return EXIT_FAILED; /* output_end says why */
    return keep_for_scores(work, here.labels, block);
}

/* ---- --append: the records of the input, with the new columns behind them ---- */

static int count_records(const char *path, size_t *count) {
    cli_records records;
    int code = records_open(&records, path), found = 0;
    if (code != 0) return code;
    for (*count = 0; (found = records_next(&records)) == 1;) ++*count;
    records_close(&records);
    return found == 0 ? 0 : EXIT_FAILED;
}

static int append_rows(prediction *work) {
    const char *path = work->given->inputs[1];
    cli_records records = {0};
    size_t count, row = 0;
    int code = count_records(path, &count), found = 1;
    if (code != 0) return code;
    if (count != work->rows && count != work->rows + 1) {
        complain("%s: has %zu records, but %zu rows were read: --append needs a CSV file", path,
                 count, work->rows);
        return EXIT_FAILED;
    }
    code = records_open(&records, path);
    for (int header = count > work->rows; code == 0 && row < work->rows; header = 0) {
        found = records_next(&records);
        if (found != 1) break;
        decant_file_put(work->output, records.text, records.length);
        decant_file_print(work->output, "%c", records.delimiter);
        if (header)
            print_header(work, records.delimiter);
        else
            print_values(work, row++, records.delimiter);
    }
    records_close(&records);
    return code != 0 ? code : found == 1 ? 0 : EXIT_FAILED;
}

/* New columns can only be put behind records that are bytes of the file as they are. */
static int check_plain(const char *path) {
    static const struct {
        const char *bytes, *what;
    } others[] = {{"\xff\xfe", "UTF-16"},        {"\xfe\xff", "UTF-16"},
                  {"\x1f\x8b", "compressed"},    {"BZh", "compressed"},
                  {"\xfd\x37zXZ", "compressed"}, {"\x28\xb5\x2f\xfd", "compressed"},
                  {"PK\3\4", "an archive"},      {"{", "JSON"}};
    char head[8] = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0; /* the reader says why */
    size_t count = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = strlen(others[i].bytes);
        if (count < length || memcmp(head, others[i].bytes, length) != 0) continue;
        complain(
            "%s: is %s, and --append needs a plain CSV file; without it, the rows have their ids",
            path, others[i].what);
        return EXIT_FAILED;
    }
    return 0;
}

static int check_append(const cli_arguments *given) {
    if (!given->append) return 0;
    if (given->json)
        return complain_usage("predict", "--append writes CSV and --json JSON: give one of them");
    if (given->on_error)
        return complain_usage("predict",
                              "--append needs every row of the file, and --on-error skip leaves "
                              "some out: give one of them");
    if (given->input_count == 2 && !path_is_pipe(given->inputs[1]))
        return check_plain(given->inputs[1]);
    return complain_usage("predict", "--append needs one CSV file, which is read twice");
}

/* ---- Scores ---- */

static int print_json_scores(const prediction *work, const decant_scores *scores) {
    json_t *document = json_pack("{s:I}", "n", (json_int_t)work->rows);
    if (document != NULL && json_put_scores(document, scores) != 0) {
        json_decref(document);
        document = NULL;
    }
    return json_write(NULL, document);
}

/* Scores are text on stderr; with --json they are JSON on stdout, if the rows go to a file. */
static int print_result(const prediction *work) {
    decant_scores scores;
    if (!work->given->quiet) inform("assigned %zu row%s", work->rows, plural(work->rows));
    if (work->scored == 0 || work->scored != work->rows) return EXIT_DONE;
    decant_status status = decant_score(work->clusters, work->classes, work->rows, &scores);
    if (status != DECANT_OK) return complain_status(status);
    if (work->given->json && !is_stdout(work->given->output))
        return print_json_scores(work, &scores);
    print_scores(stderr, &scores);
    return EXIT_DONE;
}

static int predict(prediction *work) {
    int code = reserve(work, BLOCK_ROWS);
    if (code == 0) code = output_open(&work->output, work->given->output);
    if (code != 0) return code;
    code = each_block(work->given, work->model, predict_block, work);
    if (code == 0) begin_output(work);
    if (code == 0 && work->given->append) code = append_rows(work);
    code = output_end(&work->output, code);
    return code == 0 ? print_result(work) : code;
}

int cmd_predict(const cli_arguments *given) {
    decant_model *model = NULL;
    int code = check_append(given);
    if (code == 0) code = check_output(given, given->output);
    if (code == 0) code = load_model(given->inputs[0], &model);
    if (code != 0) return code;
    prediction work = {.given = given,
                       .model = model,
                       .k = decant_model_clusters(model),
                       .has_names = model_has_names(model),
                       .has_novelty = decant_model_has_novelty(model)};
    decant_rows_wanted_init(&work.found, sizeof work.found);
    code = predict(&work);
    free(work.found.labels);
    free(work.found.confidence);
    free(work.found.novelty);
    free(work.found.soft);
    free(work.clusters);
    free(work.classes);
    decant_model_free(model);
    return code;
}
