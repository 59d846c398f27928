/* Rows while they are being read: grows at its end, then becomes a dataset.
 *
 * Memory follows what was really read. What a header promises is allocated up to a modest bound. */
#ifndef DECANT_DATA_BLOCK_H
#define DECANT_DATA_BLOCK_H

#include "data/classes.h"
#include "data/dataset.h"

/* More rows or columns than these are refused: rows are numbered with 32 bits everywhere. */
#define DECANT__MAX_ROWS ((size_t)UINT32_MAX)
#define DECANT__MAX_COLUMNS ((size_t)INT32_MAX)

/* Zero-initialise, then set sparse and d (dense) or leave d to the end (CSR). */
typedef struct decant__block {
    int sparse;
    size_t n, d;
    size_t extra; /* rows behind the n, see decant_dataset */
    float *dense; /* n x d; dense_capacity numbers are allocated */
    size_t dense_capacity;
    size_t *start; /* CSR: n + 1 */
    size_t start_capacity;
    uint32_t *column;
    float *value;
    size_t nonzeros, nonzero_capacity;
    int32_t *labels; /* numbers in classes */
    size_t label_count, label_capacity;
    char *id_text; /* ids of all rows, each with a final 0 */
    size_t id_length, id_capacity, id_count;
    decant__classes *classes; /* borrowed */
} decant__block;

/* Allocates for count numbers in all. trusted: the file is known to hold them, so exactly that many
 * are allocated; otherwise this is a hint. */
decant_status decant__block_reserve(decant__block *block, size_t count, int trusted);

/* The place of count more numbers, behind the n rows and the `used` numbers after them. */
decant_status decant__block_extend(decant__block *block, size_t used, size_t count, float **place);

/* CSR: appends an entry to the current row; zeros are left out. Then the end of that row. */
decant_status decant__block_add_entry(decant__block *block, uint32_t column, float value);
decant_status decant__block_end_row(decant__block *block);

/* Appends the rows first .. first+count-1 of another block of the same kind, without labels and
 * ids. */
decant_status decant__block_add_rows(decant__block *block, const decant__block *more, size_t first,
                                     size_t count);

/* Appends the rows of another block of the same kind as extra ones, without labels and ids. */
decant_status decant__block_add_extra(decant__block *block, const decant__block *more);

decant_status decant__block_add_label(decant__block *block, const char *text, size_t length);
decant_status decant__block_add_label_number(decant__block *block, int32_t number);
decant_status decant__block_add_id(decant__block *block, const char *text, size_t length);

/* Copies the labels, if there are any, to a dataset of n rows. sorted: classes are numbered in the
 * order of their names, else in the order of appearance. */
decant_status decant__block_give_labels(const decant__block *block, int sorted,
                                        decant_dataset *data);

/* The same for ids. */
decant_status decant__block_give_ids(const decant__block *block, decant_dataset *data);

/* Moves the rows to a new dataset; the block is empty afterwards. */
decant_status decant__block_finish(decant__block *block, int sorted, decant_dataset **out);
void decant__block_free(decant__block *block);

#endif
