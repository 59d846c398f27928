/* "data" in the manifest: where the rows were read from. */
#ifndef DECANT_RUN_ORIGIN_JSON_H
#define DECANT_RUN_ORIGIN_JSON_H

#include "data/dataset.h"
#include "run/json.h"

/* null for a dataset that was made in memory. */
json_t *decant__origin_put(decant__json *json, const decant__origin *origin);

/* The origin has no paths if the manifest has none. */
decant_status decant__origin_get(const json_t *data, decant__origin *origin);

#endif
