#include "report/payload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "report/base64.h"
#include "decant/model.h"
#include "run/class_match.h"
#include "run/json.h"

void decant__payload_free(decant__payload *payload) {
    decant__free(payload->title);
    decant__free(payload->answer);
    decant__free(payload->json);
    *payload = (decant__payload){0};
}

static json_t *manifest_value(const decant__study *study, const char *key) {
    return json_object_get(study->manifest, key);
}

/* ---- title and summary ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static decant_status make_title(const decant__study *study, char **out) {
    decant__text text = {0};
    const json_t *paths = json_object_get(manifest_value(study, "data"), "paths");
    const char *first = json_string_value(json_array_get(paths, 0));
    size_t count = json_array_size(paths);
    if (first != NULL) {
        decant__text_print(&text, "%s", base_name(first));
        if (count > 1) decant__text_print(&text, " and %zu more", count - 1);
    } else {
        decant__text_print(&text, "%s", base_name(study->folder));
    }
    return decant__text_take(&text, out);
}

static double mean_confidence(const decant__study *study) {
    double sum = 0;
    for (size_t i = 0; i < study->n; i++) sum += (double)study->table->dense[i];
    return sum / (double)study->n;
}

static void print_sizes(const decant__study *study, decant__text *text) {
    const json_t *sizes = manifest_value(study, "cluster_sizes");
    double min = INFINITY, max = 0;
    for (size_t c = 0; c < json_array_size(sizes); c++) {
        double size = json_number_value(json_array_get(sizes, c));
        min = fmin(min, size);
        max = fmax(max, size);
    }
    decant__text_print(text, "%zu rows fall into %zu clusters of ", study->n, study->k);
    if (min < max) decant__text_print(text, "%.0f to ", min);
    decant__text_print(text, "%.0f rows%s", max, min < max ? "" : " each");
}

static decant_status make_answer(const decant__study *study, char **out) {
    decant__text text = {0};
    const json_t *acc = json_object_get(manifest_value(study, "metrics"), "acc");
    const json_t *before = json_object_get(manifest_value(study, "metrics_initial"), "acc");
    const json_t *purity = json_object_get(manifest_value(study, "metrics"), "purity");
    const json_t *classes = manifest_value(study, "classes");
    print_sizes(study, &text);
    if (json_is_number(purity) && json_is_integer(classes) &&
        json_integer_value(classes) != (json_int_t)study->k) {
        decant__text_print(&text,
                           "; %.1f %% of them are of the most frequent class of their cluster",
                           100 * json_number_value(purity));
    } else if (json_is_number(acc)) {
        decant__text_print(&text, "; %.1f %% of them agree with the known classes",
                           100 * json_number_value(acc));
        if (json_is_number(before) && json_number_value(before) != json_number_value(acc))
            decant__text_print(&text, " (%.1f %% before refinement)",
                               100 * json_number_value(before));
    } else {
        decant__text_print(&text, ", with a mean confidence of %.2f", mean_confidence(study));
    }
    decant__text_print(&text, ".");
    return decant__text_take(&text, out);
}

/* ---- arrays as base64 of little-endian numbers ---- */

typedef struct packed {
    uint8_t *bytes;
    size_t used;
} packed;

static void pack16(packed *p, unsigned value) {
    p->bytes[p->used++] = (uint8_t)(value & 255);
    p->bytes[p->used++] = (uint8_t)(value >> 8 & 255);
}

static json_t *base64(const uint8_t *bytes, size_t count) {
    decant__text text = {0};
    decant__base64_put(&text, bytes, count);
    json_t *value = text.failed ? NULL : json_stringn(text.length ? text.bytes : "", text.length);
    decant__text_free(&text);
    return value;
}

/* A buffer for count 16-bit numbers; packed_take turns it into a JSON string. */
static int packed_new(packed *p, size_t count) {
    *p = (packed){.bytes = decant__alloc_array(2 * count + 1, 1)};
    return p->bytes != NULL;
}

static json_t *packed_take(packed *p) {
    json_t *value = base64(p->bytes, p->used);
    decant__free(p->bytes);
    return value;
}

static json_t *numbers16(const int32_t *values, size_t count) {
    packed p;
    if (!packed_new(&p, count)) return NULL;
    for (size_t i = 0; i < count; i++) pack16(&p, (unsigned)values[i]);
    return packed_take(&p);
}

static unsigned share16(double value, double low, double high) {
    double share = high > low ? (value - low) / (high - low) : 0.5;
    return (unsigned)(fmin(fmax(share, 0), 1) * 65535 + 0.5);
}

static json_t *shares16(const float *values, size_t count, double high) {
    packed p;
    if (!packed_new(&p, count)) return NULL;
    for (size_t i = 0; i < count; i++) pack16(&p, share16((double)values[i], 0, high));
    return packed_take(&p);
}

/* ---- the map ---- */

/* The smallest square around a map. */
typedef struct square {
    double x, y, side;
} square;

static square find_square(const float *map, size_t rows) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < 2 * rows; i++) {
        if ((double)map[i] < low[i % 2]) low[i % 2] = (double)map[i];
        if ((double)map[i] > high[i % 2]) high[i % 2] = (double)map[i];
    }
    double side = fmax(high[0] - low[0], high[1] - low[1]);
    return (square){(low[0] + high[0] - side) / 2, (low[1] + high[1] - side) / 2, side};
}

static json_t *map_positions(const float *map, size_t rows) {
    packed p;
    square all = find_square(map, rows);
    if (!packed_new(&p, 2 * rows)) return NULL;
    for (size_t i = 0; i < rows; i++) {
        pack16(&p, share16((double)map[2 * i], all.x, all.x + all.side));
        pack16(&p, share16((double)map[2 * i + 1], all.y, all.y + all.side));
    }
    return packed_take(&p);
}

static json_t *frame_list(decant__json *json, const decant__study *study,
                          const decant__frames *frames) {
    json_t *list = json_array();
    size_t rows = study->count;
    for (size_t f = 0; f < frames->count; f++) {
        json_t *frame = json_object();
        decant__json_put(json, frame, "step", decant__json_whole(frames->step[f]));
        decant__json_put(json, frame, "accuracy", decant__json_real(frames->accuracy[f]));
        decant__json_put(json, frame, "cluster", numbers16(frames->cluster + f * rows, rows));
        decant__json_put(json, frame, "place", map_positions(frames->map + 2 * f * rows, rows));
        decant__json_append(json, list, frame);
    }
    return list;
}

static json_t *gradient_plot(decant__json *json, const decant__study *study,
                             const decant__frames *frames) {
    double high = 0;
    if (frames->q == NULL) return json_null();
    for (size_t i = 0; i < study->count; i++)
        if ((double)frames->gradient[i] > high) high = (double)frames->gradient[i];
    json_t *plot = json_object();
    decant__json_put(json, plot, "most", decant__json_real(high));
    decant__json_put(json, plot, "q", shares16(frames->q, study->count, 1));
    decant__json_put(json, plot, "size", shares16(frames->gradient, study->count, high));
    return plot;
}

static unsigned item_number(const decant__study *study, const decant__exhibit *exhibit,
                            size_t row) {
    (void)study;
    return (unsigned)decant__exhibit_find(exhibit, row);
}

static unsigned class_number(const decant__study *study, const decant__exhibit *exhibit,
                             size_t row) {
    (void)exhibit;
    return (unsigned)decant__study_class(study, row);
}

static unsigned confidence_number(const decant__study *study, const decant__exhibit *exhibit,
                                  size_t row) {
    (void)exhibit;
    return share16((double)study->table->dense[row], 0, 1);
}

/* One number for each row of the sample. */
static json_t *sample_numbers(const decant__study *study, const decant__exhibit *exhibit,
                              unsigned (*number)(const decant__study *study,
                                                 const decant__exhibit *exhibit, size_t row)) {
    packed p;
    if (!packed_new(&p, study->count)) return NULL;
    for (size_t i = 0; i < study->count; i++) pack16(&p, number(study, exhibit, study->row[i]));
    return packed_take(&p);
}

static json_t *point_list(decant__json *json, const decant__study *study,
                          const decant__exhibit *exhibit) {
    json_t *points = json_object();
    decant__json_put(json, points, "count", decant__json_whole(study->count));
    decant__json_put(json, points, "item", sample_numbers(study, exhibit, item_number));
    if (decant__study_class(study, 0) >= 0)
        decant__json_put(json, points, "class", sample_numbers(study, exhibit, class_number));
    decant__json_put(json, points, "confidence", sample_numbers(study, exhibit, confidence_number));
    return points;
}

/* ---- items and cards ---- */

static json_t *item_list(decant__json *json, const decant__study *study,
                         const decant__exhibit *exhibit) {
    json_t *items = json_object(), *row = json_array(), *id = json_array(), *text = json_array();
    json_t *place = json_array(), *cluster = json_array(), *confidence = json_array();
    for (size_t i = 0; i < exhibit->count; i++) {
        size_t r = exhibit->row[i];
        decant__json_append(json, row, decant__json_whole(r));
        decant__json_append(json, cluster, json_integer(study->cluster[r]));
        decant__json_append(json, confidence,
                            json_real(round(1000 * (double)study->table->dense[r]) / 1000));
        decant__json_append(json, id, decant__json_text(decant_dataset_id(study->table, r)));
        if (exhibit->text != NULL)
            decant__json_append(json, text, decant__json_text(exhibit->text[i]));
        if (exhibit->gallery.count > 0)
            decant__json_append(json, place, json_integer(exhibit->gallery.place[i]));
    }
    decant__json_put(json, items, "row", row);
    decant__json_put(json, items, "id", id);
    decant__json_put(json, items, "cluster", cluster);
    decant__json_put(json, items, "confidence", confidence);
    decant__json_put(json, items, "text", text);
    decant__json_put(json, items, "place", place);
    return items;
}

static json_t *gallery_sheet(decant__json *json, const decant__gallery *gallery) {
    if (gallery->count == 0) return json_null();
    json_t *sheet = json_object();
    decant__json_put(json, sheet, "width", decant__json_whole(gallery->width));
    decant__json_put(json, sheet, "height", decant__json_whole(gallery->height));
    decant__json_put(json, sheet, "columns", decant__json_whole(gallery->columns));
    decant__json_put(json, sheet, "type", json_string(gallery->type));
    decant__json_put(json, sheet, "bytes", base64(gallery->bytes, gallery->size));
    return sheet;
}

static json_t *chosen_items(decant__json *json, const decant__exhibit *exhibit,
                            const json_t *list) {
    json_t *out = json_array();
    for (size_t i = 0; i < exhibit->each && i < json_array_size(list); i++) {
        json_int_t row = json_integer_value(json_object_get(json_array_get(list, i), "row"));
        if (row < 0) continue;
        size_t item = decant__exhibit_find(exhibit, (size_t)row);
        if (exhibit->row[item] == (size_t)row)
            decant__json_append(json, out, decant__json_whole(item));
    }
    return out;
}

static json_t *stem_list(decant__json *json, const json_t *stems) {
    json_t *out = json_array();
    for (size_t i = 0; i < json_array_size(stems); i++) {
        const json_t *item = json_array_get(stems, i);
        json_t *word = json_object_get(item, "word");
        if (!json_is_string(word)) word = json_object_get(item, "stem"); /* of an older version */
        if (json_is_string(word)) decant__json_append(json, out, json_incref(word));
    }
    return out;
}

static json_t *distinctive_columns(decant__json *json, const decant__study *study,
                                   const decant__columns *columns, size_t c) {
    json_t *out = json_array();
    for (size_t i = 0; columns->mean != NULL && i < columns->each; i++) {
        const decant__special *found = &columns->best[c * columns->each + i];
        const char *name = decant_dataset_column_name(study->data, found->column);
        if (found->z == 0) continue;
        json_t *column = json_object();
        decant__json_put(json, column, "column", decant__json_whole(found->column));
        decant__json_put(json, column, "name", decant__json_text(name));
        decant__json_put(json, column, "inside", decant__json_real(found->inside));
        decant__json_put(json, column, "outside", decant__json_real(found->outside));
        decant__json_put(json, column, "z", decant__json_real(found->z));
        decant__json_append(json, out, column);
    }
    return out;
}

/* A manifest can hold any number. */
static json_t *count_of(const json_t *value) {
    double number = json_number_value(value);
    return decant__json_whole(number >= 0 && number <= 0x1p53 ? (uint64_t)number : 0);
}

/* What clusters.json says of a cluster of a table, in its words and units. */
static json_t *copy_of(json_t *value) { return value != NULL ? json_incref(value) : json_null(); }

static json_t *card_list(decant__json *json, const decant__study *study,
                         const decant__exhibit *exhibit) {
    json_t *out = json_array();
    const json_t *clusters = json_object_get(study->clusters, "clusters");
    for (size_t c = 0; c < study->k; c++) {
        const json_t *from = json_array_get(clusters, c);
        json_t *card = json_object();
        decant__json_put(json, card, "name",
                         decant__json_text(decant_model_cluster_name(study->model, c)));
        decant__json_put(json, card, "size",
                         count_of(json_array_get(manifest_value(study, "cluster_sizes"), c)));
        decant__json_put(json, card, "confidence",
                         decant__json_real(json_number_value(
                             json_array_get(manifest_value(study, "cluster_confidence"), c))));
        decant__json_put(json, card, "typical",
                         chosen_items(json, exhibit, json_object_get(from, "typical")));
        decant__json_put(json, card, "doubtful",
                         chosen_items(json, exhibit, json_object_get(from, "doubtful")));
        decant__json_put(json, card, "stems",
                         stem_list(json, json_object_get(from, "stems_by_lift")));
        decant__json_put(json, card, "sentence", copy_of(json_object_get(from, "sentence")));
        decant__json_put(json, card, "described", copy_of(json_object_get(from, "columns")));
        decant__json_put(json, card, "columns",
                         distinctive_columns(json, study, &exhibit->columns, c));
        decant__json_append(json, out, card);
    }
    return out;
}

/* ---- distributions of columns ---- */

static const char *date_form(const decant__column *column) {
    static const char *const forms[] = {[DECANT__DATE_DAY] = "day",
                                        [DECANT__DATE_MINUTE] = "minute",
                                        [DECANT__DATE_SECOND] = "second",
                                        [DECANT__DATE_TIME] = "time"};
    return forms[decant__column_date_form(column)];
}

static json_t *spread_list(decant__json *json, const decant__study *study,
                           const decant__columns *columns) {
    json_t *out = json_array();
    for (size_t s = 0; columns->counts != NULL && s < columns->spread_count; s++) {
        const decant__spread *spread = &columns->spread[s];
        json_t *column = json_object(), *clusters = json_array(), *means = json_array();
        const decant__column *source = spread->source;
        const char *name =
            source != NULL ? source->name : decant_dataset_column_name(study->data, spread->column);
        if (source != NULL && source->type == DECANT_COLUMN_DATE)
            decant__json_put(json, column, "date", json_string(date_form(source)));
        decant__json_put(json, column, "unit",
                         decant__json_text(source != NULL ? source->unit : ""));
        decant__json_put(json, column, "column", decant__json_whole(spread->column));
        decant__json_put(json, column, "name", decant__json_text(name));
        decant__json_put(json, column, "share", decant__json_real(spread->share));
        decant__json_put(json, column, "low", decant__json_real(spread->low));
        decant__json_put(json, column, "high", decant__json_real(spread->high));
        for (size_t c = 0; c < study->k; c++) {
            const uint32_t *counts = columns->counts + (s * study->k + c) * DECANT__SPREAD_BINS;
            json_t *bins = json_array();
            for (size_t b = 0; b < DECANT__SPREAD_BINS; b++)
                decant__json_append(json, bins, decant__json_whole(counts[b]));
            decant__json_append(json, clusters, bins);
            decant__json_append(json, means, decant__json_real(columns->means[s * study->k + c]));
        }
        decant__json_put(json, column, "counts", clusters);
        decant__json_put(json, column, "means", means);
        decant__json_append(json, out, column);
    }
    return out;
}

/* Columns of the file that are used; null: a row has one number for each. */
static json_t *count_columns(const decant__study *study) {
    const decant_table *table = study->data != NULL ? study->data->table : NULL;
    size_t used = 0;
    for (size_t j = 0; table != NULL && j < table->count; j++)
        used += decant_table_width(table, j) > 0;
    return used > 0 ? decant__json_whole(used) : json_null();
}

/* ---- classes ---- */

enum { MAX_MATRIX = 100 }; /* clusters and classes: a larger confusion matrix is not readable */

static decant_status put_classes(decant__json *json, const decant__study *study, json_t *root) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = study->data;
    size_t *counts = NULL;
    int32_t *match = NULL;
    if (data == NULL || data->labels == NULL) return DECANT_OK;
    size_t classes = data->class_count, k = study->k;
    json_t *names = json_array(), *matched = json_array(), *matrix = json_array();
    for (size_t c = 0; c < classes; c++)
        decant__json_append(json, names, decant__json_text(decant_dataset_class_name(data, c)));
    decant__json_put(json, root, "classes", names);
    decant__json_put(json, root, "match", matched);
    decant__json_put(json, root, "confusion", matrix);
    NEW_ARRAY(counts, k * classes);
    NEW_ARRAY(match, k);
    TRY(decant__class_match(study->cluster, data->labels, study->n, k, classes, counts, match));
    for (size_t c = 0; c < k; c++) decant__json_append(json, matched, json_integer(match[c]));
    for (size_t c = 0; c < k && k <= MAX_MATRIX && classes <= MAX_MATRIX; c++) {
        json_t *line = json_array();
        for (size_t j = 0; j < classes; j++)
            decant__json_append(json, line, decant__json_whole(counts[c * classes + j]));
        decant__json_append(json, matrix, line);
    }
done:
    decant__free(counts);
    decant__free(match);
    return status;
}

/* ---- how it was made ---- */

static json_t *history_list(decant__json *json, const decant__study *study) {
    json_t *out = json_array();
    for (size_t i = 0; i < study->history_count; i++) {
        const decant_history_row *row = &study->history[i];
        json_t *line = json_array();
        decant__json_append(json, line, decant__json_text(row->phase));
        decant__json_append(json, line, decant__json_whole(row->step));
        decant__json_append(json, line, decant__json_real(row->loss));
        decant__json_append(json, line, decant__json_real(row->changed));
        decant__json_append(json, out, line);
    }
    return out;
}

/* The default options of the run's preset and method. */
static void find_defaults(const decant__study *study, decant_options *defaults) {
    static const char *const governing[] = {"preset", "method"};
    char value[64];
    decant_options_init(defaults, sizeof *defaults);
    for (size_t i = 0; i < 2; i++)
        if (decant_options_get(&study->model->options, governing[i], value, sizeof value) ==
            DECANT_OK)
            decant_options_set(defaults, governing[i], value);
    defaults->preset = DECANT_PRESET_FAST;
    defaults->method = DECANT_METHOD_DEC;
}

/* The model holds the scaling that was used; whether it was chosen by auto is in the manifest. */
static void print_scaling(const decant__study *study, char *value, size_t size) {
    const char *requested =
        json_string_value(json_object_get(manifest_value(study, "options"), "scaling"));
    if (requested != NULL && strcmp(requested, "auto") == 0) snprintf(value, size, "auto");
}

/* One line a setting: group, name, value, default (null: there is none), help. */
static json_t *setting_list(decant__json *json, const decant__study *study) {
    json_t *out = json_array();
    decant_options defaults;
    find_defaults(study, &defaults);
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char value[256], usual[256];
        if (info->machine ||
            decant_options_get(&study->model->options, info->name, value, sizeof value) !=
                DECANT_OK ||
            decant_options_get(&defaults, info->name, usual, sizeof usual) != DECANT_OK)
            continue;
        if (strcmp(info->name, "scaling") == 0) print_scaling(study, value, sizeof value);
        json_t *line = json_array();
        decant__json_append(json, line, json_string(info->group));
        decant__json_append(json, line, json_string(info->name));
        decant__json_append(json, line, decant__json_text(value));
        decant__json_append(json, line,
                            strcmp(info->name, "k") == 0 ? json_null() : decant__json_text(usual));
        decant__json_append(json, line, json_string(info->help));
        decant__json_append(json, out, line);
    }
    return out;
}

/* Keys of the manifest that are copied to the page. */
static const char *const copied[] = {"n",           "d",         "k",
                                     "latent",      "scaling",   "method",
                                     "seed",        "threads",   "decant",
                                     "command",     "metrics",   "metrics_initial",
                                     "iterations",  "converged", "warnings",
                                     "seconds",     "machine",   "libraries",
                                     "started",     "finished",  "peak_memory_bytes",
                                     "data_digest", "loss"};

static json_t *run_facts(decant__json *json, const decant__study *study) {
    json_t *out = json_object();
    const json_t *options = manifest_value(study, "options");
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        json_t *value = manifest_value(study, copied[i]);
        if (value != NULL) decant__json_put(json, out, copied[i], json_incref(value));
    }
    decant__json_put(json, out, "method", json_incref(json_object_get(options, "method")));
    decant__json_put(json, out, "preset", json_incref(json_object_get(options, "preset")));
    return out;
}

/* ---- the JSON document ---- */

/* Escapes <, > and & as \u00XX, so that the JSON cannot end its HTML element. They only occur
 * inside of strings, where JSON allows this. */
static int put_escaped(const char *bytes, size_t count, void *user) {
    decant__text *text = user;
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '<' && bytes[i] != '>' && bytes[i] != '&') continue;
        decant__text_put(text, bytes + from, i - from);
        decant__text_print(text, "\\u%04x", (unsigned)bytes[i]);
        from = i + 1;
    }
    decant__text_put(text, bytes + from, count - from);
    return 0;
}

static decant_status build_document(const decant__payload *payload, const decant__study *study,
                                    const decant__frames *frames, const decant__exhibit *exhibit,
                                    json_t *root) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    decant__json_put(&json, root, "title", decant__json_text(payload->title));
    decant__json_put(&json, root, "run", run_facts(&json, study));
    decant__json_put(&json, root, "missing", decant__json_text(study->missing));
    decant__json_put(&json, root, "frames", frame_list(&json, study, frames));
    decant__json_put(&json, root, "points", point_list(&json, study, exhibit));
    decant__json_put(&json, root, "gradient", gradient_plot(&json, study, frames));
    decant__json_put(&json, root, "items", item_list(&json, study, exhibit));
    decant__json_put(&json, root, "pictures", gallery_sheet(&json, &exhibit->gallery));
    decant__json_put(&json, root, "clusters", card_list(&json, study, exhibit));
    decant__json_put(&json, root, "columns", count_columns(study));
    decant__json_put(&json, root, "spreads", spread_list(&json, study, &exhibit->columns));
    TRY(put_classes(&json, study, root));
    decant__json_put(&json, root, "history", history_list(&json, study));
    decant__json_put(&json, root, "settings", setting_list(&json, study));
    TRY(decant__json_done(&json, root));
done:
    return status;
}

decant_status decant__payload_make(decant__payload *payload, const decant__study *study,
                                   const decant__frames *frames, const decant__exhibit *exhibit) {
    decant_status status = DECANT_OK;
    decant__text text = {0};
    json_t *root = json_object();
    *payload = (decant__payload){0};
    TRY(make_title(study, &payload->title));
    TRY(make_answer(study, &payload->answer));
    TRY(build_document(payload, study, frames, exhibit, root));
    locale_t saved = decant__c_locale_enter();
    int failed =
        json_dump_callback(root, put_escaped, &text, JSON_COMPACT | JSON_REAL_PRECISION(9));
    decant__c_locale_leave(saved);
    if (failed) TRY(decant__fail(DECANT_ENOMEM, "memory ran out while the report was built"));
    TRY(decant__text_take(&text, &payload->json));
done:
    json_decref(root);
    decant__text_free(&text);
    if (status != DECANT_OK) decant__payload_free(payload);
    return status;
}
