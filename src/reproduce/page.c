/* A sheet as Markdown: every figure beside the paper's, and under it those that fall short. */
#include "reproduce/cells.h"
#include "reproduce/sheet.h"

static void put_ours(const json_t *cell, decant__text *text) {
    decant__spread s = decant__cell_spread(cell);
    if (json_is_string(json_object_get(cell, "text")))
        decant__text_print(text, " %s |", decant__sheet_string(cell, "text"));
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
        decant__text_print(text, " %s |", decant__sheet_string(cell, "paper"));
}

static void put_head(const json_t *root, decant__text *text) {
    const json_t *name;
    size_t c;
    decant__text_print(text, "| |");
    json_array_foreach(json_object_get(root, "columns"), c, name)
        decant__text_print(text, decant__sheet_has_paper(root, c) ? " %s | paper |" : " %s |",
                           json_string_value(name));
    decant__text_print(text, "\n| --- |");
    for (size_t i = 0; i < json_array_size(json_object_get(root, "columns")); i++)
        decant__text_print(text, decant__sheet_has_paper(root, i) ? " --- | --- |" : " --- |");
    decant__text_print(text, "\n");
}

static void put_rows(const json_t *root, decant__text *text) {
    const json_t *row, *cell;
    size_t r, c;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        decant__text_print(text, "| %s |", decant__sheet_string(row, "name"));
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            put_ours(cell, text);
            if (decant__sheet_has_paper(root, c)) put_paper(cell, text);
        }
        decant__text_print(text, "\n");
    }
}

/* Every cell below the paper's, in a sentence of its own. */
static void put_shortfalls(const json_t *root, decant__text *text) {
    const json_t *row, *cell, *columns = json_object_get(root, "columns");
    size_t r, c;
    int any = 0;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            if (!decant__cell_is_below(cell)) continue;
            decant__text_print(
                text, "%s%s on %s (%.4f against %.4f)",
                any ? ", " : "\nBelow the paper: ", decant__sheet_string(row, "name"),
                json_string_value(json_array_get(columns, c)), decant__cell_spread(cell).counts,
                json_number_value(json_object_get(cell, "paper")));
            any = 1;
        }
    }
    decant__text_print(text, any ? ".\n\n" : "\n");
}

static void put_notes(const json_t *root, decant__text *text) {
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(root, "drawings"), i, item) decant__text_print(
        text, "![%s](%s)\n\n", decant__sheet_string(root, "title"), json_string_value(item));
    json_array_foreach(json_object_get(root, "notes"), i, item)
        decant__text_print(text, "- %s\n", json_string_value(item));
    if (i > 0) decant__text_print(text, "\n");
}

void decant__sheet_page(const json_t *root, decant__text *text) {
    decant__text_print(text, "### %s\n\n", decant__sheet_string(root, "title"));
    if (json_array_size(json_object_get(root, "columns")) > 0) {
        put_head(root, text);
        put_rows(root, text);
        put_shortfalls(root, text);
    }
    put_notes(root, text);
    decant__text_print(text, "`");
    decant__sheet_command(root, text);
    decant__text_print(text, "`: ");
    decant__sheet_origin(root, text);
    decant__text_print(text, "\n");
}
