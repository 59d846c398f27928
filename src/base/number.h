/* Numbers to and from text, the same in every locale. In a program with a German locale, printf
 * would write 0,5 and strtod would read "1.5" as 1. Nothing here changes the locale of the program
 * or of another thread. */
#ifndef DECANT_BASE_NUMBER_H
#define DECANT_BASE_NUMBER_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/status.h"

/* Reads a decimal number ("-1", ".5", "2e-3"; also nan, inf and infinity in any case) from the
 * beginning of text[0..end). Returns where it stops; NULL: there is no number. The float is the
 * correctly rounded double, rounded once more. No blanks are skipped. */
const char *decant__number_parse(const char *text, const char *end, double *value);
/* The same with another decimal mark, as in "0,5". */
const char *decant__number_parse_marked(const char *text, const char *end, char mark,
                                        double *value);
const char *decant__number_parse_float(const char *text, const char *end, float *value);

/* Whether all of the text is one number. */
int decant__number_is(const char *text, size_t length, double *value);

/* The same for a string, which may also be a hexadecimal float as "%a" writes it. */
int decant__number_read(const char *text, double *value);

/* The shortest text that reads back as the same double; whole numbers without an exponent. At most
 * size bytes with the final 0; 32 are always enough. */
void decant__number_print(double value, char *text, size_t size);

/* snprintf and vsnprintf as in the C locale. */
int decant__format(char *text, size_t size, const char *format, ...) DECANT_PRINTF(3, 4);
int decant__format_list(char *text, size_t size, const char *format, va_list arguments)
    DECANT_PRINTF(3, 0);

/* For calls into libraries that print or read numbers (jansson): between the two, this thread has
 * the C locale. May be nested. */
locale_t decant__c_locale_enter(void);
void decant__c_locale_leave(locale_t saved);

#endif
