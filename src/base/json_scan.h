/* Takes JSON apart in place: texts are unescaped where they are. For parsers that must notice
 * when memory runs out: jansson's loses characters then, and says nothing (2.14: lex_save in
 * load.c). */
#ifndef DECANT_BASE_JSON_SCAN_H
#define DECANT_BASE_JSON_SCAN_H

#include <stddef.h>

/* The bytes between at and end are not read yet. */
typedef struct decant__scan {
    char *begin, *at, *end;
} decant__scan;

/* The next character after blanks; 0 at the end. */
char decant__scan_peek(decant__scan *scan);

/* Each skips blanks, then takes what comes, if it is that; 0: it is not. */
int decant__scan_take(decant__scan *scan, char c);
int decant__scan_word(decant__scan *scan, const char *word);

/* A text in quotes: valid UTF-8, without zeros inside, and with one behind it. */
int decant__scan_text(decant__scan *scan, char **text, size_t *length);

/* Digits: a count that fits. */
int decant__scan_count(decant__scan *scan, size_t *count);

/* A number, as the characters that JSON allows in one. */
int decant__scan_number(decant__scan *scan, const char **text, size_t *length);

/* Is there nothing left but blanks? */
int decant__scan_ended(decant__scan *scan);

#endif
