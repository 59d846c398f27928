/* How raw files become rows. Found on the training files, kept in the model, so that new files of
 * the same kind become rows of the same kind. Plain data; the work is in the other files. */
#ifndef DECANT_FEATURES_RECIPE_H
#define DECANT_FEATURES_RECIPE_H

#include "features/names.h"

struct decant_features {
    decant_feature_kind kind; /* never DECANT_FEATURES_AUTO */
    size_t d;                 /* numbers in a row */
    /* images: what they are resized to, and 1 (grey) or 3 (colour) channels */
    size_t width, height, channels;
    /* text */
    char language[DECANT_LANGUAGE_SIZE];
    int stop_words;
    decant__names stems; /* column j is stem j */
    decant__names words; /* the commonest word of each stem; none: stems are words */
    double *idf;         /* d; NULL for images */
    char about[160];     /* in words */
    /* names of the columns of a table that texts and ids were in; "": there were none */
    char column[256], id_column[256];
};

decant_status decant__features_copy(const decant_features *from, decant_features **out);
void decant__features_free(decant_features *features);

#endif
