/* Hoare's selection among rows that are ordered by a number each, equal numbers in order of index.
 * That is a total order: which rows come before the middle is unique. */
#ifndef DECANT_LINALG_PARTITION_H
#define DECANT_LINALG_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/* The number of row i is key[i * stride]. */
static inline int decant__row_before(const float *key, size_t stride, uint32_t a, uint32_t b) {
    float left = key[a * stride], right = key[b * stride];
    return left < right || (!(right < left) && a < b);
}

/* Afterwards rows[0..middle) come before rows[middle..count). */
static inline void decant__select_middle(const float *key, size_t stride, uint32_t *rows,
                                         size_t middle, size_t count) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t pivot = rows[low + (high - low) / 2];
        size_t i = low, j = high;
        while (i <= j) {
            while (decant__row_before(key, stride, rows[i], pivot)) i++;
            while (decant__row_before(key, stride, pivot, rows[j])) j--;
            if (i > j) break;
            uint32_t swap = rows[i];
            rows[i++] = rows[j];
            rows[j] = swap;
            if (j == 0) break;
            j--;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

#endif
