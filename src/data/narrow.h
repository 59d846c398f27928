/* Fewer columns of sparse rows. */
#ifndef DECANT_DATA_NARROW_H
#define DECANT_DATA_NARROW_H

#include "data/dataset.h"

/* Keeps the `most` columns that most rows have (the first ones among equals), in their order, and
 * gives each row the length 1 again. For sparse rows that the dataset owns. */
decant_status decant__dataset_narrow(decant_dataset *data, size_t most);

#endif
