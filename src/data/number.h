/* Numbers in text, the same in every locale: strtod would take "1.5" for 1 in half of Europe. */
#ifndef DECANT_DATA_NUMBER_H
#define DECANT_DATA_NUMBER_H

#include <stddef.h>

/* Reads a decimal number ("-1", ".5", "2e-3"; also nan, inf and infinity in any case) from the
 * beginning of text[0..end). Returns where it stops; NULL: there is no number. The float is the
 * correctly rounded double, rounded once more. No blanks are skipped. */
const char *decant__number_parse(const char *text, const char *end, double *value);
const char *decant__number_parse_float(const char *text, const char *end, float *value);

/* Whether all of the text is one number. */
int decant__number_is(const char *text, size_t length, double *value);

#endif
