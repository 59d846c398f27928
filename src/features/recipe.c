#include "features/recipe.h"

#include <string.h>

#include "base/memory.h"

decant_status decant__features_copy(const decant_features *from, decant_features **out) {
    decant_status status = DECANT_OK;
    decant_features *copy;
    NEW_ZEROED(copy, 1);
    *copy = *from;
    copy->idf = NULL;
    copy->stems = copy->words = (decant__names){0};
    TRY(decant__names_copy(&copy->stems, &from->stems));
    TRY(decant__names_copy(&copy->words, &from->words));
    if (from->idf != NULL) {
        NEW_ARRAY(copy->idf, copy->d);
        memcpy(copy->idf, from->idf, copy->d * sizeof *copy->idf);
    }
    *out = copy;
    copy = NULL;
done:
    decant__features_free(copy);
    return status;
}

void decant__features_free(decant_features *features) {
    if (features == NULL) return;
    decant__names_free(&features->stems);
    decant__names_free(&features->words);
    decant__free(features->idf);
    decant__free(features);
}

size_t decant_features_columns(const decant_features *features) {
    return features != NULL ? features->d : 0;
}

const char *decant_features_stem(const decant_features *features, size_t column) {
    return features != NULL && column < features->stems.count
               ? decant__names_at(&features->stems, column)
               : NULL;
}

const char *decant_features_word(const decant_features *features, size_t column) {
    return features != NULL && column < features->words.count
               ? decant__names_at(&features->words, column)
               : decant_features_stem(features, column);
}

double decant_features_idf(const decant_features *features, size_t column) {
    return features != NULL && features->idf != NULL && column < features->d ? features->idf[column]
                                                                             : 0;
}
