/* Reading for a fit by several ranks (base/comm.h): each keeps its own rows, and the labels and ids
 * of all. */
#ifndef DECANT_READ_READ_OWN_H
#define DECANT_READ_READ_OWN_H

#include "data/dataset.h"

/* As decant_dataset_read, called by all ranks. A float32 .npy in C order stays in its file: nobody
 * reads the rows of others. Of svmlight files and tables each rank scans a part of the bytes for
 * where rows begin (split.h), then parses its own. Other files are read past the rows of others,
 * twice where they do not say how many rows they have. */
decant_status decant__dataset_read_own(const char *const *paths, size_t path_count,
                                       const decant_read_options *options,
                                       const decant_monitor *monitor, decant_dataset **out);

#endif
