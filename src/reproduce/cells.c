#include "reproduce/cells.h"

#include <math.h>
#include <string.h>

decant_status decant__sheet_read(const char *path, json_t **out) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL)
        return decant__fail(DECANT_EFORMAT, "%s: not the result of an experiment: %s", path,
                            error.text);
    if (strcmp(decant__sheet_string(root, "kind"), "decant experiment") == 0) {
        *out = root;
        return DECANT_OK;
    }
    json_decref(root);
    return decant__fail(DECANT_EFORMAT, "%s: not the result of an experiment", path);
}

const char *decant__sheet_string(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

decant__spread decant__cell_spread(const json_t *cell) {
    decant__spread found = {.counts = NAN, .least = INFINITY, .most = -INFINITY};
    int over_seeds = strcmp(decant__sheet_string(cell, "over"), "seeds") == 0;
    const json_t *value;
    size_t i;
    double sum = 0;
    json_array_foreach(json_object_get(cell, "values"), i, value) {
        if (!json_is_number(value)) continue;
        double x = json_number_value(value);
        sum += x;
        found.least = fmin(found.least, x);
        found.most = fmax(found.most, x);
        found.count++;
    }
    if (found.count > 0) found.counts = over_seeds ? sum / (double)found.count : found.most;
    return found;
}

int decant__cell_is_below(const json_t *cell) {
    const json_t *paper = json_object_get(cell, "paper");
    double ours = decant__cell_spread(cell).counts;
    return json_is_number(paper) && round(ours * 1e4) < round(json_number_value(paper) * 1e4);
}

int decant__sheet_has_paper(const json_t *root, size_t column) {
    const json_t *row;
    size_t r;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        const json_t *cell = json_array_get(json_object_get(row, "cells"), column);
        if (!json_is_null(json_object_get(cell, "paper"))) return 1;
    }
    return 0;
}

void decant__sheet_command(const json_t *root, decant__text *text) {
    decant__text_print(text, "decant reproduce %s --data DATA --preset %s --seeds %lld",
                       decant__sheet_string(root, "experiment"),
                       decant__sheet_string(root, "preset"),
                       (long long)json_integer_value(json_object_get(root, "seeds")));
}

void decant__sheet_origin(const json_t *root, decant__text *text) {
    decant__text_print(text, "decant %s, %lld cores, %s.", decant__sheet_string(root, "decant"),
                       (long long)json_integer_value(json_object_get(root, "cores")),
                       decant__sheet_string(root, "date"));
}
