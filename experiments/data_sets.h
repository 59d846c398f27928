/* The data sets of the experiments: where they are below the data folder, and what the paper says
 * of them. */
#ifndef DECANT_EXPERIMENTS_DATA_SETS_H
#define DECANT_EXPERIMENTS_DATA_SETS_H

#include "base/status.h"

typedef enum decant__data_set_id {
    DECANT__DATA_MNIST,
    DECANT__DATA_STL,
    DECANT__DATA_REUTERS_10K,
    DECANT__DATA_REUTERS,
    DECANT__PAPER_DATA_SETS,
    DECANT__DATA_FASHION = DECANT__PAPER_DATA_SETS, /* not in the paper, nor are those below */
    DECANT__DATA_RCV1,
    DECANT__DATA_FRUITS,
    DECANT__DATA_FRUITS_PIXELS,
    DECANT__DATA_SETS
} decant__data_set_id;

typedef struct decant__data_set {
    const char *key;      /* in the names of files */
    const char *name;     /* in tables */
    const char *path;     /* below the data folder */
    const char *need;     /* the files to put there if it is missing */
    size_t n, d, k;       /* of the paper, or of the set itself */
    double largest;       /* share of the largest class */
    const char *settings; /* options of reading, as in decant__fit_spec; NULL: the defaults */
    int folder_labels;    /* as in decant_read_options */
    size_t max_columns;   /* 0: all, else the ones with the most non-zeros */
} decant__data_set;

/* Options from "name=value name=value"; NULL: none. */
decant_status decant__settings_apply(decant_options *options, const char *settings);

const decant__data_set *decant__data_set_at(decant__data_set_id id);

/* The path of the set below a folder, if it is there: freed by the caller. NULL: it is not. */
char *decant__data_set_find(decant__data_set_id id, const char *folder);

decant_status decant__data_set_read(decant__data_set_id id, const char *folder,
                                    decant_dataset **out);

/* The paper's imbalanced sample (its section 5.3): a row of class c is kept with probability
 * r + (1 - r) c / (classes - 1). data is dense and labelled. *rows holds the numbers and is freed
 * after the dataset. */
decant_status decant__data_set_imbalance(const decant_dataset *data, double r, uint64_t seed,
                                         float **rows, decant_dataset **out);

#endif
