/* Keeps the most frequent columns of sparse rows. */
#ifndef DECANT_EXPERIMENTS_SELECT_COLUMNS_H
#define DECANT_EXPERIMENTS_SELECT_COLUMNS_H

#include "data/dataset.h"

/* Keeps the `max` columns with the most non-zeros (ties: the first), in their order, and scales
 * each row to length 1 again. Only for sparse rows that the dataset owns. */
decant_status decant__dataset_keep_columns(decant_dataset *data, size_t max);

#endif
