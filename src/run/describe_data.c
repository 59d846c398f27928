/* The description of a data file: shape, values, classes. */
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "run/describe.h"
#include "run/json.h"

typedef struct summary {
    double min, max, mean;
    size_t nonzero;
} summary;

static void add_value(summary *found, float value) {
    double x = (double)value;
    if (x < found->min) found->min = x;
    if (x > found->max) found->max = x;
    found->mean += x;
    found->nonzero += value != 0;
}

/* The zeros that a sparse matrix does not store are included. */
static summary summarise(const decant_dataset *data) {
    double cells = (double)data->n * (double)data->d;
    size_t stored = data->dense ? data->n * data->d : data->start[data->n];
    const float *values = data->dense ? data->dense : data->value;
    if (cells == 0) return (summary){0};
    double first = stored > 0 && (double)stored == cells ? (double)values[0] : 0;
    summary found = {.min = first, .max = first};
    for (size_t i = 0; i < stored; i++) add_value(&found, values[i]);
    found.mean /= cells;
    return found;
}

static double nonzero_share(const decant_dataset *data, size_t nonzero) {
    double cells = (double)data->n * (double)data->d;
    return cells > 0 ? (double)nonzero / cells : 0;
}

static decant_status count_classes(const decant_dataset *data, size_t **out) {
    size_t *counts = decant__alloc_zeroed(data->class_count, sizeof *counts);
    if (counts == NULL) return DECANT_ENOMEM;
    for (size_t i = 0; data->labels != NULL && i < data->n; i++) counts[data->labels[i]]++;
    *out = counts;
    return DECANT_OK;
}

/* Letters of a value, a name and a content that are shown. */
enum { LONGEST_VALUE = 20, LONGEST_NAME = 24, LONGEST_CONTENT = 48 };

/* A value of a category with its share; of a long one the beginning. */
static void print_level(const decant__column *column, size_t level, decant__text *text) {
    const char *value = decant__names_at(&column->levels, level);
    int cut = decant__utf8_letters(value) > LONGEST_VALUE;
    decant__text_put(text, value,
                     cut ? decant__utf8_head(value, LONGEST_VALUE - 3) : strlen(value));
    decant__text_print(text, "%s %.0f %%", cut ? "..." : "", 100 * column->share[level]);
}

/* The range of a number or date, or the commonest values: as many as there is room for. */
static void print_content(const decant__column *column, char *out, size_t size) {
    enum { VALUES = 3 };
    decant__text text = {0};
    size_t shown = 0;
    if (column->type == DECANT_COLUMN_DATE && column->min <= column->max) {
        char from[40], to[40];
        decant__column_date(column, column->min, from, sizeof from);
        decant__column_date(column, column->max, to, sizeof to);
        decant__text_print(&text, "%s to %s", from, to);
    } else if (column->type == DECANT_COLUMN_YES_NO && column->min <= column->max) {
        if (column->center > 0)
            decant__text_print(&text, "yes %.0f %%", 100 * column->center);
        else
            decant__text_print(&text, "yes and no");
    } else if (column->min <= column->max) {
        decant__column_print(&text, column->min);
        decant__text_print(&text, " to ");
        decant__column_print(&text, column->max);
        decant__text_print(&text, "%s%s", column->unit[0] != '\0' ? " " : "", column->unit);
    }
    size_t levels = column->unused == DECANT__UNUSED_MANY ? 0 : column->levels.count;
    for (; shown < levels && shown < VALUES; shown++) {
        decant__text next = {0};
        if (shown > 0) decant__text_print(&next, ", ");
        print_level(column, shown, &next);
        int fits = text.length + next.length + strlen(", ...") <= LONGEST_CONTENT;
        if (fits || shown == 0) decant__text_put(&text, next.bytes, next.length);
        decant__text_free(&next);
        if (!fits && shown > 0) break;
    }
    if (levels > shown) decant__text_print(&text, ", ...");
    decant__format(out, size, "%s", text.bytes != NULL ? text.bytes : "");
    decant__text_free(&text);
}

static size_t widest(size_t width, const char *cell, size_t most) {
    size_t letters = decant__utf8_letters(cell);
    return letters <= width ? width : letters < most ? letters : most;
}

/* Filled up with blanks to `width` letters. */
static void print_cell(decant__text *text, const char *cell, size_t width) {
    size_t letters = decant__utf8_letters(cell);
    decant__text_print(text, "%s%*s", cell, letters < width ? (int)(width - letters) : 0, "");
}

static void print_columns(const decant_table *table, decant__text *text) {
    size_t width = strlen("column"), wide = strlen("what is in it");
    for (size_t j = 0; j < table->count; j++) {
        char content[128];
        print_content(&table->column[j], content, sizeof content);
        width = widest(width, table->column[j].name, LONGEST_NAME);
        wide = widest(wide, content, LONGEST_CONTENT);
    }
    decant__text_print(text, "\n%-*s  %-8s  %8s  %-*s  %s\n", (int)width, "column", "type",
                       "missing", (int)wide, "what is in it", "what is done");
    for (size_t j = 0; j < table->count; j++) {
        const decant__column *column = &table->column[j];
        char content[128], missing[16];
        print_content(column, content, sizeof content);
        int unread = column->unused == DECANT__UNUSED_DROPPED;
        decant__format(missing, sizeof missing, "%.1f %%", 100 * column->missing);
        print_cell(text, column->name, width);
        decant__text_print(text, "  %-8s  %8s  ", unread ? "-" : decant__type_word(column->type),
                           unread ? "-" : missing);
        print_cell(text, content, wide);
        decant__text_print(text, "  ");
        decant__column_use(table, j, text);
        decant__text_print(text, "\n");
    }
    decant__text_print(text, "\n");
}

static void print_data(const char *path, const decant_dataset *data, const size_t *counts,
                       decant__text *text) {
    summary found = summarise(data);
    decant__text_print(text, "%s: data, %s\n", path, decant_dataset_format(data));
    decant__text_print(text, "%zu row%s of %zu number%s, %s\n", data->n, decant__plural(data->n),
                       data->d, decant__plural(data->d), data->dense ? "dense" : "sparse");
    int encoded = data->table != NULL && !data->table->plain; /* then numbers say little */
    if (!encoded)
        decant__text_print(text, "non-zero %.2f%%, min %g, max %g, mean %g\n",
                           100 * nonzero_share(data, found.nonzero), found.min, found.max,
                           found.mean);
    if (data->table != NULL &&
        (data->table->header || !data->table->plain || data->table->count > data->d))
        print_columns(data->table, text);
    for (size_t i = 0; i < data->notes.count; i++)
        decant__text_print(text, "note: %s\n", data->notes.sentence[i]);
    if (data->ids != NULL) decant__text_print(text, "rows have ids\n");
    if (data->labels == NULL) {
        decant__text_print(text, "no labels\n");
        return;
    }
    decant__text_print(text, "\n%-20s %10s\n", "class", "rows");
    for (size_t c = 0; c < data->class_count; c++)
        decant__text_print(text, "%-20s %10zu\n", decant_dataset_class_name(data, c), counts[c]);
}

static json_t *column_list(decant__json *json, const decant_table *table) {
    json_t *list = json_array();
    for (size_t j = 0; j < table->count; j++) {
        const decant__column *column = &table->column[j];
        decant__text use = {0};
        json_t *row = json_object();
        decant__column_use(table, j, &use);
        decant__json_put(json, row, "name", decant__json_text(column->name));
        int unread = column->unused == DECANT__UNUSED_DROPPED;
        decant__json_put(json, row, "type",
                         unread ? json_null() : json_string(decant__type_word(column->type)));
        decant__json_put(json, row, "numbers", decant__json_whole(decant_table_width(table, j)));
        decant__json_put(json, row, "missing",
                         unread ? json_null() : decant__json_real(column->missing));
        decant__json_put(json, row, "min", decant__json_real(column->min));
        decant__json_put(json, row, "max", decant__json_real(column->max));
        decant__json_put(json, row, "use", decant__json_text(use.bytes != NULL ? use.bytes : ""));
        decant__text_free(&use);
        json_t *values = json_array();
        for (size_t l = 0; l < column->levels.count; l++) {
            json_t *value = json_object();
            decant__json_put(json, value, "value",
                             decant__json_text(decant__names_at(&column->levels, l)));
            decant__json_put(json, value, "share", decant__json_real(column->share[l]));
            decant__json_append(json, values, value);
        }
        decant__json_put(json, row, "values", values);
        decant__json_append(json, list, row);
    }
    return list;
}

static json_t *class_list(decant__json *json, const decant_dataset *data, const size_t *counts) {
    if (data->labels == NULL) return json_null();
    json_t *list = json_array();
    for (size_t c = 0; c < data->class_count; c++) {
        json_t *row = json_object();
        decant__json_put(json, row, "name", decant__json_text(decant_dataset_class_name(data, c)));
        decant__json_put(json, row, "rows", decant__json_whole(counts[c]));
        decant__json_append(json, list, row);
    }
    return list;
}

static decant_status print_data_json(const decant_dataset *data, const size_t *counts,
                                     decant__text *text) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    summary found = summarise(data);
    json_t *root = json_object();
    decant__json_put(&json, root, "kind", json_string("data"));
    decant__json_put(&json, root, "format", decant__json_text(decant_dataset_format(data)));
    decant__json_put(&json, root, "rows", decant__json_whole(data->n));
    decant__json_put(&json, root, "columns", decant__json_whole(data->d));
    decant__json_put(&json, root, "sparse", json_boolean(data->dense == NULL));
    decant__json_put(&json, root, "nonzero_share",
                     decant__json_real(nonzero_share(data, found.nonzero)));
    decant__json_put(&json, root, "min", decant__json_real(found.min));
    decant__json_put(&json, root, "max", decant__json_real(found.max));
    decant__json_put(&json, root, "mean", decant__json_real(found.mean));
    decant__json_put(&json, root, "ids", json_boolean(data->ids != NULL));
    decant__json_put(&json, root, "classes", class_list(&json, data, counts));
    decant__json_put(&json, root, "table",
                     data->table != NULL ? column_list(&json, data->table) : json_null());
    TRY(decant__json_done(&json, root));
    TRY(decant__json_dump(root, text));
done:
    json_decref(root);
    return status;
}

decant_status decant__describe_data(const char *path, const decant__describing *how,
                                    decant__text *text) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    size_t *counts = NULL;
    TRY(decant_dataset_read(&path, 1, how->reading, how->monitor, &data));
    TRY(count_classes(data, &counts));
    if (how->json)
        TRY(print_data_json(data, counts, text));
    else
        print_data(path, data, counts, text);
done:
    decant__free(counts);
    decant_dataset_free(data);
    return status;
}
