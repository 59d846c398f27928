/* How the clusters of a table differ, in the table's own words and units. */
#ifndef DECANT_RUN_CLUSTER_COLUMNS_H
#define DECANT_RUN_CLUSTER_COLUMNS_H

#include "run/json.h"
#include "run/manifest.h"

/* Adds to each cluster "columns" (mean or share inside, and in all other rows) and "sentence"; does
 * nothing if the data was no table. */
decant_status decant__cluster_columns_put(decant__json *json, const decant__record *record,
                                          json_t *clusters);

#endif
