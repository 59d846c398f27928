#include "features/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"

decant_status decant__vocabulary_new(decant__vocabulary *vocabulary, const char *language,
                                     int stop_words) {
    *vocabulary = (decant__vocabulary){0};
    return decant__lexicon_new(&vocabulary->lexicon, language, stop_words, NULL);
}

static decant_status grow(void *array, size_t old, size_t capacity, size_t size) {
    void *block;
    memcpy(&block, array, sizeof block);
    char *grown = decant__realloc_array(block, capacity, size);
    if (grown == NULL) return DECANT_ENOMEM;
    memset(grown + old * size, 0, (capacity - old) * size);
    memcpy(array, &grown, sizeof grown);
    return DECANT_OK;
}

static decant_status grow_vocabulary(decant__vocabulary *v, size_t stem) {
    decant_status status = DECANT_OK;
    if (stem < v->capacity) return status;
    size_t capacity = 2 * v->capacity + 1024;
    TRY(grow(&v->count, v->capacity, capacity, sizeof *v->count));
    TRY(grow(&v->documents, v->capacity, capacity, sizeof *v->documents));
    TRY(grow(&v->last, v->capacity, capacity, sizeof *v->last));
    v->capacity = capacity;
done:
    return status;
}

decant_status decant__vocabulary_add(decant__vocabulary *v, const char *text, size_t length) {
    decant_status status = DECANT_OK;
    uint32_t stem;
    TRY(decant__lexicon_begin(&v->lexicon, text, length));
    v->n++;
    for (;;) {
        TRY(decant__lexicon_next(&v->lexicon, &stem));
        if (stem == DECANT__NO_NAME) break;
        TRY(grow_vocabulary(v, stem));
        v->count[stem]++;
        v->documents[stem] += v->last[stem] != v->n;
        v->last[stem] = v->n;
    }
done:
    return status;
}

typedef struct candidate {
    const char *stem;
    uint64_t weight;
    uint32_t number;
} candidate;

static int by_name(const void *a, const void *b) {
    return strcmp(((const candidate *)a)->stem, ((const candidate *)b)->stem);
}

static int by_weight(const void *a, const void *b) {
    uint64_t x = ((const candidate *)a)->weight, y = ((const candidate *)b)->weight;
    if (x != y) return x > y ? -1 : 1;
    return by_name(a, b);
}

/* Is the word `a` a better example of its stem than the word `b`? */
static int is_commoner(const decant__lexicon *lexicon, uint32_t a, uint32_t b) {
    if (lexicon->uses[a] != lexicon->uses[b]) return lexicon->uses[a] > lexicon->uses[b];
    return strcmp(decant__names_at(&lexicon->seen, a), decant__names_at(&lexicon->seen, b)) < 0;
}

/* The commonest word of each column; none where stems are words as they are. */
static decant_status choose_words(const decant__lexicon *lexicon, const candidate *columns,
                                  decant_features *features) {
    decant_status status = DECANT_OK;
    uint32_t *best = NULL, number;
    if (lexicon->stemmer.snowball == NULL) return DECANT_OK;
    NEW_ARRAY(best, lexicon->found.count);
    for (size_t s = 0; s < lexicon->found.count; s++) best[s] = DECANT__NO_NAME;
    for (uint32_t w = 0; w < lexicon->seen.count; w++) {
        uint32_t stem = lexicon->stem_of[w];
        if (stem == DECANT__NO_NAME) continue;
        if (best[stem] == DECANT__NO_NAME || is_commoner(lexicon, w, best[stem])) best[stem] = w;
    }
    for (size_t j = 0; j < features->stems.count; j++) {
        const char *word = decant__names_at(&lexicon->seen, best[columns[j].number]);
        TRY(decant__names_add(&features->words, word, strlen(word), &number));
    }
done:
    decant__free(best);
    return status;
}

decant_status decant__vocabulary_choose(const decant__vocabulary *v, size_t max,
                                        decant_vocabulary_by by, decant_features *features) {
    decant_status status = DECANT_OK;
    const decant__names *stems = &v->lexicon.found;
    candidate *all = NULL;
    size_t d = stems->count < max ? stems->count : max;
    if (d == 0)
        return decant__fail(DECANT_EFORMAT, "%u documents were read, but none of them has a word",
                            (unsigned)v->n);
    NEW_ARRAY(all, stems->count);
    for (size_t i = 0; i < stems->count; i++) {
        uint64_t weight = by == DECANT_VOCABULARY_BY_COUNT ? v->count[i] : v->documents[i];
        all[i] = (candidate){decant__names_at(stems, i), weight, (uint32_t)i};
    }
    qsort(all, stems->count, sizeof *all, by_weight);
    qsort(all, d, sizeof *all, by_name);
    NEW_ARRAY(features->idf, d);
    for (size_t j = 0; j < d; j++) {
        uint32_t number;
        TRY(decant__names_add(&features->stems, all[j].stem, strlen(all[j].stem), &number));
        features->idf[j] =
            decant__log((1.0 + (double)v->n) / (1.0 + (double)v->documents[all[j].number])) + 1;
    }
    features->d = d;
    TRY(choose_words(&v->lexicon, all, features));
done:
    decant__free(all);
    return status;
}

void decant__vocabulary_free(decant__vocabulary *v) {
    decant__lexicon_free(&v->lexicon);
    decant__free(v->count);
    decant__free(v->documents);
    decant__free(v->last);
    *v = (decant__vocabulary){0};
}
