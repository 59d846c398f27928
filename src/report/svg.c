#include "report/svg.h"

#include <string.h>

#include "run/json.h"

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccaa22",
                                      "#33aacc", "#aa3377", "#ee7733", "#777788",
                                      "#009988", "#995522", "#8866dd", "#99aa33"};

enum { COLOURS = sizeof colours / sizeof *colours, LAYER = 250 };

const char *decant__svg_colour(size_t c) { return colours[c % COLOURS]; }

void decant__svg_escape(decant__text *svg, const char *text) {
    json_t *clean = decant__json_text(text); /* XML must be valid UTF-8 */
    if (clean == NULL) svg->failed = 1;
    for (const char *at = json_string_value(clean); at != NULL && *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (strchr("&<>\"'", c) != NULL)
            decant__text_print(svg, "&#%d;", c);
        else
            decant__text_put(svg, c < 0x20 ? " " : at, 1);
    }
    json_decref(clean);
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

static size_t colour_of(const decant__dots *dots, size_t i) {
    return dots->group != NULL ? (size_t)dots->group[i] % COLOURS : 0;
}

/* The dots begin .. end-1 of one colour, as lines of length 0 with round ends. */
static void put_layer(decant__text *svg, const decant__dots *dots, size_t begin, size_t end,
                      size_t colour) {
    int any = 0;
    for (size_t i = begin; i < end; i++) {
        if (colour_of(dots, i) != colour) continue;
        if (!any) decant__text_print(svg, "<path stroke=\"%s\" d=\"", colours[colour]);
        decant__text_print(svg, "M%.1f %.1fh0",
                           decant__axis_place(&dots->across, (double)dots->x[i * dots->stride]),
                           decant__axis_place(&dots->up, (double)dots->y[i * dots->stride]));
        any = 1;
    }
    if (any) decant__text_print(svg, "\"/>\n");
}

/* One path for many dots: an element for each would take four times the bytes. The colour changes
 * every few dots, so that no colour covers all others. */
void decant__svg_dots(decant__text *svg, const decant__dots *dots) {
    decant__text_print(svg,
                       "<g class=\"dots\" fill=\"none\" stroke-linecap=\"round\" "
                       "stroke-width=\"%.1f\" stroke-opacity=\"%g\">\n",
                       2 * dots->radius, dots->opacity);
    for (size_t begin = 0; begin < dots->n; begin += LAYER) {
        size_t end = dots->n - begin < LAYER ? dots->n : begin + LAYER;
        for (size_t colour = 0; colour < COLOURS; colour++)
            put_layer(svg, dots, begin, end, colour);
    }
    decant__text_print(svg, "</g>\n");
}
