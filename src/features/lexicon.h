/* Texts to numbers of stems. A word is stemmed once and cached, so that reading costs about as much
 * as finding the words. */
#ifndef DECANT_FEATURES_LEXICON_H
#define DECANT_FEATURES_LEXICON_H

#include "features/stems.h"
#include "features/words.h"

/* Zero-initialise. */
typedef struct decant__lexicon {
    decant__stemmer stemmer;
    decant__words words;
    decant__names seen; /* words as they are written */
    uint32_t *stem_of;  /* of each; DECANT__NO_NAME: a stop word, or not known */
    uint64_t *uses;     /* of each: how often it was found */
    size_t capacity;
    const decant__names *known; /* the stems that count; NULL: all, and new ones are added */
    decant__names found;        /* where known is NULL: the stems so far */
} decant__lexicon;

/* known is borrowed. */
decant_status decant__lexicon_new(decant__lexicon *lexicon, const char *language, int stop_words,
                                  const decant__names *known);

/* Begins a text, as decant__words_begin. */
decant_status decant__lexicon_begin(decant__lexicon *lexicon, const char *text, size_t length);

/* The stem of the next word that has one that counts; DECANT__NO_NAME at the end of the text. */
decant_status decant__lexicon_next(decant__lexicon *lexicon, uint32_t *stem);
void decant__lexicon_free(decant__lexicon *lexicon);

#endif
