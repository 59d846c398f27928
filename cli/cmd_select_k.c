/* decant select-k: every number of clusters in a range, and which of them to take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "folder.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "raster.h"
#include "scores.h"
#include "signals.h"

typedef struct k_table {
    const decant_selection *selection;
    const decant_dataset *data;
    decant_scores *scores; /* one for each k; NULL: no labels */
} k_table;

static int score(k_table *table) {
    const int32_t *classes = decant_dataset_labels(table->data);
    const decant_selection *selection = table->selection;
    if (classes == NULL) return 0;
    table->scores = calloc(selection->count, sizeof *table->scores);
    if (table->scores == NULL) {
        complain("memory ran out");
        return EXIT_FAILED;
    }
    for (size_t t = 0; t < selection->count; t++) {
        decant_status status =
            decant_score(selection->trial[t].labels, classes, selection->n, &table->scores[t]);
        if (status != DECANT_OK) return complain_status(status);
    }
    return 0;
}

static void print_text(const k_table *table) {
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
    printf("\nk = %zu: %s%s\n", selection->k, selection->reason,
           table->scores != NULL ? " (labels had no part in this)" : "");
}

static void print_number(FILE *file, const char *name, double value) {
    fprintf(file, ", \"%s\": ", name);
    if (isfinite(value))
        fprintf(file, "%.15g", value);
    else
        fputs("null", file);
}

static void print_json(const k_table *table, FILE *file) {
    const decant_selection *selection = table->selection;
    fprintf(file, "{\n  \"k\": %zu,\n  \"reason\": ", selection->k);
    print_json_text(file, selection->reason);
    fprintf(file, ",\n  \"n\": %zu,\n  \"trials\": [\n", selection->n);
    for (size_t t = 0; t < selection->count; t++) {
        const decant_k_trial *trial = &selection->trial[t];
        fprintf(file, "    {\"k\": %zu", trial->k);
        print_number(file, "stability", trial->stability);
        print_number(file, "generalizability", trial->generalizability);
        print_number(file, "own_generalizability", trial->own_generalizability);
        print_number(file, "train_loss", trial->train_loss);
        print_number(file, "validation_loss", trial->validation_loss);
        print_number(file, "silhouette", trial->silhouette);
        if (table->scores != NULL) {
            print_number(file, "acc", table->scores[t].acc);
            print_number(file, "nmi", table->scores[t].nmi);
            print_number(file, "ari", table->scores[t].ari);
        }
        fprintf(file, ", \"seconds\": %.3f}%s\n", trial->seconds,
                t + 1 < selection->count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
}

static int write_json(const k_table *table, const char *path) {
    cli_output output;
    int code = output_open(&output, path);
    if (code != 0) return code;
    print_json(table, output.file);
    return output_commit(&output);
}

static int write_figure(const k_table *table, const char *path,
                        int (*write)(const char *path, const char *svg)) {
    char *svg = NULL;
    decant_status status = decant_selection_svg(table->selection, table->data, &svg);
    if (status != DECANT_OK) return complain_status(status);
    int code = write(path, svg);
    decant_text_free(svg);
    return code;
}

/* The table comes last: where it is, everything is. */
static int write_files(const k_table *table, const char *folder) {
    char *svg = join_path(folder, "figure6.svg"), *png = join_path(folder, "figure6.png");
    char *json = join_path(folder, "select-k.json");
    int code = svg != NULL && png != NULL && json != NULL ? 0 : EXIT_FAILED;
    if (code == 0) code = write_figure(table, svg, output_text);
    if (code == 0 && can_write_png()) code = write_figure(table, png, write_png);
    if (code == 0) code = write_json(table, json);
    free(svg);
    free(png);
    free(json);
    return code;
}

static int tell(const cli_arguments *given, k_table *table) {
    int code = score(table);
    if (code == 0 && given->output != NULL) code = write_files(table, given->output);
    if (code == 0 && given->json)
        print_json(table, stdout);
    else if (code == 0)
        print_text(table);
    free(table->scores);
    return code;
}

static int select_k(const cli_arguments *given, const decant_dataset *data,
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
    int code = tell(given, &table);
    if (code == 0 && checkpoint != NULL) remove(checkpoint);
    decant_selection_free(selection);
    return code;
}

/* What stands in the way, before data is read for minutes. */
static int check_folder(const cli_arguments *given) {
    if (given->output == NULL || given->force) return 0;
    char *done = join_path(given->output, "select-k.json");
    char *half = join_path(given->output, "checkpoint.safetensors");
    int code = done != NULL && half != NULL ? 0 : EXIT_FAILED;
    if (code == 0 && path_exists(done)) {
        complain("%s: is already there; --force starts over, or name another folder", done);
        code = EXIT_FAILED;
    } else if (code == 0 && path_exists(half) && !given->resume) {
        complain("%s: is not finished; --resume goes on with it, --force starts over", half);
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
    if (given->options.k == 0 && given->options.k_most == 0)
        decant_options_set(&complete.options, "k", "auto");
    if (complete.options.k_most == 0)
        return complain_usage("select-k", "select-k needs a range of clusters: -k 5..15");
    if (given->resume && given->force)
        return complain_usage("select-k",
                              "--resume goes on and --force starts over: give one of them");
    int code = check_folder(given);
    if (code != 0) return code;
    decant_status status = decant_dataset_read(given->inputs, given->input_count, &reading, &data);
    if (status != DECANT_OK) return complain_status(status);
    print_notes(given, data);
    code = folder_make(given->output, &checkpoint);
    if (code == 0) code = select_k(&complete, data, checkpoint);
    free(checkpoint);
    decant_dataset_free(data);
    return code;
}
