#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccaa22",
                                      "#33aacc", "#aa3377", "#ee7733", "#777788",
                                      "#009988", "#995522", "#8866dd", "#99aa33"};

const char *decant__svg_colour(size_t c) { return colours[c % (sizeof colours / sizeof *colours)]; }

void decant__svg_escape(decant__text *svg, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr("&<>\"'", c) != NULL)
            decant__text_print(svg, "&#%d;", c);
        else
            decant__text_put(svg, c < 0x20 ? " " : text, 1);
    }
}

void decant__svg_begin(decant__text *svg, double width, double height, const char *title) {
    decant__text_print(svg,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                       "viewBox=\"0 0 %g %g\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
                       "sans-serif\" role=\"img\">\n<title>",
                       width, height, width, height);
    decant__svg_escape(svg, title);
    decant__text_print(svg, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
}

void decant__svg_end(decant__text *svg) { decant__text_print(svg, "</svg>\n"); }

void decant__svg_label(decant__text *svg, double x, double y, double size, decant__anchor anchor,
                       const char *colour, const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    decant__text_print(svg,
                       "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" text-anchor=\"%s\" "
                       "fill=\"%s\">",
                       x, y, size, anchors[anchor], colour);
    decant__svg_escape(svg, text);
    decant__text_print(svg, "</text>\n");
}

double decant__axis_place(const decant__axis *axis, double value) {
    double share = axis->high > axis->low ? (value - axis->low) / (axis->high - axis->low) : 0.5;
    return axis->from + share * (axis->to - axis->from);
}

/* Steps are 1, 2 or 5 times a power of ten, about five of them. */
double decant__axis_round(decant__axis *axis) {
    if (!(axis->high > axis->low)) {
        axis->low -= 0.5;
        axis->high += 0.5;
    }
    double rough = (axis->high - axis->low) / 5, power = pow(10, floor(log10(rough)));
    double step = rough <= power ? power : rough <= 2 * power ? 2 * power : 5 * power;
    if (rough > 5 * power) step = 10 * power;
    axis->low = floor(axis->low / step + 1e-9) * step;
    axis->high = ceil(axis->high / step - 1e-9) * step;
    return step;
}

static void tick_text(char *text, size_t size, double value, double step) {
    if (fabs(value) < step / 1000) value = 0;
    snprintf(text, size, "%.6g", value);
}

static void put_x_ticks(decant__text *svg, const decant__axis *x, double step,
                        const decant__axis *y) {
    char text[32];
    for (double value = x->low; value <= x->high + step / 2; value += step) {
        double at = decant__axis_place(x, value);
        decant__text_print(svg, "<path d=\"M%.1f %.1fv4\" stroke=\"#666\"/>\n", at, y->from);
        tick_text(text, sizeof text, value, step);
        decant__svg_label(svg, at, y->from + 17, 12, DECANT__MIDDLE, "#333", text);
    }
}

static void put_y_ticks(decant__text *svg, const decant__axis *x, const decant__axis *y,
                        double step) {
    char text[32];
    for (double value = y->low; value <= y->high + step / 2; value += step) {
        double at = decant__axis_place(y, value);
        decant__text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e4e4e4\"/>\n", x->from, at,
                           x->to);
        tick_text(text, sizeof text, value, step);
        decant__svg_label(svg, x->from - 6, at + 4, 12, DECANT__END, "#333", text);
    }
}

void decant__svg_axes(decant__text *svg, const decant__axis *x, double x_step, const char *x_name,
                      const decant__axis *y, double y_step, const char *y_name) {
    put_y_ticks(svg, x, y, y_step);
    put_x_ticks(svg, x, x_step, y);
    decant__text_print(svg, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#666\"/>\n", x->from, y->from,
                       x->to);
    decant__svg_label(svg, (x->from + x->to) / 2, y->from + 36, 13, DECANT__MIDDLE, "#333", x_name);
    decant__svg_label(svg, x->from, y->to - 10, 13, DECANT__START, "#333", y_name);
}

void decant__svg_curve(decant__text *svg, const decant__axis *x, const decant__axis *y,
                       const double *at, const double *value, size_t count, const char *colour,
                       int dots) {
    int open = 0;
    decant__text_print(svg, "<path fill=\"none\" stroke-width=\"2\" stroke=\"%s\" d=\"", colour);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(value[i]))
            decant__text_print(svg, "%s%.1f %.1f", open ? "L" : "M", decant__axis_place(x, at[i]),
                               decant__axis_place(y, value[i]));
        open = isfinite(value[i]);
    }
    decant__text_print(svg, "\"/>\n");
    for (size_t i = 0; dots && i < count; i++)
        if (isfinite(value[i]))
            decant__text_print(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                               decant__axis_place(x, at[i]), decant__axis_place(y, value[i]),
                               colour);
}
