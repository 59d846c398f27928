#include "features/lexicon.h"

#include "base/memory.h"

/* Words cached at most where stems are given: a stream of new text has no end. */
enum { MAX_SEEN = 1 << 21 };

decant_status decant__lexicon_new(decant__lexicon *lexicon, const char *language, int stop_words,
                                  const decant__names *known) {
    *lexicon = (decant__lexicon){.known = known};
    return decant__stemmer_new(&lexicon->stemmer, language, stop_words);
}

decant_status decant__lexicon_begin(decant__lexicon *lexicon, const char *text, size_t length) {
    if (lexicon->known != NULL && lexicon->seen.count > MAX_SEEN)
        decant__names_clear(&lexicon->seen);
    return decant__words_begin(&lexicon->words, text, length);
}

/* Of a word that is not in the cache. */
static decant_status find_stem(decant__lexicon *lexicon, uint32_t *number) {
    const decant__words *words = &lexicon->words;
    const char *stem;
    size_t length;
    decant_status status =
        decant__stemmer_stem(&lexicon->stemmer, words->word, words->length, &stem, &length);
    if (status != DECANT_OK) return status;
    *number = DECANT__NO_NAME;
    if (stem == NULL || length == 0) return DECANT_OK;
    if (lexicon->known == NULL) return decant__names_add(&lexicon->found, stem, length, number);
    *number = decant__names_find(lexicon->known, stem, length);
    return DECANT_OK;
}

static decant_status look_up(decant__lexicon *lexicon, uint32_t *stem) {
    uint32_t word;
    size_t before = lexicon->seen.count;
    decant_status status =
        decant__names_add(&lexicon->seen, lexicon->words.word, lexicon->words.length, &word);
    if (status != DECANT_OK) return status;
    if (word >= lexicon->capacity) {
        size_t capacity = 2 * lexicon->capacity + 1024;
        uint32_t *grown = decant__realloc_array(lexicon->stem_of, capacity, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        lexicon->stem_of = grown;
        uint64_t *uses = decant__realloc_array(lexicon->uses, capacity, sizeof *uses);
        if (uses == NULL) return DECANT_ENOMEM;
        lexicon->uses = uses;
        lexicon->capacity = capacity;
    }
    if (word == before) {
        status = find_stem(lexicon, &lexicon->stem_of[word]);
        lexicon->uses[word] = 0;
    }
    lexicon->uses[word]++;
    *stem = lexicon->stem_of[word];
    return status;
}

decant_status decant__lexicon_next(decant__lexicon *lexicon, uint32_t *stem) {
    decant_status status = DECANT_OK;
    int found = 1;
    *stem = DECANT__NO_NAME;
    while (found && *stem == DECANT__NO_NAME) {
        TRY(decant__words_next(&lexicon->words, &found));
        if (found) TRY(look_up(lexicon, stem));
    }
done:
    return status;
}

void decant__lexicon_free(decant__lexicon *lexicon) {
    decant__stemmer_free(&lexicon->stemmer);
    decant__words_free(&lexicon->words);
    decant__names_free(&lexicon->seen);
    decant__names_free(&lexicon->found);
    decant__free(lexicon->stem_of);
    decant__free(lexicon->uses);
    *lexicon = (decant__lexicon){0};
}
