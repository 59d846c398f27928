/* A result: rows and columns of what was found, beside what the paper has. Kept as JSON, from which
 * the page for people is made. */
#ifndef DECANT_REPRODUCE_SHEET_H
#define DECANT_REPRODUCE_SHEET_H

#include "reproduce/laboratory.h"
#include "run/json.h"

typedef struct decant__sheet {
    decant__json json;
    json_t *root;
    const char *name; /* of the experiment */
} decant__sheet;

void decant__sheet_new(decant__sheet *sheet, const decant_experiment *experiment,
                       const decant__laboratory *lab);
void decant__sheet_free(decant__sheet *sheet);

void decant__sheet_column(decant__sheet *sheet, const char *name);
void decant__sheet_row(decant__sheet *sheet, const char *name);

/* Into the last row. over: "seeds", whose mean counts, or the option whose best value counts;
 * paper: NaN where it has none. */
void decant__sheet_values(decant__sheet *sheet, const double *values, size_t count,
                          const char *over, double paper);
void decant__sheet_text(decant__sheet *sheet, const char *ours, const char *paper);
void decant__sheet_gap(decant__sheet *sheet, double paper);

void decant__sheet_note(decant__sheet *sheet, const char *format, ...) DECANT_PRINTF(2, 3);

/* A note on what is missing and where it goes, if the data set is not there. */
void decant__sheet_missing(decant__sheet *sheet, const decant__laboratory *lab, decant__set_id id);

/* Writes a drawing into FOLDER/FILE and links it. */
decant_status decant__sheet_draw(decant__sheet *sheet, const decant__laboratory *lab,
                                 const char *file, const char *svg);

/* Writes FOLDER/NAME.json and FOLDER/NAME.md. */
decant_status decant__sheet_write(const decant__sheet *sheet, const decant__laboratory *lab);

/* The page of a sheet. */
void decant__sheet_page(const json_t *root, decant__text *text);

#endif
