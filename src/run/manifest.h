/* manifest.json: the record of a finished run. */
#ifndef DECANT_RUN_MANIFEST_H
#define DECANT_RUN_MANIFEST_H

#include <time.h>

#include "run/json.h"

enum { DECANT__MANIFEST_VERSION = 1 };

/* The content of a manifest; borrows everything. */
typedef struct decant__record {
    const decant_dataset *data;
    const decant_options *options;
    const decant_result *result;
    const char *command; /* NULL: not known */
    time_t started, finished;
    double seconds;        /* of this process, from start to end */
    const json_t *earlier; /* the manifest of the run that this one is a regrouping of; or NULL */
    json_t *clusters;      /* clusters.json, where several ranks had to make it; or NULL */
} decant__record;

decant_status decant__manifest_write(const char *path, const decant__record *record);

/* Reads a manifest; free with json_decref. */
decant_status decant__manifest_read(const char *path, json_t **out);

/* The readable form: scores, sizes, times. folder may be NULL. */
void decant__manifest_summary(const json_t *manifest, const char *folder, decant__text *text);

#endif
