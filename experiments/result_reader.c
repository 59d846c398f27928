#include "experiments/result_reader.h"

#include <math.h>
#include <string.h>

#include "run/json.h"

decant_status decant__result_read(const char *path, json_t **out) {
    json_t *root = NULL;
    decant_status status = decant__json_load(path, &root);
    if (status != DECANT_OK) return status;
    if (strcmp(decant__result_string(root, "kind"), "decant experiment") == 0) {
        *out = root;
        return DECANT_OK;
    }
    json_decref(root);
    return decant__fail(DECANT_EFORMAT, "%s: not the result of an experiment", path);
}

const char *decant__result_string(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

decant__cell_stats decant__result_cell_stats(const json_t *cell) {
    decant__cell_stats found = {.value = NAN, .min = INFINITY, .max = -INFINITY};
    int over_seeds = strcmp(decant__result_string(cell, "over"), "seeds") == 0;
    const json_t *value;
    size_t i;
    double sum = 0;
    json_array_foreach(json_object_get(cell, "values"), i, value) {
        if (!json_is_number(value)) continue;
        double x = json_number_value(value);
        sum += x;
        found.min = fmin(found.min, x);
        found.max = fmax(found.max, x);
        found.count++;
    }
    if (found.count > 0) found.value = over_seeds ? sum / (double)found.count : found.max;
    return found;
}

int decant__result_cell_is_below(const json_t *cell) {
    const json_t *paper = json_object_get(cell, "paper");
    double ours = decant__result_cell_stats(cell).value;
    return json_is_number(paper) && round(ours * 1e4) < round(json_number_value(paper) * 1e4);
}

int decant__result_has_paper(const json_t *root, size_t column) {
    const json_t *row;
    size_t r;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        const json_t *cell = json_array_get(json_object_get(row, "cells"), column);
        if (!json_is_null(json_object_get(cell, "paper"))) return 1;
    }
    return 0;
}

void decant__result_command(const json_t *root, decant__text *text) {
    decant__text_print(text, "decant reproduce %s --data DATA --preset %s --seeds %lld",
                       decant__result_string(root, "experiment"),
                       decant__result_string(root, "preset"),
                       (long long)json_integer_value(json_object_get(root, "seeds")));
}

void decant__result_origin(const json_t *root, decant__text *text) {
    decant__text_print(text, "decant %s, %lld cores, %s.", decant__result_string(root, "decant"),
                       (long long)json_integer_value(json_object_get(root, "cores")),
                       decant__result_string(root, "date"));
}
