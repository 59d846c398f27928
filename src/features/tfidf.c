#include "features/tfidf.h"

#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/memory.h"

decant_status decant__tfidf_new(decant__tfidf *tfidf, const decant_features *features) {
    decant_status status = DECANT_OK;
    *tfidf = (decant__tfidf){.features = features};
    TRY(decant__lexicon_new(&tfidf->lexicon, features->language, features->stop_words,
                            &features->stems));
    NEW_ZEROED(tfidf->count, features->d);
    NEW_ARRAY(tfidf->column, features->d);
    NEW_ARRAY(tfidf->value, features->d);
done:
    if (status != DECANT_OK) decant__tfidf_free(tfidf);
    return status;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void weigh(decant__tfidf *t) {
    double squares = 0;
    for (size_t e = 0; e < t->nonzeros; e++) {
        uint32_t j = t->column[e];
        double weight = (1 + decant__log((double)t->count[j])) * t->features->idf[j];
        squares += weight * weight;
    }
    double factor = sqrt((double)t->features->d / squares);
    for (size_t e = 0; e < t->nonzeros; e++) {
        uint32_t j = t->column[e];
        t->value[e] =
            (float)((1 + decant__log((double)t->count[j])) * t->features->idf[j] * factor);
        t->count[j] = 0;
    }
}

decant_status decant__tfidf_row(decant__tfidf *t, const char *text, size_t length) {
    decant_status status = DECANT_OK;
    t->nonzeros = 0;
    TRY(decant__lexicon_begin(&t->lexicon, text, length));
    for (;;) {
        uint32_t stem;
        TRY(decant__lexicon_next(&t->lexicon, &stem));
        if (stem == DECANT__NO_NAME) break;
        if (t->count[stem]++ == 0) t->column[t->nonzeros++] = stem;
    }
    qsort(t->column, t->nonzeros, sizeof *t->column, ascending);
    weigh(t);
done:
    return status;
}

void decant__tfidf_free(decant__tfidf *t) {
    decant__lexicon_free(&t->lexicon);
    decant__free(t->count);
    decant__free(t->column);
    decant__free(t->value);
    *t = (decant__tfidf){0};
}
