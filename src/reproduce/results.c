/* All experiments of a folder as one HTML file, to look at: tables, drawings, and what falls short.
 * Nothing in it runs, and nothing is fetched; drawings are inside, as pictures. */
#include "reproduce/results.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "report/base64.h"
#include "report/page.h"
#include "report/svg.h"
#include "reproduce/cells.h"

static void put_escaped(decant__text *html, const char *before, const char *text,
                        const char *after) {
    decant__text_put(html, before, strlen(before));
    decant__svg_escape(html, text);
    decant__text_put(html, after, strlen(after));
}

/* ---- tables ---- */

static void put_ours(const json_t *cell, decant__text *html) {
    decant__spread s = decant__cell_spread(cell);
    decant__text_print(html, decant__cell_is_below(cell)
                                 ? "<td class=\"below\" title=\"below the paper\">&#9662; "
                                 : "<td>");
    if (json_is_string(json_object_get(cell, "text")))
        decant__svg_escape(html, decant__sheet_string(cell, "text"));
    else if (s.count > 0)
        decant__text_print(html, "%.4f", s.counts);
    if (s.count > 1) decant__text_print(html, "<small>%.4f to %.4f</small>", s.least, s.most);
    decant__text_print(html, "</td>");
}

static void put_paper(const json_t *cell, decant__text *html) {
    const json_t *paper = json_object_get(cell, "paper");
    if (json_is_number(paper))
        decant__text_print(html, "<td class=\"paper\">%.4f</td>", json_number_value(paper));
    else
        put_escaped(html, "<td class=\"paper\">", decant__sheet_string(cell, "paper"), "</td>");
}

static void put_table(const json_t *root, decant__text *html) {
    const json_t *name, *row, *cell;
    size_t r, c;
    decant__text_print(html, "<div class=\"scroll\"><table class=\"results\"><thead><tr><td></td>");
    json_array_foreach(json_object_get(root, "columns"), c, name) {
        put_escaped(html, "<th scope=\"col\">", json_string_value(name), "</th>");
        if (decant__sheet_has_paper(root, c)) decant__text_print(html, "<th>paper</th>");
    }
    decant__text_print(html, "</tr></thead><tbody>");
    json_array_foreach(json_object_get(root, "rows"), r, row) {
        put_escaped(html, "<tr><th scope=\"row\">", decant__sheet_string(row, "name"), "</th>");
        json_array_foreach(json_object_get(row, "cells"), c, cell) {
            put_ours(cell, html);
            if (decant__sheet_has_paper(root, c)) put_paper(cell, html);
        }
        decant__text_print(html, "</tr>");
    }
    decant__text_print(html, "</tbody></table></div>\n");
}

/* ---- drawings, notes, origin ---- */

/* What is no file's name, or not there any more, is left out. */
static decant_status put_drawing(const char *folder, const char *file, const char *title,
                                 decant__text *html) {
    decant_status status = DECANT_OK;
    char *path = NULL, part[3 * 4096];
    FILE *drawing = NULL;
    if (file == NULL) return DECANT_OK;
    TRY(decant__path_join(folder, file, &path));
    drawing = fopen(path, "rb");
    if (drawing == NULL) goto done;
    put_escaped(html, "<img alt=\"", title, "\" src=\"data:image/svg+xml;base64,");
    /* Three bytes make four digits: parts of a multiple of three can stand one after another. */
    for (size_t count; (count = fread(part, 1, sizeof part, drawing)) > 0;)
        decant__base64_put(html, part, count);
    decant__text_print(html, "\">\n");
    if (ferror(drawing)) TRY(decant__fail(DECANT_EIO, "%s: cannot be read", path));
done:
    if (drawing != NULL) fclose(drawing);
    decant__free(path);
    return status;
}

static void put_notes(const json_t *root, decant__text *html) {
    const json_t *note;
    size_t i;
    decant__text command = {0}, origin = {0};
    decant__text_print(html, "<ul class=\"notes\">");
    json_array_foreach(json_object_get(root, "notes"), i, note)
        put_escaped(html, "<li>", json_string_value(note), "</li>\n");
    decant__sheet_command(root, &command);
    decant__sheet_origin(root, &origin);
    if (command.bytes != NULL) put_escaped(html, "<li><code>", command.bytes, "</code>: ");
    if (origin.bytes != NULL) put_escaped(html, "", origin.bytes, "</li></ul>\n");
    html->failed |= command.failed || origin.failed;
    decant__text_free(&command);
    decant__text_free(&origin);
}

static decant_status put_sheet(const char *folder, const json_t *root, decant__text *html) {
    decant_status status = DECANT_OK;
    const json_t *drawing;
    size_t i;
    put_escaped(html, "<section id=\"", decant__sheet_string(root, "experiment"), "\">");
    put_escaped(html, "<h2>", decant__sheet_string(root, "title"), "</h2>\n");
    if (json_array_size(json_object_get(root, "columns")) > 0) put_table(root, html);
    json_array_foreach(json_object_get(root, "drawings"), i, drawing) TRY(
        put_drawing(folder, json_string_value(drawing), decant__sheet_string(root, "title"), html));
    put_notes(root, html);
    decant__text_print(html, "</section>\n");
done:
    return status;
}

/* ---- the page ---- */

static void put_head(decant__text *html) {
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
        "clustering analysis (Xie, Girshick and Farhadi, ICML 2016), made again. Figures below "
        "the paper's are marked.</p></header>\n<main>\n");
}

static decant_status load(const char *folder, const char *name, json_t **out) {
    decant_status status = DECANT_OK;
    char file[64], *path = NULL;
    snprintf(file, sizeof file, "%s.json", name);
    TRY(decant__path_join(folder, file, &path));
    if (access(path, F_OK) == 0) TRY(decant__sheet_read(path, out));
done:
    decant__free(path);
    return status;
}

decant_status decant__results_write(const char *folder) {
    decant_status status = DECANT_OK;
    decant__text html = {0};
    json_t *sheet = NULL;
    char *path = NULL;
    put_head(&html);
    for (size_t i = 0; i < decant_experiment_count(); i++) {
        TRY(load(folder, decant_experiment_at(i)->name, &sheet));
        if (sheet == NULL) continue;
        TRY(put_sheet(folder, sheet, &html));
        json_decref(sheet);
        sheet = NULL;
    }
    decant__text_print(&html, "</main>\n</body>\n</html>\n");
    TRY(decant__path_join(folder, "results.html", &path));
    if (html.failed) TRY(decant__fail(DECANT_ENOMEM, "memory ran out while %s was built", path));
    TRY(decant__file_write(path, html.bytes, html.length));
done:
    json_decref(sheet);
    decant__text_free(&html);
    decant__free(path);
    return status;
}
