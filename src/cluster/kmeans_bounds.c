/* One iteration of Lloyd's algorithm for all starts at once. Distances are skipped if bounds prove
 * that they cannot change a label.
 *
 * For each row: `upper` >= distance to its own center a, and for each group g of centers `lower_g`
 * <= distance to every center of g but a. When a center has moved by m, its distances have changed
 * by at most m. If upper <= min_g lower_g, the label stays and no distance is computed. One group
 * is Hamerly's algorithm (SDM 2010), k groups of one center Elkan's (ICML 2003), those between are
 * Yinyang's (Ding et al., ICML 2015); the result is Lloyd's in all of them.
 *
 * Bounds are never rewritten when centers move: what is stored is lower_g + (drift of g so far) and
 * upper - (drift of a so far), and a drift is a single number.
 *
 * Number of groups: one for narrow and CSR rows, because there k distances together cost little
 * more than one; for wide rows as many as memory allows, at most k. MNIST (784 columns, k 10): of
 * 10 distances a row, 2.9 are computed in iteration 4, 0.6 in iteration 24 and 0.2 in iteration 64;
 * an iteration of one start takes 35 ms as a product, 25, 9 and 6 ms with bounds (one core of a Zen
 * 3).
 *
 * A block of rows is fetched once and used by all starts while it is in the cache. Sums are updated
 * only by rows that changed their label, and for each column in the order of rows, so that the
 * result does not depend on the threads. */
#include "cluster/kmeans_work.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "base/team.h"

enum { SLICE = 112 }; /* columns whose sums one thread updates at a time */

/* Max relative error of a float distance. */
static const float RELATIVE = 2e-6f;

/* One chunk of one slot: pointers to its state. */
typedef struct piece {
    const decant__kmeans_work *work;
    decant__kmeans_slot *slot;
    const decant__rows *rows; /* of the block */
    size_t first, n;          /* rows of the chunk within the block */
    int32_t *label;           /* n */
    float *upper;             /* n */
    float *lower;             /* groups x chunk */
    decant__kmeans_moved *moved;
    size_t moved_count;
} piece;

static piece piece_of(decant__kmeans_work *work, size_t s, const decant__chunk *chunk) {
    decant__kmeans_slot *slot = &work->slot[s];
    size_t row = chunk->number * work->cut.chunk;
    return (piece){.work = work,
                   .slot = slot,
                   .rows = chunk->rows,
                   .first = chunk->first,
                   .n = chunk->n,
                   .label = slot->label + row,
                   .upper = slot->upper + row,
                   .lower = decant__kmeans_lower(work, slot, chunk->number),
                   .moved = slot->moved + chunk->first};
}

/* Stores how many rows of the chunk changed their label. */
static void finish_piece(const piece *p) {
    p->slot->moved_count[p->first / p->work->cut.chunk] = p->moved_count;
}

static void set_label(piece *p, size_t i, int32_t label) {
    if (p->label[i] == label) return;
    p->moved[p->moved_count++] = (decant__kmeans_moved){(uint32_t)(p->first + i), p->label[i]};
    p->label[i] = label;
}

/* Label and bounds of one row from the squared distances to all k centers; error: their max error.
 */
static void assign_by_all(piece *p, size_t i, float *distance, float error) {
    const decant__kmeans_work *work = p->work;
    const decant__kmeans_slot *slot = p->slot;
    float second;
    size_t k = work->k, best = decant__kmeans_nearest(distance, k, &second);
    if (second - distance[best] < 2 * error) {
        decant__distance_row(p->rows, p->first + i, &slot->centers, distance);
        best = decant__kmeans_nearest(distance, k, &second);
        error = 0;
    }
    p->upper[i] = sqrtf(fmaxf(distance[best], 0) + error) - slot->center_drift_f[best];
    if (work->groups == 1) {
        p->lower[i] = sqrtf(fmaxf(second - error, 0)) + slot->group_drift_f[0];
    } else {
        distance[best] = HUGE_VALF;
        for (size_t g = 0, c = 0; g < work->groups; g++) {
            float min = HUGE_VALF;
            for (size_t end = c + work->width; c < end && c < k; c++) min = fminf(min, distance[c]);
            p->lower[g * work->cut.chunk + i] =
                sqrtf(fmaxf(min - error, 0)) + slot->group_drift_f[g];
        }
    }
    set_label(p, i, (int32_t)best);
}

/* The two nearest centers of a group, except the row's own center. */
static size_t search_group(const piece *p, size_t i, size_t g, size_t own, float *min,
                           float *second) {
    size_t c = g * p->work->width, end = c + p->work->width, best = own;
    *min = *second = HUGE_VALF;
    for (; c < end && c < p->work->k; c++) {
        if (c == own) continue;
        float distance = sqrtf(decant__distance_pair(p->rows, p->first + i, &p->slot->centers, c));
        if (distance < *min) {
            *second = *min;
            *min = distance;
            best = c;
        } else if (distance < *second) {
            *second = distance;
        }
    }
    return best;
}

/* Label and bounds of a row whose bounds have failed, with as few distances as they allow. The
 * distance u to the own center a is computed. Then, group by group: where lower_g > u, no center of
 * g is nearer, and the bound stays. Else all distances of the group are computed; with c the
 * nearest other center of g,
 *
 *   d(c) >= u:  lower_g = d(c)
 *   d(c) < u:   c is the new own center. The old one is again among those that the bound of its
 *               group is for: lower_g = d(second nearest), and the old center's bound is at most u.
 */
static void assign_by_bounds(piece *p, size_t i) {
    const decant__kmeans_slot *slot = p->slot;
    const float *drift = slot->group_drift_f;
    size_t stride = p->work->cut.chunk, own = (size_t)p->label[i];
    float *lower = p->lower + i;
    float upper = sqrtf(decant__distance_pair(p->rows, p->first + i, &slot->centers, own));
    for (size_t g = 0; g < p->work->groups; g++) {
        float nearest, second, *bound = lower + g * stride;
        if (*bound - drift[g] > upper * (1 + RELATIVE) + slot->slack) continue;
        size_t best = search_group(p, i, g, own, &nearest, &second);
        if (nearest < upper || (nearest == upper && best < own)) {
            size_t old_group = own / p->work->width;
            *bound = second + drift[g];
            float *old_bound = lower + old_group * stride;
            *old_bound = fminf(*old_bound, upper + drift[old_group]);
            own = best;
            upper = nearest;
        } else {
            *bound = nearest + drift[g];
        }
    }
    p->upper[i] = upper - slot->center_drift_f[own];
    set_label(p, i, (int32_t)own);
}

/* doubt[i]: whether the bounds of row i leave its label open. */
DECANT_CLONES static void check_bounds(const float *restrict upper, const int32_t *restrict label,
                                       const float *restrict lower, size_t groups, size_t stride,
                                       const decant__kmeans_slot *slot, size_t n,
                                       uint32_t *restrict doubt) {
    const float *center_drift = slot->center_drift_f;
    float min[DECANT__KMEANS_CHUNK], slack = slot->slack;
    for (size_t i = 0; i < n; i++) min[i] = HUGE_VALF;
    for (size_t g = 0; g < groups; g++) {
        const float *row = lower + g * stride;
        float drift = slot->group_drift_f[g];
#pragma omp simd
        for (size_t i = 0; i < n; i++) {
            float bound = row[i] - drift;
            min[i] = bound < min[i] ? bound : min[i];
        }
    }
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        float own = (upper[i] + center_drift[label[i]]) * (1 + RELATIVE) + slack;
        doubt[i] = min[i] > own ? 0U : 1U;
    }
}

/* The rows of a chunk whose bounds do not decide; returns how many. */
static size_t doubtful_rows(const piece *p, uint32_t *list) {
    uint32_t doubt[DECANT__KMEANS_CHUNK];
    size_t count = 0;
    check_bounds(p->upper, p->label, p->lower, p->work->groups, p->work->cut.chunk, p->slot, p->n,
                 doubt);
    for (size_t i = 0; i < p->n; i++) {
        list[count] = (uint32_t)i;
        count += doubt[i];
    }
    return count;
}

/* Label and bounds of narrow or CSR rows, which have one group and whose distances are so cheap
 * that all k are computed where the bounds fail. */
static void assign_narrow_rows(piece *p, uint32_t *list, size_t count) {
    const decant__kmeans_slot *slot = p->slot;
    uint32_t best[DECANT__KMEANS_CHUNK];
    float min[DECANT__KMEANS_CHUNK], second[DECANT__KMEANS_CHUNK];
    for (size_t l = 0; l < count; l++) list[l] += (uint32_t)p->first;
    decant__distance_nearest(p->rows, list, count, &slot->centers, best, min, second);
    for (size_t l = 0; l < count; l++) {
        size_t i = list[l] - p->first;
        p->upper[i] = sqrtf(min[l]) - slot->center_drift_f[best[l]];
        p->lower[i] = sqrtf(second[l]) + slot->group_drift_f[0];
        set_label(p, i, (int32_t)best[l]);
    }
}

static void bounded_chunk(piece *p, int full) {
    uint32_t list[DECANT__KMEANS_CHUNK];
    size_t count = p->n;
    for (size_t i = 0; full && i < count; i++) list[i] = (uint32_t)i;
    if (!full) count = doubtful_rows(p, list);
    if (p->slot->centers.column != NULL)
        assign_narrow_rows(p, list, count);
    else
        for (size_t l = 0; l < count; l++) assign_by_bounds(p, list[l]);
}

/* Wide rows: slots s .. s+slots-1, whose centers are contiguous, so that one product gives all
 * distances. */
static void full_chunk(decant__kmeans_work *work, const decant__chunk *chunk, size_t s,
                       size_t slots, float *distance, float *error) {
    size_t k = work->k;
    decant__centers centers = decant__centers_part(&work->stack, s * k, slots * k);
    decant__distance_block(chunk->rows, chunk->first, chunk->n, &centers, distance, error,
                           error + work->cut.chunk);
    for (size_t l = 0; l < slots; l++) {
        piece p = piece_of(work, s + l, chunk);
        for (size_t i = 0; i < chunk->n && !p.slot->done; i++)
            assign_by_all(&p, i, distance + i * centers.k + l * k, error[i]);
        finish_piece(&p);
    }
}

typedef struct label_step {
    decant__kmeans_work *work;
    size_t count; /* slots */
    int full;
} label_step;

static void label_chunk(void *context, const decant__chunk *chunk) {
    const label_step *step = context;
    decant__kmeans_work *work = step->work;
    float *distance = work->scratch + decant__team_member() * work->scratch_size;
    float *error = distance + work->cut.chunk * work->panel * work->k;
    size_t panel = work->panel, count = step->count;
    int product = step->full && work->stack.row != NULL;
    for (size_t s = 0; product && s < count; s += panel)
        full_chunk(work, chunk, s, count - s < panel ? count - s : panel, distance, error);
    for (size_t s = 0; !product && s < count; s++) {
        if (work->slot[s].done) continue;
        piece p = piece_of(work, s, chunk);
        bounded_chunk(&p, step->full);
        finish_piece(&p);
    }
}

DECANT_CLONES static void add_to_sum(const float *restrict x, size_t d, double *restrict sum) {
    for (size_t j = 0; j < d; j++) sum[j] += (double)x[j];
}

DECANT_CLONES static void move_between_sums(const float *restrict x, size_t d,
                                            double *restrict from, double *restrict to) {
    for (size_t j = 0; j < d; j++) {
        from[j] -= (double)x[j];
        to[j] += (double)x[j];
    }
}

static void move_sparse(const decant__rows *rows, size_t i, double *from, double *to) {
    for (size_t e = rows->begin[i]; e < rows->end[i]; e++) {
        double x = (double)rows->value[e];
        if (from != NULL) from[rows->column[e]] -= x;
        to[rows->column[e]] += x;
    }
}

/* Moves one row from one sum to another, for columns begin .. begin+width-1. */
static void move_sums(decant__kmeans_slot *slot, const decant__rows *rows, size_t row, int32_t from,
                      int32_t to, size_t begin, size_t width) {
    size_t d = rows->d;
    double *out = from < 0 ? NULL : slot->sum + (size_t)from * d;
    double *in = slot->sum + (size_t)to * d;
    if (rows->dense == NULL) {
        move_sparse(rows, row, out, in);
        return;
    }
    const float *x = rows->dense + row * d + begin;
    if (out == NULL)
        add_to_sum(x, width, in + begin);
    else
        move_between_sums(x, width, out + begin, in + begin);
}

/* The moved rows of a block, in order, for one slice of columns; slice 0 also counts. */
static void update_slice(const decant__kmeans_work *work, decant__kmeans_slot *slot,
                         const decant__rows *rows, size_t at, size_t slice) {
    size_t d = work->x->d, begin = slice * SLICE, chunk = work->cut.chunk;
    size_t width = rows->dense == NULL || d - begin < SLICE ? d - begin : SLICE;
    for (size_t c = 0; c * chunk < rows->n; c++) {
        const decant__kmeans_moved *moved = slot->moved + c * chunk;
        for (size_t m = 0; m < slot->moved_count[c]; m++) {
            int32_t from = moved[m].from, to = slot->label[at + moved[m].row];
            move_sums(slot, rows, moved[m].row, from, to, begin, width);
            if (slice > 0) continue;
            slot->count[to]++;
            if (from >= 0) slot->count[from]--;
        }
        if (slice == 0) slot->changed += slot->moved_count[c];
    }
}

static void update_block(void *context, const decant__rows *rows, size_t at) {
    const label_step *step = context;
    decant__kmeans_work *work = step->work;
    size_t slices = work->x->dense == NULL ? 1 : (work->x->d + SLICE - 1) / SLICE;
    TEAM_FOR_DYNAMIC (u, step->count * slices, 1)
        if (!work->slot[u / slices].done)
            update_slice(work, &work->slot[u / slices], rows, at, u % slices);
}

void decant__kmeans_pass(decant__kmeans_work *work, size_t count, int full) {
    label_step step = {work, count, full};
    decant__pass pass = {work->x,      &work->cut, &work->block, label_chunk,
                         update_block, &step,      &work->cancel};
    decant__pass_rows(&pass);
}

void decant__kmeans_reset(const decant__kmeans_work *work, decant__kmeans_slot *slot) {
    slot->done = slot->converged = 0;
    slot->iterations = 0;
    slot->slack = 0;
    slot->changed = 0;
    for (size_t i = 0; i < work->cut.n; i++) slot->label[i] = -1;
    memset(slot->sum, 0, work->k * work->x->d * sizeof *slot->sum);
    memset(slot->count, 0, work->k * sizeof *slot->count);
    memset(slot->center_drift, 0, work->k * sizeof *slot->center_drift);
    memset(slot->center_drift_f, 0, work->k * sizeof *slot->center_drift_f);
    memset(slot->group_drift, 0, work->groups * sizeof *slot->group_drift);
    memset(slot->group_drift_f, 0, work->groups * sizeof *slot->group_drift_f);
    decant__centers_ready(&slot->centers);
}

static double move_center(decant__kmeans_slot *slot, size_t c, size_t d) {
    float *center = slot->centers.row + c * d;
    const double *sum = slot->sum + c * d;
    double share = 1 / (double)slot->count[c], moved = 0;
    if (slot->count[c] == 0) return 0;  // empty: decant__kmeans_repair fills it
    for (size_t j = 0; j < d; j++) {
        float mean = (float)(sum[j] * share);
        double step = (double)mean - (double)center[j];
        moved += step * step;
        center[j] = mean;
    }
    return moved;
}

void decant__kmeans_move(const decant__kmeans_work *work, decant__kmeans_slot *slot) {
    double all = 0, farthest = 0;
    size_t empty = 0;
    for (size_t g = 0, c = 0; g < work->groups; g++) {
        double longest = 0;
        for (size_t end = c + work->width; c < end && c < work->k; c++) {
            double moved = move_center(slot, c, work->x->d);
            slot->center_drift[c] += sqrt(moved);
            slot->center_drift_f[c] = (float)slot->center_drift[c];
            longest = fmax(longest, sqrt(moved));
            all += moved;
            empty += slot->count[c] == 0;
        }
        slot->group_drift[g] += longest;
        slot->group_drift_f[g] = (float)slot->group_drift[g];
        if (slot->group_drift[g] > farthest) farthest = slot->group_drift[g];
    }
    // Bounds are stored with drifts added and read with drifts subtracted: four roundings of
    // numbers of this size.
    slot->slack = (float)(4 * 1.2e-7 * farthest);
    decant__centers_ready(&slot->centers);
    slot->iterations++;
    slot->converged = empty == 0 && (slot->changed == 0 || all <= work->min_move);
    slot->done = slot->converged || slot->iterations >= work->options->iterations;
    slot->changed = 0;
}
