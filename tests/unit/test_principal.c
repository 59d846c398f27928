#include "sample.h"

#include "linalg/principal.h"

enum { N = 400, D = 20 };

/* Rows with a standard deviation of 5 along one direction, 3 along another and 0.5 along all. */
static float *stretched(float *first, float *second) {
    float *x = sample_new(1, 0.5, N * D), *a = sample_new(2, 5, N), *b = sample_new(3, 3, N);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
            float u = (j < 4 ? 0.5F : 0), v = (j >= 4 && j < 8 ? (j % 2 ? 0.5F : -0.5F) : 0);
            x[i * D + j] += a[i] * u + b[i] * v + 7;
        }
    memcpy(first, a, N * sizeof *a);
    memcpy(second, b, N * sizeof *b);
    free(a), free(b);
    return x;
}

static double correlation(const float *a, size_t step, const float *b) {
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < N; i++) ma += (double)a[i * step] / N, mb += (double)b[i] / N;
    for (size_t i = 0; i < N; i++) {
        double u = (double)a[i * step] - ma, v = (double)b[i] - mb;
        ab += u * v, aa += u * u, bb += v * v;
    }
    return ab / sqrt(aa * bb);
}

static void test_principal_finds_directions(void **state) {
    (void)state;
    float a[N], b[N], scores[2 * N], again[2 * N], sparse[2 * N];
    float *x = stretched(a, b);
    decant__source source = decant__source_dense(x, N, D);
    assert_ok(decant__principal_scores(&source, 2, 1, 1, NULL, scores));
    assert_true(fabs(correlation(scores, 2, a)) > 0.98);
    assert_true(fabs(correlation(scores + 1, 2, b)) > 0.97);
    double mean = 0;
    for (size_t i = 0; i < N; i++) mean += (double)scores[2 * i] / N;
    assert_near(mean, 0, 1e-3);
    assert_ok(decant__principal_scores(&source, 2, 1, 3, NULL, again));
    assert_memory_equal(scores, again, sizeof scores);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source rows = {
        .n = N, .d = D, .start = csr.start, .column = csr.column, .value = csr.value};
    assert_ok(decant__principal_scores(&rows, 2, 1, 2, NULL, sparse));
    assert_true(largest_difference(scores, sparse, 2 * N) < 1e-2);
    sample_csr_free(&csr);
    free(x);
}

/* Every other row, where it is and as a copy, dense and sparse. */
static void test_principal_of_chosen_rows(void **state) {
    enum { HALF = N / 2 };
    (void)state;
    float a[N], b[N], scores[2 * HALF], again[2 * HALF];
    float *x = stretched(a, b), *copy = malloc(HALF * D * sizeof *copy);
    uint32_t odd[HALF];
    for (size_t i = 0; i < HALF; i++) {
        odd[i] = (uint32_t)(2 * i + 1);
        memcpy(copy + i * D, x + odd[i] * D, D * sizeof *copy);
    }
    sample_csr all = sample_csr_of(x, N, D), some = sample_csr_of(copy, HALF, D);
    decant__source copied[] = {
        decant__source_dense(copy, HALF, D),
        {.n = HALF, .d = D, .start = some.start, .column = some.column, .value = some.value}};
    decant__source chosen[] = {
        decant__source_dense(x, HALF, D),
        {.n = HALF, .d = D, .start = all.start, .column = all.column, .value = all.value}};
    for (size_t s = 0; s < 2; s++) {
        chosen[s].rows = odd;
        assert_ok(decant__principal_scores(&copied[s], 2, 1, 2, NULL, scores));
        assert_ok(decant__principal_scores(&chosen[s], 2, 1, 2, NULL, again));
        assert_memory_equal(scores, again, sizeof scores);
    }
    sample_csr_free(&all);
    sample_csr_free(&some);
    free(copy);
    free(x);
}

static void test_principal_of_little(void **state) {
    (void)state;
    float one[3] = {1, 2, 3}, scores[6], constant[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    decant__source column = decant__source_dense(one, 3, 1);
    assert_ok(decant__principal_scores(&column, 2, 1, 1, NULL, scores));
    assert_near(fabs((double)scores[0]), 1, 1e-6);
    assert_near(scores[1], 0, 0);
    decant__source flat = decant__source_dense(constant, 2, 4);
    assert_ok(decant__principal_scores(&flat, 2, 1, 1, NULL, scores));
    for (int i = 0; i < 4; i++) assert_near(scores[i], 0, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_principal_finds_directions),
        cmocka_unit_test(test_principal_of_chosen_rows),
        cmocka_unit_test(test_principal_of_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
