/* How a table is written: what separates its cells, its decimal mark, whether it has a header.
 * Found by looking at its beginning. */
#ifndef DECANT_TABLE_DIALECT_H
#define DECANT_TABLE_DIALECT_H

#include "base/status.h"

typedef struct decant__dialect {
    char separator;    /* tab ; , | or DECANT__BLANKS */
    int decimal_comma; /* numbers are written 0,5 */
    int header;        /* the first record is names */
    int row_names;     /* the header lacks the name of the first column, as R writes it */
    int trailing;      /* records end with a separator that means nothing */
    int comments;      /* lines that begin with # are none of the table */
    size_t skip;       /* bytes before the first record: comments, "sep=;", a title */
    size_t skip_lines;
    size_t title_lines; /* of them */
    size_t cells;       /* in a record */
} decant__dialect;

/* How sure it is that this is a table. */
typedef enum decant__likeness {
    DECANT__NO_TABLE,    /* lines without a separator, or of different lengths */
    DECANT__MAYBE_TABLE, /* could be prose with commas */
    DECANT__SURE_TABLE
} decant__likeness;

/* wanted: names that a header would have (of roles, or of a model's columns), `count` of them.
 * whole: the bytes are the whole file, not just its beginning. EFORMAT never. */
decant_status decant__dialect_find(const char *bytes, size_t count, int whole,
                                   const char *const *wanted, size_t wanted_count,
                                   decant__dialect *dialect, decant__likeness *likeness);

#endif
