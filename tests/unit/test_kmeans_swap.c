/* Starts of k-means that change the best result so far. */
#include "check.h"

#include <stdlib.h>

#include "base/random.h"
#include "cluster/kmeans_work.h"

static decant__kmeans_options some_options(size_t k) {
    return (decant__kmeans_options){.k = k,
                                    .seeding = DECANT_SEEDING_PLUSPLUS,
                                    .restarts = DECANT__KMEANS_CYCLE,
                                    .iterations = 200,
                                    .tol = 1e-4,
                                    .seed = 7,
                                    .threads = 2};
}

/* Rows around `groups` points of a cube; spread 1 makes them overlap. */
static float *blobs(size_t n, size_t d, size_t groups, double spread, uint64_t seed) {
    decant__random random = decant__random_start(seed, DECANT__RANDOM_TEST, 0);
    float *center = malloc(groups * d * sizeof *center), *x = malloc(n * d * sizeof *x);
    for (size_t i = 0; i < groups * d; i++) center[i] = (float)decant__random_normal(&random);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++)
            x[i * d + j] =
                center[i % groups * d + j] + (float)(spread * decant__random_normal(&random));
    free(center);
    return x;
}

/* A result with two centers in group 0 and one between groups 1 and 2, far from each other. */
static void check_swap(size_t d, int sparse) {
    size_t n = 900, k = 4, groups = 4;
    float *x = blobs(n, d, groups, 0.02, 18), *centers = malloc(k * d * sizeof *centers);
    size_t count[4] = {120, 105, 450, 225};
    size_t *start = malloc((n + 1) * sizeof *start);
    uint32_t *column = malloc(n * d * sizeof *column);
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_work work;
    for (size_t j = 0; j < d; j++) {
        centers[0 * d + j] = x[0 * d + j];
        centers[1 * d + j] = x[4 * d + j];
        centers[2 * d + j] = (x[1 * d + j] + x[2 * d + j]) / 2;
        centers[3 * d + j] = x[3 * d + j];
    }
    const decant__kmeans_best best = {.centers = centers, .count = count};
    for (size_t i = 0; i <= n; i++) start[i] = i * d;
    for (size_t e = 0; e < n * d; e++) column[e] = (uint32_t)(e % d);
    if (sparse)
        source = (decant__source){.n = n, .d = d, .start = start, .column = column, .value = x};
    assert_ok(decant__kmeans_work_new(&work, &source, &options));
    decant__kmeans_slot *slot = &work.slot[0];
    work.slot[0].restart = DECANT__KMEANS_FRESH;
    assert_ok(decant__kmeans_swap(&work, &best, DECANT__KMEANS_FRESH, 1));
    const float *merged = slot->centers.row, *moved = slot->centers.row + d;
    for (size_t j = 0; j < d; j++) {
        double mean = (120 * (double)x[j] + 105 * (double)x[4 * d + j]) / 225;
        assert_near(merged[j], mean, 1e-6);
    }
    // The last center went to the free place; the free center to a row that is badly served.
    assert_memory_equal(moved, centers + 3 * d, d * sizeof *moved);
    assert_memory_equal(slot->centers.row + 2 * d, centers + 2 * d, d * sizeof *moved);
    size_t drawn = n;
    for (size_t i = 0; i < n; i++)
        if (memcmp(slot->centers.row + 3 * d, x + i * d, d * sizeof *x) == 0) drawn = i;
    assert_true(drawn < n && (drawn % groups == 1 || drawn % groups == 2));
    decant__kmeans_work_free(&work);
    free(x), free(centers), free(start), free(column);
}

static void test_swap_moves_a_needless_center(void **state) {
    (void)state;
    check_swap(6, 0);
    check_swap(90, 0);
    check_swap(20, 1);
}

/* Sparse rows: 3 groups, of which the largest, at (6, 0), is the one without a center. It is near
 * the first of the centers, as which the free one is set before it is drawn. */
static void test_swap_draws_sparse_rows_by_distance(void **state) {
    (void)state;
    enum { N = 102 };
    float x[2 * N], centers[6] = {10, 0, 10, 0, 0, 10};
    uint32_t column[2 * N];
    size_t start[N + 1], count[3] = {50, 50, 2};
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = i < 100 ? 6 : 0;
        x[2 * i + 1] = i < 100 ? 0 : i == 100 ? 12 : 8;
        column[2 * i] = 0;
        column[2 * i + 1] = 1;
    }
    for (size_t i = 0; i <= N; i++) start[i] = 2 * i;
    decant__source source = {.n = N, .d = 2, .start = start, .column = column, .value = x};
    decant__kmeans_options options = some_options(3);
    decant__kmeans_work work;
    const decant__kmeans_best best = {.centers = centers, .count = count};
    assert_ok(decant__kmeans_work_new(&work, &source, &options));
    memset(work.trial.row, 0, work.trial.k * 2 * sizeof *work.trial.row);
    decant__centers_ready(&work.trial); /* what an earlier start has left there is not used */
    work.slot[0].restart = DECANT__KMEANS_FRESH;
    assert_ok(decant__kmeans_swap(&work, &best, DECANT__KMEANS_FRESH, 1));
    const float *drawn = work.slot[0].centers.row + 4;
    assert_true(drawn[0] == 6 && drawn[1] == 0);
    decant__kmeans_work_free(&work);
}

/* The pairs in the order of what their merging costs, and then from the first again. */
static void test_swap_takes_pair_after_pair(void **state) {
    (void)state;
    float x[8] = {0, 1, 10, 14, 40, 41, 42, 43}, centers[3] = {0, 10, 40};
    size_t count[3] = {2, 2, 4};
    float expected[4] = {5, 30, 80.0F / 3, 5};
    decant__source source = decant__source_dense(x, 8, 1);
    decant__kmeans_options options = some_options(3);
    decant__kmeans_work work;
    decant__kmeans_best best = {.centers = centers, .count = count};
    assert_ok(decant__kmeans_work_new(&work, &source, &options));
    for (size_t swaps = 0; swaps < 4; swaps++) {
        best.swaps = swaps < 2 ? 0 : 2;
        work.slot[0].restart = swaps - best.swaps + 8;
        assert_ok(decant__kmeans_swap(&work, &best, 8, 1));
        const float *row = work.slot[0].centers.row;
        assert_near(fmin(fabs((double)(row[0] - expected[swaps])),
                         fabs((double)(row[1] - expected[swaps]))),
                    0, 1e-5);
    }
    decant__kmeans_work_free(&work);
}

typedef struct impatient {
    int calls, last; /* it stops at the last one */
} impatient;

static int stop_at_last(const decant_progress *progress, void *user) {
    impatient *c = user;
    (void)progress;
    return ++c->calls == c->last;
}

/* A caller who is asked as often as can be can stop among the pairs. */
static void test_swap_can_be_cancelled(void **state) {
    (void)state;
    enum { K = 40, LAST = 20 };
    float *x = blobs(K, 2, K, 0.1, 20);
    size_t count[K];
    for (size_t c = 0; c < K; c++) count[c] = 1;
    decant__source source = decant__source_dense(x, K, 2);
    decant__kmeans_options options = some_options(K);
    decant__kmeans_work work;
    decant_monitor monitor;
    impatient caller = {0, LAST};
    decant_monitor_init(&monitor, sizeof monitor);
    monitor.progress = stop_at_last;
    monitor.user = &caller;
    const decant__watch watch = {.monitor = &monitor, .phase = "kmeans"};
    const decant__kmeans_best best = {.centers = x, .count = count};
    assert_ok(decant__kmeans_work_new(&work, &source, &options));
    decant__cancel_every(0);
    decant__cancel_init(&work.cancel, &watch);
    work.slot[0].restart = DECANT__KMEANS_FRESH;
    assert_int_equal(decant__kmeans_swap(&work, &best, DECANT__KMEANS_FRESH, 1), DECANT_ECANCELLED);
    assert_int_equal(caller.calls, LAST);
    decant__cancel_every(0.1);
    decant__kmeans_work_free(&work);
    free(x);
}

/* The lowest inertia of starts by k-means++. */
static double inertia_of_starts(const decant__source *x, size_t k, size_t starts, uint64_t seed) {
    float *centers = malloc(k * x->d * sizeof *centers);
    int32_t *label = malloc(x->n * sizeof *label);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_info info;
    options.restarts = starts;
    options.seed = seed;
    assert_ok(decant__kmeans_fit(x, &options, NULL, centers, label, &info));
    free(centers), free(label);
    return info.inertia;
}

/* Many groups that meet: a cycle of starts is better than as many new ones, with each seed. */
static void test_fit_swaps_beat_new_starts(void **state) {
    (void)state;
    enum { NEW = DECANT__KMEANS_FRESH, REST = DECANT__KMEANS_CYCLE - 2 * NEW, K = 60 };
    float *x = blobs(3000, 3, K, 0.15, 19);
    decant__source source = decant__source_dense(x, 3000, 3);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double fresh = inertia_of_starts(&source, K, NEW, seed);
        fresh = fmin(fresh, inertia_of_starts(&source, K, NEW, seed + 10));
        fresh = fmin(fresh, inertia_of_starts(&source, K, REST, seed + 20));
        assert_true(inertia_of_starts(&source, K, DECANT__KMEANS_CYCLE, seed) < fresh);
    }
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swap_moves_a_needless_center),
        cmocka_unit_test(test_swap_draws_sparse_rows_by_distance),
        cmocka_unit_test(test_swap_takes_pair_after_pair),
        cmocka_unit_test(test_swap_can_be_cancelled),
        cmocka_unit_test(test_fit_swaps_beat_new_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
