#include "dec/min_size.h"

#include "base/memory.h"

/* to[c] is -1 for a dissolved cluster. */
static int32_t likeliest(const float *soft, size_t k, const int32_t *to) {
    int32_t best = -1;
    for (size_t c = 0; c < k; c++)
        if (to[c] >= 0 && (best < 0 || soft[c] > soft[best])) best = (int32_t)c;
    return best;
}

/* Of equal ones, the last. */
static size_t smallest(const size_t *rows, const int32_t *to, size_t k) {
    size_t found = k;
    for (size_t c = 0; c < k; c++)
        if (to[c] >= 0 && (found == k || rows[c] <= rows[found])) found = c;
    return found;
}

static void dissolve(size_t cluster, size_t n, size_t k, const float *soft, int32_t *labels,
                     const int32_t *to, size_t *rows) {
    for (size_t i = 0; i < n; i++) {
        if (labels[i] != (int32_t)cluster) continue;
        labels[i] = likeliest(soft + i * k, k, to);
        rows[labels[i]]++;
    }
}

decant_status decant__min_size_choose(size_t n, size_t k, const float *soft, size_t min,
                                      int32_t *labels, int32_t *to, size_t *left) {
    decant_status status = DECANT_OK;
    size_t *rows = NULL, next = 0;
    NEW_ZEROED(rows, k);
    for (size_t i = 0; i < n; i++) rows[labels[i]]++;
    for (size_t c = 0; c < k; c++) to[c] = 0;
    for (*left = k; *left > 1; --*left) {
        size_t c = smallest(rows, to, k);
        if (rows[c] >= min) break;
        to[c] = -1;
        dissolve(c, n, k, soft, labels, to, rows);
    }
    for (size_t c = 0; c < k; c++)
        if (to[c] >= 0) to[c] = (int32_t)next++;
done:
    decant__free(rows);
    return status;
}
