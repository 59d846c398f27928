#include "report/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "report/base64.h"
#include "report/chart.h"
#include "report/map_svg.h"
#include "decant/report.h"

/* The data of all figures. */
typedef struct figure_data {
    const decant__study *study;
    const decant__frames *frames;
    const decant__exhibit *exhibit;
    const int32_t *class; /* of the sample; NULL: no labels */
} figure_data;

/* Larger figures are not readable: classes of a matrix, clusters of a list of pictures. */
enum { MAX_CLASSES = 30, MAX_BEST = 100 };

static const float *map_of(const figure_data *b, size_t frame) {
    return b->frames->map + 2 * frame * b->study->count;
}

/* ---- maps ---- */

static void draw_map_clusters(const figure_data *b, decant__text *svg) {
    size_t last = b->frames->count - 1;
    char name[32];
    decant__map_begin(svg, "Map by cluster", map_of(b, last),
                      b->frames->cluster + last * b->study->count, b->study->count);
    for (size_t c = 0; c < b->study->k; c++) {
        snprintf(name, sizeof name, "cluster %zu", c);
        decant__map_name(svg, c, name);
    }
}

static void draw_map_classes(const figure_data *b, decant__text *svg) {
    decant__map_begin(svg, "Map by class", map_of(b, b->frames->count - 1), b->class,
                      b->study->count);
    for (size_t c = 0; c < b->study->data->class_count; c++)
        decant__map_name(svg, c, decant_dataset_class_name(b->study->data, c));
}

/* Figure 5: up to six maps, from the first update to the result. */
static void draw_forming(const figure_data *b, decant__text *svg) {
    enum { PANELS = 6, ACROSS = 3, SIDE = 300, GAP = 20, HEAD = 24 };
    size_t count = b->frames->count < PANELS ? b->frames->count : PANELS;
    size_t lines = (count + ACROSS - 1) / ACROSS;
    decant__svg_begin(svg, ACROSS * (SIDE + GAP) + GAP, (double)(lines * (SIDE + GAP + HEAD) + GAP),
                      "The clusters forming");
    for (size_t i = 0; i < count; i++) {
        size_t f = count > 1 ? i * (b->frames->count - 1) / (count - 1) : 0;
        double left = (double)(GAP + i % ACROSS * (SIDE + GAP));
        double top = (double)(GAP + i / ACROSS * (SIDE + GAP + HEAD));
        char text[80];
        int used = snprintf(text, sizeof text, "iteration %zu", b->frames->step[f]);
        if (isfinite(b->frames->accuracy[f]) && used > 0)
            decant__format(text + used, sizeof text - (size_t)used, ", accuracy %.1f %%",
                           100 * b->frames->accuracy[f]);
        decant__svg_label(svg, left, top + 13, 14, DECANT__START, "#222", text);
        decant__map_dots(svg, map_of(b, f),
                         b->class != NULL ? b->class : b->frames->cluster + f * b->study->count,
                         b->study->count, left, top + HEAD, SIDE);
    }
}

/* ---- curves ---- */

static decant_status draw_history(const figure_data *b, char **svg) {
    decant_status status = DECANT_OK;
    const decant__study *study = b->study;
    double *step = NULL, *loss = NULL, *changed = NULL;
    size_t used = 0;
    NEW_ARRAY(step, study->history_count);
    NEW_ARRAY(loss, study->history_count);
    NEW_ARRAY(changed, study->history_count);
    for (size_t i = 0; i < study->history_count; i++) {
        const decant_history_row *row = &study->history[i];
        if (strcmp(row->phase, "refine") != 0) continue;
        step[used] = (double)row->step;
        loss[used] = row->loss;
        changed[used++] = 100 * row->changed;
    }
    const decant__series series[] = {
        {.name = "loss", .x = step, .y = loss, .count = used},
        {.name = "changed labels", .x = step, .y = changed, .count = used, .right = 1}};
    const decant__chart chart = {.title = "Refinement",
                                 .x_name = "iteration",
                                 .y_name = "KL(P || Q)",
                                 .right_name = "changed labels in %",
                                 .series = series,
                                 .series_count = 2};
    TRY(decant__chart_svg(&chart, svg));
done:
    decant__free(step);
    decant__free(loss);
    decant__free(changed);
    return status;
}

static decant_status draw_accuracy(const figure_data *b, char **svg) {
    decant_status status = DECANT_OK;
    double *step = NULL;
    NEW_ARRAY(step, b->frames->count);
    for (size_t f = 0; f < b->frames->count; f++) step[f] = (double)b->frames->step[f];
    const decant__series series = {.x = step, .y = b->frames->accuracy, .count = b->frames->count};
    const decant__chart chart = {.title = "Accuracy of the sample",
                                 .x_name = "iteration",
                                 .y_name = "accuracy",
                                 .series = &series,
                                 .series_count = 1};
    TRY(decant__chart_svg(&chart, svg));
done:
    decant__free(step);
    return status;
}

/* ---- Figure 4 ---- */

static void put_ticks(decant__text *svg, const decant__axis *x, const decant__axis *y) {
    char text[32];
    double step = decant__chart_step(y->high, 6);
    for (int i = 0; i <= 5; i++) {
        decant__format(text, sizeof text, "%.1f", i / 5.0);
        decant__svg_label(svg, decant__axis_place(x, i / 5.0), y->from + 20, 12, DECANT__MIDDLE,
                          "#333", text);
    }
    for (int i = 0; i * step <= y->high * 1.001; i++) {
        double at = decant__axis_place(y, i * step);
        decant__format(text, sizeof text, "%.4g", i * step);
        decant__svg_label(svg, x->from - 8, at + 4, 12, DECANT__END, "#333", text);
        decant__text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", x->from, at,
                           x->to);
    }
}

static void draw_gradient(const figure_data *b, decant__text *svg) {
    enum { WIDTH = 720, HEIGHT = 460 };
    decant__axis x = {0, 1, 70, WIDTH - 24}, y = {0, 0, HEIGHT - 56, 24};
    for (size_t i = 0; i < b->study->count; i++)
        if ((double)b->frames->gradient[i] > y.high) y.high = (double)b->frames->gradient[i];
    if (y.high <= 0) y.high = 1;
    decant__svg_begin(svg, WIDTH, HEIGHT, "Norm of the gradient against soft assignment");
    put_ticks(svg, &x, &y);
    decant__svg_label(svg, (x.from + x.to) / 2, HEIGHT - 12, 13, DECANT__MIDDLE, "#333",
                      "largest soft assignment q of the row");
    decant__svg_label(svg, 12, 16, 13, DECANT__START, "#333", "|\xE2\x88\x82L/\xE2\x88\x82z|");
    decant__svg_dots(svg, &(decant__dots){.n = b->study->count,
                                          .x = b->frames->q,
                                          .y = b->frames->gradient,
                                          .stride = 1,
                                          .group = b->frames->cluster,
                                          .across = x,
                                          .up = y,
                                          .radius = 1.6,
                                          .opacity = 0.6});
}

/* ---- the matrix ---- */

static decant_status draw_confusion(const figure_data *b, decant__text *svg) {
    enum { LEFT = 110, TOP = 60, CELL = 52 };
    decant_status status = DECANT_OK;
    const decant__study *study = b->study;
    size_t k = study->k, classes = study->data->class_count, *counts = NULL;
    int32_t *match = NULL;
    char text[32];
    NEW_ARRAY(counts, k * classes);
    NEW_ARRAY(match, k);
    TRY(decant_confusion(study->cluster, study->data->labels, study->n, k, classes, counts, match));
    decant__svg_begin(svg, (double)(LEFT + CELL * classes + 20), (double)(TOP + CELL * k + 20),
                      "Clusters and classes");
    for (size_t j = 0; j < classes; j++)
        decant__svg_label(svg, LEFT + CELL * ((double)j + 0.5), TOP - 12, 13, DECANT__MIDDLE,
                          "#333", decant_dataset_class_name(study->data, j));
    for (size_t c = 0; c < k; c++) {
        double size = 0, y = TOP + CELL * (double)c;
        for (size_t j = 0; j < classes; j++) size += (double)counts[c * classes + j];
        snprintf(text, sizeof text, "cluster %zu", c);
        decant__svg_label(svg, LEFT - 12, y + CELL / 2 + 4, 13, DECANT__END, "#333", text);
        for (size_t j = 0; j < classes; j++) {
            double share = size > 0 ? (double)counts[c * classes + j] / size : 0;
            double x = LEFT + CELL * (double)j;
            decant__text_print(svg,
                               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"4\" "
                               "fill=\"#4477aa\" fill-opacity=\"%.3f\"%s/>\n",
                               x + 1, y + 1, CELL - 2, CELL - 2, 0.04 + 0.9 * share,
                               match[c] == (int32_t)j ? " stroke=\"#222\" stroke-width=\"2\"" : "");
            snprintf(text, sizeof text, "%zu", counts[c * classes + j]);
            decant__svg_label(svg, x + CELL / 2, y + CELL / 2 + 4, 12, DECANT__MIDDLE,
                              share > 0.55 ? "#fff" : "#333", text);
        }
    }
done:
    decant__free(counts);
    decant__free(match);
    return status;
}

/* ---- Figure 3 ---- */

/* One line of pictures for each cluster: its most typical items. */
static decant_status paint_typical(const figure_data *b, decant__image *image) {
    decant_status status = DECANT_OK;
    const decant__exhibit *x = b->exhibit;
    const decant__gallery *g = &x->gallery;
    size_t size = g->width * g->channels, line = x->each * size;
    TRY(decant__image_allocate(image, x->each * g->width, b->study->k * g->height, g->channels));
    memset(image->pixels, 255, line * image->height);
    for (size_t c = 0; c < b->study->k; c++) {
        const json_t *cluster = json_array_get(json_object_get(b->study->clusters, "clusters"), c);
        const json_t *list = json_object_get(cluster, "typical");
        for (size_t i = 0; i < x->each && i < json_array_size(list); i++) {
            json_int_t row = json_integer_value(json_object_get(json_array_get(list, i), "row"));
            size_t item = row >= 0 ? decant__exhibit_find(x, (size_t)row) : 0;
            const uint8_t *tile = decant__gallery_tile(g, item);
            for (size_t y = 0; tile != NULL && y < g->height; y++)
                memcpy(image->pixels + (c * g->height + y) * line + i * size, tile + y * size,
                       size);
        }
    }
done:
    return status;
}

static decant_status draw_typical(const figure_data *b, decant__text *svg) {
    enum { LEFT = 90, SCALED = 48, EDGE = 12 };
    decant_status status = DECANT_OK;
    decant__image image = {0};
    uint8_t *bytes = NULL;
    const char *type;
    size_t count;
    char text[32];
    const decant__gallery *g = &b->exhibit->gallery;
    double scale = (double)SCALED / (double)g->height;
    TRY(paint_typical(b, &image));
    TRY(decant__image_encode(&image, &type, &bytes, &count));
    double width = scale * (double)image.width, height = scale * (double)image.height;
    decant__svg_begin(svg, LEFT + width + EDGE, height + 2 * EDGE,
                      "The most typical items of each cluster");
    for (size_t c = 0; c < b->study->k; c++) {
        snprintf(text, sizeof text, "cluster %zu", c);
        decant__svg_label(svg, LEFT - 10, EDGE + SCALED * ((double)c + 0.5) + 4, 13, DECANT__END,
                          "#333", text);
    }
    decant__text_print(svg,
                       "<image x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" href=\"data:%s;"
                       "base64,",
                       LEFT, EDGE, width, height, type);
    decant__base64_put(svg, bytes, count);
    decant__text_print(svg, "\"/>\n");
done:
    decant__image_free(&image);
    decant__free(bytes);
    return status;
}

/* ---- all figures ---- */

static decant_status pass_figure(const decant_report_options *options, const char *name,
                                 char *svg) {
    decant_status status = options->figure(name, svg, options->user);
    decant__free(svg);
    return status;
}

static decant_status finish_figure(const decant_report_options *options, const char *name,
                                   decant__text *svg) {
    char *text = NULL;
    decant__svg_end(svg);
    decant_status status = decant__text_take(svg, &text);
    return status == DECANT_OK ? pass_figure(options, name, text) : status;
}

static decant_status draw_maps(const figure_data *b, const decant_report_options *options) {
    decant_status status = DECANT_OK;
    decant__text svg = {0};
    draw_map_clusters(b, &svg);
    TRY(finish_figure(options, "map-clusters", &svg));
    if (b->class != NULL) {
        draw_map_classes(b, &svg);
        TRY(finish_figure(options, "map-classes", &svg));
    }
    if (b->frames->count > 1) {
        draw_forming(b, &svg);
        TRY(finish_figure(options, "forming", &svg));
    }
    if (b->frames->q != NULL) {
        draw_gradient(b, &svg);
        TRY(finish_figure(options, "gradient", &svg));
    }
done:
    decant__text_free(&svg);
    return status;
}

static decant_status draw_others(const figure_data *b, const decant_report_options *options) {
    decant_status status = DECANT_OK;
    decant__text svg = {0};
    char *chart = NULL;
    if (b->frames->count > 1) {
        TRY(draw_history(b, &chart));
        TRY(pass_figure(options, "refinement", chart));
    }
    if (b->frames->count > 1 && b->class != NULL) {
        TRY(draw_accuracy(b, &chart));
        TRY(pass_figure(options, "accuracy", chart));
    }
    if (b->class != NULL && b->study->k <= MAX_CLASSES &&
        b->study->data->class_count <= MAX_CLASSES) {
        TRY(draw_confusion(b, &svg));
        TRY(finish_figure(options, "confusion", &svg));
    }
    if (b->exhibit->gallery.count > 0 && b->study->k <= MAX_BEST) {
        TRY(draw_typical(b, &svg));
        TRY(finish_figure(options, "best", &svg));
    }
done:
    decant__text_free(&svg);
    return status;
}

decant_status decant__figures_draw(const decant__study *study, const decant__frames *frames,
                                   const decant__exhibit *exhibit,
                                   const decant_report_options *options) {
    decant_status status = DECANT_OK;
    figure_data b = {study, frames, exhibit, NULL};
    int32_t *class = NULL;
    if (decant__study_class(study, 0) >= 0) {
        NEW_ARRAY(class, study->count);
        for (size_t i = 0; i < study->count; i++)
            class[i] = decant__study_class(study, study->row[i]);
        b.class = class;
    }
    if (frames->count > 0) TRY(draw_maps(&b, options));
    TRY(draw_others(&b, options));
done:
    decant__free(class);
    return status;
}
