#include "linalg/neighbours.h"

#include <math.h>

#include "base/memory.h"

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

static int suits_tree(const decant__source *x) {
    return x->dense != NULL && x->scale == NULL && x->d <= DECANT__TREE_COLUMNS;
}

decant_status decant__neighbours_find(const decant__source *x, size_t count, int threads,
                                      const decant__watch *watch, uint32_t *index,
                                      float *distance) {
    decant_status status = DECANT_OK;
    const decant__search wanted = {.x = x, .count = count, .threads = threads, .watch = watch};
    if (suits_tree(x))
        TRY(decant__neighbours_tree(&wanted, 0, x->n, index, distance));
    else
        TRY(decant__neighbours_pairs(x, count, threads, watch, index, distance));
    TRY(decant__neighbours_check(distance, x->n, count));
done:
    return status;
}

decant_status decant__neighbours_part(const decant__search *wanted, size_t first, size_t rows,
                                      uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    uint32_t *query = NULL;
    size_t at = first * wanted->count;
    if (suits_tree(wanted->x)) {
        TRY(decant__neighbours_tree(wanted, first, rows, index, distance));
    } else {
        NEW_ARRAY(query, rows);
        for (size_t i = 0; i < rows; i++) query[i] = (uint32_t)(first + i);
        TRY(decant__neighbours_of(wanted, query, rows, index + at, distance + at));
    }
    TRY(decant__neighbours_check(distance + at, rows, wanted->count));
done:
    decant__free(query);
    return status;
}
