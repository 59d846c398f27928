/* Drawings as SVG text. Lengths are pixels; everything that users wrote is escaped. */
#ifndef DECANT_REPORT_SVG_H
#define DECANT_REPORT_SVG_H

#include "base/text.h"

/* Colours that readers with any kind of colour vision can tell apart, on white and on black (after
 * P. Tol's bright and vibrant schemes); number c of them, in a circle. */
const char *decant__svg_colour(size_t c);

/* The head with a title for those who hear the page, on a white ground; and the end. */
void decant__svg_begin(decant__text *svg, double width, double height, const char *title);
void decant__svg_end(decant__text *svg);

typedef enum decant__anchor { DECANT__START, DECANT__MIDDLE, DECANT__END } decant__anchor;

void decant__svg_label(decant__text *svg, double x, double y, double size, decant__anchor anchor,
                       const char *colour, const char *text);

/* Text with &, <, > and quotes made harmless, control characters as blanks. */
void decant__svg_escape(decant__text *svg, const char *text);

/* From values to pixels: low lands on `from`, high on `to`. */
typedef struct decant__axis {
    double low, high, from, to;
} decant__axis;

double decant__axis_place(const decant__axis *axis, double value);

#endif
