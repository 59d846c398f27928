/* The words of a text: maximal runs of two or more word characters, in lower case.
 *
 * A word character is a letter, a mark (accents, vowel signs), a number or '_': scikit-learn's
 * \b\w\w+\b, but that Python's \w cuts words at marks. What looks the same is the same: words are
 * put into Unicode's composed form (NFC). Tags, entities and addresses are not words (markup.h). */
#ifndef DECANT_FEATURES_WORDS_H
#define DECANT_FEATURES_WORDS_H

#include "base/status.h"

/* Zero-initialise. */
typedef struct decant__words {
    const char *at, *end;
    char *word; /* the one that was found last */
    size_t length, capacity;
    int32_t *points; /* scratch: its code points */
    size_t point_capacity;
} decant__words;

/* Begins a text (borrowed). EFORMAT if it is not UTF-8; the sentence names the byte and wants the
 * file's name put before it. */
decant_status decant__words_begin(decant__words *words, const char *text, size_t length);

/* Finds the next word; *found = 0 at the end of the text. */
decant_status decant__words_next(decant__words *words, int *found);
void decant__words_free(decant__words *words);

#endif
