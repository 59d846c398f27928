#ifndef DECANT_REPORT_MAP_SVG_H
#define DECANT_REPORT_MAP_SVG_H

#include "report/svg.h"

/* The dots of a map (n x 2) in a square; group: which colour each has, NULL: all the same. */
void decant__map_dots(decant__text *svg, const float *map, const int32_t *group, size_t n,
                      double left, double top, double side);

#endif
