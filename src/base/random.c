#include "base/random.h"

#include <math.h>

#include "base/elementary.h"

void decant__philox(uint64_t seed, decant__purpose purpose, uint64_t step, uint64_t index,
                    uint32_t out[4]) {
    uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32);
    uint32_t c2 = (uint32_t)step;
    uint32_t c3 = ((uint32_t)(step >> 32) & 0xffffffU) | ((uint32_t)purpose << 24);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53U * c0, p1 = (uint64_t)0xCD9E8D57U * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

decant__random decant__random_start(uint64_t seed, decant__purpose purpose, uint64_t step) {
    decant__random random = {.seed = seed, .step = step, .purpose = purpose, .used = 4};
    return random;
}

uint32_t decant__random_word(decant__random *random) {
    if (random->used == 4) {
        decant__philox(random->seed, random->purpose, random->step, random->index++, random->word);
        random->used = 0;
    }
    return random->word[random->used++];
}

double decant__random_uniform(decant__random *random) {
    uint64_t high = decant__random_word(random), low = decant__random_word(random);
    return (double)(((high << 32) | low) >> 11) * 0x1p-53;
}

/* Box-Muller; the second value is dropped, so that one draw is always one pair of uniforms. */
double decant__random_normal(decant__random *random) {
    double radius = sqrt(-2.0 * decant__log(1.0 - decant__random_uniform(random)));
    return radius * decant__cos_turns(decant__random_uniform(random));
}

/* Rejection keeps it exactly uniform. */
uint64_t decant__random_below(decant__random *random, uint64_t n) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    for (;;) {
        uint64_t high = decant__random_word(random), low = decant__random_word(random);
        uint64_t value = (high << 32) | low;
        if (value < limit) return value % n;
    }
}

void decant__random_permutation(decant__random *random, size_t n, uint32_t *order) {
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)decant__random_below(random, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}
