#include "linalg/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/shortlist.h"

decant_status decant__neighbours_check(const float *distance, size_t n, size_t count) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(distance[i * count + count - 1]))
            return decant__fail(DECANT_EINVAL,
                                "row %zu is so far from its %zu nearest rows that the squared "
                                "distance is not a finite float: scale the columns, for example "
                                "by --scaling standard",
                                i + 1, count);
    return DECANT_OK;
}

static int suits_tree(const decant__source *x) {
    return x->dense != NULL && x->scale == NULL && x->d <= DECANT__TREE_COLUMNS;
}

decant_status decant__neighbours_find(const decant__source *x, size_t count, int threads,
                                      const decant__watch *watch, uint32_t *index,
                                      float *distance) {
    decant_status status = DECANT_OK;
    const decant__search wanted = {.x = x, .count = count, .threads = threads, .watch = watch};
    if (suits_tree(x))
        TRY(decant__neighbours_tree(&wanted, 0, x->n, index, distance));
    else
        TRY(decant__neighbours_pairs(x, count, threads, watch, index, distance));
    TRY(decant__neighbours_check(distance, x->n, count));
done:
    return status;
}

/* The lists of all rows that one rank brings, into those that are there. A pair was compared by one
 * rank only, so that none is in both. */
static void merge_lists(const decant__search *wanted, const uint32_t *other, const float *far,
                        uint32_t *index, float *distance) {
    size_t count = wanted->count;
    for (size_t i = 0; i < wanted->x->n; i++) {
        decant__shortlist list = {0, count, index + i * count, distance + i * count};
        while (list.count < count && list.index[list.count] != DECANT__NO_ROW) list.count++;
        for (size_t e = i * count; e < (i + 1) * count && other[e] != DECANT__NO_ROW; e++)
            if (!decant__shortlist_offer(&list, other[e], far[e])) break;
    }
}

/* index, distance: the lists of this rank; then those of all. */
static decant_status merge_ranks(const decant__search *wanted, const decant__comm *comm,
                                 uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    size_t entries = wanted->x->n * wanted->count;
    uint32_t *own = NULL, *other = NULL;
    float *own_distance = NULL, *far = NULL;
    NEW_ARRAY(own, entries);
    NEW_ARRAY(other, entries);
    NEW_ARRAY(own_distance, entries);
    NEW_ARRAY(far, entries);
    memcpy(own, index, entries * sizeof *own);
    memcpy(own_distance, distance, entries * sizeof *own_distance);
done:
    status = decant__comm_agree(comm, status);
    for (int r = 0; status == DECANT_OK && r < comm->size; r++) {
        int self = r == comm->rank;
        decant__comm_broadcast(comm, r, self ? own : other, entries * sizeof *own);
        decant__comm_broadcast(comm, r, self ? own_distance : far, entries * sizeof *far);
        if (!self) merge_lists(wanted, other, far, index, distance);
    }
    decant__free(own);
    decant__free(other);
    decant__free(own_distance);
    decant__free(far);
    return status;
}

static void gather_lists(const decant__search *wanted, const decant__comm *comm,
                         const size_t *begin, uint32_t *index, float *distance) {
    size_t bytes[DECANT__MAX_RANKS + 1];
    for (int r = 0; r <= comm->size; r++) bytes[r] = begin[r] * wanted->count * sizeof *index;
    decant__comm_gather(comm, index, bytes);
    decant__comm_gather(comm, distance, bytes);
}

decant_status decant__neighbours_by_ranks(const decant__search *wanted, const decant__comm *comm,
                                          const size_t *begin, uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    size_t rank = (size_t)comm->rank, rows = begin[rank + 1] - begin[rank];
    if (suits_tree(wanted->x)) {
        TRY(decant__comm_agree(
            comm, decant__neighbours_tree(wanted, begin[rank], rows, index, distance)));
        gather_lists(wanted, comm, begin, index, distance);
    } else {
        TRY(decant__comm_agree(
            comm, decant__neighbours_share(wanted, rank, (size_t)comm->size, index, distance)));
        TRY(merge_ranks(wanted, comm, index, distance));
    }
    TRY(decant__neighbours_check(distance, wanted->x->n, wanted->count));
done:
    return status;
}
