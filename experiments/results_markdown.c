/* A result as Markdown: each number beside the paper's, and below the table those that are lower.
 */
#include "experiments/result_reader.h"
#include "experiments/result_table.h"

static void markdown_ours(const json_t *cell, decant__text *text) {
    decant__cell_stats s = decant__result_cell_stats(cell);
    if (json_is_string(json_object_get(cell, "text")))
        decant__text_print(text, " %s |", decant__result_string(cell, "text"));
    else if (s.count == 0)
        decant__text_print(text, " |");
    else if (s.count == 1)
        decant__text_print(text, " %.4f |", s.value);
    else
        decant__text_print(text, " %.4f (%.4f to %.4f) |", s.value, s.min, s.max);
}

static void markdown_paper(const json_t *cell, decant__text *text) {
    const json_t *paper = json_object_get(cell, "paper");
    if (json_is_number(paper))
        decant__text_print(text, " %.4f |", json_number_value(paper));
    else
        decant__text_print(text, " %s |", decant__result_string(cell, "paper"));
}

static void markdown_head(const json_t *root, decant__text *text) {
    const json_t *name;
    size_t c;
    decant__text_print(text, "| |");
    json_array_foreach(json_object_get(root, "columns"), c, name)
        decant__text_print(text, decant__result_has_paper(root, c) ? " %s | paper |" : " %s |",
                           json_string_value(name));
    decant__text_print(text, "\n| --- |");
    for (size_t i = 0; i < json_array_size(json_object_get(root, "columns")); i++)
        decant__text_print(text, decant__result_has_paper(root, i) ? " --- | --- |" : " --- |");
    decant__text_print(text, "\n");
}

static void markdown_rows(const json_t *root, decant__text *text) {
    const json_t *row, *cell;
    size_t r, c;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        decant__text_print(text, "| %s |", decant__result_string(row, "name"));
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            markdown_ours(cell, text);
            if (decant__result_has_paper(root, c)) markdown_paper(cell, text);
        }
        decant__text_print(text, "\n");
    }
}

/* A sentence that lists the cells below the paper's numbers. */
static void markdown_shortfalls(const json_t *root, decant__text *text) {
    const json_t *row, *cell, *columns = json_object_get(root, "columns");
    size_t r, c;
    int any = 0;
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            if (!decant__result_cell_is_below(cell)) continue;
            decant__text_print(
                text, "%s%s on %s (%.4f against %.4f)",
                any ? ", " : "\nBelow the paper: ", decant__result_string(row, "name"),
                json_string_value(json_array_get(columns, c)),
                decant__result_cell_stats(cell).value,
                json_number_value(json_object_get(cell, "paper")));
            any = 1;
        }
    }
    decant__text_print(text, any ? ".\n\n" : "\n");
}

static void markdown_notes(const json_t *root, decant__text *text) {
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(root, "drawings"), i, item) decant__text_print(
        text, "![%s](%s)\n\n", decant__result_string(root, "title"), json_string_value(item));
    json_array_foreach(json_object_get(root, "notes"), i, item)
        decant__text_print(text, "- %s\n", json_string_value(item));
    if (i > 0) decant__text_print(text, "\n");
}

void decant__result_markdown(const json_t *root, decant__text *text) {
    decant__text_print(text, "### %s\n\n", decant__result_string(root, "title"));
    if (json_array_size(json_object_get(root, "columns")) > 0) {
        markdown_head(root, text);
        markdown_rows(root, text);
        markdown_shortfalls(root, text);
    }
    markdown_notes(root, text);
    decant__text_print(text, "`");
    decant__result_command(root, text);
    decant__text_print(text, "`: ");
    decant__result_origin(root, text);
    decant__text_print(text, "\n");
}
