/* history.csv: losses and changed labels during training. */
#ifndef DECANT_RUN_HISTORY_H
#define DECANT_RUN_HISTORY_H

#include "run/manifest.h"

decant_status decant__history_write(const char *path, const decant__record *record);

/* Reads the rows; the caller frees them. */
decant_status decant__history_read(const char *path, decant_history_row **rows, size_t *count);

#endif
