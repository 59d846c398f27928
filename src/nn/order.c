#include "nn/order.h"

#include "base/memory.h"
#include "base/random.h"

decant_status decant__order_new(decant__order *order, size_t n, int shuffle, uint64_t seed,
                                uint64_t phase, decant__parts own) {
    decant_status status = DECANT_OK;
    *order = (decant__order){
        .n = n, .shuffle = shuffle, .seed = seed, .phase = phase, .epoch = UINT64_MAX, .own = own};
    size_t rows = decant__shards_part(n, own.first + own.count) - decant__shards_part(n, own.first);
    if (shuffle) NEW_ARRAY(order->permutation, rows);
done:
    return status;
}

void decant__order_free(decant__order *order) {
    decant__free(order->permutation);
    order->permutation = NULL;
}

/* Where part p begins among the own rows. */
static size_t own_begin(const decant__order *order, size_t p) {
    return decant__shards_part(order->n, p) - decant__shards_part(order->n, order->own.first);
}

static void permute_for(decant__order *order, uint64_t epoch) {
    if (epoch == order->epoch) return;
    for (uint64_t p = order->own.first; p < order->own.first + order->own.count; p++) {
        size_t begin = own_begin(order, p), end = own_begin(order, p + 1);
        decant__random random = decant__random_start(order->seed, DECANT__RANDOM_ORDER,
                                                     p << 52 | order->phase << 40 | epoch);
        if (end > begin)
            decant__random_permutation(&random, end - begin, order->permutation + begin);
    }
    order->epoch = epoch;
}

size_t decant__order_take(decant__order *order, uint64_t position, size_t count, uint32_t *rows,
                          decant__shards *shards) {
    size_t next[DECANT__SHARDS] = {0}, n = order->n, before = 0;
    decant__parts own = order->own;
    for (size_t i = 0; i < count; i++) next[(position + i) % n % DECANT__SHARDS]++;
    shards->begin[0] = 0;
    for (size_t s = 0; s < DECANT__SHARDS; s++) {
        if (s < own.first) before += next[s];
        shards->begin[s + 1] = shards->begin[s] + (s - own.first < own.count ? next[s] : 0);
        next[s] = shards->begin[s];
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)((position + i) % n), part = at % DECANT__SHARDS;
        if (part - own.first >= own.count) continue;
        size_t begin = own_begin(order, part), row = at / DECANT__SHARDS;
        if (order->shuffle) {
            permute_for(order, (position + i) / n);
            row = order->permutation[begin + row];
        }
        rows[next[part]++] = (uint32_t)(begin + row);
    }
    return before;
}
