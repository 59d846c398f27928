/* In which order minibatches take the rows: a new permutation each epoch, or file order, both going
 * round and round. Row number `position` of the endless sequence is a pure function of the seed, so
 * a resumed run goes on in the same order. */
#ifndef DECANT_NN_ORDER_H
#define DECANT_NN_ORDER_H

#include "base/status.h"

typedef struct decant__order {
    size_t n;
    int shuffle;
    uint64_t seed, phase; /* phases of training have orders of their own */
    uint64_t epoch;       /* of the permutation held */
    uint32_t *permutation;
} decant__order;

decant_status decant__order_new(decant__order *order, size_t n, int shuffle, uint64_t seed,
                                uint64_t phase);
void decant__order_free(decant__order *order);

/* Rows position .. position + count - 1 of the sequence. */
void decant__order_take(decant__order *order, uint64_t position, size_t count, uint32_t *rows);

#endif
