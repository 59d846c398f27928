/* From a frame to the recipe of its table: the type of each column, found by looking at all cells,
 * and how it becomes numbers. docs/tables.md has the rules. */
#ifndef DECANT_TABLE_COLUMN_TYPES_H
#define DECANT_TABLE_COLUMN_TYPES_H

#include "data/dataset.h"
#include "table/frame.h"
#include "features/table.h"

/* What the user wants of a column. */
typedef struct decant__wish {
    int type; /* a decant_column_type; -1: find it */
    int drop;
} decant__wish;

/* Zero-initialise. */
typedef struct decant__wishes {
    decant__wish *column;
    size_t id, label, text; /* columns; SIZE_MAX: none */
} decant__wishes;

/* The wishes in the options, for these columns; names may be NULL. where: for messages. EINVAL for
 * a name or type that there is not. Free column with decant__free. */
decant_status decant__wishes_find(const decant_read_options *options, const char *const *names,
                                  size_t count, const char *where, decant__wishes *out);

typedef struct decant__typing {
    const decant__wishes *wishes;
    const decant_options *options;
    int decimal_comma; /* of the file */
    int threads;
    const char *where;        /* the file, for messages */
    decant__notes *notes;     /* what users should know */
    const decant__comm *comm; /* ranks that have the rows (frame_ranks.h); NULL: all are here */
} decant__typing;

/* Columns that turn out to be categories have their numbers spelled as words. EFORMAT if no column
 * is left to cluster by. */
decant_status decant__table_find(decant__frame *frame, const decant__typing *typing,
                                 decant_table **out);

/* The vocabulary of the text column, if there is one. Its numbers together weigh as much as all
 * other columns. */
decant_status decant__table_find_text(const decant__frame *frame, const decant__typing *typing,
                                      decant_table *table);

/* Sets the unit of most words that are numbers, and which decimal mark they have; where they do not
 * tell, that of the file. counts: cells with each word. */
void decant__column_unit(const decant__names *words, const size_t *counts, int decimal_comma,
                         decant__column *column);

/* Sets which of day and month comes first: what more of the words can only be. */
void decant__column_order(const decant__names *words, const size_t *counts, decant__column *column);

/* What the words of a column mean by its recipe: the number, day or level of each; NaN: nothing,
 * -1: a level that is not known. *out: one for each word, free with decant__free. */
decant_status decant__column_meanings(const decant__column *column, const decant__names *words,
                                      double **out);

/* That of one word. */
double decant__word_meaning(const decant__column *column, const char *text, size_t length);

/* The meaning of a cell; meaning: as above. */
double decant__column_meaning(const decant__column *column, const double *meaning, double cell);

/* Fill, center, scale and the like of numbers and dates; levels must be there. meaning: of each
 * column's words. */
decant_status decant__column_measure(const decant__frame *frame, size_t index,
                                     const double *meaning, decant__column *column);

#endif
