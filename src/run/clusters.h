/* clusters.json: typical and doubtful rows, and the stems, of each cluster. */
#ifndef DECANT_RUN_CLUSTERS_H
#define DECANT_RUN_CLUSTERS_H

#include "run/manifest.h"

/* What is in the file; free with json_decref. Of rows that several ranks have, all of them make it
 * together. */
decant_status decant__clusters_make(const decant__record *record, json_t **out);

decant_status decant__clusters_write(const char *path, const decant__record *record);

/* The readable form of such a file, for runs whose items have names or stems; else nothing. */
decant_status decant__clusters_summary(const char *path, decant__text *text);

#endif
