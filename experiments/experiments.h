/* The experiments, one function each. While the experiment store plans, fits are only listed with
 * their estimated seconds, and the table is discarded. */
#ifndef DECANT_EXPERIMENTS_EXPERIMENTS_H
#define DECANT_EXPERIMENTS_EXPERIMENTS_H

#include "experiments/result_table.h"

typedef decant_status decant__experiment_fn(decant__experiment_store *store,
                                            decant__result_table *table);

decant__experiment_fn decant__reproduce_table1, decant__reproduce_table2, decant__reproduce_table3,
    decant__reproduce_table4, decant__reproduce_figure2, decant__reproduce_figure3,
    decant__reproduce_figure4, decant__reproduce_figure5, decant__reproduce_figure6,
    decant__reproduce_defaults, decant__reproduce_texts, decant__reproduce_images;

/* A row of a table: a method over seeds, or over the nine values of its option (the paper's
 * protocol, section 4.2). */
typedef struct decant__method_row {
    const char *name;
    const char *method;
    const char *change, *settings; /* as in decant__fit_spec */
    const char *option;            /* NULL: over seeds */
    double paper[DECANT__PAPER_DATA_SETS];
} decant__method_row;

enum { DECANT__MAX_ROW_VALUES = 64 };

/* ACC for each seed, or for each value of the option; NaN where a fit diverged. */
decant_status decant__method_row_run(decant__experiment_store *store, const decant__method_row *row,
                                     decant__data_set_id set, double r_min, double *acc,
                                     size_t *count);

/* The methods of the paper's table 2. */
extern const decant__method_row decant__table2_rows[];
extern const size_t decant__table2_row_count;

#endif
