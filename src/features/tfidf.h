/* The second pass over texts: each becomes a sparse row,
 *
 *   w_t = (1 + ln count_t) idf_t,   x = sqrt(d) w / |w|
 *
 * so that |x|^2 / d = 1, as the paper has it for REUTERS. A text without a known stem is 0. */
#ifndef DECANT_FEATURES_TFIDF_H
#define DECANT_FEATURES_TFIDF_H

#include "features/lexicon.h"
#include "features/recipe.h"

/* Zero-initialise. The row that was made last is in column, value and nonzeros. */
typedef struct decant__tfidf {
    const decant_features *features;
    decant__lexicon lexicon;
    uint32_t *count;  /* d: zero between two rows */
    uint32_t *column; /* ascending */
    float *value;
    size_t nonzeros;
} decant__tfidf;

/* features is borrowed. */
decant_status decant__tfidf_new(decant__tfidf *tfidf, const decant_features *features);
decant_status decant__tfidf_row(decant__tfidf *tfidf, const char *text, size_t length);
void decant__tfidf_free(decant__tfidf *tfidf);

#endif
