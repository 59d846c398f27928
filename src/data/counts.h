/* Counts of events in sparse rows: molecules of a gene in a cell, words in a document. */
#ifndef DECANT_DATA_COUNTS_H
#define DECANT_DATA_COUNTS_H

#include "data/dataset.h"

/* What the counts of a row are scaled to add up to. */
#define DECANT__COUNTS_SUM 10000.0

/* Whether sparse rows are counts: whole numbers above 0, of which 1 is the commonest, then 2, then
 * 3, and not all 1. Pixels and ratings are whole numbers, too, but not mostly 1. */
int decant__counts_recognise(const decant_dataset *data);

/* One row: y = ln(1 + 10000 x / sum). EINVAL if a number is negative; the sentence wants the row
 * put before it. x and y may be the same. */
decant_status decant__counts_row(const float *x, size_t count, float *y);

#endif
