#include "check.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/random.h"
#include "linalg/symmetric.h"

enum { MOST = 100 };

/* Entries of the lower triangle; above it NaN, which must not be read. */
static void fill(double *a, size_t n, double scale) {
    decant__random random = decant__random_start(5, DECANT__RANDOM_TEST, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = j > i ? (double)NAN : scale * (decant__random_uniform(&random) - 0.5);
}

/* V A = diag(values) V and V V^T = I, values ascending. */
static void assert_solves(const double *a, size_t n, double scale) {
    double *v = malloc(n * n * sizeof *v), *values = malloc(n * sizeof *values);
    memcpy(v, a, n * n * sizeof *v);
    assert_ok(decant__symmetric_eigen(v, n, values));
    for (size_t e = 0; e < n; e++) {
        if (e > 0) assert_true(values[e - 1] <= values[e]);
        for (size_t i = 0; i < n; i++) {
            double product = 0, dot = 0;
            for (size_t j = 0; j < n; j++) {
                product += (j <= i ? a[i * n + j] : a[j * n + i]) / scale * v[e * n + j];
                dot += v[e * n + j] * v[i * n + j];
            }
            assert_near(product, values[e] / scale * v[e * n + i], 2e-14 * (double)n);
            assert_near(dot, e == i, 1e-14 * (double)n);
        }
    }
    free(v);
    free(values);
}

static void test_eigen_of_all_sizes(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 10, 16, 63, 64, 65, MOST};
    static double a[MOST * MOST];
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        fill(a, sizes[s], 1);
        assert_solves(a, sizes[s], 1);
    }
}

static void test_eigen_of_any_scale(void **state) {
    (void)state;
    static double a[16 * 16];
    static const double scales[] = {1e-300, 1e-20, 1e20, 1e300};
    for (size_t s = 0; s < 4; s++) {
        fill(a, 16, scales[s]);
        assert_solves(a, 16, scales[s]);
    }
}

static void test_eigen_of_equal_values(void **state) {
    (void)state;
    double zero[9] = {0}, values[3];
    assert_solves(zero, 3, 1);
    double identity[9] = {[0] = 1, [4] = 1, [8] = 1};
    assert_solves(identity, 3, 1);
    double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}; /* 0, 0, 3 */
    assert_solves(ones, 3, 1);
    assert_ok(decant__symmetric_eigen(ones, 3, values));
    assert_near(values[1], 0, 1e-15);
    assert_near(values[2], 3, 1e-15);
}

static void test_eigen_keeps_small_values(void **state) {
    (void)state;
    double a[4] = {1, 0, 1e-9, 1e-17}, values[2]; /* det = 1e-17 - 1e-18 */
    assert_ok(decant__symmetric_eigen(a, 2, values));
    assert_near(values[0] * 1e18, 9, 1e-6);
    assert_near(values[1], 1, 1e-15);
}

static void test_eigen_refuses_what_is_not_finite(void **state) {
    (void)state;
    double a[4] = {1, 0, NAN, 1}, values[2];
    assert_fails(decant__symmetric_eigen(a, 2, values), DECANT_EDIVERGED, "2 x 2");
    double b[4] = {1, 0, HUGE_VAL, 1};
    assert_fails(decant__symmetric_eigen(b, 2, values), DECANT_EDIVERGED, "did not converge");
}

/* Another digest on another machine is a fault. */
static void test_bits_are_those_of_every_machine(void **state) {
    (void)state;
    static double a[64 * 64];
    double values[64];
    uint64_t hash = 0;
    for (size_t n = 1; n <= 64; n += 9) {
        fill(a, n, 1);
        assert_ok(decant__symmetric_eigen(a, n, values));
        hash = XXH3_64bits_withSeed(a, n * n * sizeof *a, hash);
        hash = XXH3_64bits_withSeed(values, n * sizeof *values, hash);
    }
    static const uint64_t expected = UINT64_C(0x9842d6efc234a705);
    if (hash != expected) print_error("digest 0x%016llx\n", (unsigned long long)hash);
    assert_true(hash == expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigen_of_all_sizes),
        cmocka_unit_test(test_eigen_of_any_scale),
        cmocka_unit_test(test_eigen_of_equal_values),
        cmocka_unit_test(test_eigen_keeps_small_values),
        cmocka_unit_test(test_eigen_refuses_what_is_not_finite),
        cmocka_unit_test(test_bits_are_those_of_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
