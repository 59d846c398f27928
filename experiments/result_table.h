/* The result of an experiment: a table of our numbers beside the paper's, notes, and drawings. It
 * is kept as JSON, from which Markdown and HTML are made. */
#ifndef DECANT_EXPERIMENTS_RESULT_TABLE_H
#define DECANT_EXPERIMENTS_RESULT_TABLE_H

#include "experiments/experiment_store.h"
#include "run/json.h"
#include "experiments/reproduce.h"

typedef struct decant__result_table {
    decant__json json;
    json_t *root;
    const char *name; /* of the experiment */
} decant__result_table;

void decant__result_table_new(decant__result_table *table, const decant_experiment *experiment,
                              const decant__experiment_store *store);
void decant__result_table_free(decant__result_table *table);

void decant__result_table_column(decant__result_table *table, const char *name);
void decant__result_table_row(decant__result_table *table, const char *name);

/* A cell of the last row. over: "seeds", then the cell shows their mean; or the name of an option,
 * then it shows the best of its values. paper: NaN where the paper has no number. */
void decant__result_table_values(decant__result_table *table, const double *values, size_t count,
                                 const char *over, double paper);
void decant__result_table_text(decant__result_table *table, const char *ours, const char *paper);
/* An empty cell: the data set is missing. */
void decant__result_table_gap(decant__result_table *table, double paper);

void decant__result_table_note(decant__result_table *table, const char *format, ...)
    DECANT_PRINTF(2, 3);

/* If the data set is missing: a note that says which files go where. */
void decant__result_table_missing(decant__result_table *table, decant__experiment_store *store,
                                  decant__data_set_id id);

/* Writes a drawing into FOLDER/FILE and links it. */
decant_status decant__result_table_draw(decant__result_table *table,
                                        const decant__experiment_store *store, const char *file,
                                        const char *svg);

/* Writes FOLDER/NAME.json and FOLDER/NAME.md. */
decant_status decant__result_table_write(const decant__result_table *table,
                                         const decant__experiment_store *store);

/* The table as Markdown (results_markdown.c). */
void decant__result_markdown(const json_t *root, decant__text *text);

#endif
