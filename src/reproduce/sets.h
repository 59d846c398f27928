/* The data sets of the experiments: where they are below the data folder, and what the paper says
 * of them. */
#ifndef DECANT_REPRODUCE_SETS_H
#define DECANT_REPRODUCE_SETS_H

#include "base/status.h"

typedef enum decant__set_id {
    DECANT__SET_MNIST,
    DECANT__SET_STL,
    DECANT__SET_REUTERS_10K,
    DECANT__SET_REUTERS,
    DECANT__PAPER_SETS,
    DECANT__SET_FASHION = DECANT__PAPER_SETS, /* not in the paper, nor are those below */
    DECANT__SET_RCV1,
    DECANT__SET_FRUITS,
    DECANT__SET_FRUITS_PIXELS,
    DECANT__SETS
} decant__set_id;

typedef struct decant__set {
    const char *key;      /* in the names of files */
    const char *name;     /* in tables */
    const char *path;     /* below the data folder */
    const char *need;     /* what is missing where it is absent */
    size_t n, d, k;       /* of the paper, or of the set itself */
    double largest;       /* share of the largest class */
    const char *settings; /* options of reading, as in a trial; NULL: the defaults */
    int folder_labels;    /* as in decant_read_options */
    size_t most_columns;  /* 0: all, else those that most rows have */
} decant__set;

/* Options from "name=value name=value"; NULL: none. */
decant_status decant__settings_apply(decant_options *options, const char *settings);

const decant__set *decant__set_at(decant__set_id id);

/* The path of the set below a folder, if it is there: freed by the caller. NULL: it is not. */
char *decant__set_find(decant__set_id id, const char *folder);

decant_status decant__set_read(decant__set_id id, const char *folder, decant_dataset **out);

/* The paper's imbalanced sample (its section 5.3): a row of class c stays with probability
 * r + (1 - r) c / (classes - 1). data is dense and labelled. *rows holds the numbers and is freed
 * after the dataset. */
decant_status decant__set_thin(const decant_dataset *data, double r, uint64_t seed, float **rows,
                               decant_dataset **out);

#endif
