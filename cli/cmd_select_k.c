/* decant select-k: a fit for every number of clusters in a range, and which number to take. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "run_folder.h"
#include "data_args.h"
#include "json_lines.h"
#include "output.h"
#include "progress.h"
#include "raster.h"
#include "signals.h"
#include "decant/report.h"

typedef struct k_table {
    const decant_selection *selection;
    const decant_dataset *data;
    decant_scores *scores; /* one for each k; NULL: no labels */
} k_table;

static int score_selection(k_table *table) {
    const int32_t *classes = decant_dataset_labels(table->data);
    const decant_selection *selection = table->selection;
    if (classes == NULL) return 0;
    table->scores = calloc(selection->count, sizeof *table->scores);
    if (table->scores == NULL) return complain_memory();
    for (size_t t = 0; t < selection->count; t++) {
        decant_status status =
            decant_score(selection->trial[t].labels, classes, selection->n, &table->scores[t]);
        if (status != DECANT_OK) return complain_status(status);
    }
    return 0;
}

static void print_selection(const k_table *table) {
    const decant_selection *selection = table->selection;
    printf("  %4s %10s %10s %10s", "k", "stability", "G", "silhouette");
    if (table->scores != NULL) printf(" %8s %8s", "ACC", "NMI");
    printf(" %9s\n", "seconds");
    for (size_t t = 0; t < selection->count; t++) {
        const decant_k_trial *trial = &selection->trial[t];
        printf("%c %4zu %10.4f %10.4f %10.4f", trial->k == selection->k ? '*' : ' ', trial->k,
               trial->stability, trial->generalizability, trial->silhouette);
        if (table->scores != NULL)
            printf(" %8.4f %8.4f", table->scores[t].acc, table->scores[t].nmi);
        printf(" %9.2f\n", trial->seconds);
    }
    printf("\n%zu clusters: %s%s\n", selection->k, selection->reason,
           table->scores != NULL ? " (labels were not used)" : "");
}

static json_t *trial_json(const decant_k_trial *trial, const decant_scores *scores) {
    json_t *row = json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "k", (json_int_t)trial->k, "stability",
        json_number(trial->stability), "generalizability", json_number(trial->generalizability),
        "own_generalizability", json_number(trial->own_generalizability), "train_loss",
        json_number(trial->train_loss), "validation_loss", json_number(trial->validation_loss),
        "silhouette", json_number(trial->silhouette), "seconds", trial->seconds);
    if (row == NULL || scores == NULL || json_put_scores(row, scores) == 0) return row;
    json_decref(row);
    return NULL;
}

/* path NULL: to stdout. */
static int write_selection_json(const k_table *table, const char *path) {
    const decant_selection *selection = table->selection;
    json_t *trials = json_array();
    int failed = 0;
    for (size_t t = 0; t < selection->count; t++)
        failed |= json_array_append_new(
            trials,
            trial_json(&selection->trial[t], table->scores != NULL ? &table->scores[t] : NULL));
    json_t *document =
        json_pack("{s:I, s:o, s:I, s:o}", "k", (json_int_t)selection->k, "reason",
                  json_name(selection->reason), "n", (json_int_t)selection->n, "trials", trials);
    if (!failed) return json_write(path, document);
    json_decref(document);
    return complain_memory();
}

static int write_selection_figure(const k_table *table, const char *path,
                                  int (*write)(const char *path, const char *svg)) {
    char *svg = NULL;
    decant_status status = decant_selection_svg(table->selection, table->data, &svg);
    if (status != DECANT_OK) return complain_status(status);
    int code = write(path, svg);
    decant_text_free(svg);
    return code;
}

/* The JSON file is written last: if it exists, so do the others. */
static int write_selection(const k_table *table, const char *folder) {
    char *svg = join_path(folder, "figure6.svg"), *png = join_path(folder, "figure6.png");
    char *json = join_path(folder, "select-k.json");
    int code = svg != NULL && png != NULL && json != NULL ? 0 : EXIT_FAILED;
    if (code == 0) code = write_selection_figure(table, svg, output_text);
    if (code == 0 && can_write_png()) code = write_selection_figure(table, png, write_png);
    if (code == 0) code = write_selection_json(table, json);
    free(svg);
    free(png);
    free(json);
    return code;
}

static int show_selection(const cli_arguments *given, k_table *table) {
    int code = score_selection(table);
    if (code == 0 && given->output != NULL) code = write_selection(table, given->output);
    if (code == 0 && given->json)
        code = write_selection_json(table, NULL);
    else if (code == 0)
        print_selection(table);
    free(table->scores);
    return code;
}

static int run_select_k(const cli_arguments *given, const decant_dataset *data,
                        const char *checkpoint) {
    cli_progress progress;
    decant_selection *selection = NULL;
    decant_monitor monitor = progress_monitor(&progress, given);
    monitor.checkpoint = checkpoint;
    signals_watch();
    decant_status status = decant_select_k(data, &given->options, &monitor, &selection);
    progress_end(&progress);
    if (status == DECANT_ECANCELLED && checkpoint != NULL)
        return explain_interruption(given, given->output);
    if (status != DECANT_OK) return complain_status(status);
    k_table table = {.selection = selection, .data = data};
    int code = show_selection(given, &table);
    if (code == 0 && checkpoint != NULL) remove(checkpoint);
    decant_selection_free(selection);
    return code;
}

/* Checked before the data is read, which may take minutes. */
static int check_select_k_folder(const cli_arguments *given) {
    if (given->output == NULL || given->force) return 0;
    char *done = join_path(given->output, "select-k.json");
    char *half = join_path(given->output, "checkpoint.safetensors");
    int code = done != NULL && half != NULL ? 0 : EXIT_FAILED;
    if (code == 0 && path_exists(done)) {
        complain("%s: exists already; name another folder with -o, or replace it with --force",
                 done);
        code = EXIT_FAILED;
    } else if (code == 0 && path_exists(half) && !given->resume) {
        complain(
            "%s: belongs to an unfinished select-k; --resume continues it, --force starts over",
            half);
        code = EXIT_FAILED;
    }
    free(done);
    free(half);
    return code;
}

int cmd_select_k(const cli_arguments *given) {
    decant_dataset *data = NULL;
    char *checkpoint = NULL;
    cli_arguments complete = *given;
    decant_read_options reading = read_options(given);
    if (given->options.k == 0 && given->options.k_max == 0)
        decant_options_set(&complete.options, "k", "auto");
    if (complete.options.k_max == 0)
        return complain_usage("select-k", "select-k needs a range of clusters: -k 5..15");
    if (given->resume && given->force)
        return complain_usage("select-k",
                              "--resume continues and --force starts over: give only one of them");
    int code = check_select_k_folder(given);
    if (code == 0 && given->output != NULL) code = check_run_folder(given, given->output);
    if (code != 0) return code;
    code = read_data(given, given->inputs, given->input_count, &reading, &data);
    if (code != 0) return code;
    print_notes(given, data);
    code = folder_make(given->output, &checkpoint);
    if (code == 0) code = run_select_k(&complete, data, checkpoint);
    free(checkpoint);
    decant_dataset_free(data);
    return code;
}
