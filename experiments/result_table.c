#include "experiments/result_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/team.h"
#include "linalg/blas.h"

static json_t *list(const decant__result_table *table, const char *key) {
    return json_object_get(table->root, key);
}

void decant__result_table_new(decant__result_table *table, const decant_experiment *experiment,
                              const decant__experiment_store *store) {
    static const char *const lists[] = {"columns", "rows", "notes", "drawings"};
    time_t now = time(NULL);
    struct tm utc;
    char date[16] = "";
    *table = (decant__result_table){.root = json_object(), .name = experiment->name};
    decant__json *json = &table->json;
    if (gmtime_r(&now, &utc) != NULL) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    decant__json_put(json, table->root, "kind", json_string("decant experiment"));
    decant__json_put(json, table->root, "experiment", json_string(experiment->name));
    decant__json_put(json, table->root, "title", json_string(experiment->title));
    decant__json_put(json, table->root, "preset",
                     json_string(decant_preset_name(store->how->preset)));
    decant__json_put(json, table->root, "seeds", decant__json_whole(store->how->seeds));
    decant__json_put(json, table->root, "decant", json_string(decant_version()));
    decant__json_put(json, table->root, "date", json_string(date));
    decant__json_put(json, table->root, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    decant__json_put(json, table->root, "blas", decant__json_text(decant__blas_config()));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        decant__json_put(json, table->root, lists[i], json_array());
}

void decant__result_table_free(decant__result_table *table) {
    json_decref(table->root);
    *table = (decant__result_table){0};
}

void decant__result_table_column(decant__result_table *table, const char *name) {
    decant__json_append(&table->json, list(table, "columns"), decant__json_text(name));
}

void decant__result_table_row(decant__result_table *table, const char *name) {
    json_t *row = json_object();
    decant__json_put(&table->json, row, "name", decant__json_text(name));
    decant__json_put(&table->json, row, "cells", json_array());
    decant__json_append(&table->json, list(table, "rows"), row);
}

static void add_cell(decant__result_table *table, json_t *cell) {
    json_t *rows = list(table, "rows");
    json_t *row = json_array_get(rows, json_array_size(rows) - 1);
    decant__json_append(&table->json, json_object_get(row, "cells"), cell);
}

void decant__result_table_values(decant__result_table *table, const double *values, size_t count,
                                 const char *over, double paper) {
    json_t *cell = json_object(), *numbers = json_array();
    for (size_t i = 0; i < count; i++)
        decant__json_append(&table->json, numbers, decant__json_real(values[i]));
    decant__json_put(&table->json, cell, "values", numbers);
    decant__json_put(&table->json, cell, "over", json_string(over));
    decant__json_put(&table->json, cell, "paper", decant__json_real(paper));
    add_cell(table, cell);
}

void decant__result_table_text(decant__result_table *table, const char *ours, const char *paper) {
    json_t *cell = json_object();
    decant__json_put(&table->json, cell, "text", decant__json_text(ours));
    decant__json_put(&table->json, cell, "paper", decant__json_text(paper));
    add_cell(table, cell);
}

void decant__result_table_gap(decant__result_table *table, double paper) {
    decant__result_table_values(table, NULL, 0, "seeds", paper);
}

void decant__result_table_note(decant__result_table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decant__json_append(&table->json, list(table, "notes"),
                        decant__json_print_list(format, arguments));
    va_end(arguments);
}

void decant__result_table_missing(decant__result_table *table, decant__experiment_store *store,
                                  decant__data_set_id id) {
    const decant__data_set *set = decant__data_set_at(id);
    if (!decant__experiment_store_has(store, id))
        decant__result_table_note(table, "%s is missing: put %s into DATA/%s.", set->name,
                                  set->need, set->path);
}

decant_status decant__result_table_draw(decant__result_table *table,
                                        const decant__experiment_store *store, const char *file,
                                        const char *svg) {
    decant_status status = DECANT_OK;
    char *path = NULL;
    decant__json_append(&table->json, list(table, "drawings"), decant__json_text(file));
    TRY(decant__path_join(store->folder, file, &path));
    TRY(decant__file_write(path, svg, strlen(svg)));
    if (store->how->on_drawing != NULL) store->how->on_drawing(path, svg, store->how->user);
done:
    decant__free(path);
    return status;
}

static decant_status write_file(const decant__experiment_store *store, const char *name,
                                const char *end, decant__text *text) {
    decant_status status = DECANT_OK;
    char *bytes = NULL, *path = NULL, file[64];
    TRY(decant__text_take(text, &bytes));
    snprintf(file, sizeof file, "%s%s", name, end);
    TRY(decant__path_join(store->folder, file, &path));
    TRY(decant__file_write(path, bytes, strlen(bytes)));
done:
    decant__free(bytes);
    decant__free(path);
    return status;
}

decant_status decant__result_table_write(const decant__result_table *table,
                                         const decant__experiment_store *store) {
    decant_status status = DECANT_OK;
    decant__text data = {0}, page = {0};
    TRY(decant__json_done(&table->json, table->root));
    TRY(decant__json_dump(table->root, &data));
    TRY(write_file(store, table->name, ".json", &data));
    decant__result_markdown(table->root, &page);
    TRY(write_file(store, table->name, ".md", &page));
done:
    decant__text_free(&data);
    decant__text_free(&page);
    return status;
}
