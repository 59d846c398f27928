/* One-to-one matching with the largest total. */
#ifndef DECANT_METRICS_HUNGARIAN_H
#define DECANT_METRICS_HUNGARIAN_H

#include "base/status.h"

/* Matches the rows and columns of gain (rows x columns) one to one so that the matched gains sum to
 * the most. match: rows; the column of each row, or -1: min(rows, columns) rows are matched. */
decant_status decant__hungarian_match(const size_t *gain, size_t rows, size_t columns,
                                      int32_t *match);

#endif
