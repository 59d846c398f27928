#include "run/origin.h"

#include "base/memory.h"

static json_t *path_list(decant__json *json, const decant__path_list *list) {
    json_t *paths = json_array();
    for (size_t i = 0; i < list->count; i++)
        decant__json_append(json, paths, decant__json_text(list->path[i]));
    return paths;
}

json_t *decant__origin_put(decant__json *json, const decant__origin *origin) {
    if (origin->data.count == 0) return json_null();
    json_t *data = json_object();
    decant__json_put(json, data, "paths", path_list(json, &origin->data));
    decant__json_put(json, data, "labels", path_list(json, &origin->labels));
    decant__json_put(json, data, "id_column", decant__json_text(origin->id_column));
    decant__json_put(json, data, "label_column", decant__json_text(origin->label_column));
    decant__json_put(json, data, "text_column", decant__json_text(origin->text_column));
    decant__json_put(json, data, "topics", decant__json_text(origin->topics));
    decant__json_put(json, data, "folder_labels", json_boolean(origin->folder_labels));
    decant__json_put(json, data, "skip_broken", json_boolean(origin->skip_broken));
    return data;
}

static decant_status take_paths(const json_t *list, const char ***paths, size_t *count) {
    decant_status status = DECANT_OK;
    *count = 0;
    NEW_ARRAY(*paths, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *path = json_string_value(json_array_get(list, i));
        if (path != NULL) (*paths)[(*count)++] = path;
    }
done:
    return status;
}

decant_status decant__origin_get(const json_t *data, decant__origin *origin) {
    decant_status status = DECANT_OK;
    const char **paths = NULL, **labels = NULL;
    decant_read_options options = {
        .id_column = json_string_value(json_object_get(data, "id_column")),
        .label_column = json_string_value(json_object_get(data, "label_column")),
        .text_column = json_string_value(json_object_get(data, "text_column")),
        .topics = json_string_value(json_object_get(data, "topics")),
        .folder_labels = json_is_true(json_object_get(data, "folder_labels")),
        .skip_broken = json_is_true(json_object_get(data, "skip_broken"))};
    size_t count;
    *origin = (decant__origin){0};
    TRY(take_paths(json_object_get(data, "paths"), &paths, &count));
    TRY(take_paths(json_object_get(data, "labels"), &labels, &options.label_path_count));
    options.label_paths = labels;
    TRY(decant__origin_new(origin, paths, count, &options));
done:
    decant__free(paths);
    decant__free(labels);
    return status;
}
