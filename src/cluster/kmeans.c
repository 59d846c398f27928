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

/* Updates labels and sums, and the centers of slots without an empty cluster. */
static void team_iteration(void *context) {
    const team_step *step = context;
    decant__kmeans_work *work = step->work;
    size_t count = step->count, iteration = step->iteration;
    // The centers of k-means++ are rows. Their first move, to the means, is so long that bounds are
    // useless after it: iteration 2 is a full one too.
    decant__kmeans_pass(work, count, iteration <= 2);
    if (decant__cancel_known(&work->cancel)) return;
    if (iteration == 1) TEAM_SINGLE set_min_move(work);
    TEAM_FOR_DYNAMIC (s, count, 1)
        if (!work->slot[s].done && !has_empty(work, &work->slot[s]))
            decant__kmeans_move(work, &work->slot[s]);
}

/* One iteration of all slots that are not done; *left: how many are not done after it. */
static decant_status lloyd_iteration(decant__kmeans_work *work, size_t count, size_t iteration,
                                     size_t *left) {
    decant_status status = DECANT_OK;
    team_step step = {work, count, iteration};
    *left = 0;
    decant__team_run(work->threads, team_iteration, &step);
    TRY(work->cancel.status);
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

/* The result of the best start so far. */
typedef struct best_start {
    float *centers; /* k x d */
    decant__kmeans_info info;
    size_t finished; /* starts */
} best_start;

static void keep_best(const decant__kmeans_work *work, decant__kmeans_slot *slot,
                      best_start *best) {
    slot->inertia = inertia_of(work, slot);
    best->finished++;
    if (!(slot->inertia < best->info.inertia * (1 - SAME_INERTIA))) return;
    memcpy(best->centers, slot->centers.row, work->k * work->x->d * sizeof *best->centers);
    best->info = (decant__kmeans_info){slot->inertia, slot->iterations, slot->converged};
}

/* Runs starts first .. first+count-1 at the same time. */
static decant_status run_batch(decant__kmeans_work *work, const decant__watch *watch, size_t first,
                               size_t count, best_start *best) {
    decant_status status = DECANT_OK;
    size_t left = count, restarts = work->options->restarts;
    for (size_t s = 0; s < count; s++) work->slot[s].restart = first + s;
    TRY(decant__kmeans_start(work, count));
    for (size_t s = 0; s < count; s++) decant__kmeans_reset(work, &work->slot[s]);
    for (size_t iteration = 1; left > 0; iteration++) {
        TRY(decant__watch_tick(watch, first + count - left, restarts,
                               best->finished > 0 ? best->info.inertia : (double)NAN, (double)NAN));
        TRY(lloyd_iteration(work, count, iteration, &left));
    }
    for (size_t s = 0; s < count; s++) keep_best(work, &work->slot[s], best);
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
    best_start best = {.info = {.inertia = HUGE_VAL}};
    TRY(check_kmeans_options(x, options));
    TRY(decant__kmeans_work_new(&work, x, options));
    NEW_ARRAY(best.centers, options->k * x->d);
    decant__cancel_init(&work.cancel, watch);
    TRY(sum_squares(&work));
    for (size_t first = 0; first < options->restarts; first += work.slots) {
        size_t left = options->restarts - first;
        TRY(run_batch(&work, watch, first, left < work.slots ? left : work.slots, &best));
    }
    decant__kmeans_work_free(&work);
    TRY(decant__watch_tick(watch, options->restarts, options->restarts, NAN, NAN));
    TRY(decant__kmeans_assign(x, best.centers, options->k, options->threads, watch, labels,
                              &best.info.inertia));
    memcpy(centroids, best.centers, options->k * x->d * sizeof *centroids);
    *info = best.info;
done:
    decant__free(best.centers);
    decant__kmeans_work_free(&work);
    return status;
}
