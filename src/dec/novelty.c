#include "dec/novelty.h"

#include <math.h>

#include "base/memory.h"

/* Hoare's selection: the value that would be number `rank` after sorting, in time near n. */
static double select_value(double *value, size_t count, size_t rank) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = value[low + (high - low) / 2];
        size_t i = low, j = high + 1; /* one beyond, so that it never falls below 0 */
        while (i < j) {
            while (value[i] < pivot) i++;
            while (pivot < value[j - 1]) j--;
            if (i >= j) break;
            double swap = value[i];
            value[i++] = value[j - 1];
            value[--j] = swap;
        }
        if (rank < j)
            high = j - 1;
        else if (rank >= i)
            low = i;
        else
            break;
    }
    return value[rank];
}

/* The lower median; 0 without values. */
static double median(double *value, size_t count) {
    return count > 0 ? select_value(value, count, (count - 1) / 2) : 0;
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
    size_t beyond = (size_t)(model->options.outliers * (double)n);
    double limit = select_value(scratch, n, n - 1 - (beyond < n ? beyond : n - 1));
    for (size_t c = 0; c < k; c++) middle[c] *= limit > 0 ? limit : 1;
    model->far = middle;
    middle = NULL;
done:
    decant__free(scratch);
    decant__free(middle);
    return status;
}
