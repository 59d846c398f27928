#include "sample.h"

#include <float.h>

#include "linalg/neighbours.h"

/* Several blocks of rows; fewer where every access is watched. */
#ifdef DECANT_SANITIZED
enum { ROWS = 1200 };
#else
enum { ROWS = 3000 };
#endif

/* The value that a fetch gives. */
static float value_at(const decant__source *x, const float *dense, size_t i, size_t j) {
    float value = dense[i * x->d + j];
    return x->scale != NULL ? (value - x->shift[j]) * x->scale[j] : value;
}

static double distance_between(const decant__source *x, const float *dense, size_t a, size_t b) {
    double sum = 0;
    for (size_t j = 0; j < x->d; j++) {
        double t = (double)value_at(x, dense, a, j) - (double)value_at(x, dense, b, j);
        sum += t * t;
    }
    return sum;
}

/* Row i's answer, by looking at all the others. dense holds what the source holds. Distances are
 * rounded to float, and some are equal only then: those count as near as each other. */
static void check_row(const decant__source *x, const float *dense, size_t i, size_t count,
                      const uint32_t *index, const float *distance) {
    for (size_t m = 0; m < count; m++) {
        double at = distance_between(x, dense, i, index[m]);
        size_t nearer = 0, as_near = 0;
        assert_true(index[m] < x->n && index[m] != i);
        assert_near(distance[m], at, 2e-6 * at);
        if (m > 0)
            assert_true(distance[m] > distance[m - 1] ||
                        (distance[m] == distance[m - 1] && index[m] > index[m - 1]));
        for (size_t j = 0; j < x->n; j++) {
            if (j == i) continue;
            double other = distance_between(x, dense, i, j);
            nearer += other < at * (1 - 2e-6) || (at == 0 && other == 0 && j < index[m]);
            as_near += other <= at * (1 + 2e-6);
        }
        assert_true(nearer <= m && m < as_near);
    }
}

static void check_all(const decant__source *x, const float *dense, size_t count) {
    uint32_t *index = calloc(x->n * count, sizeof *index);
    float *distance = calloc(x->n * count, sizeof *distance);
    assert_ok(decant__neighbours_pairs(x, count, 2, NULL, index, distance));
    for (size_t i = 0; i < x->n; i++)
        check_row(x, dense, i, count, index + i * count, distance + i * count);
    if (x->dense != NULL && x->scale == NULL) {
        const decant__search wanted = {.x = x, .count = count, .threads = 2};
        assert_ok(decant__neighbours_tree(&wanted, 0, x->n, index, distance));
        for (size_t i = 0; i < x->n; i++)
            check_row(x, dense, i, count, index + i * count, distance + i * count);
    }
    free(index);
    free(distance);
}

/* The definition: the distance in double, rounded to float, and then the index. */
static void check_exactly(const decant__source *x, size_t count) {
    uint32_t *index = calloc(x->n * count, sizeof *index);
    float *distance = calloc(x->n * count, sizeof *distance);
    assert_ok(decant__neighbours_find(x, count, 2, NULL, index, distance));
    for (size_t i = 0; i < x->n; i++)
        for (size_t m = 0, last = i; m < count; m++) {
            size_t best = i;
            float nearest = INFINITY, before = m > 0 ? distance[i * count + m - 1] : -1;
            for (size_t j = 0; j < x->n; j++) {
                float at = (float)distance_between(x, x->dense, i, j);
                int later = at > before || (at == before && j > last);
                if (j != i && later && at < nearest) nearest = at, best = j;
            }
            assert_int_equal(index[i * count + m], best);
            last = best;
        }
    free(index);
    free(distance);
}

static const size_t shapes[][3] = {{2, 1, 1},   {3, 2, 2},     {33, 1, 5},   {500, 10, 10},
                                   {700, 3, 7}, {200, 40, 10}, {1100, 60, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void test_find_dense(void **state) {
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        size_t n = shapes[s][0], d = shapes[s][1];
        float *x = sample_new(s, 1, n * d);
        decant__source source = decant__source_dense(x, n, d);
        check_all(&source, x, shapes[s][2]);
        free(x);
    }
}

/* Far from the origin products alone have no correct digit left. */
static void test_find_far_away(void **state) {
    (void)state;
    enum { N = 600, D = 30 };
    float *x = sample_new(4, 1, N * D);
    for (size_t i = 0; i < N * D; i++) x[i] += 3000;
    decant__source source = decant__source_dense(x, N, D);
    check_all(&source, x, 6);
    free(x);
}

static void test_find_scaled(void **state) {
    (void)state;
    enum { N = 600, D = 30 };
    float *x = sample_new(4, 1, N * D), *shift = sample_new(5, 1, D), *scale = sample_new(6, 2, D);
    decant__source source = decant__source_dense(x, N, D);
    source.shift = shift;
    source.scale = scale;
    check_all(&source, x, 6);
    free(x);
    free(shift);
    free(scale);
}

static void test_find_sparse(void **state) {
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        size_t n = shapes[s][0], d = shapes[s][1];
        float *x = sample_new(s, 1, n * d);
        sample_thin(s, 0.3, n * d, x);
        sample_csr csr = sample_csr_of(x, n, d);
        decant__source source = sample_csr_source(&csr);
        check_all(&source, x, shapes[s][2]);
        sample_csr_free(&csr);
        free(x);
    }
}

/* Whole numbers from a small range: many rows are equal, and many distances too. */
static void test_find_duplicates(void **state) {
    (void)state;
    enum { N = 1200, D = 2 };
    float *x = sample_new(5, 1, N * D);
    for (size_t i = 0; i < N * D; i++) x[i] = (float)(int)(2 * x[i]);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source dense = decant__source_dense(x, N, D), sparse = sample_csr_source(&csr);
    check_all(&dense, x, 12);
    check_all(&sparse, x, 12);
    for (size_t i = 0; i < N * D; i++) x[i] = 1;
    check_all(&dense, x, 4);
    sample_csr_free(&csr);
    free(x);
}

/* ---- rows made to go wrong ---- */

/* Sums that rounding takes the same way again and again: a few large terms, then terms of 1 plus
 * half a unit in the last place of the sum. The last row is by far the nearest to row 0, but their
 * product is off by more than that of random terms would be. Where the sum is taken in several
 * parts, other units do it. */
static void test_find_where_rounding_is_biased(void **state) {
    (void)state;
    enum { N = 40, D = 128 };
    for (size_t large = 1; large <= 8; large *= 2)
        for (int unit = 1; unit <= 8; unit *= 2) {
            float *x = calloc(N * D, sizeof *x);
            for (size_t e = 0; e < N * D; e++) x[e] = e % D < large ? 16 : 1;
            for (size_t j = large; j < D; j++) x[(N - 1) * D + j] += 0.49F * 0x1p-15F * (float)unit;
            for (size_t i = 1; i < N - 1; i++) x[i * D + i] += 0.01F + (float)i * 1e-4F;
            decant__source source = decant__source_dense(x, N, D);
            check_exactly(&source, 3);
            free(x);
        }
}

/* Squared norms beyond the range of float, of all rows or of one. */
static void test_find_where_norms_overflow(void **state) {
    (void)state;
    enum { N = 200, D = 30 };
    float *x = sample_new(4, 1, N * D);
    decant__source source = decant__source_dense(x, N, D), narrow = decant__source_dense(x, N, 10);
    for (size_t i = 0; i < N * D; i++) x[i] = 1e20F + 1e15F * x[i];
    check_all(&source, x, 6);
    check_all(&narrow, x, 6);
    for (size_t i = 0; i < N * D; i++) x[i] = (x[i] - 1e20F) / 1e15F;
    for (size_t j = 0; j < D; j++) x[7 * D + j] = j % 2 ? 3e18F : -3e18F;
    check_all(&source, x, 6);
    check_all(&narrow, x, 6);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source sparse = sample_csr_source(&csr);
    check_all(&sparse, x, 6);
    sample_csr_free(&csr);
    free(x);
}

/* Neighbouring floats: one unit in the last place apart, or a few. */
static void test_find_where_differences_are_tiny(void **state) {
    (void)state;
    enum { N = 300, D = 24 };
    float *x = sample_new(6, 1, N * D);
    for (size_t i = 0; i < N * D; i++) x[i] = 1 + FLT_EPSILON * (float)(int)(4 * x[i]);
    decant__source source = decant__source_dense(x, N, D), narrow = decant__source_dense(x, N, 6);
    check_all(&source, x, 8);
    check_all(&narrow, x, 8);
    free(x);
}

/* Differences whose squares underflow: 2^-60 to 2^-72 as floats, where a float has few digits left
 * or none; a double holds them all. */
static void test_find_where_squares_underflow(void **state) {
    (void)state;
    enum { N = 300, D = 20 };
    for (int exponent = -60; exponent >= -72; exponent -= 4) {
        float *x = sample_new(6, ldexp(1, exponent), N * D);
        decant__source source = decant__source_dense(x, N, D), narrow = source;
        narrow.d = 2;
        narrow.n = N * D / 2;
        check_exactly(&source, 5);
        check_exactly(&narrow, 5);
        free(x);
    }
}

/* Denormal numbers: the squares are 0 even when rounded from double, so the index decides. */
static void test_find_denormals(void **state) {
    (void)state;
    enum { N = 60, K = 4 };
    for (size_t d = 2; d <= 20; d += 18) {
        float *x = sample_new(6, 1e-41, N * d), distance[N * K];
        uint32_t index[N * K];
        decant__source source = decant__source_dense(x, N, d);
        assert_ok(decant__neighbours_find(&source, K, 2, NULL, index, distance));
        for (size_t i = 0; i < N; i++)
            for (size_t m = 0; m < K; m++) {
                assert_true(distance[i * K + m] == 0);
                assert_int_equal(index[i * K + m], m + (m >= i));
            }
        free(x);
    }
}

static void test_find_refuses_what_has_no_distance(void **state) {
    (void)state;
    enum { N = 50 };
    uint32_t index[2 * N];
    float distance[2 * N];
    for (size_t d = 4; d <= 40; d += 36)
        for (int kind = 0; kind < 4; kind++) {
            float *x = sample_new(6, 1, N * d);
            decant__source source = decant__source_dense(x, N, d);
            decant__search query = {.x = &source, .count = 2, .seed = 1, .threads = 2};
            for (size_t j = 0; j < d; j++)
                x[9 * d + j] = kind == 0 ? NAN : kind == 1 ? INFINITY : kind == 2 ? 3e38F : 4e19F;
            const char *why = kind < 2 ? "row 10 has a value" : "row 10 is so far";
            assert_fails(decant__neighbours_find(&source, 2, 2, NULL, index, distance),
                         DECANT_EINVAL, why);
            assert_fails(decant__neighbours_approximate(&query, index, distance), DECANT_EINVAL,
                         "row ");
            free(x);
        }
}

/* Copies of one row: every tree cuts them alike, and a leaf holds fewer than are asked for. */
static void test_approximate_of_copies(void **state) {
    (void)state;
    enum { N = 1000, K = 100 };
    float *x = calloc(N * 2, sizeof *x), *distance = calloc(N * K, sizeof *distance);
    uint32_t *index = calloc(N * K, sizeof *index);
    decant__source source = decant__source_dense(x, N, 2);
    decant__search query = {.x = &source, .count = K, .seed = 3, .threads = 2};
    memset(distance, 0xff, N * K * sizeof *distance);
    assert_ok(decant__neighbours_approximate(&query, index, distance));
    for (size_t i = 0; i < N; i++)
        for (size_t m = 0; m < K; m++) {
            assert_true(distance[i * K + m] == 0);
            assert_true(index[i * K + m] < N && index[i * K + m] != i);
            if (m > 0) assert_true(index[i * K + m] > index[i * K + m - 1]);
        }
    free(x);
    free(index);
    free(distance);
}

static void test_of_is_find(void **state) {
    (void)state;
    enum { N = 1300, D = 30, K = 7, QUERIES = 150 };
    float *x = sample_new(8, 1, N * D), distance[QUERIES * K];
    float *shift = sample_new(5, 1, D), *scale = sample_new(6, 2, D);
    uint32_t query[QUERIES], index[QUERIES * K];
    uint32_t *all = calloc(N * K, sizeof *all);
    float *all_distance = calloc(N * K, sizeof *all_distance);
    sample_thin(8, 0.4, N * D, x);
    sample_csr csr = sample_csr_of(x, N, D);
    for (uint32_t i = 0; i < QUERIES; i++) query[i] = i * 997 % N;
    for (int kind = 0; kind < 3; kind++) {
        decant__source source = kind == 2 ? sample_csr_source(&csr) : decant__source_dense(x, N, D);
        if (kind == 1) source.shift = shift, source.scale = scale;
        const decant__search wanted = {.x = &source, .count = K, .threads = 2};
        assert_ok(decant__neighbours_find(&source, K, 2, NULL, all, all_distance));
        assert_ok(decant__neighbours_of(&wanted, query, QUERIES, index, distance));
        for (size_t i = 0; i < QUERIES; i++) {
            assert_memory_equal(index + i * K, all + query[i] * K, K * sizeof *index);
            assert_memory_equal(distance + i * K, all_distance + query[i] * K,
                                K * sizeof *distance);
        }
    }
    sample_csr_free(&csr);
    free(all);
    free(all_distance);
    free(x);
    free(shift);
    free(scale);
}

static void check_threads(const decant__source *x) {
    enum { K = 8 };
    uint32_t *index[4];
    float *distance[4];
    for (int t = 0; t < 4; t++) {
        index[t] = calloc(x->n * K, sizeof **index);
        distance[t] = calloc(x->n * K, sizeof **distance);
        assert_ok(decant__neighbours_find(x, K, 1 << t, NULL, index[t], distance[t]));
        assert_memory_equal(index[t], index[0], x->n * K * sizeof **index);
        assert_memory_equal(distance[t], distance[0], x->n * K * sizeof **distance);
    }
    for (int t = 0; t < 4; t++) {
        free(index[t]);
        free(distance[t]);
    }
}

static void test_find_same_for_any_threads(void **state) {
    (void)state;
    enum { N = ROWS, D = 60 };
    float *x = sample_new(9, 1, N * D);
    decant__source narrow = decant__source_dense(x, N, 6), wide = decant__source_dense(x, N, D);
    check_threads(&narrow);
    check_threads(&wide);
    sample_thin(9, 0.2, N * D, x);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source sparse = sample_csr_source(&csr);
    check_threads(&sparse);
    sample_csr_free(&csr);
    free(x);
}

/* Clustered rows, dense, scaled and sparse: hardly a neighbour is missed, for any threads. */
static void test_approximate(void **state) {
    (void)state;
    enum { N = ROWS, D = 40, K = 5 };
    float *x = sample_new(12, 1, N * D), *shift = sample_new(5, 1, D), *scale = sample_new(6, 2, D);
    for (size_t i = 0; i < N; i++) x[i * D + i % 7] += 6;
    sample_thin(12, 0.4, N * D, x);
    sample_csr csr = sample_csr_of(x, N, D);
    uint32_t *index[2] = {calloc(N * K, sizeof **index), calloc(N * K, sizeof **index)};
    float *distance[2] = {calloc(N * K, sizeof **distance), calloc(N * K, sizeof **distance)};
    for (int kind = 0; kind < 3; kind++) {
        decant__source source = kind == 2 ? sample_csr_source(&csr) : decant__source_dense(x, N, D);
        if (kind == 1) source.shift = shift, source.scale = scale;
        decant__search search = {.x = &source, .count = K, .seed = 3, .threads = 1};
        double recall = 0;
        assert_ok(decant__neighbours_approximate(&search, index[0], distance[0]));
        assert_ok(decant__neighbours_recall(&search, distance[0], &recall));
        assert_true(recall > 0.95 && recall <= 1);
        for (size_t i = 0; i < N * K; i++) {
            assert_true(index[0][i] < N && index[0][i] != i / K);
            assert_near(distance[0][i], decant__neighbours_distance(&source, i / K, index[0][i]),
                        1e-5 * (double)distance[0][i]);
            for (size_t m = i / K * K; m < i; m++) assert_true(index[0][m] != index[0][i]);
        }
        for (search.threads = 2; search.threads <= 8; search.threads *= 4) {
            assert_ok(decant__neighbours_approximate(&search, index[1], distance[1]));
            assert_memory_equal(index[1], index[0], N * K * sizeof **index);
            assert_memory_equal(distance[1], distance[0], N * K * sizeof **distance);
        }
        /* The exact ones miss none. */
        assert_ok(decant__neighbours_find(&source, K, 2, NULL, index[1], distance[1]));
        assert_ok(decant__neighbours_recall(&search, distance[1], &recall));
        assert_true(recall == 1);
    }
    for (int b = 0; b < 2; b++) {
        free(index[b]);
        free(distance[b]);
    }
    sample_csr_free(&csr);
    free(x);
    free(shift);
    free(scale);
}

/* All rows but a few are copies of one, and there are hardly more rows than neighbours. */
static void test_approximate_duplicates(void **state) {
    (void)state;
    enum { K = 4 };
    for (size_t n = 5; n <= 500; n *= 10) {
        float *x = calloc(n * 2, sizeof *x), *distance = calloc(n * K, sizeof *distance);
        uint32_t *index = calloc(n * K, sizeof *index);
        for (size_t i = 0; i < 3; i++) x[2 * i] = (float)i;
        decant__source source = decant__source_dense(x, n, 2);
        decant__search search = {.x = &source, .count = K, .seed = 3, .threads = 2};
        assert_ok(decant__neighbours_approximate(&search, index, distance));
        for (size_t i = 0; i < n * K; i++) assert_true(index[i] < n && index[i] != i / K);
        if (n > 8)
            for (size_t m = 0; m < K; m++) assert_true(distance[(n - 1) * K + m] == 0);
        free(x);
        free(index);
        free(distance);
    }
}

static int stop_at_three(const decant_progress *progress, void *user) {
    *(size_t *)user = progress->step;
    return progress->step == 3;
}

static void test_find_can_be_stopped(void **state) {
    (void)state;
    enum { N = 3000, D = 30, K = 3 };
    size_t reached = 0;
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = stop_at_three, .user = &reached};
    decant__watch watch = {.monitor = &monitor, .phase = "neighbours"};
    float *x = sample_new(9, 1, N * D), *distance = calloc(N * K, sizeof *distance);
    uint32_t *index = calloc(N * K, sizeof *index);
    decant__source source = decant__source_dense(x, N, D);
    assert_fails(decant__neighbours_find(&source, K, 2, &watch, index, distance), DECANT_ECANCELLED,
                 "neighbours");
    assert_int_equal(reached, 3);
    free(x);
    free(index);
    free(distance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_dense),
        cmocka_unit_test(test_find_far_away),
        cmocka_unit_test(test_find_scaled),
        cmocka_unit_test(test_find_sparse),
        cmocka_unit_test(test_find_duplicates),
        cmocka_unit_test(test_find_where_rounding_is_biased),
        cmocka_unit_test(test_find_where_norms_overflow),
        cmocka_unit_test(test_find_where_differences_are_tiny),
        cmocka_unit_test(test_find_where_squares_underflow),
        cmocka_unit_test(test_find_denormals),
        cmocka_unit_test(test_find_refuses_what_has_no_distance),
        cmocka_unit_test(test_approximate_of_copies),
        cmocka_unit_test(test_of_is_find),
        cmocka_unit_test(test_find_same_for_any_threads),
        cmocka_unit_test(test_approximate),
        cmocka_unit_test(test_approximate_duplicates),
        cmocka_unit_test(test_find_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
