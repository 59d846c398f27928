/* The experiments, one function each. While the laboratory plans they run dry: trials only add up
 * their seconds, and the sheet is thrown away. */
#ifndef DECANT_REPRODUCE_EXPERIMENTS_H
#define DECANT_REPRODUCE_EXPERIMENTS_H

#include "reproduce/sheet.h"

typedef decant_status decant__experiment_fn(decant__laboratory *lab, decant__sheet *sheet);

decant__experiment_fn decant__reproduce_table1, decant__reproduce_table2, decant__reproduce_table3,
    decant__reproduce_table4, decant__reproduce_figure2, decant__reproduce_figure3,
    decant__reproduce_figure4, decant__reproduce_figure5, decant__reproduce_figure6,
    decant__reproduce_defaults, decant__reproduce_texts, decant__reproduce_images;

/* A row of a table: a method over seeds, or over the nine values of its option (the paper's
 * protocol, section 4.2). */
typedef struct decant__line {
    const char *name;
    const char *method;
    const char *change, *settings; /* as in a trial */
    const char *option;            /* NULL: over seeds */
    double paper[DECANT__PAPER_SETS];
} decant__line;

enum { DECANT__LINE_VALUES = 64 };

/* ACC of each seed or value. *count: how many. */
decant_status decant__line_run(decant__laboratory *lab, const decant__line *line,
                               decant__set_id set, double r_min, double *acc, size_t *count);

/* The methods of the paper's table 2. */
extern const decant__line decant__table2_lines[];
extern const size_t decant__table2_line_count;

#endif
