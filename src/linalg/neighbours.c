#include "linalg/neighbours.h"

#include <math.h>

decant_status decant__neighbours_check(const float *distance, size_t n, size_t count) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(distance[i * count + count - 1]))
            return decant__fail(DECANT_EINVAL,
                                "row %zu is so far from its %zu nearest rows that the squared "
                                "distance is not a finite float: scale the columns, for example "
                                "by --scaling standard",
                                i + 1, count);
    return DECANT_OK;
}

decant_status decant__neighbours_find(const decant__source *x, size_t count, int threads,
                                      const decant__watch *watch, uint32_t *index,
                                      float *distance) {
    decant_status status = DECANT_OK;
    if (x->dense != NULL && x->scale == NULL && x->d <= DECANT__TREE_COLUMNS)
        TRY(decant__neighbours_tree(x, count, threads, watch, index, distance));
    else
        TRY(decant__neighbours_pairs(x, count, threads, watch, index, distance));
    TRY(decant__neighbours_check(distance, x->n, count));
done:
    return status;
}
