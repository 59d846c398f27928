#include "sample.h"

#include <time.h>

#include "base/memory.h"
#include "embed/affinity.h"
#include "embed/repulsion.h"
#include "embed/tsne.h"
#include "linalg/neighbours.h"
#include "decant/report.h"

/* ---- Affinities ---- */

static decant__affinity affinity_of(const float *x, size_t n, size_t d, size_t count,
                                    double perplexity) {
    decant__affinity p;
    decant__source source = decant__source_dense(x, n, d);
    uint32_t *index = malloc(n * count * sizeof *index);
    float *distance = malloc(n * count * sizeof *distance);
    assert_ok(decant__neighbours_find(&source, count, 2, NULL, index, distance));
    assert_ok(
        decant__affinity_new(&p, &(decant__near){index, distance, n, count}, perplexity, 2, NULL));
    free(index), free(distance);
    return p;
}

static float entry(const decant__affinity *p, size_t i, size_t j) {
    for (size_t e = p->start[i]; e < p->start[i + 1]; e++)
        if (p->column[e] == j) return p->value[e];
    return 0;
}

static void test_affinity_is_symmetric_and_sums_to_1(void **state) {
    (void)state;
    enum { N = 120 };
    float *x = sample_new(1, 1, N * 3);
    decant__affinity p = affinity_of(x, N, 3, 30, 10);
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t e = p.start[i]; e < p.start[i + 1]; e++) {
            if (e > p.start[i]) assert_true(p.column[e] > p.column[e - 1]);
            assert_true(p.column[e] != i);
            assert_true(p.value[e] == entry(&p, p.column[e], i));
            sum += (double)p.value[e];
        }
    assert_near(sum, 1, 1e-5);
    decant__affinity_free(&p);
    free(x);
}

/* Where everyone is everyone's neighbour at the same three distances, p_ij 2n = 2 p_j|i: the rows'
 * entropy must be the logarithm of the perplexity. */
static void test_affinity_has_the_perplexity(void **state) {
    (void)state;
    uint32_t index[4 * 3] = {1, 2, 3, 0, 3, 2, 3, 0, 1, 2, 1, 0};
    float distance[4 * 3];
    decant__affinity p;
    const decant__near near = {index, distance, 4, 3};
    for (int i = 0; i < 12; i++) distance[i] = (float)(1 + i % 3 * 2);
    assert_ok(decant__affinity_new(&p, &near, 2, 1, NULL));
    for (size_t i = 0; i < 4; i++) {
        double entropy = 0;
        for (size_t e = p.start[i]; e < p.start[i + 1]; e++)
            entropy -= 4 * (double)p.value[e] * log(4 * (double)p.value[e]);
        assert_near(exp(entropy), 2, 1e-4);
    }
    decant__affinity_free(&p);
    for (int i = 0; i < 12; i++) distance[i] = 0; /* then all weigh the same */
    assert_ok(decant__affinity_new(&p, &near, 2, 1, NULL));
    for (size_t e = 0; e < p.start[4]; e++) assert_near(p.value[e], 1.0 / 12, 1e-6);
    decant__affinity_free(&p);
}

/* ---- Repulsion ---- */

static void exact(const float *x, const float *y, size_t n, double *fx, double *fy, double *z) {
    *z = 0;
    for (size_t i = 0; i < n; i++) {
        fx[i] = fy[i] = 0;
        for (size_t j = 0; j < n; j++) {
            double dx = (double)x[i] - (double)x[j], dy = (double)y[i] - (double)y[j];
            double close = 1 / (1 + dx * dx + dy * dy);
            if (j != i) *z += close;
            fx[i] += close * close * dx;
            fy[i] += close * close * dy;
        }
    }
}

static void check_repulsion(double spread, double tolerance) {
    enum { N = 700 };
    float *x = sample_new(5, spread, N), *y = sample_new(6, 0.5 * spread, N);
    float fx[N], fy[N], again_x[N], again_y[N];
    double ex[N], ey[N], z, ez, again_z, error = 0, size = 0;
    decant__repulsion *one, *three;
    assert_ok(decant__repulsion_new(&one, N, 1));
    assert_ok(decant__repulsion_new(&three, N, 3));
    assert_ok(decant__repulsion_find(one, x, y, fx, fy, &z));
    assert_ok(decant__repulsion_find(three, x, y, again_x, again_y, &again_z));
    assert_memory_equal(fx, again_x, sizeof fx);
    assert_memory_equal(fy, again_y, sizeof fy);
    assert_true(z == again_z);
    exact(x, y, N, ex, ey, &ez);
    for (size_t i = 0; i < N; i++) {
        error += pow((double)fx[i] - ex[i], 2) + pow((double)fy[i] - ey[i], 2);
        size += ex[i] * ex[i] + ey[i] * ey[i];
    }
    assert_near(sqrt(error / size), 0, tolerance);
    assert_near(z / ez, 1, tolerance);
    decant__repulsion_free(one);
    decant__repulsion_free(three);
    free(x), free(y);
}

static void test_repulsion_is_near_the_exact_sums(void **state) {
    (void)state;
    check_repulsion(20, 2e-2);
    check_repulsion(4, 5e-3);
    check_repulsion(0.5, 1e-3);
    check_repulsion(1e-3, 1e-2);
}

static void test_repulsion_refuses_what_is_not_finite(void **state) {
    (void)state;
    enum { N = 200 };
    const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38F};
    float *x = sample_new(5, 1, N), *y = sample_new(6, 1, N), fx[N], fy[N];
    decant__repulsion *r;
    double z;
    assert_ok(decant__repulsion_new(&r, N, 2));
    for (size_t w = 0; w < 4; w++)
        for (size_t at = 0; at < N; at += N - 1) {
            float saved = y[at], opposite = x[1];
            y[at] = wrong[w];
            if (w < 3) {
                assert_fails(decant__repulsion_find(r, x, y, fx, fy, &z), DECANT_EDIVERGED,
                             "not finite");
            } else {
                x[1] = -3e38F; /* far, but finite: pair by pair this is no trouble */
                assert_ok(decant__repulsion_find(r, x, y, fx, fy, &z));
                assert_true(fx[at] == 0 && fy[at] == 0);
            }
            y[at] = saved;
            x[1] = opposite;
        }
    decant__repulsion_free(r);
    free(x), free(y);
}

/* ---- The map ---- */

static double seconds_of_map(size_t n, double *kl) {
    float *x = sample_new(9, 1, n * 5), *map = malloc(2 * n * sizeof *map);
    decant_dataset *data;
    decant_map_options options;
    decant_map_options_init(&options, sizeof options);
    options.threads = 1;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, n, 5, 0, &data));
    clock_t begun = clock();
    assert_ok(decant_map_rows(data, &options, NULL, map, kl));
    clock_t ended = clock();
    decant_dataset_free(data);
    free(x), free(map);
    return (double)(ended - begun) / CLOCKS_PER_SEC;
}

/* The map of few rows is wide, but takes no longer than that of many. By the grid alone 10 rows
 * took 4.5 s and 300 rows 0.5 s, and the divergence was above this bound. */
static void test_map_of_few_rows_is_fast(void **state) {
    (void)state;
    double kl = 0, many = seconds_of_map(300, &kl);
    for (size_t n = 10; n <= 60; n += 10) {
        double few = seconds_of_map(n, &kl);
        if (!(few < 2 * many + 0.05)) print_message("%zu rows took %g s, 300 %g s\n", n, few, many);
        assert_true(few < 2 * many + 0.05);
        assert_true(kl < 0.5);
    }
}

static double distance_in(const float *map, size_t i, size_t j) {
    return hypot((double)map[2 * i] - (double)map[2 * j],
                 (double)map[2 * i + 1] - (double)map[2 * j + 1]);
}

/* Three groups far apart: each point's nearest in the map is of its own group. */
static void test_map_keeps_groups_together(void **state) {
    (void)state;
    enum { N = 300, D = 5 };
    float *x = sample_new(9, 1, N * D), map[2 * N], again[2 * N];
    for (size_t i = 0; i < N; i++) x[i * D + i % 3] += 12;
    decant_dataset *data;
    decant_map_options options;
    double kl, shorter;
    decant_map_options_init(&options, sizeof options);
    options.threads = 1;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant_map_rows(data, &options, NULL, map, &kl));
    for (size_t i = 0; i < N; i++) {
        size_t best = i == 0;
        for (size_t j = 0; j < N; j++)
            if (j != i && distance_in(map, i, j) < distance_in(map, i, best)) best = j;
        assert_int_equal(best % 3, i % 3);
    }
    assert_true(kl > 0 && kl < 1.5);
    options.threads = 3;
    assert_ok(decant_map_rows(data, &options, NULL, again, NULL));
    assert_memory_equal(map, again, sizeof map);
    options.iterations = 60;
    assert_ok(decant_map_rows(data, &options, NULL, again, &shorter));
    assert_true(shorter > kl);
    options.perplexity = 1;
    assert_fails(decant_map_rows(data, &options, NULL, again, NULL), DECANT_EINVAL, "perplexity");
    decant_dataset_free(data);
    free(x);
}

static void test_map_of_few_and_equal_rows(void **state) {
    (void)state;
    float x[40] = {0}, map[40];
    for (size_t n = 1; n <= 20; n += n < 5 ? 1 : 15) {
        decant_dataset *data;
        assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, n, 2, 0, &data));
        assert_ok(decant_map_rows(data, NULL, NULL, map, NULL));
        for (size_t i = 0; i < 2 * n; i++) assert_true(isfinite(map[i]));
        decant_dataset_free(data);
    }
}

static void test_map_out_of_memory(void **state) {
    (void)state;
    enum { N = 30 };
    float *x = sample_new(9, 1, N * 2), map[2 * N];
    decant_dataset *data;
    decant_map_options options;
    decant_map_options_init(&options, sizeof options);
    options.iterations = 3;
    options.threads = 1;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, 2, 0, &data));
    decant__alloc_fail_at(0);
    assert_ok(decant_map_rows(data, &options, NULL, map, NULL));
    size_t all = decant__alloc_fail_at(0);
    assert_true(all > 10);
    for (size_t i = 1; i <= all; i++) {
        decant__alloc_fail_at(i);
        decant_status status = decant_map_rows(data, &options, NULL, map, NULL);
        decant__alloc_fail_at(0);
        assert_int_equal(status, DECANT_ENOMEM);
    }
    decant_dataset_free(data);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affinity_is_symmetric_and_sums_to_1),
        cmocka_unit_test(test_affinity_has_the_perplexity),
        cmocka_unit_test(test_repulsion_is_near_the_exact_sums),
        cmocka_unit_test(test_map_keeps_groups_together),
        cmocka_unit_test(test_repulsion_refuses_what_is_not_finite),
        cmocka_unit_test(test_map_of_few_rows_is_fast),
        cmocka_unit_test(test_map_of_few_and_equal_rows),
        cmocka_unit_test(test_map_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
