/* One counter-based random generator, Philox 4x32-10 (Salmon et al., SC 2011).
 *
 * A number is a pure function of (seed, purpose, step, index): dropout masks, batch order and
 * restarts are the same for any number of threads, and a resumed run needs no generator state. */
#ifndef DECANT_BASE_RANDOM_H
#define DECANT_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What the numbers are used for: the streams of different purposes never overlap. Results depend on
 * these constants: never change one, and never reuse one. */
typedef enum decant__purpose {
    DECANT__RANDOM_WEIGHTS = 1,
    DECANT__RANDOM_ORDER,
    DECANT__RANDOM_DROPOUT,
    DECANT__RANDOM_KMEANS,
    DECANT__RANDOM_COMMUNITIES = 6,
    DECANT__RANDOM_TEST,
    DECANT__RANDOM_EIGEN = 20,
    DECANT__RANDOM_ROTATION,
    DECANT__RANDOM_NEIGHBOURS,
    DECANT__RANDOM_PRINCIPAL = 40,
    DECANT__RANDOM_MAP,
    DECANT__RANDOM_SAMPLE = 60,
    DECANT__RANDOM_TRACE = 70,
    DECANT__RANDOM_SPLIT = 80,
    DECANT__RANDOM_HALVES,
    DECANT__RANDOM_COLUMNS = 90,
    DECANT__RANDOM_STUDENT = 100,
    DECANT__RANDOM_SIGNS,
    DECANT__RANDOM_ADDED = 110
} decant__purpose;

/* Four random words for one counter. */
void decant__philox(uint64_t seed, decant__purpose purpose, uint64_t step, uint64_t index,
                    uint32_t out[4]);

/* A sequence of numbers for one (seed, purpose, step), for sequential code. */
typedef struct decant__random {
    uint64_t seed, step, index;
    decant__purpose purpose;
    uint32_t word[4];
    unsigned used;
} decant__random;

decant__random decant__random_start(uint64_t seed, decant__purpose purpose, uint64_t step);
uint32_t decant__random_word(decant__random *random);
double decant__random_uniform(decant__random *random);             /* [0, 1), 53 bits */
double decant__random_normal(decant__random *random);              /* mean 0, variance 1 */
uint64_t decant__random_below(decant__random *random, uint64_t n); /* 0 .. n-1, n > 0 */
void decant__random_permutation(decant__random *random, size_t n, uint32_t *order);

#endif
