/* decant name: names of clusters. They are kept in the model, and shown in the report, in the
 * output of predict and as a column of labels.csv. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "data_args.h"
#include "output.h"
#include "records.h"
#include "run_folder.h"
#include "decant/model.h"

/* A cluster number of this model; 0, or an exit code after an error message. */
static int read_number(const char *text, const decant_model *model, size_t *cluster) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && text[0] != '-' &&
        value < decant_model_clusters(model)) {
        *cluster = (size_t)value;
        return 0;
    }
    complain("'%s' is no cluster of this run: they are 0 to %zu", text,
             decant_model_clusters(model) - 1);
    return EXIT_FAILED;
}

static int set_name(decant_model *model, const char *number, const char *name) {
    size_t cluster;
    int code = read_number(number, model, &cluster);
    if (code != 0) return code;
    decant_status status = decant_model_set_cluster_name(model, cluster, name);
    return status == DECANT_OK ? 0 : complain_status(status);
}

/* Lines "cluster,name"; a first line without a number is a header. */
static int set_names(decant_model *model, const char *path) {
    cli_records records;
    int code = records_open(&records, path), found = 0, first = 1;
    while (code == 0 && (found = records_next(&records)) == 1) {
        char *at = records.text;
        char *number = record_cell(&at, records.delimiter);
        char *name = record_cell(&at, records.delimiter);
        int header = first && strspn(number, "0123456789") != strlen(number);
        first = 0;
        if (header) continue;
        if (name == NULL) {
            complain("%s: expected a cluster and its name in each line, found '%s'", path, number);
            code = EXIT_FAILED;
        } else {
            code = set_name(model, number, name);
        }
    }
    records_close(&records);
    return code != 0 ? code : found == 0 ? 0 : EXIT_FAILED;
}

/* ---- labels.csv ---- */

static int copy_labels(cli_records *records, const decant_model *model, decant_file *file) {
    int found, code = 0;
    decant_file_print(file, "id,cluster,confidence,name\n");
    records_next(records); /* the header */
    while (code == 0 && (found = records_next(records)) == 1) {
        size_t cluster;
        char *at = records->text, *id = record_cell(&at, ',');
        char *number = record_cell(&at, ','), *confidence = record_cell(&at, ',');
        if (confidence == NULL) {
            complain("%s: is damaged: a line has fewer than three cells", records->path);
            return EXIT_FAILED;
        }
        code = read_number(number, model, &cluster);
        if (code != 0) return code;
        const char *name = decant_model_cluster_name(model, cluster);
        decant_file_put_csv(file, id);
        decant_file_print(file, ",%s,%s,", number, confidence);
        decant_file_put_csv(file, name != NULL ? name : "");
        decant_file_put(file, "\n", 1);
    }
    return found == 0 ? 0 : EXIT_FAILED;
}

static int write_labels(const char *folder, const decant_model *model) {
    cli_records records = {0};
    decant_file *file = NULL;
    char *path = join_path(folder, "labels.csv");
    if (path == NULL) return EXIT_FAILED;
    int code = records_open(&records, path);
    records.plain = 1;
    if (code == 0) code = output_open(&file, path);
    if (code == 0) {
        code = copy_labels(&records, model, file);
        code = output_end(&file, code);
    }
    records_close(&records);
    free(path);
    return code;
}

/* ---- the command ---- */

static void print_names(const decant_model *model) {
    printf("cluster  name\n");
    for (size_t c = 0; c < decant_model_clusters(model); c++) {
        const char *name = decant_model_cluster_name(model, c);
        printf("%7zu  ", c);
        print_name(stdout, name != NULL ? name : "", 0);
        putchar('\n');
    }
}

/* The model is written first: predict needs nothing else. */
static int write_run(const cli_arguments *given, const decant_model *model) {
    const char *folder = given->inputs[0];
    char *path = join_path(folder, "model.safetensors"), *report = join_path(folder, "report.html");
    int code = EXIT_FAILED;
    if (path != NULL && report != NULL) {
        decant_status status = decant_model_save(model, path);
        code = status == DECANT_OK ? write_labels(folder, model) : complain_status(status);
        if (code == 0 && path_exists(report)) code = write_report(given, folder, NULL);
    }
    free(path);
    free(report);
    return code;
}

int cmd_name(const cli_arguments *given) {
    decant_model *model = NULL;
    int changes = given->input_count > 1 || given->names != NULL;
    if (given->input_count == 2)
        return complain_usage("name", "usage: decant name RUN [CLUSTER NAME] [--names FILE]");
    if (folder_look(given->inputs[0]) != FOLDER_FINISHED) {
        complain("%s: is no folder with a finished run", given->inputs[0]);
        return EXIT_FAILED;
    }
    int code = load_model(given->inputs[0], &model);
    if (code == 0 && given->names != NULL) code = set_names(model, given->names);
    if (code == 0 && given->input_count == 3)
        code = set_name(model, given->inputs[1], given->inputs[2]);
    if (code == 0 && changes) code = write_run(given, model);
    if (code == 0) print_names(model);
    decant_model_free(model);
    return code;
}
