#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "cluster/kmeans_work.h"

static decant__kmeans_options some_options(size_t k) {
    return (decant__kmeans_options){.k = k,
                                    .seeding = DECANT_SEEDING_PLUSPLUS,
                                    .restarts = 3,
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

/* A CSR copy of a dense matrix. */
typedef struct sparse_copy {
    size_t *start;
    uint32_t *column;
    float *value;
    decant__source source;
} sparse_copy;

static sparse_copy to_sparse(const float *x, size_t n, size_t d) {
    sparse_copy s = {.start = malloc((n + 1) * sizeof *s.start),
                     .column = malloc((n * d + 1) * sizeof *s.column),
                     .value = malloc((n * d + 1) * sizeof *s.value)};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        s.start[i] = count;
        for (size_t j = 0; j < d; j++) {
            if (x[i * d + j] == 0) continue;
            s.column[count] = (uint32_t)j;
            s.value[count++] = x[i * d + j];
        }
    }
    s.start[n] = count;
    s.source =
        (decant__source){.n = n, .d = d, .start = s.start, .column = s.column, .value = s.value};
    return s;
}

static void free_sparse(sparse_copy *s) {
    free(s->start);
    free(s->column);
    free(s->value);
}

/* ---- The oracle: Lloyd's algorithm as the book has it, in double ---------------------------- */

static double oracle_assign(const float *x, size_t n, size_t d, const double *center, size_t k,
                            int32_t *label) {
    double inertia = 0;
    for (size_t i = 0; i < n; i++) {
        double min = HUGE_VAL;
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++) {
                double t = (double)x[i * d + j] - center[c * d + j];
                sum += t * t;
            }
            if (sum < min) {
                min = sum;
                label[i] = (int32_t)c;
            }
        }
        inertia += min;
    }
    return inertia;
}

static double oracle_move(const float *x, size_t n, size_t d, double *center, size_t k,
                          const int32_t *label) {
    double moved = 0;
    for (size_t c = 0; c < k; c++) {
        for (size_t j = 0; j < d; j++) {
            double sum = 0, count = 0;
            for (size_t i = 0; i < n; i++) {
                if (label[i] != (int32_t)c) continue;
                sum += (double)x[i * d + j];
                count++;
            }
            double step = sum / count - center[c * d + j];
            moved += step * step;
            center[c * d + j] = sum / count;
        }
    }
    return moved;
}

static double mean_variance(const float *x, size_t n, size_t d) {
    double all = 0;
    for (size_t j = 0; j < d; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) sum += (double)x[i * d + j];
        for (size_t i = 0; i < n; i++) {
            double t = (double)x[i * d + j] - sum / (double)n;
            squares += t * t;
        }
        all += squares / (double)n;
    }
    return all / (double)d;
}

static size_t oracle_lloyd(const float *x, size_t n, size_t d, double *center, size_t k,
                           size_t iterations, double tol, int32_t *label, double *inertia) {
    double min = tol * mean_variance(x, n, d);
    int32_t *before = malloc(n * sizeof *before);
    size_t done = 0;
    for (int go = 1; go && done < iterations; done++) {
        memcpy(before, label, n * sizeof *label);
        oracle_assign(x, n, d, center, k, label);
        double moved = oracle_move(x, n, d, center, k, label);
        go = moved > min && (done == 0 || memcmp(before, label, n * sizeof *label) != 0);
    }
    *inertia = oracle_assign(x, n, d, center, k, label);
    free(before);
    return done;
}

/* The library's own start, so that both begin with the same centers. */
static void get_start(const decant__source *x, const decant__kmeans_options *options, double *out) {
    decant__kmeans_work work;
    assert_ok(decant__kmeans_work_new(&work, x, options));
    work.slot[0].restart = 0;
    assert_ok(decant__kmeans_start(&work, 1));
    for (size_t i = 0; i < options->k * x->d; i++) out[i] = (double)work.slot[0].centers.row[i];
    decant__kmeans_work_free(&work);
}

static void compare_with_oracle(size_t n, size_t d, size_t k, double spread,
                                decant_seeding seeding) {
    float *x = blobs(n, d, k, spread, d), *centers = malloc(k * d * sizeof *centers);
    double *start = malloc(k * d * sizeof *start), inertia;
    int32_t *label = calloc(n, sizeof *label), *expected = calloc(n, sizeof *expected);
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_info info;
    options.restarts = 1;
    options.seeding = seeding;
    get_start(&source, &options, start);
    size_t iterations =
        oracle_lloyd(x, n, d, start, k, options.iterations, options.tol, expected, &inertia);
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
    assert_int_equal(info.iterations, iterations);
    assert_true(info.converged);
    assert_memory_equal(label, expected, n * sizeof *label);
    assert_near(info.inertia, inertia, 1e-6 * inertia);
    for (size_t i = 0; i < k * d; i++) assert_near(centers[i], start[i], 1e-5);
    free(x), free(centers), free(start), free(label), free(expected);
}

static void test_fit_equals_naive_lloyd_narrow(void **state) {
    (void)state;
    compare_with_oracle(3000, 2, 7, 0.4, DECANT_SEEDING_PLUSPLUS);
    compare_with_oracle(2000, 10, 10, 1, DECANT_SEEDING_PLUSPLUS);
    compare_with_oracle(500, 48, 17, 1, DECANT_SEEDING_RANDOM);
}

static void test_fit_equals_naive_lloyd_wide(void **state) {
    (void)state;
    compare_with_oracle(1500, 49, 10, 1.5, DECANT_SEEDING_PLUSPLUS);
    compare_with_oracle(800, 131, 5, 2, DECANT_SEEDING_RANDOM);
    compare_with_oracle(1000, 64, 23, 1.5, DECANT_SEEDING_PLUSPLUS);
}

/* Far from the origin the expanded form is noise; the result must not be. */
static void test_fit_survives_a_large_offset(void **state) {
    (void)state;
    size_t n = 600, d = 64, k = 4;
    float *x = blobs(n, d, k, 0.2, 3), centers[4 * 64];
    int32_t label[600], shifted[600];
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_info info, far;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
    for (size_t i = 0; i < n * d; i++) x[i] += 4096;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, shifted, &far));
    decant_scores scores;
    assert_ok(decant_score(shifted, label, n, &scores));
    assert_true(scores.acc == 1);
    assert_near(far.inertia, info.inertia, 1e-2 * info.inertia);
    free(x);
}

static void test_fit_inertia_never_rises(void **state) {
    (void)state;
    for (size_t d = 6; d <= 60; d += 54) {
        size_t n = 2000, k = 12;
        float *x = blobs(n, d, 8, 1.2, 4), *centers = malloc(k * d * sizeof *centers);
        int32_t *label = malloc(n * sizeof *label);
        decant__source source = decant__source_dense(x, n, d);
        decant__kmeans_options options = some_options(k);
        double last = HUGE_VAL;
        options.restarts = 1;
        options.seeding = DECANT_SEEDING_RANDOM;
        for (options.iterations = 1; options.iterations < 15; options.iterations++) {
            decant__kmeans_info info;
            assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
            assert_true(info.inertia <= last);
            last = info.inertia;
        }
        free(x), free(centers), free(label);
    }
}

static void test_fit_finds_separate_blobs(void **state) {
    (void)state;
    for (size_t d = 3; d < 200; d *= 4) {
        size_t n = 900, k = 6;
        float *x = blobs(n, d, k, 0.01, 11), *centers = malloc(k * d * sizeof *centers);
        int32_t label[900], truth[900];
        decant__source source = decant__source_dense(x, n, d);
        decant__kmeans_options options = some_options(k);
        decant__kmeans_info info;
        decant_scores scores;
        for (size_t i = 0; i < n; i++) truth[i] = (int32_t)(i % k);
        assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
        assert_ok(decant_score(label, truth, n, &scores));
        assert_true(scores.acc == 1);
        free(x), free(centers);
    }
}

static void test_fit_more_starts_are_no_worse(void **state) {
    (void)state;
    size_t n = 1500, d = 8, k = 20;
    float *x = blobs(n, d, 30, 0.5, 5), centers[20 * 8];
    int32_t label[1500];
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(k);
    double last = HUGE_VAL;
    for (options.restarts = 1; options.restarts < 100; options.restarts *= 3) {
        decant__kmeans_info info;
        assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
        assert_true(info.inertia <= last * (1 + 1e-9));
        last = info.inertia;
    }
    free(x);
}

static void test_fit_labels_match_returned_centers(void **state) {
    (void)state;
    size_t n = 1000, d = 70, k = 9;
    float *x = blobs(n, d, k, 1.5, 6), centers[9 * 70];
    double center[9 * 70];
    int32_t label[1000], expected[1000];
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_info info;
    options.iterations = 2;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
    assert_false(info.converged);
    for (size_t i = 0; i < k * d; i++) center[i] = (double)centers[i];
    double inertia = oracle_assign(x, n, d, center, k, expected);
    assert_memory_equal(label, expected, sizeof label);
    assert_near(info.inertia, inertia, 1e-9 * inertia);
    double again;
    assert_ok(decant__kmeans_assign(&source, centers, k, 1, NULL, expected, &again));
    assert_memory_equal(label, expected, sizeof label);
    assert_true(again == info.inertia);
    assert_ok(decant__kmeans_assign(&source, centers, k, 3, NULL, expected, NULL));
    free(x);
}

static void test_fit_sparse_equals_dense(void **state) {
    (void)state;
    for (size_t d = 20; d <= 80; d += 60) {
        size_t n = 1200, k = 18;
        float *x = blobs(n, d, k, 0.7, 8), *centers = malloc(2 * k * d * sizeof *centers);
        int32_t label[1200], sparse_label[1200];
        for (size_t i = 0; i < n * d; i++)
            if (x[i] < 0.5f) x[i] = 0;
        for (size_t j = 0; j < d; j++) x[5 * d + j] = 0;  // an empty row
        decant__source source = decant__source_dense(x, n, d);
        sparse_copy sparse = to_sparse(x, n, d);
        decant__kmeans_options options = some_options(k);
        decant__kmeans_info info, sparse_info;
        assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
        assert_ok(decant__kmeans_fit(&sparse.source, &options, NULL, centers + k * d, sparse_label,
                                     &sparse_info));
        assert_memory_equal(label, sparse_label, sizeof label);
        assert_near(sparse_info.inertia, info.inertia, 1e-6 * info.inertia);
        assert_true(largest_difference(centers, centers + k * d, k * d) < 1e-5);
        free_sparse(&sparse);
        free(x), free(centers);
    }
}

static void test_fit_applies_the_scaling(void **state) {
    (void)state;
    size_t n = 20000, d = 30, k = 5;
    float *x = blobs(n, d, k, 0.8, 9), *scaled = malloc(n * d * sizeof *scaled);
    float shift[30], scale[30], centers[5 * 30], expected_centers[5 * 30];
    int32_t *label = malloc(n * sizeof *label), *expected = malloc(n * sizeof *expected);
    for (size_t j = 0; j < d; j++) {
        shift[j] = (float)j * 0.1f;
        scale[j] = 1 + (float)(j % 4);
    }
    for (size_t i = 0; i < n * d; i++) scaled[i] = (x[i] - shift[i % d]) * scale[i % d];
    decant__source source = decant__source_dense(x, n, d);
    source.shift = shift;
    source.scale = scale;
    decant__source plain = decant__source_dense(scaled, n, d);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_info info;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
    assert_ok(decant__kmeans_fit(&plain, &options, NULL, expected_centers, expected, &info));
    assert_memory_equal(label, expected, n * sizeof *label);
    assert_memory_equal(centers, expected_centers, sizeof centers);
    free(x), free(scaled), free(label), free(expected);
}

static void check_threads(const decant__source *source, size_t k) {
    size_t n = source->n, d = source->d;
    float *first = malloc(k * d * sizeof *first), *centers = malloc(k * d * sizeof *centers);
    int32_t *first_label = malloc(n * sizeof *first_label), *label = malloc(n * sizeof *label);
    decant__kmeans_options options = some_options(k);
    decant__kmeans_info first_info, info;
    options.restarts = DECANT__KMEANS_FRESH + DECANT__KMEANS_ROUND + 1;
    options.threads = 1;
    assert_ok(decant__kmeans_fit(source, &options, NULL, first, first_label, &first_info));
    for (options.threads = 2; options.threads <= 8; options.threads *= 2) {
        assert_ok(decant__kmeans_fit(source, &options, NULL, centers, label, &info));
        assert_memory_equal(centers, first, k * d * sizeof *first);
        assert_memory_equal(label, first_label, n * sizeof *label);
        assert_true(info.inertia == first_info.inertia);
        assert_int_equal(info.iterations, first_info.iterations);
    }
    free(first), free(centers), free(first_label), free(label);
}

static void test_fit_same_bytes_for_any_threads(void **state) {
    (void)state;
    float *narrow = blobs(5000, 12, 6, 1, 1), *wide = blobs(3000, 150, 6, 2, 2);
    decant__source source = decant__source_dense(narrow, 5000, 12);
    check_threads(&source, 8);
    source = decant__source_dense(wide, 3000, 150);
    check_threads(&source, 8);
    sparse_copy sparse = to_sparse(narrow, 5000, 12);
    check_threads(&sparse.source, 8);
    free_sparse(&sparse);
    free(narrow), free(wide);
}

/* ---- Edges ---------------------------------------------------------------------------------- */

static void test_fit_k_equals_n(void **state) {
    (void)state;
    for (size_t d = 2; d < 100; d += 97) {
        float *x = blobs(40, d, 40, 1, 12), *centers = malloc(40 * d * sizeof *centers);
        int32_t label[40], seen[40] = {0};
        decant__source source = decant__source_dense(x, 40, d);
        decant__kmeans_options options = some_options(40);
        decant__kmeans_info info;
        for (int seeding = 0; seeding < 2; seeding++) {
            options.seeding = seeding ? DECANT_SEEDING_RANDOM : DECANT_SEEDING_PLUSPLUS;
            assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
            assert_near(info.inertia, 0, 1e-12);
            for (size_t i = 0; i < 40; i++) seen[label[i]]++;
            for (size_t i = 0; i < 40; i++) assert_int_equal(seen[i], seeding + 1);
        }
        free(x), free(centers);
    }
}

static void test_fit_one_row(void **state) {
    (void)state;
    float x[3] = {1, 2, 3}, centers[3];
    int32_t label = 5;
    decant__source source = decant__source_dense(x, 1, 3);
    decant__kmeans_options options = some_options(1);
    decant__kmeans_info info;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, &label, &info));
    assert_int_equal(label, 0);
    assert_memory_equal(centers, x, sizeof x);
    assert_true(info.inertia == 0 && info.converged);
}

static void test_fit_constant_columns(void **state) {
    (void)state;
    size_t n = 300, d = 60;
    float *x = blobs(n, d, 3, 0.01, 13), centers[3 * 60];
    int32_t label[300];
    for (size_t i = 0; i < n * d; i++)
        if (i % d > 1) x[i] = 3;
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(3);
    decant__kmeans_info info;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
    for (size_t i = 3; i < n; i++) assert_int_equal(label[i], label[i % 3]);
    for (size_t c = 0; c < 3; c++) assert_true(centers[c * d + 30] == 3);
    free(x);
}

/* Few different rows, each many times: exactly as many clusters as there are of them. */
static void check_duplicates(size_t d, int sparse, decant_seeding seeding) {
    size_t n = 400, distinct = 7;
    float *x = blobs(n, d, distinct, 0, 14), *centers = malloc(8 * d * sizeof *centers);
    int32_t label[400];
    sparse_copy copy = to_sparse(x, n, d);
    decant__source source = sparse ? copy.source : decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(distinct);
    decant__kmeans_info info;
    options.seeding = seeding;
    assert_ok(decant__kmeans_fit(&source, &options, NULL, centers, label, &info));
    assert_near(info.inertia, 0, 1e-9);
    for (size_t i = 0; i < distinct; i++)
        for (size_t j = 0; j < i; j++) assert_int_not_equal(label[i], label[j]);
    options.k = distinct + 1;
    memset(label, 1, sizeof label);
    assert_fails(decant__kmeans_fit(&source, &options, NULL, centers, label, &info), DECANT_EINVAL,
                 "8 clusters need at least 8 rows that differ");
    assert_int_equal(label[0], 0x01010101);
    free_sparse(&copy);
    free(x), free(centers);
}

static void test_fit_duplicates(void **state) {
    (void)state;
    for (int seeding = 0; seeding < 2; seeding++) {
        decant_seeding how = seeding ? DECANT_SEEDING_RANDOM : DECANT_SEEDING_PLUSPLUS;
        check_duplicates(3, 0, how);
        check_duplicates(100, 0, how);
        check_duplicates(30, 1, how);
    }
}

/* Two centers at the same place: the second one is empty and must get the farthest row. */
static void check_repair(size_t d) {
    size_t n = 500;
    float *x = blobs(n, d, 2, 0.1, 15);
    for (size_t j = 0; j < d; j++) x[123 * d + j] = 50;
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = some_options(3);
    decant__kmeans_work work;
    options.restarts = 1;
    assert_ok(decant__kmeans_work_new(&work, &source, &options));
    decant__kmeans_slot *slot = &work.slot[0];
    decant__kmeans_reset(&work, slot);
    for (size_t c = 0; c < 3; c++) memcpy(slot->centers.row + c * d, x, d * sizeof *x);
    memcpy(slot->centers.row + 2 * d, x + d, d * sizeof *x);
    decant__centers_ready(&slot->centers);
    decant__kmeans_pass(&work, 1, 1);
    assert_int_equal(slot->count[1], 0);
    assert_ok(decant__kmeans_repair(&work, slot));
    assert_int_equal(slot->count[1], 1);
    assert_int_equal(slot->label[123], 1);
    for (int i = 0; i < 3; i++) {
        decant__kmeans_move(&work, slot);
        decant__kmeans_pass(&work, 1, 0);
        assert_int_equal(slot->count[0] + slot->count[1] + slot->count[2], n);
        assert_int_equal(slot->count[1], 1);
    }
    assert_near(slot->centers.row[d], 50, 0);
    decant__kmeans_work_free(&work);
    free(x);
}

static void test_repair_gives_the_farthest_row(void **state) {
    (void)state;
    check_repair(5);
    check_repair(90);
}

static void test_fit_refuses_nonsense(void **state) {
    (void)state;
    float x[4] = {1, 2, 3, 4}, centers[8];
    int32_t label[4];
    decant__source source = decant__source_dense(x, 4, 1);
    decant__kmeans_options options = some_options(5);
    decant__kmeans_info info;
    assert_fails(decant__kmeans_fit(&source, &options, NULL, centers, label, &info), DECANT_EINVAL,
                 "k is 5, but there are only 4 rows");
    options.k = 0;
    assert_fails(decant__kmeans_fit(&source, &options, NULL, centers, label, &info), DECANT_EINVAL,
                 "must be positive");
}

static int stop_at_third(const decant_progress *progress, void *user) {
    assert_true(progress->step <= progress->steps);
    return ++*(int *)user == 3;
}

static void test_fit_stops_when_asked(void **state) {
    (void)state;
    float *x = blobs(2000, 5, 5, 1, 16), centers[8 * 5];
    int32_t label[2000];
    int calls = 0;
    decant__source source = decant__source_dense(x, 2000, 5);
    decant__kmeans_options options = some_options(8);
    decant__kmeans_info info;
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = stop_at_third, .user = &calls};
    decant__watch watch = {.monitor = &monitor};
    decant__watch_phase(&watch, "kmeans");
    assert_fails(decant__kmeans_fit(&source, &options, &watch, centers, label, &info),
                 DECANT_ECANCELLED, "kmeans");
    assert_int_equal(calls, 3);
    free(x);
}

static void test_fit_survives_lack_of_memory(void **state) {
    (void)state;
    float *x = blobs(300, 60, 4, 1, 17), centers[4 * 60];
    int32_t label[300];
    sparse_copy sparse = to_sparse(x, 300, 60);
    decant__source dense = decant__source_dense(x, 300, 60);
    const decant__source *sources[] = {&dense, &sparse.source};
    decant__kmeans_options options = some_options(4);
    decant__kmeans_info info;
    for (size_t s = 0; s < 2; s++) {
        decant__alloc_fail_at(0);
        assert_ok(decant__kmeans_fit(sources[s], &options, NULL, centers, label, &info));
        size_t calls = decant__alloc_fail_at(0);
        for (size_t i = 1; i <= calls; i++) {
            decant__alloc_fail_at(i);
            assert_int_equal(decant__kmeans_fit(sources[s], &options, NULL, centers, label, &info),
                             DECANT_ENOMEM);
        }
        decant__alloc_fail_at(0);
    }
    free_sparse(&sparse);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_equals_naive_lloyd_narrow),
        cmocka_unit_test(test_fit_equals_naive_lloyd_wide),
        cmocka_unit_test(test_fit_survives_a_large_offset),
        cmocka_unit_test(test_fit_inertia_never_rises),
        cmocka_unit_test(test_fit_finds_separate_blobs),
        cmocka_unit_test(test_fit_more_starts_are_no_worse),
        cmocka_unit_test(test_fit_labels_match_returned_centers),
        cmocka_unit_test(test_fit_sparse_equals_dense),
        cmocka_unit_test(test_fit_applies_the_scaling),
        cmocka_unit_test(test_fit_same_bytes_for_any_threads),
        cmocka_unit_test(test_fit_k_equals_n),
        cmocka_unit_test(test_fit_one_row),
        cmocka_unit_test(test_fit_constant_columns),
        cmocka_unit_test(test_fit_duplicates),
        cmocka_unit_test(test_repair_gives_the_farthest_row),
        cmocka_unit_test(test_fit_refuses_nonsense),
        cmocka_unit_test(test_fit_stops_when_asked),
        cmocka_unit_test(test_fit_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
