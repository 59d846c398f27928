#include "reproduce/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "linalg/team.h"

static json_t *list(const decant__sheet *sheet, const char *key) {
    return json_object_get(sheet->root, key);
}

void decant__sheet_new(decant__sheet *sheet, const decant_experiment *experiment,
                       const decant__laboratory *lab) {
    static const char *const lists[] = {"columns", "rows", "notes", "drawings"};
    time_t now = time(NULL);
    struct tm utc;
    char date[16] = "";
    *sheet = (decant__sheet){.root = json_object(), .name = experiment->name};
    decant__json *json = &sheet->json;
    if (gmtime_r(&now, &utc) != NULL) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    decant__json_put(json, sheet->root, "kind", json_string("decant experiment"));
    decant__json_put(json, sheet->root, "experiment", json_string(experiment->name));
    decant__json_put(json, sheet->root, "title", json_string(experiment->title));
    decant__json_put(json, sheet->root, "preset",
                     json_string(lab->how->preset == DECANT_PRESET_PAPER ? "paper" : "fast"));
    decant__json_put(json, sheet->root, "seeds", decant__json_whole(lab->how->seeds));
    decant__json_put(json, sheet->root, "decant", json_string(decant_version()));
    decant__json_put(json, sheet->root, "date", json_string(date));
    decant__json_put(json, sheet->root, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    decant__json_put(json, sheet->root, "blas", decant__json_text(decant__team_blas()));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        decant__json_put(json, sheet->root, lists[i], json_array());
}

void decant__sheet_free(decant__sheet *sheet) {
    json_decref(sheet->root);
    *sheet = (decant__sheet){0};
}

void decant__sheet_column(decant__sheet *sheet, const char *name) {
    decant__json_append(&sheet->json, list(sheet, "columns"), decant__json_text(name));
}

void decant__sheet_row(decant__sheet *sheet, const char *name) {
    json_t *row = json_object();
    decant__json_put(&sheet->json, row, "name", decant__json_text(name));
    decant__json_put(&sheet->json, row, "cells", json_array());
    decant__json_append(&sheet->json, list(sheet, "rows"), row);
}

static void add_cell(decant__sheet *sheet, json_t *cell) {
    json_t *rows = list(sheet, "rows");
    json_t *row = json_array_get(rows, json_array_size(rows) - 1);
    decant__json_append(&sheet->json, json_object_get(row, "cells"), cell);
}

void decant__sheet_values(decant__sheet *sheet, const double *values, size_t count,
                          const char *over, double paper) {
    json_t *cell = json_object(), *numbers = json_array();
    for (size_t i = 0; i < count; i++)
        decant__json_append(&sheet->json, numbers, decant__json_real(values[i]));
    decant__json_put(&sheet->json, cell, "values", numbers);
    decant__json_put(&sheet->json, cell, "over", json_string(over));
    decant__json_put(&sheet->json, cell, "paper", decant__json_real(paper));
    add_cell(sheet, cell);
}

void decant__sheet_text(decant__sheet *sheet, const char *ours, const char *paper) {
    json_t *cell = json_object();
    decant__json_put(&sheet->json, cell, "text", decant__json_text(ours));
    decant__json_put(&sheet->json, cell, "paper", decant__json_text(paper));
    add_cell(sheet, cell);
}

void decant__sheet_gap(decant__sheet *sheet, double paper) {
    decant__sheet_values(sheet, NULL, 0, "seeds", paper);
}

void decant__sheet_note(decant__sheet *sheet, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decant__json_append(&sheet->json, list(sheet, "notes"), json_vsprintf(format, arguments));
    va_end(arguments);
}

void decant__sheet_missing(decant__sheet *sheet, const decant__laboratory *lab, decant__set_id id) {
    const decant__set *set = decant__set_at(id);
    if (!decant__laboratory_has(lab, id))
        decant__sheet_note(sheet, "%s is missing: put %s into DATA/%s.", set->name, set->need,
                           set->path);
}

decant_status decant__sheet_draw(decant__sheet *sheet, const decant__laboratory *lab,
                                 const char *file, const char *svg) {
    decant_status status = DECANT_OK;
    char *path = NULL;
    decant__json_append(&sheet->json, list(sheet, "drawings"), decant__json_text(file));
    TRY(decant__path_join(lab->folder, file, &path));
    TRY(decant__file_write(path, svg, strlen(svg)));
    if (lab->how->drawn != NULL) lab->how->drawn(path, svg, lab->how->user);
done:
    decant__free(path);
    return status;
}

static decant_status write_file(const decant__laboratory *lab, const char *name, const char *end,
                                decant__text *text) {
    decant_status status = DECANT_OK;
    char *bytes = NULL, *path = NULL, file[64];
    TRY(decant__text_take(text, &bytes));
    snprintf(file, sizeof file, "%s%s", name, end);
    TRY(decant__path_join(lab->folder, file, &path));
    TRY(decant__file_write(path, bytes, strlen(bytes)));
done:
    decant__free(bytes);
    decant__free(path);
    return status;
}

decant_status decant__sheet_write(const decant__sheet *sheet, const decant__laboratory *lab) {
    decant_status status = DECANT_OK;
    decant__text data = {0}, page = {0};
    TRY(decant__json_done(&sheet->json, sheet->root));
    TRY(decant__json_dump(sheet->root, &data));
    TRY(write_file(lab, sheet->name, ".json", &data));
    decant__sheet_page(sheet->root, &page);
    TRY(write_file(lab, sheet->name, ".md", &page));
done:
    decant__text_free(&data);
    decant__text_free(&page);
    return status;
}
