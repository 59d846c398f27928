#include "dec/novelty.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lower median of an array, which is sorted. 0 without values. */
static double median(double *value, size_t count) {
    if (count == 0) return 0;
    qsort(value, count, sizeof *value, by_value);
    return value[(count - 1) / 2];
}

/* Medians of all clusters; where one is 0 (equal rows, no rows), that of all rows. */
static decant_status find_medians(size_t k, const int32_t *labels, const float *distance, size_t n,
                                  double *scratch, double *middle) {
    decant_status status = DECANT_OK;
    size_t *end = NULL;
    for (size_t i = 0; i < n; i++) scratch[i] = (double)distance[i];
    double usual = median(scratch, n);
    if (!(usual > 0)) usual = 1;
    NEW_ZEROED(end, k + 1);
    for (size_t i = 0; i < n; i++) end[labels[i] + 1]++;
    for (size_t c = 0; c < k; c++) end[c + 1] += end[c];
    for (size_t i = 0; i < n; i++) scratch[end[labels[i]]++] = (double)distance[i];
    for (size_t c = 0, begin = 0; c < k; begin = end[c++]) { /* now end[c] is the end of c */
        middle[c] = median(scratch + begin, end[c] - begin);
        if (!(middle[c] > 0)) middle[c] = usual;
    }
done:
    decant__free(end);
    return status;
}

decant_status decant__novelty_learn(decant_model *model, const int32_t *labels,
                                    const float *distance, size_t n) {
    decant_status status = DECANT_OK;
    double *scratch = NULL, *middle = NULL;
    size_t k = model->options.k; /* a fit has merged none */
    NEW_ARRAY(scratch, n);
    NEW_ARRAY(middle, k);
    TRY(find_medians(k, labels, distance, n, scratch, middle));
    for (size_t i = 0; i < n; i++) scratch[i] = (double)distance[i] / middle[labels[i]];
    qsort(scratch, n, sizeof *scratch, by_value);
    size_t beyond = (size_t)(model->options.outliers * (double)n);
    double limit = scratch[n - 1 - (beyond < n ? beyond : n - 1)];
    for (size_t c = 0; c < k; c++) middle[c] *= limit > 0 ? limit : 1;
    model->far = middle;
    middle = NULL;
done:
    decant__free(scratch);
    decant__free(middle);
    return status;
}
