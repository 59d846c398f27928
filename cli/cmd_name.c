/* decant name: names of clusters. They are kept in the model, and shown in the report, in the
 * output of predict and as a column of labels.csv. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Reading names: how many cells the header has, or 2; and which clusters have got theirs. */
typedef struct name_list {
    const char *path;
    size_t cells;
    char *seen;
} name_list;

/* The first two cells of a line, in place; returns how many there are, without empty ones at its
 * end. */
static size_t split_line(cli_records *records, char *cell[2]) {
    char *at = records->text;
    size_t count = 0;
    for (size_t i = 0; at != NULL; i++) {
        char *text = record_cell(&at, records->delimiter);
        if (i < 2) cell[i] = text;
        if (i < 2 || text[0] != '\0') count = i + 1;
    }
    return count;
}

static int take_line(decant_model *model, name_list *list, char *cell[2], size_t count) {
    size_t cluster;
    if (count < 2 || count > list->cells) {
        complain(count < 2 ? "%s: expected a cluster and its name in each line, found '%s'"
                           : "%s: expected a cluster and its name in each line, found more in that "
                             "of cluster %s; a name with a separator in it needs quotes",
                 list->path, cell[0]);
        return EXIT_FAILED;
    }
    int code = read_number(cell[0], model, &cluster);
    if (code == 0 && list->seen[cluster]) {
        complain("%s: has two names for cluster %zu", list->path, cluster);
        code = EXIT_FAILED;
    }
    if (code != 0) return code;
    list->seen[cluster] = 1;
    return set_name(model, cell[0], cell[1]);
}

/* Lines "cluster,name"; a first line without a number is a header, and may have further columns. */
static int set_names(decant_model *model, const char *path) {
    cli_records records;
    name_list list = {.path = path, .cells = 2, .seen = calloc(decant_model_clusters(model), 1)};
    if (list.seen == NULL) return complain_memory();
    int code = records_open(&records, path), found = 0;
    size_t lines = 0, names = 0;
    while (code == 0 && (found = records_next(&records)) == 1) {
        char *cell[2] = {0};
        size_t count = split_line(&records, cell);
        if (lines++ == 0 && strspn(cell[0], "0123456789") != strlen(cell[0])) {
            list.cells = count > 2 ? count : 2;
            continue;
        }
        code = take_line(model, &list, cell, count);
        names++;
    }
    if (code == 0 && found == 0 && names == 0) {
        complain("%s: has no names", path);
        code = EXIT_FAILED;
    }
    records_close(&records);
    free(list.seen);
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

/* Names are read, changed and written: two processes at a time would lose those of one. Waits for
 * the other, which replaces the file that is locked. Where there are no locks it does without.
 * Returns a descriptor to close, or -1. */
static int lock_names(const char *folder) {
    char *path = join_path(folder, "model.safetensors");
    int descriptor = -1;
    for (int same = 0; path != NULL && !same;) {
        struct stat locked, now;
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
        if (descriptor < 0 || flock(descriptor, LOCK_EX) != 0) break;
        same = fstat(descriptor, &locked) != 0 || stat(path, &now) != 0 ||
               (locked.st_ino == now.st_ino && locked.st_dev == now.st_dev);
        if (!same) close(descriptor);
    }
    free(path);
    return descriptor;
}

int cmd_name(const cli_arguments *given) {
    decant_model *model = NULL;
    int changes = given->input_count > 1 || given->names != NULL, lock = -1;
    if (given->input_count == 2)
        return complain_usage("name", "usage: decant name RUN [CLUSTER NAME] [--names FILE]");
    if (folder_look(given->inputs[0]) != FOLDER_FINISHED) {
        complain("%s: is no folder with a finished run", given->inputs[0]);
        return EXIT_FAILED;
    }
    if (changes) lock = lock_names(given->inputs[0]);
    int code = load_model(given->inputs[0], &model);
    if (code == 0 && given->names != NULL) code = set_names(model, given->names);
    if (code == 0 && given->input_count == 3)
        code = set_name(model, given->inputs[1], given->inputs[2]);
    if (code == 0 && changes) code = write_run(given, model);
    if (code == 0) print_names(model);
    if (lock >= 0) close(lock);
    decant_model_free(model);
    return code;
}
