#include "check.h"

#include <math.h>
#include "sample.h"

#include "base/memory.h"
#include "data/scale.h"

/* Columns: plain, constant, constant 0, with a large offset. */
enum { N = 4, D = 4 };
static const float x[N * D] = {1, 5, 0, 1000, 2, 5, 0, 1001, 4, 5, 0, 1002, 5, 5, 0, 1005};

/* The same as CSR, without the zeros. */
static const size_t start[] = {0, 3, 6, 9, 12};
static const uint32_t column[] = {0, 1, 3, 0, 1, 3, 0, 1, 3, 0, 1, 3};
static const float value[] = {1, 5, 1000, 2, 5, 1001, 4, 5, 1002, 5, 5, 1005};

static decant_status fit_scale(decant__scale *scale, decant_scaling kind,
                               const decant_dataset *data) {
    decant_status status = DECANT_OK;
    decant__summary found = {0};
    TRY(decant__scan(data, decant__scale_needs(kind), 2, NULL, &found));
    TRY(decant__scale_fit(scale, (decant__scaling){kind, 1}, data, &found, 2, NULL));
done:
    decant__summary_free(&found);
    return status;
}

/* Fits and fetches all rows. */
static void scaled_rows(decant_scaling kind, int sparse, float out[N * D]) {
    decant_dataset *data;
    decant__scale scale;
    decant__scaled scaled;
    decant__rows_buffer buffer;
    if (sparse)
        assert_ok(csr_dataset(start, column, value, N, D, &data));
    else
        assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(fit_scale(&scale, kind, data));
    assert_ok(decant__scaled_new(&scaled, &scale, data));
    assert_ok(decant__rows_buffer_new(&buffer, &scaled.source, N));
    decant__rows rows = decant__source_fetch(&scaled.source, NULL, 0, N, &buffer);
    memset(out, 0, N * D * sizeof *out);
    for (size_t i = 0; i < N; i++)
        if (sparse)
            for (size_t e = rows.begin[i]; e < rows.end[i]; e++)
                out[i * D + rows.column[e]] = rows.value[e];
        else
            memcpy(out + i * D, rows.dense + i * D, D * sizeof *out);
    decant__rows_buffer_free(&buffer);
    decant__scaled_free(&scaled);
    decant__scale_free(&scale);
    decant_dataset_free(data);
}

static void test_scale_none(void **state) {
    (void)state;
    float out[N * D];
    for (int sparse = 0; sparse < 2; sparse++) {
        scaled_rows(DECANT_SCALING_NONE, sparse, out);
        assert_memory_equal(out, x, sizeof x);
    }
}

/* The mean of ||x||^2 / d is what was asked for. */
static void test_scale_paper_mean_square(void **state) {
    (void)state;
    decant_dataset *data;
    decant__summary found = {0};
    decant__scale scale;
    double sum = 0;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant__scan(data, 0, 1, NULL, &found));
    assert_ok(decant__scale_fit(&scale, (decant__scaling){DECANT_SCALING_PAPER, 2.92}, data, &found,
                                1, NULL));
    for (size_t i = 0; i < N * D; i++) {
        double scaled = (double)(x[i] * scale.scale[i % D]);
        sum += scaled * scaled;
    }
    assert_true(fabs(sum / (N * D) - 2.92) < 1e-5);
    decant__scale_free(&scale);
    decant__summary_free(&found);
    decant_dataset_free(data);
}

static void test_scale_paper(void **state) {
    (void)state;
    float out[N * D];
    for (int sparse = 0; sparse < 2; sparse++) {
        double sum = 0;
        scaled_rows(DECANT_SCALING_PAPER, sparse, out);
        for (size_t i = 0; i < N * D; i++) sum += (double)out[i] * (double)out[i];
        assert_near(sum / N / D, 1, 1e-6);
        assert_near(out[3] / out[0], 1000, 1e-3); /* one factor for all */
    }
}

static void test_scale_standard(void **state) {
    (void)state;
    float out[N * D];
    scaled_rows(DECANT_SCALING_STANDARD, 0, out);
    for (size_t j = 0; j < D; j++) {
        double sum = 0, square = 0;
        for (size_t i = 0; i < N; i++) sum += (double)out[i * D + j];
        for (size_t i = 0; i < N; i++) square += (double)out[i * D + j] * (double)out[i * D + j];
        assert_near(sum, 0, 1e-5);
        assert_near(square / N, j == 1 || j == 2 ? 0 : 1, 1e-5);
    }
    scaled_rows(DECANT_SCALING_STANDARD, 1, out);
    for (size_t i = 0; i < N; i++) {
        assert_near(out[i * D], (double)x[i * D] / sqrt(2.5), 1e-6);
        assert_near(out[i * D + 1], 5, 0); /* constant: as it is */
        assert_near(out[i * D + 2], 0, 0);
        assert_near(out[i * D + 3], (double)x[i * D + 3] / sqrt(3.5), 1e-4);
    }
}

static void test_scale_standard_counts_zeros_left_out(void **state) {
    (void)state;
    const size_t begin[] = {0, 1, 1, 1, 1};
    const uint32_t first[] = {0};
    const float four[] = {4}; /* 4 0 0 0: mean 1, variance 3 */
    decant_dataset *data;
    decant__scale scale;
    assert_ok(csr_dataset(begin, first, four, 4, 1, &data));
    assert_ok(fit_scale(&scale, DECANT_SCALING_STANDARD, data));
    assert_near(scale.scale[0], 1 / sqrt(3.0), 1e-7);
    assert_near(scale.shift[0], 0, 0);
    decant__scale_free(&scale);
    decant_dataset_free(data);
}

static void test_scale_minmax(void **state) {
    (void)state;
    float out[N * D];
    scaled_rows(DECANT_SCALING_MINMAX, 0, out);
    for (size_t i = 0; i < N; i++) {
        assert_near(out[i * D], (x[i * D] - 1) / 4, 1e-6);
        assert_near(out[i * D + 1], 0, 0);
        assert_near(out[i * D + 2], 0, 0);
        assert_near(out[i * D + 3], (x[i * D + 3] - 1000) / 5, 1e-6);
    }
    scaled_rows(DECANT_SCALING_MINMAX, 1, out);
    for (size_t i = 0; i < N; i++) {
        assert_near(out[i * D], x[i * D] / 5, 1e-6);
        assert_near(out[i * D + 1], 1, 1e-6);
        assert_near(out[i * D + 3], x[i * D + 3] / 1005, 1e-6);
    }
}

static void test_scale_sparse_minmax_keeps_the_sign(void **state) {
    (void)state;
    const size_t begin[] = {0, 2, 4};
    const uint32_t both[] = {0, 1, 0, 1};
    const float values[] = {-4, -3, 2, -3};
    decant_dataset *data;
    decant__scale scale;
    assert_ok(csr_dataset(begin, both, values, 2, 2, &data));
    assert_ok(fit_scale(&scale, DECANT_SCALING_MINMAX, data));
    assert_near(scale.scale[0], 0.25, 0);
    assert_near(scale.scale[1] * -3, -1, 1e-7);
    decant__scale_free(&scale);
    decant_dataset_free(data);
}

static void test_scale_extremes_stay_finite(void **state) {
    (void)state;
    const float extremes[][4] = {
        {0, 0, 0, 0}, {1e-45f, 0, 0, 0}, {3e38f, -3e38f, 3e38f, -3e38f}, {1, 1 + 0x1p-23f, 1, 1}};
    const decant_scaling kinds[] = {DECANT_SCALING_AUTO, DECANT_SCALING_PAPER,
                                    DECANT_SCALING_STANDARD, DECANT_SCALING_MINMAX};
    for (size_t e = 0; e < 4; e++)
        for (size_t k = 0; k < 4; k++) {
            decant_dataset *data;
            decant__scale scale;
            assert_ok(decant_dataset_from_dense(extremes[e], DECANT_FLOAT32, 2, 2, 0, &data));
            assert_ok(fit_scale(&scale, kinds[k], data));
            for (size_t j = 0; j < 2; j++) {
                assert_true(isfinite(scale.scale[j]) && scale.scale[j] > 0);
                assert_true(isfinite(scale.shift[j]));
            }
            decant__scale_free(&scale);
            decant_dataset_free(data);
        }
}

static decant_scaling choice_for(const float *rows, size_t n, size_t d) {
    decant_dataset *data;
    decant__scale automatic, named;
    assert_ok(decant_dataset_from_dense(rows, DECANT_FLOAT32, n, d, 0, &data));
    assert_ok(fit_scale(&automatic, DECANT_SCALING_AUTO, data));
    assert_ok(fit_scale(&named, automatic.kind, data));
    assert_memory_equal(automatic.scale, named.scale, d * sizeof *named.scale);
    assert_memory_equal(automatic.shift, named.shift, d * sizeof *named.shift);
    decant_scaling kind = automatic.kind;
    decant__scale_free(&automatic);
    decant__scale_free(&named);
    decant_dataset_free(data);
    return kind;
}

/* Rows of normal numbers, then the same with something done to them. */
static void test_scale_auto_looks_at_units(void **state) {
    (void)state;
    enum { ROWS = 200, COLUMNS = 6 };
    float *plain = sample_new(3, 1, ROWS * COLUMNS), *rows = sample_new(0, 0, ROWS * COLUMNS);
    const size_t bytes = ROWS * COLUMNS * sizeof *rows;
    assert_int_equal(choice_for(plain, ROWS, COLUMNS), DECANT_SCALING_PAPER);
    for (size_t c = 1; c <= 2; c++) { /* one column in other units, or two */
        memcpy(rows, plain, bytes);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < c; j++) rows[i * COLUMNS + j] *= 20;
        assert_int_equal(choice_for(rows, ROWS, COLUMNS), DECANT_SCALING_STANDARD);
    }
    for (size_t i = 0; i < ROWS; i++) /* the first only five times as wide */
        for (size_t j = 0; j < 2; j++) rows[i * COLUMNS + j] *= j ? 0.05F : 0.25F;
    assert_int_equal(choice_for(rows, ROWS, COLUMNS), DECANT_SCALING_PAPER);
    for (int far = 0; far < 2; far++) { /* means of 9 and of 11 deviations */
        for (size_t e = 0; e < ROWS * COLUMNS; e++) rows[e] = plain[e] + (far ? 11 : 9);
        assert_int_equal(choice_for(rows, ROWS, COLUMNS),
                         far ? DECANT_SCALING_STANDARD : DECANT_SCALING_PAPER);
    }
    memcpy(rows, plain, bytes);
    rows[5] = 1e6F; /* one mistake in one row */
    assert_int_equal(choice_for(rows, ROWS, COLUMNS), DECANT_SCALING_STANDARD);
    for (int narrow = 1; narrow <= 2; narrow++) { /* a sixth of the columns, and two: a third */
        for (size_t e = 0; e < ROWS * COLUMNS; e++)
            rows[e] = plain[e] * ((int)(e % COLUMNS) < narrow ? 0.05F : 1);
        assert_int_equal(choice_for(rows, ROWS, COLUMNS),
                         narrow == 1 ? DECANT_SCALING_PAPER : DECANT_SCALING_STANDARD);
        for (size_t j = 0; j < 2; j++) rows[j] = 1; /* once as large as others: pixels */
        assert_int_equal(choice_for(rows, ROWS, COLUMNS), DECANT_SCALING_PAPER);
    }
    for (size_t i = 0; i < ROWS; i++) /* counts: mostly 0, the first column most of all others */
        for (size_t j = 0; j < COLUMNS; j++)
            rows[i * COLUMNS + j] = i % 10 > 3 ? 0 : j ? (float)(i % 2) : (float)(i % 100);
    assert_int_equal(choice_for(rows, ROWS, COLUMNS), DECANT_SCALING_PAPER);
    free(plain);
    free(rows);
}

/* Variances from 1 to 1e-6: of columns in falling order but for two, and of the same in another. */
static void test_scale_auto_leaves_components(void **state) {
    (void)state;
    enum { ROWS = 500, COLUMNS = 7 };
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        float *rows = sample_new(3, 1, ROWS * COLUMNS);
        for (size_t e = 0; e < ROWS * COLUMNS; e++) {
            int j = (int)(e % COLUMNS);
            int place = shuffled ? (j + 3) % COLUMNS : j == 5 ? 6 : j == 6 ? 5 : j;
            rows[e] *= powf(0.1F, (float)place / 2);
        }
        assert_int_equal(choice_for(rows, ROWS, COLUMNS),
                         shuffled ? DECANT_SCALING_STANDARD : DECANT_SCALING_PAPER);
        free(rows);
    }
}

static void test_scale_auto_leaves_sparse_rows(void **state) {
    (void)state;
    decant_dataset *data;
    decant__scale scale;
    assert_int_equal(choice_for(x, N, D), DECANT_SCALING_STANDARD); /* a column far from 0 */
    assert_ok(csr_dataset(start, column, value, N, D, &data));
    assert_ok(fit_scale(&scale, DECANT_SCALING_AUTO, data));
    assert_int_equal(scale.kind, DECANT_SCALING_PAPER);
    decant__scale_free(&scale);
    decant_dataset_free(data);
}

/* ln(1 + 10000 x / sum), then one factor: the same for dense rows and for CSR. */
static void test_scale_counts(void **state) {
    (void)state;
    float out[N * D];
    for (int sparse = 0; sparse < 2; sparse++) {
        double y[N * D], squares = 0;
        scaled_rows(DECANT_SCALING_COUNTS, sparse, out);
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < D; j++) sum += (double)x[i * D + j];
            for (size_t j = 0; j < D; j++) {
                y[i * D + j] = log1p(10000 * (double)x[i * D + j] / sum);
                squares += y[i * D + j] * y[i * D + j];
            }
        }
        for (size_t i = 0; i < N * D; i++)
            assert_float_equal(out[i], (float)(y[i] * sqrt((double)(N * D) / squares)), 1e-6f);
    }
}

/* The choice for one sparse row with these numbers. */
static decant_scaling choice_for_row(const float *row, size_t count) {
    decant_dataset *data;
    decant__scale scale;
    const size_t ends[] = {0, count};
    uint32_t places[16];
    for (uint32_t j = 0; j < 16; j++) places[j] = j;
    assert_ok(csr_dataset(ends, places, row, 1, 16, &data));
    assert_ok(fit_scale(&scale, DECANT_SCALING_AUTO, data));
    decant_scaling kind = scale.kind;
    decant__scale_free(&scale);
    decant_dataset_free(data);
    return kind;
}

static void test_scale_auto_recognises_counts(void **state) {
    (void)state;
    const float counts[] = {1, 1, 2, 1, 3, 1, 2, 1, 90, 1},
                tfidf[] = {1, 1, 2, 1, 3, 1, 2, 1, 0.5f}, signs[] = {1, 1, 2, 1, 3, 1, 2, 1, -1},
                words[] = {1, 1, 1, 1, 1, 1, 1}, pixels[] = {253, 254, 1, 253, 17, 2, 2, 3, 3, 3},
                stars[] = {4, 5, 4, 3, 2, 1, 1};
    assert_int_equal(choice_for_row(counts, 10), DECANT_SCALING_COUNTS);
    assert_int_equal(choice_for_row(tfidf, 9), DECANT_SCALING_PAPER);
    assert_int_equal(choice_for_row(signs, 9), DECANT_SCALING_PAPER);
    assert_int_equal(choice_for_row(words, 7), DECANT_SCALING_PAPER);
    assert_int_equal(choice_for_row(pixels, 10), DECANT_SCALING_PAPER);
    assert_int_equal(choice_for_row(stars, 7), DECANT_SCALING_PAPER);
}

static void test_scale_counts_are_not_negative(void **state) {
    (void)state;
    const float rows[] = {1, 2, 0, 0, 3, -4}, zeros[] = {0, 0, 0, 0, 0, 0};
    decant_dataset *data;
    decant__scale scale = {0};
    assert_ok(decant_dataset_from_dense(rows, DECANT_FLOAT32, 3, 2, 0, &data));
    assert_fails(fit_scale(&scale, DECANT_SCALING_COUNTS, data), DECANT_EINVAL,
                 "row 2: has the number -4");
    decant_dataset_free(data);
    assert_ok(decant_dataset_from_dense(zeros, DECANT_FLOAT32, 3, 2, 0, &data));
    assert_ok(fit_scale(&scale, DECANT_SCALING_COUNTS, data));
    assert_float_equal(scale.scale[0], 1, 0);
    decant__scale_free(&scale);
    decant_dataset_free(data);
}

static void test_scale_without_memory_or_sense(void **state) {
    (void)state;
    decant_dataset *data;
    decant__scale scale = {0};
    decant__scaled scaled;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    for (size_t n = 1; n <= 7; n++) {
        decant__alloc_fail_at(n);
        assert_int_equal(fit_scale(&scale, DECANT_SCALING_STANDARD, data), DECANT_ENOMEM);
        decant__alloc_fail_at(n);
        assert_int_equal(fit_scale(&scale, DECANT_SCALING_AUTO, data), DECANT_ENOMEM);
        decant__alloc_fail_at(0);
        assert_null(scale.scale);
    }
    assert_fails(fit_scale(&scale, (decant_scaling)9, data), DECANT_EINVAL, "scaling number 9");
    assert_ok(fit_scale(&scale, DECANT_SCALING_NONE, data));
    scale.d = 3;
    assert_fails(decant__scaled_new(&scaled, &scale, data), DECANT_EINVAL,
                 "expected rows of 3 columns, found 4");
    decant__scale_free(&scale);
    decant_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale_none),
        cmocka_unit_test(test_scale_paper),
        cmocka_unit_test(test_scale_paper_mean_square),
        cmocka_unit_test(test_scale_standard),
        cmocka_unit_test(test_scale_standard_counts_zeros_left_out),
        cmocka_unit_test(test_scale_minmax),
        cmocka_unit_test(test_scale_sparse_minmax_keeps_the_sign),
        cmocka_unit_test(test_scale_extremes_stay_finite),
        cmocka_unit_test(test_scale_auto_looks_at_units),
        cmocka_unit_test(test_scale_auto_leaves_components),
        cmocka_unit_test(test_scale_auto_leaves_sparse_rows),
        cmocka_unit_test(test_scale_counts),
        cmocka_unit_test(test_scale_auto_recognises_counts),
        cmocka_unit_test(test_scale_counts_are_not_negative),
        cmocka_unit_test(test_scale_without_memory_or_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
