#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
                                 .topics = given->topics,
                                 .folder_labels = given->folder_labels,
                                 .skip_broken = given->on_error};
}

enum { MOST_NOTES = 10 };

void print_notes(const cli_arguments *given, const decant_dataset *data) {
    size_t count = 0;
    if (given->quiet) return;
    for (const char *note; (note = decant_dataset_note(data, count)) != NULL; count++)
        if (count < MOST_NOTES) fprintf(stderr, "note: %s\n", note);
    if (count > MOST_NOTES)
        fprintf(stderr, "note: and %zu more, %zu skipped in all\n", count - MOST_NOTES,
                decant_dataset_skipped(data));
}

char *join_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL)
        complain("memory ran out");
    else
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

int path_exists(const char *path) {
    struct stat about;
    return stat(path, &about) == 0;
}

int load_model(const char *path, decant_model **out) {
    struct stat about;
    char *inside = NULL;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        inside = join_path(path, "model.safetensors");
        if (inside == NULL) return EXIT_FAILED;
        path = inside;
    }
    decant_status status = decant_model_load(path, out);
    free(inside);
    return status == DECANT_OK ? 0 : complain_status(status);
}
