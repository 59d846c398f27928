/* Initial centers: k random rows, or greedy k-means++ (Arthur and Vassilvitskii, SODA 2007). Each
 * center is drawn with a probability proportional to D(x)^2, the squared distance to the nearest
 * center so far; of 2 + log k such candidates the one with the smallest sum of D^2 is taken.
 *
 * All starts choose their j-th center in the same pass over the data: their candidates are the
 * columns of one product. A pass first updates D with the center that the last pass chose, then
 * sums min(D^2, |x - candidate|^2) for each chunk and candidate. The next draw uses these sums: it
 * draws a chunk, and computes the distances of that chunk again. So no array of size n x candidates
 * is needed. */
#include "cluster/kmeans_work.h"

#include <math.h>
#include <string.h>

#include "base/team.h"

/* Expanded distances below this multiple of their error are computed again: the distance of
 * duplicate rows must be exactly 0, or both could become centers. */
static const float DOUBT = 1000;

static double *potential_at(const decant__kmeans_work *work, size_t chunk, size_t slot) {
    return work->potential + (chunk * work->slots + slot) * work->candidates;
}

/* Index in `trial` of a slot: its last center, followed by its candidates. */
static size_t trial_of(const decant__kmeans_work *work, size_t slot) {
    return slot * (1 + work->candidates);
}

static void copy_source_row(decant__kmeans_work *work, uint32_t row, float *out) {
    decant__rows rows = decant__source_fetch(work->x, &row, 0, 1, &work->single);
    decant__rows_copy(&rows, 0, out);
}

static float trial_distance(const decant__kmeans_work *work, const decant__rows *rows, size_t row,
                            size_t trial, float expanded, float error) {
    if (expanded >= DOUBT * error) return expanded;
    return decant__distance_pair(rows, row, &work->trial, trial);
}

typedef struct weigh_step {
    decant__kmeans_work *work;
    size_t count, tried; /* slots, and candidates of each */
} weigh_step;

/* A slot's part of a chunk: its last center and its candidates are columns of the distances. */
typedef struct weigh_slot {
    const float *distance;
    size_t columns, n, tried;
    float *nearest;
    double *potential;
} weigh_slot;

/* For distances that are exact. tried is a constant where this is inlined. */
__attribute__((always_inline)) static inline void weigh_exact(const weigh_slot *s,
                                                              const size_t tried) {
    double *restrict potential = s->potential;
    float *restrict nearest = s->nearest;
    for (size_t i = 0; i < s->n; i++) {
        const float *restrict row = s->distance + i * s->columns;
        float least = row[0] < nearest[i] ? row[0] : nearest[i];
        nearest[i] = least;
        for (size_t l = 0; l < tried; l++)
            potential[l] += (double)(row[1 + l] < least ? row[1 + l] : least);
    }
}

static void weigh_expanded(const decant__kmeans_work *work, const decant__chunk *chunk,
                           const weigh_slot *s, size_t trial, const float *error) {
    for (size_t i = 0; i < s->n; i++) {
        const float *row = s->distance + i * s->columns;
        size_t at = chunk->first + i;
        if (s->nearest[i] > 0) {
            float to = trial_distance(work, chunk->rows, at, trial, row[0], error[i]);
            if (to < s->nearest[i]) s->nearest[i] = to;
        }
        for (size_t l = 0; l < s->tried && s->nearest[i] > 0; l++) {
            float to = trial_distance(work, chunk->rows, at, trial + 1 + l, row[1 + l], error[i]);
            s->potential[l] += (double)(to < s->nearest[i] ? to : s->nearest[i]);
        }
    }
}

/* Updates D^2 of each row with the last center, and sums it for each candidate. */
static void weigh_chunk(void *context, const decant__chunk *chunk) {
    const weigh_step *step = context;
    decant__kmeans_work *work = step->work;
    size_t columns = work->trial.k;
    float *distance = work->scratch + decant__team_member() * work->scratch_size;
    float *error = distance + work->cut.chunk * columns;
    int exact = decant__distance_block(chunk->rows, chunk->first, chunk->n, &work->trial, distance,
                                       error, error + work->cut.chunk);
    for (size_t s = 0; s < step->count; s++) {
        size_t trial = trial_of(work, s);
        weigh_slot slot = {.distance = distance + trial,
                           .columns = columns,
                           .n = chunk->n,
                           .tried = step->tried,
                           .nearest = work->slot[s].upper + chunk->number * work->cut.chunk,
                           .potential = potential_at(work, chunk->number, s)};
        for (size_t l = 0; l < step->tried; l++) slot.potential[l] = 0;
        if (!exact)
            weigh_expanded(work, chunk, &slot, trial, error);
        else if (slot.tried == 4) /* 8 to 20 clusters */
            weigh_exact(&slot, 4);
        else
            weigh_exact(&slot, slot.tried);
    }
}

static double total_potential(const decant__kmeans_work *work, size_t slot, size_t candidate) {
    double total = 0;
    for (size_t c = 0; c < work->cut.chunks; c++) total += potential_at(work, c, slot)[candidate];
    return total;
}

/* D^2 of one row, including the slot's last center. */
static double row_weight(const decant__kmeans_work *work, const decant__rows *rows, size_t i,
                         size_t slot, float nearest) {
    float last = decant__distance_pair(rows, i, &work->trial, trial_of(work, slot));
    return (double)(last < nearest ? last : nearest);
}

/* The row of a chunk at this share (0 .. 1) of the chunk's sum of D^2. */
static size_t draw_in_chunk(decant__kmeans_work *work, size_t slot, size_t chunk, double share) {
    size_t first = chunk * work->cut.chunk, n = decant__cut_count(&work->cut, chunk), found = 0;
    const float *nearest = work->slot[slot].upper + first;
    double weight[DECANT__KMEANS_CHUNK], total = 0, passed = 0;
    decant__rows rows = decant__source_fetch(work->x, NULL, first, n, &work->single);
    for (size_t i = 0; i < n; i++) {
        weight[i] = row_weight(work, &rows, i, slot, nearest[i]);
        total += weight[i];
    }
    for (size_t i = 0; i < n && passed <= share * total; i++) {
        if (weight[i] == 0) continue;
        found = i;
        passed += weight[i];
    }
    return first + found;
}

/* Draws a row by D^2, from the sums of each chunk with the candidate that was chosen last. */
static size_t draw_row(decant__kmeans_work *work, size_t slot, size_t chosen, double target) {
    size_t chunk = 0;
    double before = 0, share = 0;
    for (size_t c = 0; c < work->cut.chunks; c++) {
        double here = potential_at(work, c, slot)[chosen];
        if (here <= 0) continue;
        chunk = c;
        share = (target - before) / here;
        before += here;
        if (before > target) break;
    }
    return draw_in_chunk(work, slot, chunk, fmin(share, 1));
}

/* Takes the best candidate as center number j. */
static decant_status choose_center(decant__kmeans_work *work, size_t s, size_t j, size_t tried,
                                   size_t *chosen, double *potential) {
    size_t d = work->x->d, best = 0;
    double min = HUGE_VAL;
    for (size_t l = 0; l < tried; l++) {
        double total = total_potential(work, s, l);
        if (total < min) {
            min = total;
            best = l;
        }
    }
    float *trial = work->trial.row + trial_of(work, s) * d;
    memcpy(trial, trial + (1 + best) * d, d * sizeof *trial);
    memcpy(work->slot[s].centers.row + j * d, trial, d * sizeof *trial);
    *chosen = best;
    *potential = min;
    if (!(min > 0) && j + 1 < work->k) return decant__kmeans_too_few(work->k);
    return DECANT_OK;
}

static void draw_candidates(decant__kmeans_work *work, size_t s, size_t chosen, double potential,
                            decant__random *random) {
    for (size_t l = 0; l < work->candidates; l++) {
        size_t row = draw_row(work, s, chosen, decant__random_uniform(random) * potential);
        copy_source_row(work, (uint32_t)row,
                        work->trial.row + (trial_of(work, s) + 1 + l) * work->x->d);
    }
}

/* One center for each slot: weighs the candidates, takes the best, draws the next candidates. */
static decant_status add_centers(decant__kmeans_work *work, size_t count, size_t j,
                                 decant__random *random) {
    decant_status status = DECANT_OK;
    size_t tried = j == 0 ? 1 : work->candidates, chosen[DECANT__KMEANS_SLOTS];
    double potential[DECANT__KMEANS_SLOTS];
    decant__centers_ready(&work->trial);
    weigh_step step = {work, count, tried};
    decant__pass pass = {work->x, &work->cut, &work->block, weigh_chunk,
                         NULL,    &step,      &work->cancel};
    TRY(decant__pass_run(&pass, work->threads));
    for (size_t s = 0; s < count; s++)
        TRY(choose_center(work, s, j, tried, &chosen[s], &potential[s]));
    if (j + 1 == work->k) goto done;
    decant__centers_ready(&work->trial);
    for (size_t s = 0; s < count; s++)
        draw_candidates(work, s, chosen[s], potential[s], &random[s]);
done:
    return status;
}

static decant_status start_plusplus(decant__kmeans_work *work, size_t count,
                                    decant__random *random) {
    decant_status status = DECANT_OK;
    size_t d = work->x->d;
    memset(work->trial.row, 0, work->trial.k * d * sizeof *work->trial.row);
    for (size_t s = 0; s < count; s++) {
        for (size_t i = 0; i < work->cut.n; i++) work->slot[s].upper[i] = HUGE_VALF;
        uint32_t row = (uint32_t)decant__random_below(&random[s], work->cut.n);
        float *trial = work->trial.row + trial_of(work, s) * d;
        copy_source_row(work, row, trial + d);
        // There is no last center yet: the first candidate is used for it.
        memcpy(trial, trial + d, d * sizeof *trial);
    }
    for (size_t j = 0; j < work->k; j++) TRY(add_centers(work, count, j, random));
done:
    return status;
}

static void start_random(decant__kmeans_work *work, size_t count, decant__random *random) {
    for (size_t s = 0; s < count; s++) {
        decant__kmeans_slot *slot = &work->slot[s];
        uint32_t *order = (uint32_t *)slot->label;  // free until the first assignment
        decant__random_permutation(&random[s], work->cut.n, order);
        for (size_t j = 0; j < work->k; j++)
            copy_source_row(work, order[j], slot->centers.row + j * work->x->d);
    }
}

static void start_streams(const decant__kmeans_work *work, size_t count, decant__random *random) {
    for (size_t s = 0; s < count; s++)
        random[s] =
            decant__random_start(work->options->seed, DECANT__RANDOM_KMEANS, work->slot[s].restart);
}

static float least_of(const float *distance, size_t k) {
    float least = HUGE_VALF;
    for (size_t c = 0; c < k; c++) least = distance[c] < least ? distance[c] : least;
    return least;
}

/* D^2 of each row to the centers of each slot, and their sum in the place of candidate 0. */
static void near_chunk(void *context, const decant__chunk *chunk) {
    const weigh_step *step = context;
    decant__kmeans_work *work = step->work;
    size_t k = work->k;
    float *distance = work->scratch + decant__team_member() * work->scratch_size;
    float *error = distance + work->cut.chunk * k;
    for (size_t s = 0; s < step->count; s++) {
        const decant__centers *centers = &work->slot[s].centers;
        float *nearest = work->slot[s].upper + chunk->number * work->cut.chunk;
        double sum = 0;
        decant__distance_block(chunk->rows, chunk->first, chunk->n, centers, distance, error,
                               error + work->cut.chunk);
        for (size_t i = 0; i < chunk->n; i++) {
            nearest[i] = least_of(distance + i * k, k);
            if (nearest[i] < DOUBT * error[i]) {
                decant__distance_row(chunk->rows, chunk->first + i, centers, distance);
                nearest[i] = least_of(distance, k);
            }
            sum += (double)nearest[i];
        }
        potential_at(work, chunk->number, s)[0] = sum;
    }
}

decant_status decant__kmeans_draw_last(decant__kmeans_work *work, size_t count) {
    decant_status status = DECANT_OK;
    decant__random random[DECANT__KMEANS_SLOTS];
    size_t bytes = work->x->d * sizeof *work->trial.row;
    weigh_step step = {work, count, 1};
    decant__pass pass = {work->x, &work->cut, &work->block, near_chunk, NULL, &step, &work->cancel};
    start_streams(work, count, random);
    TRY(decant__pass_run(&pass, work->threads));
    memset(work->trial.row, 0, work->trial.k * bytes);
    // D^2 has all centers; any of them does for the one that was chosen last.
    for (size_t s = 0; s < count; s++)
        memcpy(work->trial.row + trial_of(work, s) * work->x->d, work->slot[s].centers.row, bytes);
    decant__centers_ready(&work->trial);
    for (size_t s = 0; s < count; s++)
        draw_candidates(work, s, 0, total_potential(work, s, 0), &random[s]);
    TRY(add_centers(work, count, work->k - 1, random));
done:
    return status;
}

decant_status decant__kmeans_start(decant__kmeans_work *work, size_t count) {
    decant__random random[DECANT__KMEANS_SLOTS];
    start_streams(work, count, random);
    if (work->options->seeding == DECANT_SEEDING_PLUSPLUS)
        return start_plusplus(work, count, random);
    start_random(work, count, random);
    return DECANT_OK;
}
