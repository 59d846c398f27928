/* From rows to a map: neighbours, affinities, initial positions, gradient descent. */
#ifndef DECANT_REPORT_MAP_H
#define DECANT_REPORT_MAP_H

#include "base/watch.h"
#include "linalg/source.h"
#include "decant/report.h"

/* The map of a source; as decant_map_rows. */
decant_status decant__map_source(const decant__source *x, const decant_map_options *options,
                                 const decant_monitor *monitor, float *map, double *kl);

/* Starts from `map`, which was made of other features of the same rows, and does a few steps of
 * descent. */
decant_status decant__map_follow(const decant__source *x, const decant_map_options *options,
                                 size_t steps, const decant_monitor *monitor, float *map);

#endif
