/* decant sweep: a fit for each of nine values of the method's option; all of them are shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "run_folder.h"
#include "data_args.h"
#include "json_lines.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "experiments/sweep.h"

static const char DEFAULT_FOLDER[] = "decant-sweep";

static int is_scored(const decant_sweep *sweep) { return !isnan(sweep->entry[0].scores.acc); }

static void print_sweep_csv(const decant_sweep *sweep, decant_file *file) {
    decant_file_print(file, "%s,loss,converged,iterations,seconds%s\n", sweep->option,
                      is_scored(sweep) ? ",acc,nmi,ari,purity" : "");
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const struct decant_sweep_entry *e = &sweep->entry[i];
        decant_file_print(file, "%s,%.9g,%d,%zu,%.3f", e->value, e->loss, e->converged,
                          e->iterations, e->seconds);
        if (is_scored(sweep))
            decant_file_print(file, ",%.6f,%.6f,%.6f,%.6f", e->scores.acc, e->scores.nmi,
                              e->scores.ari, e->scores.purity);
        decant_file_print(file, "\n");
    }
}

static void print_sweep(const decant_sweep *sweep) {
    int min = 0, max = 0, scored = is_scored(sweep);
    printf("%-16s %14s %10s %10s", sweep->option, "loss", "iterations", "seconds");
    if (scored) printf(" %8s %8s %8s", "ACC", "NMI", "ARI");
    printf("\n");
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const struct decant_sweep_entry *e = &sweep->entry[i];
        printf("%-16s %14.6g %10zu %10.2f", e->value, e->loss, e->iterations, e->seconds);
        if (scored) printf(" %8.4f %8.4f %8.4f", e->scores.acc, e->scores.nmi, e->scores.ari);
        printf("%s\n", e->converged ? "" : "  did not converge");
        if (e->scores.acc < sweep->entry[min].scores.acc) min = i;
        if (e->scores.acc > sweep->entry[max].scores.acc) max = i;
    }
    if (scored)
        printf("\nACC from %.4f (%s) to %.4f (%s); labels were used for these scores only\n",
               sweep->entry[min].scores.acc, sweep->entry[min].value, sweep->entry[max].scores.acc,
               sweep->entry[max].value);
}

static json_t *entry_json(const struct decant_sweep_entry *e, int scored) {
    json_t *row = json_pack("{s:f, s:b, s:I, s:f, s:o}", "value", strtod(e->value, NULL),
                            "converged", e->converged, "iterations", (json_int_t)e->iterations,
                            "seconds", e->seconds, "loss", json_number(e->loss));
    if (row == NULL || !scored || json_put_scores(row, &e->scores) == 0) return row;
    json_decref(row);
    return NULL;
}

static int print_sweep_json(const decant_sweep *sweep) {
    json_t *values = json_array();
    int failed = 0;
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++)
        failed |= json_array_append_new(values, entry_json(&sweep->entry[i], is_scored(sweep)));
    json_t *document = json_pack("{s:s, s:o}", "option", sweep->option, "values", values);
    if (!failed) return json_write(NULL, document);
    json_decref(document);
    return complain_memory();
}

/* Written last: if it exists, the sweep is complete. */
static int write_sweep_csv(const decant_sweep *sweep, const char *path) {
    decant_file *file = NULL;
    int code = output_open(&file, path);
    if (code != 0) return code;
    print_sweep_csv(sweep, file);
    return output_commit(&file);
}

static int sweep(const cli_arguments *given, const decant_dataset *data, const char *folder,
                 const char *csv) {
    cli_progress progress;
    decant_sweep found;
    decant_monitor monitor = progress_monitor(&progress, given);
    char *command = command_text(given);
    signals_watch();
    decant_status status =
        decant_sweep_run(folder, data, &given->options, &monitor, command, &found);
    free(command);
    progress_end(&progress);
    if (status == DECANT_ECANCELLED) return explain_interruption(given, folder);
    if (status != DECANT_OK) return complain_status(status);
    int code = write_sweep_csv(&found, csv);
    if (code != 0) return code;
    if (given->json) return print_sweep_json(&found);
    print_sweep(&found);
    return EXIT_DONE;
}

/* Checked before the data is read, which may take minutes. */
static int check_sweep_options(const cli_arguments *given, const char *folder, const char *csv) {
    if (given->options.k < 2 || given->options.k_max > 0)
        return complain_usage("sweep", "sweep needs the number of clusters, 2 or more: -k N");
    if (given->resume && given->force)
        return complain_usage("sweep",
                              "--resume continues and --force starts over: give only one of them");
    if (given->resume || given->force || !path_exists(folder)) return 0;
    if (path_exists(csv))
        complain(
            "%s: holds a finished sweep; name another folder with -o, or replace it with --force",
            folder);
    else
        complain("%s: exists already; --resume continues its sweep, --force starts over", folder);
    return EXIT_FAILED;
}

int cmd_sweep(const cli_arguments *given) {
    decant_dataset *data = NULL;
    decant_read_options reading = read_options(given);
    const char *folder = given->output != NULL ? given->output : DEFAULT_FOLDER;
    char *csv = join_path(folder, "sweep.csv");
    if (csv == NULL) return EXIT_FAILED;
    int code = check_sweep_options(given, folder, csv);
    if (code == 0) code = check_run_folder(given, folder);
    if (code == 0) code = read_data(given, given->inputs, given->input_count, &reading, &data);
    if (code == 0) code = sweep(given, data, folder, csv);
    decant_dataset_free(data);
    free(csv);
    return code;
}
