/* The cells of a record of a table: RFC 4180 quotes, with any separator. */
#ifndef DECANT_TABLE_RECORD_H
#define DECANT_TABLE_RECORD_H

#include <stddef.h>

/* Blanks as a separator: any number of blanks and tabs. */
#define DECANT__BLANKS ' '

typedef struct decant__record_cell {
    char *text; /* not terminated */
    size_t length;
    int quoted;
    int broken; /* there is text after the closing quote */
} decant__record_cell;

/* The cell at *at, which is moved to the next one, or to NULL after the last one of the record.
 * Quotes are taken off in place. next_record: where the next record begins (end: none). */
decant__record_cell decant__record_take(char separator, char **at, char *end, char **next_record);

/* Follows the quotes of a text that may come in pieces, to find where records end. A quote only
 * means something at the beginning of a cell. */
typedef struct decant__record_scan {
    char separator;
    enum { DECANT__AT_BEGIN, DECANT__AT_PLAIN, DECANT__AT_QUOTED, DECANT__AT_CLOSED } at;
} decant__record_scan;

/* Reads on from text to end; stops behind the line end of the first record that ends at or after
 * `from`. NULL: none does. */
const char *decant__record_end(decant__record_scan *scan, const char *text, const char *from,
                               const char *end);

#endif
