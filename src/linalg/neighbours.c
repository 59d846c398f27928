#include "linalg/neighbours.h"

decant_status decant__neighbours_find(const decant__source *x, size_t count, int threads,
                                      const decant__watch *watch, uint32_t *index,
                                      float *distance) {
    if (x->dense != NULL && x->scale == NULL && x->d <= DECANT__TREE_COLUMNS)
        return decant__neighbours_tree(x->dense, x->n, x->d, count, threads, index, distance);
    return decant__neighbours_pairs(x, count, threads, watch, index, distance);
}
