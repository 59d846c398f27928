#include "report/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/number.h"

enum { WIDTH = 620, HEIGHT = 432, LEFT = 70, RIGHT = 24, TOP = 74, BOTTOM = 52 };
enum { LEGEND_MIN = 60, LEGEND_MAX = 260, LETTER = 7, LINE = 20 };
enum { X_STEPS = 10, Y_STEPS = 6 };

/* An axis, and the distance of its ticks in values. */
typedef struct scale {
    decant__axis axis;
    double step;
} scale;

typedef struct plot {
    const decant__chart *chart;
    scale x, y[2]; /* left, right */
    double width;  /* with the legend */
} plot;

double decant__chart_step(double range, int max) {
    double power = pow(10, floor(log10(range / max)));
    static const double factors[] = {1, 2, 5};
    for (size_t i = 0; i < 3; i++)
        if (range <= max * factors[i] * power * (1 + 1e-9)) return factors[i] * power;
    return 10 * power;
}

/* x, or its logarithm on a log axis; NaN: cannot be shown. */
static double axis_value(const decant__chart *chart, double x) {
    double value = chart->log_x ? log10(x) : x;
    return isfinite(value) ? value : (double)NAN;
}

static double place_x(const plot *p, double x) {
    return decant__axis_place(&p->x.axis, axis_value(p->chart, x));
}

static double place_y(const plot *p, const decant__series *series, double y) {
    return decant__axis_place(&p->y[series->right].axis, y);
}

static int is_shown(const plot *p, const decant__series *series, size_t i) {
    return isfinite(axis_value(p->chart, series->x[i])) && isfinite(series->y[i]);
}

static int has_band(const plot *p, const decant__series *series, size_t i) {
    return is_shown(p, series, i) && series->low != NULL && isfinite(series->low[i]) &&
           isfinite(series->high[i]);
}

static void widen(decant__axis *axis, double value) {
    if (!isfinite(value)) return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

/* Gives an empty range, or one without values, some width. */
static void widen_empty(decant__axis *axis) {
    if (!(axis->low <= axis->high)) *axis = (decant__axis){0, 1, axis->from, axis->to};
    double size = fmax(fabs(axis->low), fabs(axis->high));
    if (axis->high - axis->low > 1e-9 * size) return;
    double room = size > 0 ? size / 10 : 0.5;
    axis->low -= room;
    axis->high += room;
}

static void scale_x(plot *p) {
    const decant__chart *chart = p->chart;
    decant__axis axis = {INFINITY, -INFINITY, LEFT, WIDTH - (chart->right_name ? LEFT : RIGHT)};
    int whole = 1;
    for (size_t s = 0; s < chart->series_count; s++)
        for (size_t i = 0; i < chart->series[s].count; i++) {
            double x = axis_value(chart, chart->series[s].x[i]);
            widen(&axis, x);
            whole &= isnan(x) || x == floor(x);
        }
    widen_empty(&axis);
    p->x.step = decant__chart_step(axis.high - axis.low, X_STEPS);
    if ((whole || chart->log_x) && p->x.step < 1) p->x.step = 1;
    double room = 0.03 * (axis.high - axis.low);
    axis.low -= room;
    axis.high += room;
    p->x.axis = axis;
}

/* The axis begins and ends at a tick. */
static void scale_y(plot *p, int right) {
    decant__axis axis = {INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP};
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const decant__series *series = &p->chart->series[s];
        for (size_t i = 0; series->right == right && i < series->count; i++) {
            if (!is_shown(p, series, i)) continue;
            widen(&axis, series->y[i]);
            if (!has_band(p, series, i)) continue;
            widen(&axis, series->low[i]);
            widen(&axis, series->high[i]);
        }
    }
    widen_empty(&axis);
    double step = decant__chart_step(axis.high - axis.low, Y_STEPS);
    axis.low = floor(axis.low / step + 1e-9) * step;
    axis.high = ceil(axis.high / step - 1e-9) * step;
    p->y[right] = (scale){axis, step};
}

static void set_scales(plot *p) {
    size_t longest = 0;
    p->width = WIDTH;
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const char *name = p->chart->series[s].name;
        if (name != NULL && decant__utf8_letters(name) > longest)
            longest = decant__utf8_letters(name);
    }
    if (longest > 0) p->width += fmin(LEGEND_MAX, LEGEND_MIN + LETTER * (double)longest);
    scale_x(p);
    scale_y(p, 0);
    scale_y(p, 1);
}

/* The value of tick number `at`, counted from the lowest; returns 0 if there is none. */
static int tick(const scale *s, int at, double *value) {
    *value = (ceil(s->axis.low / s->step - 1e-9) + at) * s->step;
    if (fabs(*value) < s->step / 1000) *value = 0;
    return *value <= s->axis.high + s->step * 1e-6;
}

static void tick_text(char text[32], double value, int log) {
    if (log && fabs(value) > 4)
        decant__format(text, 32, "1e%g", value);
    else
        decant__format(text, 32, "%.6g", log ? pow(10, value) : value);
}

static void put_x_axis(decant__text *svg, const plot *p) {
    char text[32];
    double value, bottom = HEIGHT - BOTTOM;
    for (int i = 0; tick(&p->x, i, &value); i++) {
        double at = decant__axis_place(&p->x.axis, value);
        decant__text_print(svg, "<path d=\"M%.1f %.1fv5\" stroke=\"#666\"/>\n", at, bottom);
        tick_text(text, value, p->chart->log_x);
        decant__svg_label(svg, at, bottom + 19, 12, DECANT__MIDDLE, "#333", text);
    }
    decant__text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#666\"/>\n", p->x.axis.from,
                       bottom, p->x.axis.to);
    decant__svg_label(svg, (p->x.axis.from + p->x.axis.to) / 2, HEIGHT - 12, 13, DECANT__MIDDLE,
                      "#333", p->chart->x_name);
}

/* Ticks of the left axis are lines across the plot, those of the right axis are short. */
static void put_y_axis(decant__text *svg, const plot *p, int right, const char *name) {
    char text[32];
    double value, from = p->x.axis.from, to = p->x.axis.to;
    for (int i = 0; tick(&p->y[right], i, &value); i++) {
        double at = decant__axis_place(&p->y[right].axis, value);
        decant__text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", right ? to : from,
                           at, right ? to + 5 : to, right ? "#666" : "#e4e4e4");
        tick_text(text, value, 0);
        decant__svg_label(svg, right ? to + 9 : from - 7, at + 4, 12,
                          right ? DECANT__START : DECANT__END, "#333", text);
    }
    double edge = right ? to : from;
    decant__text_print(svg, "<path d=\"M%.1f %dV%d\" stroke=\"#666\"/>\n", edge, TOP,
                       HEIGHT - BOTTOM);
    decant__svg_label(svg, right ? WIDTH - 8 : 8, TOP - 26, 13, right ? DECANT__END : DECANT__START,
                      "#333", name);
}

static void put_mark(decant__text *svg, const plot *p) {
    if (p->chart->mark_name == NULL || isnan(axis_value(p->chart, p->chart->mark))) return;
    double at = place_x(p, p->chart->mark);
    decant__text_print(svg, "<path d=\"M%.1f %dV%d\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>\n",
                       at, TOP, HEIGHT - BOTTOM);
    decant__svg_label(svg, at, TOP - 7, 12, DECANT__MIDDLE, "#333", p->chart->mark_name);
}

/* A shape of its own for each series, about as large as a circle of radius 4. */
static void put_shape(decant__text *svg, size_t shape, double x, double y) {
    static const char *const outlines[] = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
                                           "m-3.5-3.5h7v7h-7z",
                                           "m0-5l5 5l-5 5l-5-5z",
                                           "m0-4.5l4.5 8h-9z",
                                           "m0 4.5l4.5-8h-9z",
                                           "m-5-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z"};
    decant__text_print(svg, "<path d=\"M%.1f %.1f%s\"/>\n", x, y,
                       outlines[shape % (sizeof outlines / sizeof *outlines)]);
}

/* One polygon for each run of points with a band: along `high`, and back along `low`. */
static void put_band(decant__text *svg, const plot *p, const decant__series *series) {
    for (size_t i = 0, end; i < series->count; i = end + 1) {
        for (end = i; end < series->count && has_band(p, series, end); end++) continue;
        if (end == i) continue;
        decant__text_print(svg, "<path fill-opacity=\"0.15\" stroke-opacity=\"0.3\" d=\"");
        for (size_t j = i; j < end; j++)
            decant__text_print(svg, "%s%.1f %.1f", j == i ? "M" : "L", place_x(p, series->x[j]),
                               place_y(p, series, series->high[j]));
        for (size_t j = end; j-- > i;)
            decant__text_print(svg, "L%.1f %.1f", place_x(p, series->x[j]),
                               place_y(p, series, series->low[j]));
        decant__text_print(svg, "z\"/>\n");
    }
}

static void put_line(decant__text *svg, const plot *p, const decant__series *series) {
    int open = 0;
    decant__text_print(svg, "<path fill=\"none\" stroke-width=\"2\"%s d=\"M0 0",
                       series->right ? " stroke-dasharray=\"7 3\"" : "");
    for (size_t i = 0; i < series->count; i++) {
        int there = is_shown(p, series, i);
        if (there)
            decant__text_print(svg, "%s%.1f %.1f", open ? "L" : "M", place_x(p, series->x[i]),
                               place_y(p, series, series->y[i]));
        open = there;
    }
    decant__text_print(svg, "\"/>\n");
}

static void put_series(decant__text *svg, const plot *p, size_t s) {
    const decant__series *series = &p->chart->series[s];
    const char *colour = decant__svg_colour(s);
    decant__text_print(svg, "<g fill=\"%s\" stroke=\"%s\" stroke-linejoin=\"round\">\n", colour,
                       colour);
    put_band(svg, p, series);
    put_line(svg, p, series);
    for (size_t i = 0; i < series->count; i++)
        if (is_shown(p, series, i))
            put_shape(svg, s, place_x(p, series->x[i]), place_y(p, series, series->y[i]));
    decant__text_print(svg, "</g>\n");
}

static void put_legend(decant__text *svg, const plot *p) {
    double y = TOP + 8;
    for (size_t s = 0; s < p->chart->series_count; s++) {
        const decant__series *series = &p->chart->series[s];
        if (series->name == NULL) continue;
        decant__text_print(svg,
                           "<g fill=\"%s\" stroke=\"%s\"><path stroke-width=\"2\"%s d=\"M%d "
                           "%.1fh28\"/>\n",
                           decant__svg_colour(s), decant__svg_colour(s),
                           series->right ? " stroke-dasharray=\"7 3\"" : "", WIDTH + 4, y);
        put_shape(svg, s, WIDTH + 18, y);
        decant__text_print(svg, "</g>\n");
        decant__svg_label(svg, WIDTH + 40, y + 4, 13, DECANT__START, "#333", series->name);
        y += LINE;
    }
}

decant_status decant__chart_svg(const decant__chart *chart, char **text) {
    decant__text svg = {0};
    plot p = {.chart = chart};
    set_scales(&p);
    decant__svg_begin(&svg, p.width, HEIGHT, chart->title);
    decant__svg_label(&svg, 8, 24, 15, DECANT__START, "#111", chart->title);
    put_y_axis(&svg, &p, 0, chart->y_name);
    if (chart->right_name != NULL) put_y_axis(&svg, &p, 1, chart->right_name);
    put_x_axis(&svg, &p);
    put_mark(&svg, &p);
    for (size_t s = 0; s < chart->series_count; s++) put_series(&svg, &p, s);
    put_legend(&svg, &p);
    decant__svg_end(&svg);
    decant_status status = decant__text_take(&svg, text);
    decant__text_free(&svg);
    return status;
}
