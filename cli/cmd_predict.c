/* Assigns new rows block by block, so that memory does not grow with their number (but 8 bytes a
 * row are kept when there are labels to score with). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "cmd.h"
#include "data_args.h"
#include "json_lines.h"
#include "output.h"
#include "print_scores.h"
#include "signals.h"

typedef struct prediction {
    const cli_arguments *given;
    const decant_model *model;
    decant_file *output;
    int begun;       /* the header is written */
    int32_t *labels; /* of a block */
    float *confidence;
    int32_t *clusters, *classes; /* of all rows, if they have labels */
    size_t rows, scored, capacity;
} prediction;

static void print_csv_row(const prediction *work, const char *id, size_t i) {
    if (id != NULL)
        decant_file_put_csv(work->output, id);
    else
        decant_file_print(work->output, "%zu", work->rows + i);
    decant_file_print(work->output, ",%d,%.6f\n", (int)work->labels[i],
                      (double)work->confidence[i]);
}

/* 0, or an exit code after an error message. */
static int print_json_row(const prediction *work, const char *id, size_t i) {
    json_t *name = id != NULL ? json_name(id) : json_integer((json_int_t)(work->rows + i));
    json_t *row = json_pack("{s:o, s:i, s:f}", "id", name, "cluster", (int)work->labels[i],
                            "confidence", (double)work->confidence[i]);
    char *text = row != NULL ? json_dumps(row, JSON_REAL_PRECISION(6)) : NULL;
    if (text != NULL) decant_file_print(work->output, "%s\n", text);
    json_decref(row);
    free(text);
    return text != NULL ? 0 : complain_memory();
}

/* The header is written with the first row, so that stdout stays empty after a failure. */
static void begin_output(prediction *work) {
    if (!work->begun && !work->given->json)
        decant_file_print(work->output, "id,cluster,confidence\n");
    work->begun = 1;
}

static int print_rows(prediction *work, const decant_dataset *block) {
    int code = 0;
    begin_output(work);
    for (size_t i = 0; code == 0 && i < decant_dataset_rows(block); i++) {
        const char *id = decant_dataset_id(block, i);
        if (work->given->json)
            code = print_json_row(work, id, i);
        else
            print_csv_row(work, id, i);
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

static int keep_for_scores(prediction *work, const decant_dataset *block) {
    const int32_t *classes = decant_dataset_labels(block);
    size_t count = decant_dataset_rows(block);
    if (classes == NULL) return 0;
    if (!grow_labels(work, count)) return complain_memory();
    memcpy(work->clusters + work->scored, work->labels, count * sizeof *work->labels);
    memcpy(work->classes + work->scored, classes, count * sizeof *classes);
    work->scored += count;
    return 0;
}

static int predict_block(const decant_dataset *block, void *user) {
    prediction *work = user;
    decant_monitor monitor = signals_monitor();
    decant_status status = decant_model_predict(work->model, block, work->given->options.threads,
                                                &monitor, work->labels, work->confidence);
    if (status != DECANT_OK) return complain_status(status);
    int code = print_rows(work, block);
    if (code != 0) return code;
    work->rows += decant_dataset_rows(block);
    if (decant_file_failed(work->output)) return EXIT_FAILED; /* output_end says why */
    return keep_for_scores(work, block);
}

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
    if (!work->given->quiet) inform("assigned %zu rows", work->rows);
    if (work->scored == 0 || work->scored != work->rows) return EXIT_DONE;
    decant_status status = decant_score(work->clusters, work->classes, work->rows, &scores);
    if (status != DECANT_OK) return complain_status(status);
    if (work->given->json && !is_stdout(work->given->output))
        return print_json_scores(work, &scores);
    print_scores(stderr, &scores);
    return EXIT_DONE;
}

static int predict(prediction *work) {
    work->labels = calloc(BLOCK_ROWS, sizeof *work->labels);
    work->confidence = calloc(BLOCK_ROWS, sizeof *work->confidence);
    if (work->labels == NULL || work->confidence == NULL) return complain_memory();
    int code = output_open(&work->output, work->given->output);
    if (code != 0) return code;
    code = each_block(work->given, work->model, predict_block, work);
    if (code == 0) begin_output(work);
    code = output_end(&work->output, code);
    return code == 0 ? print_result(work) : code;
}

int cmd_predict(const cli_arguments *given) {
    decant_model *model = NULL;
    int code = check_output(given, given->output);
    if (code == 0) code = load_model(given->inputs[0], &model);
    if (code != 0) return code;
    prediction work = {.given = given, .model = model};
    code = predict(&work);
    free(work.labels);
    free(work.confidence);
    free(work.clusters);
    free(work.classes);
    decant_model_free(model);
    return code;
}
