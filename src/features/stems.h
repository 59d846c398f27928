/* Words to stems: stop words go, Snowball's algorithms (libstemmer) cut the endings. */
#ifndef DECANT_FEATURES_STEMS_H
#define DECANT_FEATURES_STEMS_H

#include "features/names.h"

/* Zero-initialise. */
typedef struct decant__stemmer {
    void *snowball; /* NULL: words are their own stems */
    decant__names stop;
} decant__stemmer;

/* language: one of Snowball's, or "none" for words that are stems already. EINVAL with the list of
 * languages if there is no such one. */
decant_status decant__stemmer_new(decant__stemmer *stemmer, const char *language, int stop_words);

/* The stem, valid until the next call; *stem = NULL for a stop word. */
decant_status decant__stemmer_stem(decant__stemmer *stemmer, const char *word, size_t length,
                                   const char **stem, size_t *stem_length);
void decant__stemmer_free(decant__stemmer *stemmer);

/* The stop words of a language, separated by blanks; "" where there is no list for it. */
const char *decant__stop_words(const char *language);

#endif
