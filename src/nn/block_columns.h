/* The non-zeros of a block of sparse rows by column: the columns that occur, each with its rows.
 *
 * Time and memory that is touched follow the non-zeros, not the width d: which columns occur is
 * kept as a set without clearing (Briggs and Torczon 1993: a place is valid if the member there
 * points back). */
#ifndef DECANT_NN_BLOCK_COLUMNS_H
#define DECANT_NN_BLOCK_COLUMNS_H

#include "linalg/shards.h"
#include "linalg/source.h"
#include "nn/optimizer.h"

/* Some of the columns 0 .. d-1, in the order in which they came. */
typedef struct decant__column_set {
    size_t count;
    uint32_t *column; /* count */
    uint32_t *place;  /* d: of a column in the list, if it is there */
} decant__column_set;

/* capacity: the most columns that it will hold. */
decant_status decant__column_set_new(decant__column_set *set, size_t d, size_t capacity);
void decant__column_set_free(decant__column_set *set);

/* Where a column is; count: it is not in the set. */
static inline size_t decant__column_set_find(const decant__column_set *set, uint32_t column) {
    size_t place = set->place[column];
    return place < set->count && set->column[place] == column ? place : set->count;
}

/* Puts a column that is not there at the end. */
static inline void decant__column_set_add(decant__column_set *set, uint32_t column) {
    set->place[column] = (uint32_t)set->count;
    set->column[set->count++] = column;
}

typedef struct decant__block_columns {
    decant__column_set set;
    size_t *start; /* column number c has the entries start[c] .. start[c+1] - 1, by row */
    uint32_t *row;
    float *value;
} decant__block_columns;

/* nonzeros: the most of a block. */
decant_status decant__block_columns_new(decant__block_columns *block, size_t d, size_t nonzeros);
void decant__block_columns_free(decant__block_columns *block);

/* Alone, not for a team. */
void decant__block_columns_fill(decant__block_columns *block, const decant__rows *x);

/* A gradient of rows of W, of which only some are not 0: what is done with each of them. */
typedef struct decant__row_steps {
    size_t weight, width; /* W: offset and numbers in a row */
    float *grads;         /* without an optimizer they go here */
    const decant__optimizer *optimizer;
} decant__row_steps;

/* `count` numbers of the gradient, from number `from` of row `row` on. */
void decant__row_steps_apply(const decant__row_steps *steps, size_t row, size_t from, size_t count,
                             const float *gradient);

/* Row `column` of dW = x^T dy for column number c of the block; dy: n x width. piece: scratch of
 * DECANT__PIECE floats. */
void decant__block_columns_step(const decant__block_columns *block, size_t c, const float *dy,
                                const decant__shards *shards, const decant__row_steps *steps,
                                float *piece);

#endif
