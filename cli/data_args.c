#include "data_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "progress.h"
#include "ranks.h"
#include "signals.h"
#include "decant/table.h"

static const char MODEL_NAME[] = "model.safetensors"; /* in a run folder */
static const char *const RUN_NAMES[] = {MODEL_NAME,      "labels.csv",       "embedding.npy",
                                        "manifest.json", "clusters.json",    "history.csv",
                                        "report.html",   "trace.safetensors"};

decant_read_options read_options(const cli_arguments *given) {
    return (decant_read_options){.struct_size = sizeof(decant_read_options),
                                 .id_column = given->id_column,
                                 .label_column = given->label_column,
                                 .label_paths = given->labels.count ? given->labels.words : NULL,
                                 .label_path_count = given->labels.count,
                                 .extra_paths = given->extra.words,
                                 .extra_path_count = given->extra.count,
                                 .options = &given->options,
                                 .text_column = given->text_column,
                                 .keep = given->keep,
                                 .drop = given->drop,
                                 .types = given->types,
                                 .topics = given->topics,
                                 .folder_labels = given->folder_labels,
                                 .skip_broken = given->on_error};
}

int read_data(const cli_arguments *given, const char *const *paths, size_t count,
              const decant_read_options *reading, decant_dataset **out) {
    cli_progress progress;
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = progress_report, .user = &progress};
    progress_start(&progress, given->quiet);
    signals_watch();
    decant_status status = ranks_read(paths, count, reading, &monitor, out);
    if (progress.phase[0] != '\0') progress_hide(&progress);
    return status == DECANT_OK ? 0 : complain_status(status);
}

enum { MAX_NOTES = 10, MAX_COLUMNS = 40, NAME_WIDTH = 24 };

/* Numbers that stay as they are need no words. */
static int is_worth_showing(const decant_table *table) {
    char use[64];
    for (size_t j = 0; j < decant_table_columns(table); j++) {
        decant_table_describe(table, j, use, sizeof use);
        if (strcmp(use, "as it is") != 0) return 1;
    }
    return 0;
}

/* Of UTF-8, where all but the first byte of a letter are 10xxxxxx. */
static size_t count_letters(const char *name) {
    size_t count = 0;
    for (; *name != '\0'; name++) count += ((unsigned char)*name & 0xC0) != 0x80;
    return count;
}

void print_table(const cli_arguments *given, const decant_dataset *data) {
    const decant_table *table = decant_dataset_table(data);
    size_t count = decant_table_columns(table), width = 0;
    if (given->quiet || table == NULL || !is_worth_showing(table)) return;
    for (size_t j = 0; j < count && j < MAX_COLUMNS; j++) {
        size_t letters = count_letters(decant_table_name(table, j));
        if (letters > width) width = letters < NAME_WIDTH ? letters : NAME_WIDTH;
    }
    for (size_t j = 0; j < count && j < MAX_COLUMNS; j++) {
        char use[256];
        decant_table_describe(table, j, use, sizeof use);
        /* What was not read has no type. */
        int unread = strcmp(use, "left out (asked)") == 0;
        const char *name = decant_table_name(table, j);
        inform("  %-*s  %-8s  %s", (int)(width + strlen(name) - count_letters(name)), name,
               unread ? "-" : decant_column_type_word(decant_table_type(table, j)), use);
    }
    if (count > MAX_COLUMNS)
        inform("  and %zu more; decant info shows them all", count - MAX_COLUMNS);
}

void print_notes(const cli_arguments *given, const decant_dataset *data) {
    size_t count = 0;
    if (given->quiet) return;
    for (const char *note; (note = decant_dataset_note(data, count)) != NULL; count++)
        if (count < MAX_NOTES) inform("note: %s", note);
    if (count > MAX_NOTES)
        inform("note: and %zu more, %zu skipped in all", count - MAX_NOTES,
               decant_dataset_skipped(data));
}

/* ---- No file is both read and written ---- */

typedef struct stat file_info;

static int is_same_file(const file_info *a, const file_info *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is the file below this folder? Its path is absolute and without links. */
static int is_inside(const char *absolute_path, const char *folder) {
    char *absolute_folder = realpath(folder, NULL);
    if (absolute_folder == NULL) return 0;
    size_t length = strlen(absolute_folder);
    int inside =
        strncmp(absolute_path, absolute_folder, length) == 0 &&
        (absolute_path[length] == '/' || (length > 0 && absolute_folder[length - 1] == '/'));
    free(absolute_folder);
    return inside;
}

/* "data.npz:x" is read from the file data.npz. */
static int destroys_archive(const char *input, const file_info *output) {
    file_info about;
    int lost = 0;
    for (const char *colon = strchr(input, ':'); colon != NULL && !lost;
         colon = strchr(colon + 1, ':')) {
        char *file = strndup(input, (size_t)(colon - input));
        lost = file != NULL && stat(file, &about) == 0 && is_same_file(&about, output);
        free(file);
    }
    return lost;
}

static int is_file_of_run(const char *folder, const char *name, const file_info *output) {
    file_info about;
    char *path = join_path(folder, name);
    int same = path != NULL && stat(path, &about) == 0 && is_same_file(&about, output);
    free(path);
    return same;
}

static int is_run(const char *folder) {
    char *model = join_path(folder, MODEL_NAME);
    int found = model != NULL && path_exists(model);
    free(model);
    return found;
}

/* A file or a folder that is read, beside a regular file that is to be written. In a run folder
 * other files than those of the run may be written. */
static int would_destroy(const char *input, const file_info *output, const char *absolute_path) {
    file_info about;
    int lost = 0;
    if (stat(input, &about) != 0) return destroys_archive(input, output);
    if (!S_ISDIR(about.st_mode)) return is_same_file(&about, output);
    if (!is_run(input)) return is_inside(absolute_path, input);
    for (size_t i = 0; i < sizeof RUN_NAMES / sizeof RUN_NAMES[0]; i++)
        lost |= is_file_of_run(input, RUN_NAMES[i], output);
    return lost;
}

/* The first input that writing the output would destroy, or NULL. */
static const char *find_destroyed(const cli_arguments *given, const file_info *output,
                                  const char *absolute_path) {
    const char *topics = given->topics;
    const cli_list lists[] = {
        {given->inputs, given->input_count}, given->labels, given->extra, {&topics, 1}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (size_t j = 0; j < lists[i].count; j++)
            if (lists[i].words[j] != NULL &&
                would_destroy(lists[i].words[j], output, absolute_path))
                return lists[i].words[j];
    return NULL;
}

int check_output(const cli_arguments *given, const char *path) {
    file_info about;
    if (path == NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    char *absolute_path = realpath(path, NULL);
    if (absolute_path == NULL) return 0;
    const char *lost = find_destroyed(given, &about, absolute_path);
    free(absolute_path);
    if (lost == NULL) return 0;
    if (strcmp(lost, path) == 0)
        return complain_usage(NULL, "%s: is read and cannot be written too; name another file",
                              path);
    return complain_usage(NULL, "%s: cannot be written, because %s is read; name another file",
                          path, lost);
}

int check_format(const char *command, const char *path, const char *written) {
    static const char *const others[] = {".csv", ".tsv", ".json", ".xlsx", ".npz"};
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot != NULL && i < sizeof others / sizeof others[0]; i++)
        if (strcmp(dot, others[i]) == 0)
            return complain_usage(command, "%s writes %s and not %s: name another file", command,
                                  written, others[i]);
    return 0;
}

int check_run_folder(const cli_arguments *given, const char *folder) {
    if (!given->force) return 0;
    for (size_t i = 0; i < given->input_count; i++) {
        char *absolute_path = realpath(given->inputs[i], NULL);
        int inside = absolute_path != NULL && is_inside(absolute_path, folder);
        free(absolute_path);
        if (inside)
            return complain_usage(NULL, "%s: is read, but --force would empty its folder %s",
                                  given->inputs[i], folder);
    }
    return 0;
}

/* ---- Paths ---- */

char *concatenate(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(size);
    if (text == NULL)
        complain_memory();
    else
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

char *join_path(const char *folder, const char *name) { return concatenate(folder, "/", name); }

int path_exists(const char *path) {
    struct stat about;
    return stat(path, &about) == 0;
}

int path_is_pipe(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

int load_model(const char *path, decant_model **out) {
    struct stat about;
    char *inside = NULL;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        inside = join_path(path, MODEL_NAME);
        if (inside == NULL) return EXIT_FAILED;
        path = inside;
    }
    decant_status status = decant_model_load(path, out);
    free(inside);
    return status == DECANT_OK ? 0 : complain_status(status);
}
