#include "data/origin.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"

/* A path that is also good from another working directory. */
static char *whole_path(const char *path) {
    char whole[PATH_MAX];
    return decant__copy_text(realpath(path, whole) != NULL ? whole : path);
}

static decant_status copy_list(decant__path_list *list, const char *const *paths, size_t count) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(list->path, count);
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        list->path[i] = whole_path(paths[i]);
        if (list->path[i] == NULL) return DECANT_ENOMEM;
    }
done:
    return status;
}

static void free_list(decant__path_list *list) {
    for (size_t i = 0; i < list->count; i++) decant__free(list->path[i]);
    decant__free(list->path);
}

static decant_status copy(const char *text, char **out) {
    *out = text != NULL ? decant__copy_text(text) : NULL;
    return text != NULL && *out == NULL ? DECANT_ENOMEM : DECANT_OK;
}

decant_status decant__origin_new(decant__origin *origin, const char *const *paths, size_t count,
                                 const decant_read_options *options) {
    decant_status status = DECANT_OK;
    *origin = (decant__origin){0};
    TRY(copy_list(&origin->data, paths, count));
    if (options == NULL) goto done;
    if (options->label_paths != NULL)
        TRY(copy_list(&origin->labels, options->label_paths, options->label_path_count));
    TRY(copy(options->id_column, &origin->id_column));
    TRY(copy(options->label_column, &origin->label_column));
    TRY(copy(options->text_column, &origin->text_column));
    if (options->topics != NULL) {
        origin->topics = whole_path(options->topics);
        if (origin->topics == NULL) TRY(DECANT_ENOMEM);
    }
    origin->folder_labels = options->folder_labels;
    origin->skip_broken = options->skip_broken;
done:
    if (status != DECANT_OK) decant__origin_free(origin);
    return status;
}

void decant__origin_free(decant__origin *origin) {
    free_list(&origin->data);
    free_list(&origin->labels);
    decant__free(origin->id_column);
    decant__free(origin->label_column);
    decant__free(origin->text_column);
    decant__free(origin->topics);
    *origin = (decant__origin){0};
}

static int all_there(const decant__path_list *list) {
    struct stat about;
    for (size_t i = 0; i < list->count; i++)
        if (stat(list->path[i], &about) != 0 || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
            return 0;
    return 1;
}

int decant__origin_exists(const decant__origin *origin) {
    return origin->data.count > 0 && all_there(&origin->data) && all_there(&origin->labels);
}

decant_read_options decant__origin_options(const decant__origin *origin) {
    return (decant_read_options){
        .struct_size = sizeof(decant_read_options),
        .id_column = origin->id_column,
        .label_column = origin->label_column,
        .label_paths = origin->labels.count > 0 ? (const char *const *)origin->labels.path : NULL,
        .label_path_count = origin->labels.count,
        .text_column = origin->text_column,
        .topics = origin->topics,
        .folder_labels = origin->folder_labels,
        .skip_broken = origin->skip_broken};
}
