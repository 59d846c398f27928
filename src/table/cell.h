/* What the text of a cell means: nothing, yes or no, a number as people write it, a date. */
#ifndef DECANT_TABLE_CELL_H
#define DECANT_TABLE_CELL_H

#include "features/table.h"

enum { DECANT__EXACT_DIGITS = 15 }; /* that a double keeps */

/* Empty, NA, N/A, NaN, null, None, ?, -, . and the like. */
int decant__cell_missing(const char *text, size_t length);

/* 1, 0, or -1: neither. Words of some languages; numbers are not meant. */
int decant__cell_yes_no(const char *text, size_t length);

/* A number with thousands separators, a decimal comma, a currency, % or another unit, which is
 * copied to unit ("" where there is none). comma: is "," the decimal mark? A single mark before
 * three digits ("1,234") is one of thousands if it is not the decimal one. 0: it is no number. */
int decant__cell_number(const char *text, size_t length, int comma, double *value,
                        char unit[DECANT__UNIT_SIZE]);

/* Digits that only look like a number: with a leading zero (01027), or more than a double keeps. */
int decant__cell_is_code(const char *text, size_t length);

/* Does the text show that "," is the decimal mark ("0,5", "1.234,50"), or that "." is? 1, -1; 0:
 * neither, or it is no number. */
int decant__cell_decimal(const char *text, size_t length);

/* Days since 1970 of a date, perhaps with a time; or of a time alone, less than 1. *order: day or
 * month first is tried first; returns 2 where only the other order fits, 1 where this one does or
 * there is no question, 0 if it is no date. *timed: there was a time. */
int decant__cell_date(const char *text, size_t length, decant__date_order order, double *days,
                      int *timed);

/* Windows-1252 as UTF-8: at most 3 bytes for each. Returns the length. And whether all bytes are
 * characters of it. */
size_t decant__cell_recode(const char *text, size_t length, char *out);
int decant__cell_is_windows(const char *text, size_t length);

#endif
