/* A table while it is read: columns of cells, each a number, a word or missing, in chunks of rows.
 *
 * A cell is a double; words are NaNs that carry their number in the column's list of words. A chunk
 * keeps a column in the smallest form that loses nothing that rows need: words as 32-bit numbers,
 * numbers as floats (rows are floats), and doubles where a whole number is beyond float (ids).
 * Whatever the form, a number is rounded to a float unless it is such a whole one: what a cell is
 * does not depend on the cells beside it, and so not on where chunks begin. */
#ifndef DECANT_TABLE_FRAME_H
#define DECANT_TABLE_FRAME_H

#include <string.h>

#include "features/names.h"

typedef enum decant__cell_form {
    DECANT__CELLS_FLOAT,
    DECANT__CELLS_DOUBLE,
    DECANT__CELLS_WORD
} decant__cell_form;

typedef struct decant__cells {
    decant__cell_form form;
    void *items; /* one for each row */
} decant__cells;

typedef struct decant__chunk {
    size_t rows;
    decant__cells *column;
} decant__chunk;

/* Zero-initialise, then decant__frame_new. */
typedef struct decant__frame {
    size_t count, rows;    /* columns, rows */
    char **names;          /* of the columns, in one block; NULL: none */
    decant__names *words;  /* of each column */
    decant__chunk *chunks; /* those that were given back have no columns any more */
    size_t chunk_count, chunk_capacity;
    /* Where several ranks have the rows (frame_ranks.h): which chunks are here, and which columns
     * have the words of all ranks. joined = NULL: all chunks are here. */
    size_t own_chunk, own_chunks;
    char *joined;
} decant__frame;

/* names are copied; NULL: none. */
decant_status decant__frame_new(decant__frame *frame, size_t count, const char *const *names);
void decant__frame_free(decant__frame *frame);

/* Rows to add: cell i of column j is cells[j * stride + i], its words numbered in words[j] (NULL:
 * in the frame's own). Column j of the frame is column from[j] of these, or missing where that is
 * SIZE_MAX; from NULL: they are the same. */
typedef struct decant__new_rows {
    const double *cells;
    size_t stride, rows;
    const decant__names *words;
    const size_t *from;
} decant__new_rows;
decant_status decant__frame_add(decant__frame *frame, const decant__new_rows *more);

/* From the words of a piece to those of the frame: number[w] of each. *number = NULL: there are
 * none; free it with decant__free. */
decant_status decant__words_join(decant__names *all, const decant__names *some, uint32_t **number);

/* Removes all rows and words. */
void decant__frame_clear(decant__frame *frame);

/* Frees the cells of a chunk that is not needed any more. */
void decant__chunk_free(decant__chunk *chunk, size_t count);

/* Turns the numbers of a column into words, as decant__number_print writes them. */
decant_status decant__frame_spell(decant__frame *frame, size_t column);

/* Adds the name of the next column: one that is there already gets a number ("x", "x.1"), an empty
 * one its place ("column 3"), and what is not UTF-8 is taken for Windows-1252. */
decant_status decant__column_name_add(decant__names *all, const char *name, size_t length);

/* ---- cells ---- */

static const uint64_t DECANT__WORD_TAG = (uint64_t)0x7ff80dec << 32;

static inline double decant__word_cell(uint32_t word) {
    uint64_t bits = DECANT__WORD_TAG | word;
    double cell;
    memcpy(&cell, &bits, sizeof cell);
    return cell;
}

/* The word of a cell, or DECANT__NO_NAME: a number, or missing (then it is NaN). */
static inline uint32_t decant__cell_word(double cell) {
    uint64_t bits;
    memcpy(&bits, &cell, sizeof bits);
    return bits >> 32 == DECANT__WORD_TAG >> 32 ? (uint32_t)bits : DECANT__NO_NAME;
}

static inline double decant__cell_at(const decant__cells *cells, size_t row) {
    if (cells->form == DECANT__CELLS_FLOAT) return (double)((const float *)cells->items)[row];
    if (cells->form == DECANT__CELLS_DOUBLE) return ((const double *)cells->items)[row];
    return decant__word_cell(((const uint32_t *)cells->items)[row]); /* NO_NAME: missing */
}

#endif
