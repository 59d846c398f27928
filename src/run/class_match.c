#include "run/class_match.h"

#include "decant/decant.h"

decant_status decant__class_match(const int32_t *clusters, const int32_t *labels, size_t n,
                                  size_t k, size_t classes, size_t *counts, int32_t *match) {
    decant_status status = decant_confusion(clusters, labels, n, k, classes, counts, match);
    if (status != DECANT_OK || k == classes) return status;
    for (size_t c = 0; c < k; c++) {
        const size_t *row = counts + c * classes;
        size_t best = 0;
        for (size_t j = 1; j < classes; j++)
            if (row[j] > row[best]) best = j;
        match[c] = row[best] > 0 ? (int32_t)best : -1;
    }
    return DECANT_OK;
}
