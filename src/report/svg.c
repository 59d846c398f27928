#include "report/svg.h"

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
