/* How much was counted in a row (how deeply a cell was sequenced, how long a document is) says
 * little about its kind, and a count has a spread that grows with it. So single-cell work divides
 * each row by its sum and takes the logarithm before anything else. */
#include "data/counts.h"

#include <math.h>

#include "base/elementary.h"

int decant__counts_recognise(const decant_dataset *data) {
    if (data->dense != NULL) return 0;
    size_t total = data->start[data->n], is[4] = {0};
    for (size_t e = 0; e < total; e++) {
        float x = data->value[e];
        if (x < 0 || x != floorf(x)) return 0;
        if (x <= 3) is[(int)x]++;
    }
    size_t nonzeros = total - is[0], larger = nonzeros - is[1];
    return is[1] > is[2] && is[2] > is[3] && is[3] > 0 && larger > nonzeros / 100;
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
