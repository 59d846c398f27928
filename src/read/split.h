/* Where the rows of a text file begin, so that each of several ranks (base/comm.h) can go to its
 * own without parsing those of others.
 *
 * The bytes are cut into blocks, wherever that is. A block is read once, by one of the ranks, which
 * cannot know yet whether it begins in the middle of a quoted cell: it follows the quotes from each
 * possible state, and counts the rows that begin in the block for each. The ranks exchange these
 * numbers, and then the state that every block really begins in follows from the first block on. So
 * the result is that of reading the file from its beginning. */
#ifndef DECANT_READ_SPLIT_H
#define DECANT_READ_SPLIT_H

#include "base/comm.h"
#include "base/input.h"

/* What makes a row of a file. A line end within quotes does not end one. */
typedef struct decant__row_rules {
    char separator; /* of cells that may be quoted, as in table/record.h; 0: quotes mean nothing */
    char comment;   /* lines that begin with it are no rows; 0: none are */
    int indented;   /* blanks at the beginning of a line mean nothing, a line of blanks is none */
    int empty;      /* an empty line is a row */
} decant__row_rules;

enum { DECANT__SPLIT_STATES = 7 };

typedef struct decant__split_block {
    uint64_t row, line; /* before it */
    uint64_t offset;
    int state; /* that it begins in */
} decant__split_block;

/* Zero-initialise. */
typedef struct decant__split {
    uint64_t end; /* of the bytes */
    size_t rows, count;
    decant__split_block *block; /* count + 1 */
    uint8_t next[DECANT__SPLIT_STATES][256];
} decant__split;

/* Called by all ranks with an input on the same file. begin, line: the byte that the first record
 * begins with, and the lines before it. Compressed and translated bytes are scanned by every rank,
 * others by one each. The input is left anywhere. */
decant_status decant__split_new(decant__split *split, decant__input *input, uint64_t begin,
                                size_t line, const decant__row_rules *rules,
                                const decant__comm *comm);
void decant__split_free(decant__split *split);

typedef struct decant__row_place {
    uint64_t offset;
    size_t line; /* before it */
} decant__row_place;

/* Where a row begins; row = rows: the end of the file. The input is left anywhere. */
decant_status decant__split_find(const decant__split *split, decant__input *input, size_t row,
                                 decant__row_place *place);

#endif
