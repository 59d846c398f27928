/* decant sweep: nine values of the method's one option, every one of them told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "csv.h"
#include "folder.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "scores.h"
#include "signals.h"

typedef struct sweep_table {
    const decant_sweep *sweep;
    const decant_dataset *data;
    int scored;
    decant_scores scores[DECANT_SWEEP_VALUES];
} sweep_table;

static double seconds_of(const decant_result *result) {
    double sum = 0;
    for (size_t i = 0; i < result->phase_count; i++) sum += result->phases[i].seconds;
    return sum;
}

static int score(sweep_table *table) {
    const int32_t *classes = decant_dataset_labels(table->data);
    table->scored = classes != NULL;
    for (int i = 0; i < DECANT_SWEEP_VALUES && table->scored; i++) {
        const decant_result *result = table->sweep->result[i];
        decant_status status = decant_score(result->labels, classes, result->n, &table->scores[i]);
        if (status != DECANT_OK) return complain_status(status);
    }
    return 0;
}

static void print_csv(const sweep_table *table, FILE *file) {
    fprintf(file, "%s,loss,converged,iterations,seconds%s\n", table->sweep->option,
            table->scored ? ",acc,nmi,ari,purity" : "");
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const decant_result *r = table->sweep->result[i];
        const decant_scores *s = &table->scores[i];
        fprintf(file, "%s,%.9g,%d,%zu,%.3f", table->sweep->value[i], r->loss, r->converged,
                r->iterations, seconds_of(r));
        if (table->scored) fprintf(file, ",%.6f,%.6f,%.6f,%.6f", s->acc, s->nmi, s->ari, s->purity);
        fputc('\n', file);
    }
}

/* id, then a column of clusters for each value. */
static void print_labels(const sweep_table *table, FILE *file) {
    char number[32];
    fputs("id", file);
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++)
        fprintf(file, ",%s=%s", table->sweep->option, table->sweep->value[i]);
    fputc('\n', file);
    for (size_t row = 0; row < decant_dataset_rows(table->data); row++) {
        const char *id = decant_dataset_id(table->data, row);
        snprintf(number, sizeof number, "%zu", row);
        csv_print_field(file, id != NULL ? id : number);
        for (int i = 0; i < DECANT_SWEEP_VALUES; i++)
            fprintf(file, ",%d", (int)table->sweep->result[i]->labels[row]);
        fputc('\n', file);
    }
}

static void print_text(const sweep_table *table) {
    int least = 0, most = 0;
    printf("%-16s %14s %10s %10s", table->sweep->option, "loss", "iterations", "seconds");
    if (table->scored) printf(" %8s %8s %8s", "ACC", "NMI", "ARI");
    printf("\n");
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const decant_result *r = table->sweep->result[i];
        const decant_scores *s = &table->scores[i];
        printf("%-16s %14.6g %10zu %10.2f", table->sweep->value[i], r->loss, r->iterations,
               seconds_of(r));
        if (table->scored) printf(" %8.4f %8.4f %8.4f", s->acc, s->nmi, s->ari);
        printf("%s\n", r->converged ? "" : "  did not converge");
        if (s->acc < table->scores[least].acc) least = i;
        if (s->acc > table->scores[most].acc) most = i;
    }
    if (table->scored)
        printf("\nACC from %.4f (%s) to %.4f (%s); labels chose nothing but these two\n",
               table->scores[least].acc, table->sweep->value[least], table->scores[most].acc,
               table->sweep->value[most]);
}

static void print_json(const sweep_table *table) {
    printf("{\n  \"option\": \"%s\",\n  \"values\": [\n", table->sweep->option);
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        const decant_result *r = table->sweep->result[i];
        printf("    {\"value\": %s, \"converged\": %s, \"iterations\": %zu, \"seconds\": %.3f",
               table->sweep->value[i], r->converged ? "true" : "false", r->iterations,
               seconds_of(r));
        if (isfinite(r->loss)) printf(", \"loss\": %.15g", r->loss);
        if (table->scored)
            printf(", \"acc\": %.15g, \"nmi\": %.15g, \"ari\": %.15g", table->scores[i].acc,
                   table->scores[i].nmi, table->scores[i].ari);
        printf("}%s\n", i + 1 < DECANT_SWEEP_VALUES ? "," : "");
    }
    printf("  ]\n}\n");
}

static int write_file(const sweep_table *table, const char *name,
                      void (*print)(const sweep_table *table, FILE *file), const char *folder) {
    cli_output output;
    char *path = join_path(folder, name);
    if (path == NULL) return EXIT_FAILED;
    int code = output_open(&output, path);
    if (code == 0) {
        print(table, output.file);
        code = output_commit(&output);
    }
    free(path);
    return code;
}

static int tell(sweep_table *table, const cli_arguments *given) {
    int code = score(table);
    if (code == 0 && given->output != NULL)
        code = write_file(table, "labels.csv", print_labels, given->output);
    if (code == 0 && given->output != NULL)
        code = write_file(table, "sweep.csv", print_csv, given->output);
    if (code != 0) return code;
    if (given->json)
        print_json(table);
    else
        print_text(table);
    return EXIT_DONE;
}

static int sweep(const cli_arguments *given, const decant_dataset *data, const char *checkpoint) {
    cli_progress progress;
    decant_sweep *found = NULL;
    progress_start(&progress, given->quiet);
    decant_monitor monitor = {.progress = progress_report,
                              .user = &progress,
                              .checkpoint = checkpoint,
                              .checkpoint_seconds = given->checkpoint_seconds,
                              .resume = given->resume,
                              .graph = given->graph,
                              .pretrained = given->pretrained};
    signals_watch();
    decant_status status = decant_sweep_fit(data, &given->options, &monitor, &found);
    progress_end(&progress);
    if (status != DECANT_OK) return complain_status(status);
    sweep_table table = {.sweep = found, .data = data};
    int code = tell(&table, given);
    if (code == 0 && checkpoint != NULL) remove(checkpoint);
    decant_sweep_free(found);
    return code;
}

int cmd_sweep(const cli_arguments *given) {
    decant_dataset *data = NULL;
    char *checkpoint = NULL;
    decant_read_options reading = read_options(given);
    if (given->options.k < 2 || given->options.k_most > 0)
        return complain_usage("sweep", "sweep needs the number of clusters, 2 or more: -k N");
    decant_status status = decant_dataset_read(given->inputs, given->input_count, &reading, &data);
    if (status != DECANT_OK) return complain_status(status);
    int code = folder_make(given->output, &checkpoint);
    if (code == 0) code = sweep(given, data, checkpoint);
    free(checkpoint);
    decant_dataset_free(data);
    return code;
}
