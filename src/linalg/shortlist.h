/* The best neighbours found so far of one row, nearest first, equal distances in order of index.
 * That is a total order: what is left in the end does not depend on the order of the offers. */
#ifndef DECANT_LINALG_SHORTLIST_H
#define DECANT_LINALG_SHORTLIST_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct decant__shortlist {
    size_t count, capacity;
    uint32_t *index;
    float *distance;
} decant__shortlist;

/* A candidate farther than this has no place. */
static inline float decant__shortlist_worst(const decant__shortlist *list) {
    return list->count < list->capacity ? INFINITY : list->distance[list->count - 1];
}

/* Returns whether it was taken. One that is in the list already must not be offered again. */
static inline int decant__shortlist_offer(decant__shortlist *list, uint32_t index, float distance) {
    size_t at = list->count;
    if (list->count == list->capacity) {
        at--;
        if (distance > list->distance[at] ||
            (distance == list->distance[at] && index > list->index[at]))
            return 0;
    } else {
        list->count++;
    }
    while (at > 0 && (distance < list->distance[at - 1] ||
                      (distance == list->distance[at - 1] && index < list->index[at - 1]))) {
        list->distance[at] = list->distance[at - 1];
        list->index[at] = list->index[at - 1];
        at--;
    }
    list->distance[at] = distance;
    list->index[at] = index;
    return 1;
}

#endif
