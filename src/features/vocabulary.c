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

/* ---- several ranks ---- */

/* What a rank tells the others, in one piece of memory: this, then count and uses, documents and
 * stem_of, and the text of stems and words. */
typedef struct parcel {
    uint64_t n, stems, words, stem_bytes, word_bytes;
} parcel;

static size_t parcel_bytes(const parcel *p) {
    return (size_t)((p->stems + p->words) * (sizeof(uint64_t) + sizeof(uint32_t)) + p->stem_bytes +
                    p->word_bytes);
}

static void copy(char **to, const void *from, size_t bytes) {
    if (bytes > 0) memcpy(*to, from, bytes);
    *to += bytes;
}

static void pack(const decant__vocabulary *v, const parcel *p, char *to) {
    const decant__lexicon *lexicon = &v->lexicon;
    copy(&to, v->count, p->stems * sizeof *v->count);
    copy(&to, lexicon->uses, p->words * sizeof *lexicon->uses);
    copy(&to, v->documents, p->stems * sizeof *v->documents);
    copy(&to, lexicon->stem_of, p->words * sizeof *lexicon->stem_of);
    copy(&to, lexicon->found.text, p->stem_bytes);
    copy(&to, lexicon->seen.text, p->word_bytes);
}

static decant_status grow_words(decant__lexicon *lexicon) {
    decant_status status = DECANT_OK;
    size_t capacity = 2 * lexicon->capacity + 1024;
    TRY(grow(&lexicon->stem_of, lexicon->capacity, capacity, sizeof *lexicon->stem_of));
    TRY(grow(&lexicon->uses, lexicon->capacity, capacity, sizeof *lexicon->uses));
    lexicon->capacity = capacity;
done:
    return status;
}

/* Adds the texts of a rank. number: room for its stems. */
static decant_status add_parcel(decant__vocabulary *v, const parcel *p, const void *bytes,
                                uint32_t *number) {
    decant_status status = DECANT_OK;
    decant__lexicon *lexicon = &v->lexicon;
    const uint64_t *count = bytes, *uses = count + p->stems;
    const uint32_t *documents = (const uint32_t *)(uses + p->words), *stem_of;
    stem_of = documents + p->stems;
    const char *text = (const char *)(stem_of + p->words);
    for (size_t s = 0; s < p->stems; s++, text += strlen(text) + 1) {
        TRY(decant__names_add(&lexicon->found, text, strlen(text), &number[s]));
        TRY(grow_vocabulary(v, number[s]));
        v->count[number[s]] += count[s];
        v->documents[number[s]] += documents[s];
    }
    for (size_t w = 0; w < p->words; w++, text += strlen(text) + 1) {
        uint32_t word;
        TRY(decant__names_add(&lexicon->seen, text, strlen(text), &word));
        if (word >= lexicon->capacity) TRY(grow_words(lexicon));
        lexicon->stem_of[word] =
            stem_of[w] != DECANT__NO_NAME ? number[stem_of[w]] : DECANT__NO_NAME;
        lexicon->uses[word] += uses[w];
    }
    v->n += (uint32_t)p->n;
done:
    return status;
}

/* The texts of rank r, which has them in v, to all. */
static decant_status send_parcel(const decant__vocabulary *v, int r, const decant__comm *comm,
                                 decant__vocabulary *all) {
    const decant__lexicon *lexicon = &v->lexicon;
    parcel p = {v->n, lexicon->found.count, lexicon->seen.count, lexicon->found.text_length,
                lexicon->seen.text_length};
    decant__comm_broadcast(comm, r, &p, sizeof p);
    char *bytes = decant__alloc_array(parcel_bytes(&p) + 1, 1);
    uint32_t *number = decant__alloc_array((size_t)p.stems + 1, sizeof *number);
    decant_status status = bytes != NULL && number != NULL ? DECANT_OK : DECANT_ENOMEM;
    status = decant__comm_agree(comm, status);
    if (status == DECANT_OK) {
        if (r == comm->rank) pack(v, &p, bytes);
        decant__comm_broadcast(comm, r, bytes, parcel_bytes(&p));
        status = add_parcel(all, &p, bytes, number);
        status = decant__comm_agree(comm, status);
    }
    decant__free(bytes);
    decant__free(number);
    return status;
}

decant_status decant__vocabulary_merge(decant__vocabulary *v, const decant__comm *comm) {
    decant_status status = DECANT_OK;
    decant__vocabulary all = {0};
    if (comm->size == 1) return DECANT_OK;
    for (int r = 0; r < comm->size; r++) TRY(send_parcel(v, r, comm, &all));
    all.lexicon.stemmer = v->lexicon.stemmer;
    v->lexicon.stemmer = (decant__stemmer){0};
    decant__vocabulary_free(v);
    *v = all;
    all = (decant__vocabulary){0};
done:
    decant__vocabulary_free(&all);
    return status;
}

/* ---- columns ---- */

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
