/* A map as a drawing: dots in the colour of their class, and the classes' names beside it. */
#include "report/map_svg.h"

#include <math.h>

#include "data/dataset.h"
#include "decant/report.h"

enum { SIDE = 900, EDGE = 24, LEGEND = 140, MAX_NAMES = 40 };

static decant__axis axis_of(const float *map, size_t n, size_t part, double from, double to) {
    decant__axis axis = {.low = INFINITY, .high = -INFINITY, .from = from, .to = to};
    for (size_t i = 0; i < n; i++) {
        double x = (double)map[2 * i + part];
        if (x < axis.low) axis.low = x;
        if (x > axis.high) axis.high = x;
    }
    return axis;
}

/* Widens the shorter axis, so that both have the same scale. */
static void equalise_scales(decant__axis *x, decant__axis *y) {
    double wide = x->high - x->low, tall = y->high - y->low;
    double widen = wide < tall ? (tall - wide) / 2 : 0,
           heighten = tall < wide ? (wide - tall) / 2 : 0;
    x->low -= widen;
    x->high += widen;
    y->low -= heighten;
    y->high += heighten;
}

void decant__map_dots(decant__text *svg, const float *map, const int32_t *group, size_t n,
                      double left, double top, double side) {
    decant__dots dots = {.n = n,
                         .x = map,
                         .y = map + 1,
                         .stride = 2,
                         .group = group,
                         .across = axis_of(map, n, 0, left, left + side),
                         .up = axis_of(map, n, 1, top + side, top),
                         .radius = fmax(0.7, fmin(4, 0.35 * side / sqrt((double)n + 1))),
                         .opacity = 0.75};
    equalise_scales(&dots.across, &dots.up);
    decant__svg_dots(svg, &dots);
}

void decant__map_begin(decant__text *svg, const char *title, const float *map, const int32_t *group,
                       size_t n) {
    decant__svg_begin(svg, group != NULL ? SIDE + LEGEND : SIDE, SIDE, title);
    decant__map_dots(svg, map, group, n, EDGE, EDGE, SIDE - 2 * EDGE);
}

void decant__map_name(decant__text *svg, size_t group, const char *name) {
    double y = EDGE + 12 + 20 * (double)group;
    if (group >= MAX_NAMES) return;
    decant__text_print(svg, "<circle cx=\"%d\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n", SIDE + 8,
                       y - 4, decant__svg_colour(group));
    decant__svg_label(svg, SIDE + 20, y, 13, DECANT__START, "#333", name);
}

decant_status decant_map_svg(const decant_dataset *data, const float *map, char **text) {
    REQUIRE(data);
    REQUIRE(map);
    REQUIRE(text);
    decant__text svg = {0};
    int named = data->labels != NULL && data->class_count > 0;
    decant__map_begin(&svg, "t-SNE map", map, named ? data->labels : NULL, data->n);
    for (size_t c = 0; named && c < data->class_count; c++)
        decant__map_name(&svg, c, decant_dataset_class_name(data, c));
    decant__svg_end(&svg);
    decant_status status = decant__text_take(&svg, text);
    decant__text_free(&svg);
    return status;
}
