#include "nn/order.h"

#include "base/memory.h"
#include "base/random.h"

decant_status decant__order_new(decant__order *order, size_t n, int shuffle, uint64_t seed,
                                uint64_t phase) {
    decant_status status = DECANT_OK;
    *order = (decant__order){
        .n = n, .shuffle = shuffle, .seed = seed, .phase = phase, .epoch = UINT64_MAX};
    if (shuffle) NEW_ARRAY(order->permutation, n);
done:
    return status;
}

void decant__order_free(decant__order *order) {
    decant__free(order->permutation);
    order->permutation = NULL;
}

static void permute_for(decant__order *order, uint64_t epoch) {
    if (epoch == order->epoch) return;
    decant__random random =
        decant__random_start(order->seed, DECANT__RANDOM_ORDER, (order->phase << 40) | epoch);
    decant__random_permutation(&random, order->n, order->permutation);
    order->epoch = epoch;
}

void decant__order_take(decant__order *order, uint64_t position, size_t count, uint32_t *rows) {
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)((position + i) % order->n);
        if (order->shuffle) permute_for(order, (position + i) / order->n);
        rows[i] = order->shuffle ? order->permutation[at] : (uint32_t)at;
    }
}
