/* A sheet as Markdown: every figure beside the paper's, and under it those that fall short. */
#include <math.h>
#include <string.h>

#include "reproduce/sheet.h"

/* The numbers of a cell: what counts, and how far it spreads. */
typedef struct spread {
    double counts, least, most;
    size_t count;
} spread;

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static int over_seeds(const json_t *cell) { return strcmp(text_of(cell, "over"), "seeds") == 0; }

static spread spread_of(const json_t *cell) {
    spread found = {.counts = NAN, .least = INFINITY, .most = -INFINITY};
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
    if (found.count > 0) found.counts = over_seeds(cell) ? sum / (double)found.count : found.most;
    return found;
}

static void put_ours(const json_t *cell, decant__text *text) {
    spread s = spread_of(cell);
    if (json_is_string(json_object_get(cell, "text")))
        decant__text_print(text, " %s |", text_of(cell, "text"));
    else if (s.count == 0)
        decant__text_print(text, " |");
    else if (s.count == 1)
        decant__text_print(text, " %.4f |", s.counts);
    else
        decant__text_print(text, " %.4f (%.4f to %.4f) |", s.counts, s.least, s.most);
}

static void put_paper(const json_t *cell, decant__text *text) {
    const json_t *paper = json_object_get(cell, "paper");
    if (json_is_number(paper))
        decant__text_print(text, " %.4f |", json_number_value(paper));
    else
        decant__text_print(text, " %s |", text_of(cell, "paper"));
}

/* Does the paper say anything in this column? */
static int has_paper(const json_t *root, size_t column) {
    const json_t *row;
    size_t r;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        const json_t *cell = json_array_get(json_object_get(row, "cells"), column);
        if (!json_is_null(json_object_get(cell, "paper"))) return 1;
    }
    return 0;
}

static void put_head(const json_t *root, decant__text *text) {
    const json_t *name;
    size_t c;
    decant__text_print(text, "| |");
    json_array_foreach(json_object_get(root, "columns"), c, name) decant__text_print(
        text, has_paper(root, c) ? " %s | paper |" : " %s |", json_string_value(name));
    decant__text_print(text, "\n| --- |");
    for (size_t i = 0; i < json_array_size(json_object_get(root, "columns")); i++)
        decant__text_print(text, has_paper(root, i) ? " --- | --- |" : " --- |");
    decant__text_print(text, "\n");
}

static void put_rows(const json_t *root, decant__text *text) {
    const json_t *row, *cell;
    size_t r, c;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        decant__text_print(text, "| %s |", text_of(row, "name"));
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            put_ours(cell, text);
            if (has_paper(root, c)) put_paper(cell, text);
        }
        decant__text_print(text, "\n");
    }
}

/* As printed: the paper has no more digits than that. */
static int is_below(double ours, double paper) { return round(ours * 1e4) < round(paper * 1e4); }

static void put_shortfalls(const json_t *root, decant__text *text) {
    const json_t *row, *cell;
    size_t r, c;
    int any = 0;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            spread s = spread_of(cell);
            const json_t *paper = json_object_get(cell, "paper");
            if (s.count == 0 || !json_is_number(paper)) continue;
            if (!is_below(s.counts, json_number_value(paper))) continue;
            decant__text_print(
                text, "%s%s on %s (%.4f against %.4f)",
                any ? ", " : "\nBelow the paper: ", text_of(row, "name"),
                json_string_value(json_array_get(json_object_get(root, "columns"), c)), s.counts,
                json_number_value(paper));
            any = 1;
        }
    }
    if (any) decant__text_print(text, ".\n");
}

static void put_notes(const json_t *root, decant__text *text) {
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(root, "drawings"), i, item)
        decant__text_print(text, "\n![%s](%s)\n", text_of(root, "title"), json_string_value(item));
    json_array_foreach(json_object_get(root, "notes"), i, item)
        decant__text_print(text, "%s- %s\n", i == 0 ? "\n" : "", json_string_value(item));
}

void decant__sheet_page(const json_t *root, decant__text *text) {
    const char *name = text_of(root, "experiment"), *preset = text_of(root, "preset");
    long long seeds = json_integer_value(json_object_get(root, "seeds"));
    decant__text_print(text, "### %s\n\n", text_of(root, "title"));
    if (json_array_size(json_object_get(root, "columns")) > 0) {
        put_head(root, text);
        put_rows(root, text);
        put_shortfalls(root, text);
    }
    put_notes(root, text);
    decant__text_print(text,
                       "\n`decant reproduce %s --data DATA --preset %s --seeds %lld`: decant %s, "
                       "%lld cores, %s.\n",
                       name, preset, seeds, text_of(root, "decant"),
                       json_integer_value(json_object_get(root, "cores")), text_of(root, "date"));
}
