/* Cells of a frame to rows, by the recipe of a table; and which column of a file is which of the
 * recipe's. */
#ifndef DECANT_TABLE_TABLE_ROWS_H
#define DECANT_TABLE_TABLE_ROWS_H

#include "data/block.h"
#include "table/column_types.h"
#include "features/tfidf.h"

/* from[j]: which of `count` columns is column j of the table, by name where both have names, else
 * by place; SIZE_MAX: it is not there. Notes say what is missing and what is not used. EFORMAT if
 * too little is left: less than half of the columns that rows are made of. */
decant_status decant__table_match(const decant_table *table, const char *const *names, size_t count,
                                  const char *where, decant__notes *notes, size_t *from);

/* Zero-initialise, then decant__row_maker_new. */
typedef struct decant__row_maker {
    const decant_table *table; /* borrowed, as is the frame: its columns are the table's */
    decant__frame *frame;
    size_t id_at, label_at; /* columns of the frame; SIZE_MAX: none */
    int threads;
    decant__notes *notes;
    double **meaning; /* of each column's words */
    decant__tfidf tfidf;
    char *noted; /* columns whose unknown values were noted */
    size_t unlabelled;
} decant__row_maker;

decant_status decant__row_maker_new(decant__row_maker *maker, const decant_table *table,
                                    decant__frame *frame);
void decant__row_maker_free(decant__row_maker *maker);

/* After the frame got words: looks up what they mean. */
decant_status decant__row_maker_learn(decant__row_maker *maker);

/* Appends rows first .. first+count-1 of a chunk to a block, with ids and labels; the latter only
 * if `labels`. */
decant_status decant__row_maker_add(decant__row_maker *maker, size_t chunk, size_t first,
                                    size_t count, int labels, decant__block *block);

#endif
