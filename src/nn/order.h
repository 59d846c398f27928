/* In which order minibatches take the rows: each epoch once, by a new permutation or in file order.
 *
 * The n rows are cut into 16 parts of consecutive rows, the first n % 16 of them one row longer.
 * Position e of an epoch is row e / 16 of part e % 16, in that part's own order; so every minibatch
 * has rows of all parts, its shards (linalg/shards.h), and whoever has a part can draw its rows
 * without knowing of the others. What a position holds is a pure function of the seed, so a resumed
 * run goes on in the same order. */
#ifndef DECANT_NN_ORDER_H
#define DECANT_NN_ORDER_H

#include "base/status.h"
#include "linalg/shards.h"

typedef struct decant__order {
    size_t n;
    int shuffle;
    uint64_t seed, phase;  /* phases of training have orders of their own */
    uint64_t epoch;        /* of the permutation held */
    decant__parts own;     /* the parts whose rows are drawn */
    uint32_t *permutation; /* of each of them in turn */
} decant__order;

/* own: {0, 16} for all parts. */
decant_status decant__order_new(decant__order *order, size_t n, int shuffle, uint64_t seed,
                                uint64_t phase, decant__parts own);
void decant__order_free(decant__order *order);

/* Of the rows at position .. position + count - 1 of the endless sequence of epochs, shard by
 * shard, those of the own parts, numbered from the first own row. Returns how many of the minibatch
 * come before them. */
size_t decant__order_take(decant__order *order, uint64_t position, size_t count, uint32_t *rows,
                          decant__shards *shards);

#endif
