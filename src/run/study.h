/* A finished run, loaded: the files of the run folder, the data, and the sample of
 * rows that is drawn. Reports take all their content from here. */
#ifndef DECANT_RUN_STUDY_H
#define DECANT_RUN_STUDY_H

#include <jansson.h>

#include "data/dataset.h"
#include "store/model.h"

typedef struct decant__study {
    const char *folder;
    /* from the run folder */
    json_t *manifest, *clusters;
    decant_model *model;
    size_t n, k;
    decant_dataset *table;     /* labels.csv: confidences, ids */
    int32_t *cluster;          /* n */
    decant_dataset *embedding; /* NULL: the method has no network */
    decant_history_row *history;
    size_t history_count;
    decant_trace trace;
    /* the data, if it is still available */
    const decant_dataset *data; /* NULL: not available */
    decant_dataset *read_again; /* the data, if it was read here; else NULL */
    char *missing;              /* why there is no data; NULL: there is */
    float *buffer;              /* scratch for one row; NULL: the layout needs none */
    /* the sample that is drawn */
    size_t count;
    uint32_t *row; /* ascending */
} decant__study;

/* data NULL: it is read again from the paths in the manifest; if that fails, `missing` says why. */
decant_status decant__study_open(decant__study *study, const char *folder,
                                 const decant_dataset *data);
void decant__study_close(decant__study *study);

/* Class of a row, -1 where there are no labels. */
int32_t decant__study_class(const decant__study *study, size_t row);

#endif
