/* A finished run as a person looks at it: what is in its folder, a sample of its rows, and the
 * rows' items. Everything that page and figures show comes from here. */
#ifndef DECANT_REPORT_STUDY_H
#define DECANT_REPORT_STUDY_H

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
    /* the data, where it is still to be had */
    const decant_dataset *data; /* NULL: it is not */
    decant_dataset *read_again; /* it, if this study had to read it */
    char *missing;              /* why there is no data; NULL: there is */
    float *buffer;              /* for one row of the data, where its layout needs it */
    /* the sample that is drawn */
    size_t count;
    uint32_t *row; /* ascending */
} decant__study;

/* data NULL: it is read again from where the manifest says, and done without where that fails. */
decant_status decant__study_open(decant__study *study, const char *folder,
                                 const decant_dataset *data);
void decant__study_close(decant__study *study);

/* Class of a row, -1 where there are no labels. */
int32_t decant__study_class(const decant__study *study, size_t row);

#endif
