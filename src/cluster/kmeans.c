/* k-means: minimises sum_i |x_i - c_{a(i)}|^2 by Lloyd's two steps (IEEE Trans. IT 28, 1982): each
 * row to its nearest center, each center to the mean of its rows. */
#include "cluster/kmeans.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/kmeans_work.h"
#include "base/team.h"

/* Starts with a smaller relative difference of inertia found the same partition: the first is kept.
 */
static const double SAME_INERTIA = 1e-12;

/* sum |x|^2, chunk by chunk. */
static void square_chunk(void *context, const decant__chunk *chunk) {
    decant__kmeans_work *work = context;
    double sum = 0;
    for (size_t i = 0; i < chunk->n; i++)
        sum += decant__rows_squares(chunk->rows, chunk->first + i);
    work->chunk_value[chunk->number] = sum;
}

static decant_status sum_squares(decant__kmeans_work *work) {
    decant_status status = DECANT_OK;
    decant__pass pass = {work->x, &work->cut, &work->block, square_chunk,
                         NULL,    work,       &work->cancel};
    TRY(decant__pass_run(&pass, work->threads));
    work->squares = 0;
    for (size_t c = 0; c < work->cut.chunks; c++) work->squares += work->chunk_value[c];
done:
    return status;
}

/* tol x mean variance of a column: (sum |x|^2 - n |mean|^2) / (n d). The sums of all clusters
 * together are n times the mean, so this costs no pass of its own. */
static void set_min_move(decant__kmeans_work *work) {
    size_t d = work->x->d;
    double n = (double)work->cut.n, mean_squares = 0;
    for (size_t j = 0; j < d; j++) {
        double sum = 0;
        for (size_t c = 0; c < work->k; c++) sum += work->slot[0].sum[c * d + j];
        mean_squares += sum / n * (sum / n);
    }
    double variance = (work->squares - n * mean_squares) / (n * (double)d);
    work->min_move = work->options->tol * fmax(variance, 0);
}

/* With every center at the mean of its rows the inertia is sum |x|^2 - sum_c |sum_c|^2 / n_c. */
static double inertia_of(const decant__kmeans_work *work, const decant__kmeans_slot *slot) {
    size_t d = work->x->d;
    double inertia = work->squares;
    for (size_t c = 0; c < work->k; c++) {
        double squares = 0;
        for (size_t j = 0; j < d; j++) squares += slot->sum[c * d + j] * slot->sum[c * d + j];
        if (slot->count[c] > 0) inertia -= squares / (double)slot->count[c];
    }
    return inertia;
}

static int has_empty(const decant__kmeans_work *work, const decant__kmeans_slot *slot) {
    for (size_t c = 0; c < work->k; c++)
        if (slot->count[c] == 0) return 1;
    return 0;
}

typedef struct team_step {
    decant__kmeans_work *work;
    size_t count, iteration;
} team_step;

/* Updates labels and sums. */
static void team_pass(void *context) {
    const team_step *step = context;
    // The centers of k-means++ are rows. Their first move, to the means, is so long that bounds are
    // useless after it: iteration 2 is a full one too.
    decant__kmeans_pass(step->work, step->count, step->iteration <= 2);
}

/* Moves the centers of slots without an empty cluster. */
static void team_move(void *context) {
    const team_step *step = context;
    decant__kmeans_work *work = step->work;
    TEAM_FOR_DYNAMIC (s, step->count, 1)
        if (!work->slot[s].done && !has_empty(work, &work->slot[s]))
            decant__kmeans_move(work, &work->slot[s]);
}

static decant_status run_pass(decant__kmeans_work *work, size_t count, size_t iteration) {
    team_step step = {work, count, iteration};
    decant__team_run(work->threads, team_pass, &step);
    return work->cancel.status;
}

/* The moves of one iteration, of all slots that are not done; *left: how many are not done after
 * it. */
static decant_status move_centers(decant__kmeans_work *work, size_t count, size_t iteration,
                                  size_t *left) {
    decant_status status = DECANT_OK;
    team_step step = {work, count, iteration};
    *left = 0;
    decant__team_run(work->threads, team_move, &step);
    for (size_t s = 0; s < count; s++) {
        decant__kmeans_slot *slot = &work->slot[s];
        if (!slot->done && slot->iterations < iteration) {
            TRY(decant__kmeans_repair(work, slot));
            decant__kmeans_move(work, slot);
        }
        *left += !slot->done;
    }
done:
    return status;
}

/* All ranks have come here. Too few distinct rows are no failure of the fit: some callers go on. */
static decant_status meet(const decant__kmeans_work *work, decant_status status) {
    const decant__comm *comm = work->comm;
    size_t begin[DECANT__MAX_RANKS + 1];
    int too_few[DECANT__MAX_RANKS];
    if (comm->size == 1) return status;
    too_few[comm->rank] = status == DECANT_EINVAL;
    status = decant__comm_agree(comm, status == DECANT_EINVAL ? DECANT_OK : status);
    if (status != DECANT_OK) return status;
    for (int r = 0; r <= comm->size; r++) begin[r] = (size_t)r * sizeof *too_few;
    decant__comm_gather(comm, too_few, begin);
    for (int r = 0; r < comm->size; r++)
        if (too_few[r]) return decant__kmeans_too_few(work->k);
    return DECANT_OK;
}

static int is_swap(const decant__kmeans_work *work, size_t start) {
    return decant__kmeans_swaps(work) && start % DECANT__KMEANS_CYCLE >= DECANT__KMEANS_FRESH;
}

/* How many starts run at the same time from number `first` on: no more than the memory is for, and
 * with swaps no more than the rest of the round. */
static size_t batch_from(const decant__kmeans_work *work, size_t first) {
    size_t left = work->options->restarts - first, at = first % DECANT__KMEANS_CYCLE;
    size_t count = left < work->batch ? left : work->batch, round = DECANT__KMEANS_FRESH - at;
    if (at >= DECANT__KMEANS_FRESH)
        round = DECANT__KMEANS_ROUND - (at - DECANT__KMEANS_FRESH) % DECANT__KMEANS_ROUND;
    return decant__kmeans_swaps(work) && round < count ? round : count;
}

/* The initial centers of the slots, and the pass of iteration 1. */
static decant_status begin_batch(decant__kmeans_work *work, const decant__kmeans_best *best,
                                 size_t first, size_t count) {
    decant_status status = DECANT_OK;
    if (count == 0) return DECANT_OK;
    if (is_swap(work, first))
        TRY(decant__kmeans_swap(work, best, first, count));
    else
        TRY(decant__kmeans_start(work, count));
    for (size_t s = 0; s < count; s++) decant__kmeans_reset(work, &work->slot[s]);
    TRY(run_pass(work, count, 1));
    set_min_move(work);
done:
    return status;
}

/* Keeps the best of a batch of `count` starts, in their order; rank r has r, r + ranks, ... of it.
 */
static void keep_best(const decant__kmeans_work *work, size_t count, decant__kmeans_best *best) {
    const decant__comm *comm = work->comm;
    decant__kmeans_info info[DECANT__KMEANS_SLOTS + DECANT__MAX_RANKS] = {{0}};
    size_t begin[DECANT__MAX_RANKS + 1], ranks = (size_t)comm->size, winner = count;
    size_t bytes = work->k * work->x->d * sizeof *best->centers;
    for (size_t r = 0; r <= ranks; r++) begin[r] = r * work->slots * sizeof *info;
    for (size_t s = (size_t)comm->rank, i = 0; s < count; s += ranks, i++) {
        const decant__kmeans_slot *slot = &work->slot[i];
        info[(size_t)comm->rank * work->slots + i] =
            (decant__kmeans_info){inertia_of(work, slot), slot->iterations, slot->converged};
    }
    decant__comm_gather(comm, info, begin);
    for (size_t s = 0; s < count; s++) {
        const decant__kmeans_info *found = &info[s % ranks * work->slots + s / ranks];
        best->finished++;
        if (!(found->inertia < best->info.inertia * (1 - SAME_INERTIA))) continue;
        best->info = *found;
        best->swaps = 0;
        winner = s;
    }
    if (winner == count) return;
    if (winner % ranks == (size_t)comm->rank) {
        memcpy(best->centers, work->slot[winner / ranks].centers.row, bytes);
        memcpy(best->count, work->slot[winner / ranks].count, work->k * sizeof *best->count);
    }
    decant__comm_broadcast(comm, (int)(winner % ranks), best->centers, bytes);
    decant__comm_broadcast(comm, (int)(winner % ranks), best->count, work->k * sizeof *best->count);
}

/* Runs starts first .. first+count-1 at the same time. */
static decant_status run_batch(decant__kmeans_work *work, const decant__watch *watch, size_t first,
                               size_t count, decant__kmeans_best *best) {
    decant_status status = DECANT_OK;
    size_t ranks = (size_t)work->comm->size, rank = (size_t)work->comm->rank, left;
    size_t own = rank < count ? (count - rank + ranks - 1) / ranks : 0;
    for (size_t s = 0; s < own; s++) work->slot[s].restart = first + rank + s * ranks;
    TRY(meet(work, begin_batch(work, best, first, own)));
    /* A sum of rows, rounded in the order of the first start. */
    decant__comm_broadcast(work->comm, 0, &work->min_move, sizeof work->min_move);
    left = own;
    for (size_t iteration = 1; status == DECANT_OK && left > 0; iteration++) {
        status =
            decant__watch_tick(watch, first + count - left, work->options->restarts,
                               best->finished > 0 ? best->info.inertia : (double)NAN, (double)NAN);
        if (status == DECANT_OK && iteration > 1) status = run_pass(work, own, iteration);
        if (status == DECANT_OK) status = move_centers(work, own, iteration, &left);
    }
    TRY(meet(work, status));
    if (is_swap(work, first)) best->swaps += count;
    keep_best(work, count, best);
done:
    return status;
}

static decant_status check_kmeans_options(const decant__source *x,
                                          const decant__kmeans_options *options) {
    if (options->k == 0 || options->restarts == 0 || options->iterations == 0)
        return decant__fail(DECANT_EINVAL,
                            "k, restarts and iterations of k-means must be positive");
    if (options->k > x->n)
        return decant__fail(DECANT_EINVAL, "k is %zu, but there are only %zu rows", options->k,
                            x->n);
    if (x->d == 0) return decant__fail(DECANT_EINVAL, "rows without columns cannot be clustered");
    return DECANT_OK;
}

decant_status decant__kmeans_fit(const decant__source *x, const decant__kmeans_options *options,
                                 const decant__watch *watch, float *centroids, int32_t *labels,
                                 decant__kmeans_info *info) {
    decant_status status = DECANT_OK;
    decant__kmeans_work work = {0};
    decant__kmeans_best best = {.info = {.inertia = HUGE_VAL}};
    TRY(check_kmeans_options(x, options));
    TRY(decant__kmeans_work_new(&work, x, options));
    NEW_ARRAY(best.centers, options->k * x->d);
    NEW_ARRAY(best.count, options->k);
    decant__cancel_init(&work.cancel, watch);
    TRY(sum_squares(&work));
    for (size_t first = 0, count; first < options->restarts; first += count) {
        count = batch_from(&work, first);
        TRY(run_batch(&work, watch, first, count, &best));
    }
    decant__kmeans_work_free(&work);
    TRY(decant__watch_tick(watch, options->restarts, options->restarts, NAN, NAN));
    TRY(decant__kmeans_assign(x, best.centers, options->k, options->threads, watch, labels,
                              &best.info.inertia));
    memcpy(centroids, best.centers, options->k * x->d * sizeof *centroids);
    *info = best.info;
done:
    decant__free(best.count);
    decant__free(best.centers);
    decant__kmeans_work_free(&work);
    return status;
}
