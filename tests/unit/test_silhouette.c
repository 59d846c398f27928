#include "metrics/silhouette.h"

#include "base/memory.h"
#include "sample.h"

/* By hand: 0, 1 | 10, 12.  s = 1-1/11, 1-1/10, 1-2/9.5, 1-2/11.5 */
static void test_silhouette_by_hand(void **state) {
    (void)state;
    const float z[] = {0, 1, 10, 12};
    const int32_t labels[] = {0, 0, 1, 1};
    double out;
    assert_ok(decant__silhouette(z, 4, 1, labels, 2, 1, &out));
    double expected = (4 - 1.0 / 11 - 1.0 / 10 - 2 / 9.5 - 2 / 11.5) / 4;
    assert_float_equal(out, expected, 1e-12);
}

static void test_silhouette_edges(void **state) {
    (void)state;
    const float z[] = {0, 1, 5};
    double out;
    /* A row alone counts 0; cluster 1 is empty. */
    assert_ok(decant__silhouette(z, 3, 1, (const int32_t[]){0, 0, 2}, 3, 1, &out));
    assert_float_equal(out, (1 - 1.0 / 5 + 1 - 1.0 / 4 + 0) / 3, 1e-12);
    assert_ok(decant__silhouette(z, 3, 1, (const int32_t[]){1, 1, 1}, 3, 1, &out));
    assert_true(isnan(out));
    /* Points that do not differ. */
    const float same[] = {1, 1, 1, 1};
    assert_ok(decant__silhouette(same, 4, 1, (const int32_t[]){0, 0, 1, 1}, 2, 1, &out));
    assert_float_equal(out, 0, 0);
}

/* Large data is a sample, the same for any number of threads. */
static void test_silhouette_sample_and_threads(void **state) {
    (void)state;
    enum { N = 5000, L = 3 };
    float *z = sample_new(5, 1, (size_t)N * L);
    int32_t *labels = malloc(N * sizeof *labels);
    double one, many;
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int32_t)(i % 2);
        z[i * L] += (float)(8 * (i % 2));
    }
    assert_ok(decant__silhouette(z, N, L, labels, 2, 1, &one));
    assert_in_range(1000 * one, 600, 900);
    for (int threads = 2; threads <= 8; threads *= 2) {
        assert_ok(decant__silhouette(z, N, L, labels, 2, threads, &many));
        assert_memory_equal(&one, &many, sizeof one);
    }
    decant__alloc_fail_at(2);
    decant_status status = decant__silhouette(z, N, L, labels, 2, 1, &one);
    decant__alloc_fail_at(0);
    assert_int_equal(status, DECANT_ENOMEM);
    free(z);
    free(labels);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silhouette_by_hand),
        cmocka_unit_test(test_silhouette_edges),
        cmocka_unit_test(test_silhouette_sample_and_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
