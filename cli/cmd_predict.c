/* Assigns new rows block by block, so that memory does not grow with their number (but 8 bytes a
 * row are kept when there are labels to score with). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "cmd.h"
#include "csv.h"
#include "input.h"
#include "output.h"
#include "scores.h"

typedef struct prediction {
    const cli_arguments *given;
    const decant_model *model;
    cli_output output;
    int32_t *labels; /* of a block */
    float *confidence;
    int32_t *clusters, *classes; /* of all rows, if they have labels */
    size_t rows, scored, room;
} prediction;

static void print_rows(const prediction *work, const decant_dataset *block) {
    FILE *file = work->output.file;
    for (size_t i = 0; i < decant_dataset_rows(block); i++) {
        const char *id = decant_dataset_id(block, i);
        if (id != NULL)
            csv_print_field(file, id);
        else
            fprintf(file, "%zu", work->rows + i);
        fprintf(file, ",%d,%.6f\n", (int)work->labels[i], (double)work->confidence[i]);
    }
}

static int make_room(prediction *work, size_t count) {
    if (work->scored + count <= work->room) return 1;
    size_t room = 2 * (work->scored + count);
    int32_t *clusters = realloc(work->clusters, room * sizeof *clusters);
    if (clusters != NULL) work->clusters = clusters;
    int32_t *classes = realloc(work->classes, room * sizeof *classes);
    if (classes != NULL) work->classes = classes;
    if (clusters == NULL || classes == NULL) return 0;
    work->room = room;
    return 1;
}

static int keep_for_scores(prediction *work, const decant_dataset *block) {
    const int32_t *classes = decant_dataset_labels(block);
    size_t count = decant_dataset_rows(block);
    if (classes == NULL) return 0;
    if (!make_room(work, count)) {
        complain("memory ran out");
        return EXIT_FAILED;
    }
    memcpy(work->clusters + work->scored, work->labels, count * sizeof *work->labels);
    memcpy(work->classes + work->scored, classes, count * sizeof *classes);
    work->scored += count;
    return 0;
}

static int predict_block(const decant_dataset *block, void *user) {
    prediction *work = user;
    decant_status status = decant_model_predict(work->model, block, work->given->options.threads,
                                                work->labels, work->confidence);
    if (status != DECANT_OK) return complain_status(status);
    print_rows(work, block);
    work->rows += decant_dataset_rows(block);
    if (ferror(work->output.file)) return EXIT_FAILED; /* output_commit says why */
    return keep_for_scores(work, block);
}

/* Rows go to stdout unless -o names a file; so do JSON scores only if it is free. */
static int print_result(const prediction *work) {
    decant_scores scores;
    if (!work->given->quiet) fprintf(stderr, "assigned %zu rows\n", work->rows);
    if (work->scored == 0 || work->scored != work->rows) return EXIT_DONE;
    decant_status status = decant_score(work->clusters, work->classes, work->rows, &scores);
    if (status != DECANT_OK) return complain_status(status);
    if (!work->given->json) {
        print_scores(stderr, &scores);
        return EXIT_DONE;
    }
    FILE *file = work->given->output ? stdout : stderr;
    fprintf(file, "{\n  \"n\": %zu,\n", work->rows);
    print_scores_json(file, &scores);
    fputs("\n}\n", file);
    return EXIT_DONE;
}

static int predict(prediction *work) {
    work->labels = calloc(BLOCK_ROWS, sizeof *work->labels);
    work->confidence = calloc(BLOCK_ROWS, sizeof *work->confidence);
    if (work->labels == NULL || work->confidence == NULL) {
        complain("memory ran out");
        return EXIT_FAILED;
    }
    int code = output_open(&work->output, work->given->output);
    if (code != 0) return code;
    fputs("id,cluster,confidence\n", work->output.file);
    code = each_block(work->given, work->model, predict_block, work);
    if (code == 0 || ferror(work->output.file)) {
        int written = output_commit(&work->output);
        code = written != 0 ? written : code;
    }
    output_abandon(&work->output);
    return code == 0 ? print_result(work) : code;
}

int cmd_predict(const cli_arguments *given) {
    decant_model *model = NULL;
    int code = load_model(given->inputs[0], &model);
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
