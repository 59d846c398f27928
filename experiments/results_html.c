/* All results of a folder as one HTML file: tables, drawings, and which numbers are below the
 * paper's. It has no scripts and loads nothing; drawings are embedded as images. */
#include "experiments/results_html.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "report/base64.h"
#include "report/page.h"
#include "report/svg.h"
#include "experiments/result_reader.h"
#include "experiments/reproduce.h"

static void html_text(decant__text *html, const char *before, const char *text, const char *after) {
    decant__text_put(html, before, strlen(before));
    decant__svg_escape(html, text);
    decant__text_put(html, after, strlen(after));
}

/* ---- tables ---- */

static void html_ours(const json_t *cell, decant__text *html) {
    decant__cell_stats s = decant__result_cell_stats(cell);
    decant__text_print(html, decant__result_cell_is_below(cell)
                                 ? "<td class=\"below\" title=\"below the paper\">&#9662; "
                                 : "<td>");
    if (json_is_string(json_object_get(cell, "text")))
        decant__svg_escape(html, decant__result_string(cell, "text"));
    else if (s.count > 0)
        decant__text_print(html, "%.4f", s.value);
    if (s.count > 1) decant__text_print(html, "<small>%.4f to %.4f</small>", s.min, s.max);
    decant__text_print(html, "</td>");
}

static void html_paper(const json_t *cell, decant__text *html) {
    const json_t *paper = json_object_get(cell, "paper");
    if (json_is_number(paper))
        decant__text_print(html, "<td class=\"paper\">%.4f</td>", json_number_value(paper));
    else
        html_text(html, "<td class=\"paper\">", decant__result_string(cell, "paper"), "</td>");
}

static void put_table(const json_t *root, decant__text *html) {
    const json_t *name, *row, *cell;
    size_t r, c;
    decant__text_print(html, "<div class=\"scroll\"><table class=\"results\"><thead><tr><td></td>");
    json_array_foreach(json_object_get(root, "columns"), c, name) {
        html_text(html, "<th scope=\"col\">", json_string_value(name), "</th>");
        if (decant__result_has_paper(root, c)) decant__text_print(html, "<th>paper</th>");
    }
    decant__text_print(html, "</tr></thead><tbody>");
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        html_text(html, "<tr><th scope=\"row\">", decant__result_string(row, "name"), "</th>");
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            html_ours(cell, html);
            if (decant__result_has_paper(root, c)) html_paper(cell, html);
        }
        decant__text_print(html, "</tr>");
    }
    decant__text_print(html, "</tbody></table></div>\n");
}

/* ---- drawings, notes, origin ---- */

/* A drawing whose name is not a plain file name, or whose file is gone, is left out. */
static decant_status put_drawing(const char *folder, const char *file, const char *title,
                                 decant__text *html) {
    decant_status status = DECANT_OK;
    char *path = NULL, part[3 * 4096];
    FILE *drawing = NULL;
    if (file == NULL) return DECANT_OK;
    TRY(decant__path_join(folder, file, &path));
    drawing = fopen(path, "rb");
    if (drawing == NULL) goto done;
    html_text(html, "<img alt=\"", title, "\" src=\"data:image/svg+xml;base64,");
    /* Three bytes become four digits: base64 of parts can be joined if each has a multiple of three
     * bytes. */
    for (size_t count; (count = fread(part, 1, sizeof part, drawing)) > 0;)
        decant__base64_put(html, part, count);
    decant__text_print(html, "\">\n");
    if (ferror(drawing)) TRY(decant__fail(DECANT_EIO, "%s: cannot be read", path));
done:
    if (drawing != NULL) fclose(drawing);
    decant__free(path);
    return status;
}

static void html_notes(const json_t *root, decant__text *html) {
    const json_t *note;
    size_t i;
    decant__text command = {0}, origin = {0};
    decant__text_print(html, "<ul class=\"notes\">");
    json_array_foreach(json_object_get(root, "notes"), i, note)
        html_text(html, "<li>", json_string_value(note), "</li>\n");
    decant__result_command(root, &command);
    decant__result_origin(root, &origin);
    if (command.bytes != NULL) html_text(html, "<li><code>", command.bytes, "</code>: ");
    if (origin.bytes != NULL) html_text(html, "", origin.bytes, "</li></ul>\n");
    html->failed |= command.failed || origin.failed;
    decant__text_free(&command);
    decant__text_free(&origin);
}

static decant_status put_sheet(const char *folder, const json_t *root, decant__text *html) {
    decant_status status = DECANT_OK;
    const json_t *drawing;
    size_t i;
    html_text(html, "<section id=\"", decant__result_string(root, "experiment"), "\">");
    html_text(html, "<h2>", decant__result_string(root, "title"), "</h2>\n");
    if (json_array_size(json_object_get(root, "columns")) > 0) put_table(root, html);
    json_array_foreach(json_object_get(root, "drawings"), i, drawing) TRY(put_drawing(
        folder, json_string_value(drawing), decant__result_string(root, "title"), html));
    html_notes(root, html);
    decant__text_print(html, "</section>\n");
done:
    return status;
}

/* ---- the page ---- */

static void html_head(decant__text *html) {
    decant__text_print(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'nonce-page'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>The paper's experiments &ndash; decant</title>\n<style nonce=\"page\">\n");
    decant__text_put(html, (const char *)decant__page_css, strlen((const char *)decant__page_css));
    decant__text_print(
        html,
        "</style>\n</head>\n<body>\n<header><p class=\"brand\">decant</p>"
        "<h1>The paper's experiments</h1>\n<p class=\"answer\">Unsupervised deep embedding for "
        "clustering analysis (Xie, Girshick and Farhadi, ICML 2016), reproduced. Numbers below "
        "the paper's are marked.</p></header>\n<main>\n");
}

static decant_status load_results(const char *folder, const char *name, json_t **out) {
    decant_status status = DECANT_OK;
    char file[64], *path = NULL;
    snprintf(file, sizeof file, "%s.json", name);
    TRY(decant__path_join(folder, file, &path));
    if (access(path, F_OK) == 0) TRY(decant__result_read(path, out));
done:
    decant__free(path);
    return status;
}

decant_status decant__results_write(const char *folder) {
    decant_status status = DECANT_OK;
    decant__text html = {0};
    json_t *table = NULL;
    char *path = NULL;
    html_head(&html);
    for (size_t i = 0; i < decant_experiment_count(); i++) {
        TRY(load_results(folder, decant_experiment_at(i)->name, &table));
        if (table == NULL) continue;
        TRY(put_sheet(folder, table, &html));
        json_decref(table);
        table = NULL;
    }
    decant__text_print(&html, "</main>\n</body>\n</html>\n");
    TRY(decant__path_join(folder, "results.html", &path));
    if (html.failed) TRY(decant__fail(DECANT_ENOMEM, "memory ran out while %s was built", path));
    TRY(decant__file_write(path, html.bytes, html.length));
done:
    json_decref(table);
    decant__text_free(&html);
    decant__free(path);
    return status;
}
