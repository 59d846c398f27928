#include "data/scan.h"

#include <float.h>
#include <math.h>
#include <xxhash.h>

#include "check.h"
#include "sample.h"

/* More than one window of values, in rows that no window or slice ends with. */
enum { N = 4001, D = 301 };

/* Value by value, with the definitions. */
static void assert_summary(const decant_dataset *data, const float *x, const decant__summary *found,
                           const double *square) {
    double squares = 0;
    size_t zeros = 0;
    for (size_t i = 0; i < (size_t)N * D; i++) {
        squares += (double)x[i] * (double)x[i];
        zeros += x[i] == 0;
    }
    assert_true(fabs(found->squares / squares - 1) < 1e-12);
    if (data->dense != NULL) assert_int_equal(found->zeros, zeros);
    for (size_t j = 0; j < D; j++) {
        double sum = 0, spread = 0;
        float min = FLT_MAX, max = -FLT_MAX;
        for (size_t i = 0; i < N; i++) {
            sum += (double)x[i * D + j];
            min = fminf(min, x[i * D + j]);
            max = fmaxf(max, x[i * D + j]);
        }
        for (size_t i = 0; i < N; i++) spread += pow((double)x[i * D + j] - sum / N, 2);
        assert_true(found->min[j] == min && found->max[j] == max);
        assert_true(fabs(found->sum[j] - sum) < 1e-9);
        assert_true(fabs(square[j] / spread - 1) < 1e-9);
    }
}

/* The hash of hashes that models and checkpoints of 0.1.0 carry. */
static void assert_digest(const decant_dataset *data, const float *x, const sample_csr *csr,
                          const uint64_t digest[2]) {
    XXH128_hash_t value, start = {0}, column = {0};
    int sparse = data->dense == NULL;
    if (sparse) {
        size_t count = csr->start[csr->n];
        value = XXH3_128bits(csr->value, count * sizeof(float));
        start = XXH3_128bits(csr->start, (csr->n + 1) * sizeof(size_t));
        column = XXH3_128bits(csr->column, count * sizeof(uint32_t));
    } else {
        value = XXH3_128bits(x, (size_t)N * D * sizeof(float));
    }
    const uint64_t all[] = {N,
                            D,
                            (uint64_t)sparse,
                            value.high64,
                            value.low64,
                            start.high64,
                            start.low64,
                            column.high64,
                            column.low64};
    XXH128_hash_t hash = XXH3_128bits_withSeed(all, sizeof all, 0);
    assert_true(digest[0] == hash.high64 && digest[1] == hash.low64);
}

static void test_scan_like_the_definition(void **state) {
    (void)state;
    float *x = sample_new(3, 2, (size_t)N * D);
    sample_thin(4, 0.7, (size_t)N * D, x);
    sample_csr csr = sample_csr_of(x, N, D);
    decant_dataset *data[2];
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data[0]));
    assert_ok(csr_dataset(csr.start, csr.column, csr.value, N, D, &data[1]));
    for (int sparse = 0; sparse < 2; sparse++) {
        decant__summary one = {0}, other = {0};
        double square[D], again[D];
        const unsigned all = DECANT__SCAN_COLUMNS | DECANT__SCAN_DIGEST;
        assert_ok(decant__scan(data[sparse], all, 1, NULL, &one));
        assert_ok(decant__scan_squares(data[sparse], &one, 1, NULL, square));
        assert_summary(data[sparse], x, &one, square);
        assert_digest(data[sparse], x, &csr, one.digest);
        for (int threads = 2; threads <= 8; threads *= 4) {
            assert_ok(decant__scan(data[sparse], all, threads, NULL, &other));
            assert_ok(decant__scan_squares(data[sparse], &other, threads, NULL, again));
            assert_memory_equal(one.sum, other.sum, sizeof square);
            assert_memory_equal(&one.squares, &other.squares, sizeof one.squares);
            assert_memory_equal(one.digest, other.digest, sizeof one.digest);
            assert_memory_equal(square, again, sizeof square);
            decant__summary_free(&other);
        }
        decant__summary_free(&one);
        decant_dataset_free(data[sparse]);
    }
    sample_csr_free(&csr);
    free(x);
}

/* The first of several, wherever it is. */
static void test_scan_names_what_is_not_finite(void **state) {
    (void)state;
    float *x = sample_new(5, 1, (size_t)N * D);
    decant_dataset *data;
    decant__summary found = {0};
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    x[(size_t)(N - 1) * D + D - 1] = NAN;
    assert_fails(decant__scan(data, 0, 2, NULL, &found), DECANT_EINVAL,
                 "row 4001, column 301: expected a finite float32 number, found NaN");
    x[(size_t)3500 * D + 7] = -INFINITY;
    assert_fails(decant__scan(data, DECANT__SCAN_COLUMNS, 2, NULL, &found), DECANT_EINVAL,
                 "row 3501, column 8: expected a finite float32 number, found inf");
    x[0] = NAN;
    assert_fails(decant__scan(data, 0, 2, NULL, &found), DECANT_EINVAL, "row 1, column 1");
    assert_null(found.sum);
    decant_dataset_free(data);
    free(x);
}

static int stop(const decant_progress *progress, void *user) {
    (void)user;
    assert_string_equal(progress->phase, "read");
    return 1;
}

static void test_scan_is_cancelled(void **state) {
    (void)state;
    float *x = sample_new(5, 1, (size_t)N * D);
    decant_dataset *data;
    decant__summary found = {0};
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = stop};
    decant__watch watch = {.monitor = &monitor};
    decant__watch_phase(&watch, "read");
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_int_equal(decant__scan(data, 0, 2, &watch, &found), DECANT_ECANCELLED);
    decant_dataset_free(data);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan_like_the_definition),
        cmocka_unit_test(test_scan_names_what_is_not_finite),
        cmocka_unit_test(test_scan_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
