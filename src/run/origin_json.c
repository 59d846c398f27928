#include "run/origin_json.h"

#include "base/memory.h"

static json_t *path_list(decant__json *json, const decant__path_list *list) {
    json_t *paths = json_array();
    for (size_t i = 0; i < list->count; i++)
        decant__json_append(json, paths, decant__json_bytes(list->path[i]));
    return paths;
}

json_t *decant__origin_put(decant__json *json, const decant__origin *origin) {
    if (origin->data.count == 0) return json_null();
    json_t *data = json_object();
    decant__json_put(json, data, "paths", path_list(json, &origin->data));
    decant__json_put(json, data, "labels", path_list(json, &origin->labels));
    decant__json_put(json, data, "id_column", decant__json_bytes(origin->id_column));
    decant__json_put(json, data, "label_column", decant__json_bytes(origin->label_column));
    decant__json_put(json, data, "text_column", decant__json_bytes(origin->text_column));
    decant__json_put(json, data, "topics", decant__json_bytes(origin->topics));
    decant__json_put(json, data, "folder_labels", json_boolean(origin->folder_labels));
    decant__json_put(json, data, "skip_broken", json_boolean(origin->skip_broken));
    return data;
}

static void free_paths(char **paths, size_t count) {
    for (size_t i = 0; paths != NULL && i < count; i++) decant__free(paths[i]);
    decant__free(paths);
}

static decant_status take_paths(const json_t *list, char ***paths, size_t *count) {
    decant_status status = DECANT_OK;
    *count = 0;
    NEW_ZEROED(*paths, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        char *path;
        TRY(decant__json_take_bytes(json_array_get(list, i), &path));
        if (path != NULL) (*paths)[(*count)++] = path;
    }
done:
    return status;
}

decant_status decant__origin_get(const json_t *data, decant__origin *origin) {
    enum { TEXTS = 4 };
    static const char *const keys[TEXTS] = {"id_column", "label_column", "text_column", "topics"};
    decant_status status = DECANT_OK;
    char **paths = NULL, **labels = NULL, *texts[TEXTS] = {NULL};
    size_t count = 0, label_count = 0;
    *origin = (decant__origin){0};
    TRY(take_paths(json_object_get(data, "paths"), &paths, &count));
    TRY(take_paths(json_object_get(data, "labels"), &labels, &label_count));
    for (int i = 0; i < TEXTS; i++)
        TRY(decant__json_take_bytes(json_object_get(data, keys[i]), &texts[i]));
    decant_read_options options = {
        .id_column = texts[0],
        .label_column = texts[1],
        .text_column = texts[2],
        .topics = texts[3],
        .label_paths = (const char *const *)labels,
        .label_path_count = label_count,
        .folder_labels = json_is_true(json_object_get(data, "folder_labels")),
        .skip_broken = json_is_true(json_object_get(data, "skip_broken"))};
    TRY(decant__origin_new(origin, (const char *const *)paths, count, &options));
done:
    free_paths(paths, count);
    free_paths(labels, label_count);
    for (int i = 0; i < TEXTS; i++) decant__free(texts[i]);
    return status;
}
