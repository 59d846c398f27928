#ifndef DECANT_REPORT_MAP_SVG_H
#define DECANT_REPORT_MAP_SVG_H

#include "report/svg.h"

/* The points of a map (n x 2) in a square; group: colour of each point, NULL: all the same. */
void decant__map_dots(decant__text *svg, const float *map, const int32_t *group, size_t n,
                      double left, double top, double side);

/* Begins a drawing of one map. The caller then adds the name of each group and calls
 * decant__svg_end. */
void decant__map_begin(decant__text *svg, const char *title, const float *map, const int32_t *group,
                       size_t n);
void decant__map_name(decant__text *svg, size_t group, const char *name);

#endif
