/* The first pass over texts: which stems there are, and which of them become columns. */
#ifndef DECANT_FEATURES_VOCABULARY_H
#define DECANT_FEATURES_VOCABULARY_H

#include "base/comm.h"
#include "features/lexicon.h"
#include "features/recipe.h"

/* Zero-initialise. */
typedef struct decant__vocabulary {
    decant__lexicon lexicon;
    uint64_t *count;     /* of each stem, over all texts */
    uint32_t *documents; /* texts that it is in */
    uint32_t *last;      /* the last such text, from 1 */
    size_t capacity;
    uint32_t n; /* texts */
} decant__vocabulary;

decant_status decant__vocabulary_new(decant__vocabulary *vocabulary, const char *language,
                                     int stop_words);
decant_status decant__vocabulary_add(decant__vocabulary *vocabulary, const char *text,
                                     size_t length);

/* Called by all ranks, each with texts of its own: becomes the vocabulary of all texts. */
decant_status decant__vocabulary_merge(decant__vocabulary *vocabulary, const decant__comm *comm);

/* Fills in stems, words, idf and d of the features: the `max` stems of largest count (or found in
 * most texts), equal ones by the alphabet, and idf_t = ln((1 + n) / (1 + df_t)) + 1. Columns are in
 * alphabetical order, that of code points. The word of a stem is the one that was written most
 * often, of equal ones the first by the alphabet. EFORMAT if no text has a stem at all. */
decant_status decant__vocabulary_choose(const decant__vocabulary *vocabulary, size_t max,
                                        decant_vocabulary_by by, decant_features *features);
void decant__vocabulary_free(decant__vocabulary *vocabulary);

#endif
