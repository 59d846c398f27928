/* An empty cluster gets the row that is farthest from its center, from a cluster with more than one
 * row. The error of that row becomes 0, so the inertia falls. Only one cluster is filled in an
 * iteration: the next farthest row may be a duplicate of the first. */
#include "cluster/kmeans_work.h"

#include <math.h>

typedef struct farthest_search {
    decant__kmeans_work *work;
    const decant__kmeans_slot *slot;
} farthest_search;

/* The farthest row of one chunk, among clusters with more than one row. */
static void farthest_in_chunk(void *context, const decant__chunk *chunk) {
    const farthest_search *search = context;
    decant__kmeans_work *work = search->work;
    const decant__kmeans_slot *slot = search->slot;
    size_t row = chunk->number * work->cut.chunk;
    double farthest = 0;
    for (size_t i = 0; i < chunk->n; i++) {
        size_t own = (size_t)slot->label[row + i];
        if (slot->count[own] < 2) continue;
        double distance =
            decant__distance_exact(chunk->rows, chunk->first + i, &slot->centers, own);
        if (distance > farthest) {
            farthest = distance;
            work->chunk_row[chunk->number] = row + i;
        }
    }
    work->chunk_value[chunk->number] = farthest;
}

/* Resets the bounds of a row, so that its distances are computed. */
static void reset_bounds(decant__kmeans_work *work, decant__kmeans_slot *slot, size_t row) {
    size_t chunk = row / work->cut.chunk;
    float *lower = decant__kmeans_lower(work, slot, chunk) + row % work->cut.chunk;
    slot->upper[row] = HUGE_VALF;
    for (size_t g = 0; g < work->groups; g++) lower[g * work->cut.chunk] = -HUGE_VALF;
}

static void move_row(decant__kmeans_work *work, decant__kmeans_slot *slot, size_t row, size_t to) {
    size_t d = work->x->d, from = (size_t)slot->label[row];
    uint32_t index = (uint32_t)row;
    decant__rows rows = decant__source_fetch(work->x, &index, 0, 1, &work->single);
    // The sum of an empty cluster may not be 0, by rounding.
    for (size_t j = 0; j < d; j++) slot->sum[to * d + j] = 0;
    for (size_t j = 0; j < d && rows.dense != NULL; j++) {
        slot->sum[to * d + j] = (double)rows.dense[j];
        slot->sum[from * d + j] -= (double)rows.dense[j];
    }
    for (size_t e = rows.dense == NULL ? rows.begin[0] : 0; rows.dense == NULL && e < rows.end[0];
         e++) {
        slot->sum[to * d + rows.column[e]] = (double)rows.value[e];
        slot->sum[from * d + rows.column[e]] -= (double)rows.value[e];
    }
    slot->count[from]--;
    slot->count[to] = 1;
    slot->label[row] = (int32_t)to;
    slot->changed++;
    reset_bounds(work, slot, row);
}

decant_status decant__kmeans_repair(decant__kmeans_work *work, decant__kmeans_slot *slot) {
    size_t empty = 0, best = 0;
    while (empty < work->k && slot->count[empty] > 0) empty++;
    if (empty == work->k) return DECANT_OK;
    farthest_search search = {work, slot};
    decant__pass pass = {work->x, &work->cut, &work->block, farthest_in_chunk,
                         NULL,    &search,    &work->cancel};
    decant_status status = decant__pass_run(&pass, work->threads);
    if (status != DECANT_OK) return status;
    for (size_t p = 1; p < work->cut.chunks; p++)
        if (work->chunk_value[p] > work->chunk_value[best]) best = p;
    if (!(work->chunk_value[best] > 0)) return decant__kmeans_too_few(work->k);
    move_row(work, slot, work->chunk_row[best], empty);
    return DECANT_OK;
}
