/* A tokenizer of JSON that works in place: strings are unescaped where they are, without any
 * allocation. jansson's own parser loses characters without an error when memory runs out (2.14:
 * lex_save in load.c). */
#ifndef DECANT_BASE_JSON_SCAN_H
#define DECANT_BASE_JSON_SCAN_H

#include <stddef.h>

/* at: the next byte to read. */
typedef struct decant__scan {
    char *begin, *at, *end;
} decant__scan;

/* The next character after blanks; 0 at the end. */
char decant__scan_peek(decant__scan *scan);

/* Each of these skips blanks and then reads the token; it returns 0 if the next token is another.
 */
int decant__scan_take(decant__scan *scan, char c);
int decant__scan_word(decant__scan *scan, const char *word);

/* A string: valid UTF-8 without zero bytes, terminated by a 0. */
int decant__scan_text(decant__scan *scan, char **text, size_t *length);

/* Digits: a number that fits into size_t. */
int decant__scan_count(decant__scan *scan, size_t *count);

/* The characters of a number; they are not checked further. */
int decant__scan_number(decant__scan *scan, const char **text, size_t *length);

/* Is there nothing left but blanks? */
int decant__scan_ended(decant__scan *scan);

#endif
