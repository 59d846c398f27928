/* Small matrices without BLAS, beside those of BLAS and LAPACK. */
#include "linalg/small_matrix.h"

#include <math.h>
#include <string.h>

#include "linalg/dense_matrix.h"
#include "sample.h"

enum { MAX = DECANT__SMALL_COLUMNS, ROWS = 100 };

static double largest_gap(const double *a, const double *b, size_t n, int lower) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < (lower ? i + 1 : n); j++)
            largest = fmax(largest, fabs(a[i * n + j] - b[i * n + j]));
    return largest;
}

static void check_size(size_t n) {
    static double rows[ROWS * MAX], other[ROWS * MAX], a[MAX * MAX], b[MAX * MAX];
    float *x = sample_new(n, 1, ROWS * n);
    for (size_t i = 0; i < ROWS * n; i++) rows[i] = (double)x[i];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    decant__small_gram(rows, ROWS, n, a);
    decant__small_gram(rows, ROWS, n, a); /* adds */
    decant__dense_gram(rows, ROWS, n, 0, b);
    decant__dense_gram(rows, ROWS, n, 1, b);
    assert_true(largest_gap(a, b, n, 1) < 1e-11);
    memcpy(a, b, sizeof a);
    assert_ok(decant__small_cholesky(a, n));
    assert_ok(decant__dense_cholesky(b, n));
    assert_true(largest_gap(a, b, n, 0) < 1e-12);
    decant__small_invert_lower(a, n);
    assert_ok(decant__dense_invert_lower(b, n));
    assert_true(largest_gap(a, b, n, 0) < 1e-12);
    memcpy(other, rows, sizeof other);
    decant__small_times_lower_transposed(rows, ROWS, a, n);
    decant__dense_times_lower_transposed(other, ROWS, a, n);
    for (size_t i = 0; i < ROWS * n; i++) assert_true(fabs(rows[i] - other[i]) < 1e-12);
    free(x);
}

static void test_as_blas(void **state) {
    (void)state;
    check_size(1);
    check_size(2);
    check_size(13);
    check_size(MAX);
}

static void test_cholesky_refuses(void **state) {
    (void)state;
    double a[4] = {1, 0, 2, 1}; /* eigenvalues 3 and -1 */
    assert_fails(decant__small_cholesky(a, 2), DECANT_EDIVERGED, "positive definite");
    double b[1] = {(double)NAN};
    assert_fails(decant__small_cholesky(b, 1), DECANT_EDIVERGED, "positive definite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_blas),
        cmocka_unit_test(test_cholesky_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
