/* decant sweep: nine values of the method's one option, every one of them told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "csv.h"
#include "folder.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "signals.h"

static const char DEFAULT_FOLDER[] = "decant-sweep";

static int is_scored(const decant_sweep *sweep) { return !isnan(sweep->entry[0].scores.acc); }

static void print_csv(const decant_sweep *sweep, FILE *file) {
    fprintf(file, "%s,loss,converged,iterations,seconds%s\n", sweep->option,
            is_scored(sweep) ? ",acc,nmi,ari,purity" : "");
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const struct decant_sweep_entry *e = &sweep->entry[i];
        fprintf(file, "%s,%.9g,%d,%zu,%.3f", e->value, e->loss, e->converged, e->iterations,
                e->seconds);
        if (is_scored(sweep))
            fprintf(file, ",%.6f,%.6f,%.6f,%.6f", e->scores.acc, e->scores.nmi, e->scores.ari,
                    e->scores.purity);
        fputc('\n', file);
    }
}

static void print_text(const decant_sweep *sweep) {
    int least = 0, most = 0, scored = is_scored(sweep);
    printf("%-16s %14s %10s %10s", sweep->option, "loss", "iterations", "seconds");
    if (scored) printf(" %8s %8s %8s", "ACC", "NMI", "ARI");
    printf("\n");
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const struct decant_sweep_entry *e = &sweep->entry[i];
        printf("%-16s %14.6g %10zu %10.2f", e->value, e->loss, e->iterations, e->seconds);
        if (scored) printf(" %8.4f %8.4f %8.4f", e->scores.acc, e->scores.nmi, e->scores.ari);
        printf("%s\n", e->converged ? "" : "  did not converge");
        if (e->scores.acc < sweep->entry[least].scores.acc) least = i;
        if (e->scores.acc > sweep->entry[most].scores.acc) most = i;
    }
    if (scored)
        printf("\nACC from %.4f (%s) to %.4f (%s); labels chose nothing but these two\n",
               sweep->entry[least].scores.acc, sweep->entry[least].value,
               sweep->entry[most].scores.acc, sweep->entry[most].value);
}

static void print_json(const decant_sweep *sweep) {
    printf("{\n  \"option\": \"%s\",\n  \"values\": [\n", sweep->option);
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const struct decant_sweep_entry *e = &sweep->entry[i];
        printf("    {\"value\": %s, \"converged\": %s, \"iterations\": %zu, \"seconds\": %.3f",
               e->value, e->converged ? "true" : "false", e->iterations, e->seconds);
        if (isfinite(e->loss)) printf(", \"loss\": %.15g", e->loss);
        if (is_scored(sweep))
            printf(", \"acc\": %.15g, \"nmi\": %.15g, \"ari\": %.15g", e->scores.acc, e->scores.nmi,
                   e->scores.ari);
        printf("}%s\n", i + 1 < DECANT_SWEEP_VALUES ? "," : "");
    }
    printf("  ]\n}\n");
}

/* Its presence says that the sweep is complete. */
static int write_csv(const decant_sweep *sweep, const char *path) {
    cli_output output;
    int code = output_open(&output, path);
    if (code != 0) return code;
    print_csv(sweep, output.file);
    return output_commit(&output);
}

static int sweep(const cli_arguments *given, const decant_dataset *data, const char *folder,
                 const char *csv) {
    cli_progress progress;
    decant_sweep found;
    progress_start(&progress, given->quiet);
    decant_monitor monitor = {.progress = progress_report,
                              .user = &progress,
                              .checkpoint_seconds = given->checkpoint_seconds,
                              .resume = given->resume,
                              .overwrite = given->force,
                              .graph = given->graph,
                              .pretrained = given->pretrained};
    char *command = command_text(given);
    signals_watch();
    decant_status status =
        decant_sweep_run(folder, data, &given->options, &monitor, command, &found);
    free(command);
    progress_end(&progress);
    if (status == DECANT_ECANCELLED) return explain_interruption(given, folder);
    if (status != DECANT_OK) return complain_status(status);
    int code = write_csv(&found, csv);
    if (code != 0) return code;
    if (given->json)
        print_json(&found);
    else
        print_text(&found);
    return EXIT_DONE;
}

/* What stands in the way, before data is read for minutes. */
static int check(const cli_arguments *given, const char *folder, const char *csv) {
    if (given->options.k < 2 || given->options.k_most > 0)
        return complain_usage("sweep", "sweep needs the number of clusters, 2 or more: -k N");
    if (given->resume && given->force)
        return complain_usage("sweep",
                              "--resume goes on and --force starts over: give one of them");
    if (given->resume || given->force || !path_exists(folder)) return 0;
    if (path_exists(csv))
        complain("%s: holds a finished sweep; --force starts over, or name another folder with -o",
                 folder);
    else
        complain("%s: is there already; --resume goes on with its sweep, --force starts over",
                 folder);
    return EXIT_FAILED;
}

int cmd_sweep(const cli_arguments *given) {
    decant_dataset *data = NULL;
    decant_read_options reading = read_options(given);
    const char *folder = given->output != NULL ? given->output : DEFAULT_FOLDER;
    char *csv = join_path(folder, "sweep.csv");
    if (csv == NULL) return EXIT_FAILED;
    int code = check(given, folder, csv);
    decant_status status = DECANT_OK;
    if (code == 0) status = decant_dataset_read(given->inputs, given->input_count, &reading, &data);
    if (status != DECANT_OK) code = complain_status(status);
    if (code == 0) code = sweep(given, data, folder, csv);
    decant_dataset_free(data);
    free(csv);
    return code;
}
