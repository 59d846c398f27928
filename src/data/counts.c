/* How much was counted in a row (how deeply a cell was sequenced, how long a document is) says
 * little about its kind, and a count has a spread that grows with it. So single-cell work divides
 * each row by its sum and takes the logarithm before anything else. */
#include "data/counts.h"

#include <math.h>

#include "base/elementary.h"

/* What is asked of the values of all ranks; whole numbers, so that their order does not matter. */
enum { OTHERS, TOTAL, ZERO, ONE, TWO, THREE, QUESTIONS };

static void count_values(const decant_dataset *data, double is[QUESTIONS]) {
    size_t total = data->start[data->n];
    is[TOTAL] = (double)total;
    for (size_t e = 0; e < total && is[OTHERS] == 0; e++) {
        float x = data->value[e];
        if (x < 0 || x != floorf(x))
            is[OTHERS] = 1;
        else if (x <= 3)
            is[ZERO + (int)x]++;
    }
}

int decant__counts_recognise(const decant_dataset *data) {
    double is[QUESTIONS] = {0};
    if (data->dense != NULL) return 0;
    count_values(data, is);
    decant__comm_sum_doubles(decant__dataset_comm(data), is, QUESTIONS);
    double nonzeros = is[TOTAL] - is[ZERO], larger = nonzeros - is[ONE];
    return is[OTHERS] == 0 && is[ONE] > is[TWO] && is[TWO] > is[THREE] && is[THREE] > 0 &&
           larger > floor(nonzeros / 100);
}

decant_status decant__counts_row(const float *x, size_t count, float *y) {
    double sum = 0;
    for (size_t e = 0; e < count; e++) {
        if (x[e] < 0)
            return decant__fail(DECANT_EINVAL,
                                "has the number %g, and counts are not negative; try --scaling "
                                "paper or standard",
                                (double)x[e]);
        sum += (double)x[e];
    }
    double factor = sum > 0 ? DECANT__COUNTS_SUM / sum : 0;
    for (size_t e = 0; e < count; e++) y[e] = (float)decant__log(1 + factor * (double)x[e]);
    return DECANT_OK;
}
