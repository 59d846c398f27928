/* The text of a table to a frame, batch by batch; the pieces of a batch are parsed in parallel. */
#ifndef DECANT_READ_READ_FRAME_H
#define DECANT_READ_READ_FRAME_H

#include "base/input.h"
#include "table/dialect.h"
#include "table/frame.h"
#include "read/split.h"

/* How the cells of a column are read. */
typedef enum decant__cell_mode {
    DECANT__READ_CELLS, /* numbers, words, missing */
    DECANT__READ_WORDS, /* a number is the word that decant__number_print makes of it */
    DECANT__READ_TEXT,  /* every cell is a word, as it is */
    DECANT__READ_NONE   /* missing: the column is not needed */
} decant__cell_mode;

typedef struct decant__frame_reader decant__frame_reader;

/* Looks at the beginning of an input, which is borrowed. wanted: as in decant__dialect_find. */
decant_status decant__frame_reader_open(decant__input *input, int threads,
                                        const char *const *wanted, size_t wanted_count,
                                        decant__frame_reader **out);
void decant__frame_reader_close(decant__frame_reader *reader);

const decant__dialect *decant__frame_reader_dialect(const decant__frame_reader *reader);
/* The names of the columns; NULL: there is no header. Names are made different, none is empty. */
const char *const *decant__frame_reader_names(const decant__frame_reader *reader);

/* Must be set before the first rows are read. mode: one for each column of the file. */
void decant__frame_reader_modes(decant__frame_reader *reader, const decant__cell_mode *mode);

/* From now on a line that is no row of the table (other cells than the first, text behind a quote)
 * is left out and counted instead of stopping the reading. */
void decant__frame_reader_skip_broken(decant__frame_reader *reader);

/* How rows begin, and where the first of them does; not for UTF-16. */
typedef struct decant__frame_rows {
    decant__row_rules rules;
    decant__row_place first;
} decant__frame_rows;
decant__frame_rows decant__frame_reader_rows(const decant__frame_reader *reader);

/* From now on only the rows between these two places are read. */
decant_status decant__frame_reader_range(decant__frame_reader *reader,
                                         const decant__row_place *from,
                                         const decant__row_place *until);

/* Adds the rows of the next batch to a frame; from: as in decant__frame_add. *more = 0 at the end.
 * EFORMAT, also at the end if more lines were left out than read. */
decant_status decant__frame_reader_next(decant__frame_reader *reader, decant__frame *frame,
                                        const size_t *from, int *more);

enum { DECANT__SKIPPED_LINES = 5 };

/* What was odd so far. */
typedef struct decant__frame_oddities {
    size_t blank_lines; /* skipped, before the last row */
    size_t trailing;    /* and behind it, so far */
    size_t recoded;     /* cells that were Windows-1252 */
    int utf16;
    size_t skipped;                             /* lines that were left out */
    size_t skipped_line[DECANT__SKIPPED_LINES]; /* the first of them */
} decant__frame_oddities;
decant__frame_oddities decant__frame_reader_oddities(const decant__frame_reader *reader);

#endif
