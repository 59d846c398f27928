/* Drawings as SVG text. Lengths are pixels; everything that users wrote is escaped. */
#ifndef DECANT_REPORT_SVG_H
#define DECANT_REPORT_SVG_H

#include "base/text.h"

/* Colours that readers with any kind of colour vision can tell apart, on white and on black (after
 * P. Tol's bright and vibrant schemes); c is taken modulo their number. */
const char *decant__svg_colour(size_t c);

/* The head, with a title for screen readers and a white background; and the end. */
void decant__svg_begin(decant__text *svg, double width, double height, const char *title);
void decant__svg_end(decant__text *svg);

typedef enum decant__anchor { DECANT__START, DECANT__MIDDLE, DECANT__END } decant__anchor;

void decant__svg_label(decant__text *svg, double x, double y, double size, decant__anchor anchor,
                       const char *colour, const char *text);

/* Appends text with &, <, > and quotes escaped, blanks for control characters, and '?' for bytes
 * that are not UTF-8. */
void decant__svg_escape(decant__text *svg, const char *text);

/* From values to pixels: low is mapped to `from`, high to `to`. */
typedef struct decant__axis {
    double low, high, from, to;
} decant__axis;

double decant__axis_place(const decant__axis *axis, double value);

typedef struct decant__dots {
    size_t n;
    const float *x, *y;
    size_t stride;        /* from one x or y to the next: 2 where they come in pairs */
    const int32_t *group; /* n: number of the colour; NULL: all the same */
    decant__axis across, up;
    double radius, opacity;
} decant__dots;

void decant__svg_dots(decant__text *svg, const decant__dots *dots);

#endif
