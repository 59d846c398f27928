/* In place of words.c and stems.c where libstemmer or utf8proc was not found. */
#include "features/stems.h"
#include "features/words.h"

static decant_status absent(void) {
    return decant__fail(DECANT_EINVAL,
                        "this decant was built without libstemmer and utf8proc, so it cannot read "
                        "text");
}

decant_status decant__words_begin(decant__words *words, const char *text, size_t length) {
    (void)words, (void)text, (void)length;
    return absent();
}

decant_status decant__words_next(decant__words *words, int *found) {
    (void)words, (void)found;
    return absent();
}

void decant__words_free(decant__words *words) { *words = (decant__words){0}; }

decant_status decant__stemmer_new(decant__stemmer *stemmer, const char *language, int stop_words) {
    (void)stemmer, (void)language, (void)stop_words;
    return absent();
}

decant_status decant__stemmer_stem(decant__stemmer *stemmer, const char *word, size_t length,
                                   const char **stem, size_t *stem_length) {
    (void)stemmer, (void)word, (void)length, (void)stem, (void)stem_length;
    return absent();
}

void decant__stemmer_free(decant__stemmer *stemmer) { *stemmer = (decant__stemmer){0}; }
