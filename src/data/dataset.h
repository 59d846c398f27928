/* The one dataset type: dense (owned, borrowed or mapped) or CSR, with labels and ids. */
#ifndef DECANT_DATA_DATASET_H
#define DECANT_DATA_DATASET_H

#include "data/notes.h"
#include "data/origin.h"
#include "features/recipe.h"
#include "linalg/source.h"

struct decant_dataset {
    size_t n, d;
    size_t extra; /* rows behind the n that only pretraining sees */
    /* The matrix. Borrowed views; what this dataset owns is in owned[] or mapped. */
    const float *dense;
    const size_t *start;
    const uint32_t *column;
    const float *value;
    void *owned[3];
    void *mapped;
    size_t mapped_bytes;
    const char *format; /* of the file, for people; NULL: made in memory */
    /* What came with it; NULL where there is none. */
    int32_t *labels;
    char **class_names;
    size_t class_count;
    char **ids;
    char **column_names;       /* CSV with a header: d */
    decant_features *features; /* raw files: what the rows were made by */
    decant__notes notes;
    decant__origin origin; /* no paths: made in memory */
    double seconds;        /* that reading took */
};

/* For passes over all values (of dense rows, or all non-zeros): how many of them to do next, from
 * number `at` on. Of a mapped file it is one window, and the one before is given back, so that a
 * pass does not bring the whole file into memory. */
size_t decant__dataset_window(const decant_dataset *data, size_t at);

/* Checks that all values are finite; the sentence names the first bad row and column. */
decant_status decant__dataset_check_finite(const decant_dataset *data);

/* XXH3-128 of shape and values: what a model or checkpoint was trained on. */
void decant__dataset_digest(const decant_dataset *data, uint64_t digest[2]);

#endif
