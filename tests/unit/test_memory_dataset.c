/* Arrays of a program, in all the types and layouts that they may have: the rows are those of
 * float32 arrays without gaps, to the byte. */
#include <stdlib.h>

#include "blobs.h"
#include "data/dataset.h"
#include "decant/report.h"
#include "files.h"

enum { N = 90, STRIDE = BLOBS_D + 5 };

typedef struct fixture {
    blobs b;
    float gaps[N * STRIDE];
    double wide[N * BLOBS_D], wide_gaps[N * STRIDE];
    decant_dataset *layout[3];
} fixture;

static int setup(void **state) {
    fixture *f = malloc(sizeof *f);
    *state = f;
    blobs_new(&f->b, N);
    for (size_t i = 0; i < N * STRIDE; i++) f->gaps[i] = NAN, f->wide_gaps[i] = NAN;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < BLOBS_D; j++) {
            float x = f->b.x[i * BLOBS_D + j];
            f->gaps[i * STRIDE + j] = x;
            f->wide[i * BLOBS_D + j] = (double)x;
            f->wide_gaps[i * STRIDE + j] = (double)x * (1 + 1e-9); /* rounds to the same float */
            if ((float)f->wide_gaps[i * STRIDE + j] != x) f->wide_gaps[i * STRIDE + j] = (double)x;
        }
    assert_ok(
        decant_dataset_from_dense(f->gaps, DECANT_FLOAT32, N, BLOBS_D, STRIDE, &f->layout[0]));
    assert_ok(decant_dataset_from_dense(f->wide, DECANT_FLOAT64, N, BLOBS_D, 0, &f->layout[1]));
    assert_ok(
        decant_dataset_from_dense(f->wide_gaps, DECANT_FLOAT64, N, BLOBS_D, STRIDE, &f->layout[2]));
    return make_folder(state);
}

static int teardown(void **state) {
    fixture *f = *state;
    for (size_t l = 0; l < 3; l++) decant_dataset_free(f->layout[l]);
    blobs_free(&f->b);
    free(f);
    return remove_folder(state);
}

static void test_dense_layouts_have_the_same_rows(void **state) {
    fixture *f = *state;
    uint64_t expected[2], digest[2];
    float row[BLOBS_D];
    assert_ok(decant__dataset_digest(f->b.dense, expected));
    for (size_t l = 0; l < 3; l++) {
        assert_ok(decant__dataset_digest(f->layout[l], digest));
        assert_memory_equal(digest, expected, sizeof digest);
        assert_null(decant_dataset_dense(f->layout[l]));
        assert_false(decant_dataset_is_sparse(f->layout[l]));
        for (size_t i = 0; i < N; i++) {
            assert_ok(decant_dataset_row(f->layout[l], i, row));
            assert_memory_equal(row, f->b.x + i * BLOBS_D, sizeof row);
        }
    }
    assert_ok(decant_dataset_row(f->b.sparse, 7, row));
    assert_memory_equal(row, f->b.x + 7 * BLOBS_D, sizeof row);
    assert_fails(decant_dataset_row(f->b.dense, N, row), DECANT_EINVAL, "row 90");
}

static void test_dense_layouts_fit_to_the_same_bytes(void **state) {
    fixture *f = *state;
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS,
                                            DECANT_METHOD_GMM, DECANT_METHOD_SPECTRAL,
                                            DECANT_METHOD_SEC, DECANT_METHOD_AE_SPECTRAL};
    static const char *const scalings[] = {"paper", "none", "standard", "minmax", "auto"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t s = 0; s < (m < 2 ? 5 : 2); s++) {
            decant_options o = blobs_options(methods[m]);
            decant_result *whole = NULL, *r = NULL;
            assert_ok(decant_options_set(&o, "scaling", scalings[s]));
            o.neighbours = 5;
            o.finetune_iterations = 20;
            assert_ok(decant_fit(f->b.dense, &o, NULL, &whole));
            for (size_t l = 0; l < 3; l++) {
                assert_ok(decant_fit(f->layout[l], &o, NULL, &r));
                assert_same_result(whole, r);
                decant_result_free(r);
            }
            decant_result_free(whole);
        }
}

static void test_dense_layouts_predict_and_map(void **state) {
    fixture *f = *state;
    const decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    int32_t labels[N];
    float expected[2 * N], map[2 * N];
    decant_map_options how;
    decant_map_options_init(&how, sizeof how);
    how.iterations = 40;
    assert_ok(decant_fit(f->b.dense, &o, NULL, &r));
    assert_ok(decant_map_rows(f->b.dense, &how, NULL, expected, NULL));
    for (size_t l = 0; l < 3; l++) {
        assert_ok(decant_model_predict(r->model, f->layout[l], 2, NULL, labels, NULL));
        assert_memory_equal(labels, r->labels, sizeof labels);
        assert_ok(decant_map_rows(f->layout[l], &how, NULL, map, NULL));
        assert_memory_equal(map, expected, sizeof map);
    }
    decant_result_free(r);
}

/* The page of a run looks into rows for its cards: by a buffer here. */
static void test_dense_layouts_report(void **state) {
    fixture *f = *state;
    const decant_options o = blobs_options(DECANT_METHOD_KMEANS);
    const char *folder = in_folder("run");
    char path[300];
    decant_result *r = NULL;
    size_t size, again;
    assert_ok(decant_run_fit(folder, f->b.dense, &o, NULL, NULL, &r));
    decant_result_free(r);
    snprintf(path, sizeof path, "%s/report.html", folder);
    assert_ok(decant_report_write(folder, f->b.dense, NULL, NULL));
    char *expected = sample_read(path, &size);
    for (size_t l = 0; l < 3; l++) {
        assert_ok(decant_report_write(folder, f->layout[l], NULL, NULL));
        char *page = sample_read(path, &again);
        assert_int_equal(size, again);
        assert_memory_equal(page, expected, size);
        free(page);
    }
    free(expected);
}

static void test_dense_values_that_float_cannot_hold(void **state) {
    (void)state;
    const double x[] = {1, 2, 1e300, 4};
    decant_dataset *data = NULL;
    decant_options o = blobs_options(DECANT_METHOD_KMEANS);
    decant_result *r = NULL;
    o.k = 2;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT64, 2, 2, 0, &data));
    assert_fails(decant_fit(data, &o, NULL, &r), DECANT_EINVAL, "row 2, column 1");
    decant_dataset_free(data);
}

static void test_dense_refused(void **state) {
    (void)state;
    const float x[6] = {0};
    decant_dataset *data = NULL;
    assert_fails(decant_dataset_from_dense(x, DECANT_FLOAT32, 2, 3, 2, &data), DECANT_EINVAL,
                 "stride of 2");
    assert_fails(decant_dataset_from_dense(x, DECANT_FLOAT32, 2, 3, SIZE_MAX / 2, &data),
                 DECANT_EINVAL, "too large");
    assert_fails(decant_dataset_from_dense(x, DECANT_INT32, 2, 3, 0, &data), DECANT_EINVAL,
                 "expected the type float32 or float64, found int32");
    assert_fails(decant_dataset_from_dense(x, (decant_type)9, 2, 3, 0, &data), DECANT_EINVAL,
                 "found another");
    assert_null(data);
}

/* ---- CSR ---- */

typedef struct arrays {
    int32_t start32[N + 1], column32[N * BLOBS_D];
    int64_t start64[N + 1], column64[N * BLOBS_D];
    float value32[N * BLOBS_D];
    double value64[N * BLOBS_D];
} arrays;

static decant_csr make_csr(arrays *a, const sample_csr *csr, int wide_start, int wide_column,
                           int wide_value) {
    size_t count = csr->start[N];
    for (size_t i = 0; i <= N; i++) {
        a->start32[i] = (int32_t)csr->start[i];
        a->start64[i] = (int64_t)csr->start[i];
    }
    for (size_t e = 0; e < count; e++) {
        a->column32[e] = (int32_t)csr->column[e];
        a->column64[e] = (int64_t)csr->column[e];
        a->value32[e] = csr->value[e];
        a->value64[e] = (double)csr->value[e];
    }
    return (decant_csr){.rows = N,
                        .columns = BLOBS_D,
                        .nonzeros = count,
                        .start = wide_start ? (const void *)a->start64 : a->start32,
                        .column = wide_column ? (const void *)a->column64 : a->column32,
                        .value = wide_value ? (const void *)a->value64 : a->value32,
                        .start_type = wide_start ? DECANT_INT64 : DECANT_INT32,
                        .column_type = wide_column ? DECANT_INT64 : DECANT_INT32,
                        .value_type = wide_value ? DECANT_FLOAT64 : DECANT_FLOAT32};
}

static void test_csr_of_all_types(void **state) {
    fixture *f = *state;
    arrays *a = malloc(sizeof *a);
    uint64_t expected[2], digest[2];
    assert_ok(decant__dataset_digest(f->b.sparse, expected));
    for (int kind = 0; kind < 8; kind++) {
        decant_dataset *data = NULL;
        decant_csr csr = make_csr(a, &f->b.csr, kind & 1, kind >> 1 & 1, kind >> 2);
        assert_ok(decant_dataset_from_csr(&csr, &data));
        assert_ok(decant__dataset_digest(data, digest));
        assert_memory_equal(digest, expected, sizeof digest);
        /* Arrays of our own types are borrowed. */
        assert_true((data->start == csr.start) == (kind & 1));
        assert_true((data->column == csr.column) == !(kind >> 1 & 1));
        assert_true((data->value == csr.value) == !(kind >> 2));
        decant_dataset_free(data);
    }
    free(a);
}

static void refuse_csr(const decant_csr *csr, const char *sentence) {
    decant_dataset *data = NULL;
    assert_fails(decant_dataset_from_csr(csr, &data), DECANT_EINVAL, sentence);
    assert_null(data);
}

static void test_csr_refused(void **state) {
    fixture *f = *state;
    arrays *a = malloc(sizeof *a);
    decant_csr csr;
    for (int wide = 0; wide < 2; wide++) {
#define SPOIL(array, i, x) (wide ? (void)(a->array##64 [i] = (x)) : (void)(a->array##32 [i] = (x)))
#define FRESH() csr = make_csr(a, &f->b.csr, wide, wide, wide)
        FRESH(), SPOIL(start, 0, 1), refuse_csr(&csr, "start[0] is 1");
        FRESH(), SPOIL(start, 4, -7), refuse_csr(&csr, "row 4 ends before it begins");
        FRESH(), SPOIL(start, 4, (int)f->b.csr.start[3] - 1);
        refuse_csr(&csr, "row 4 ends before it begins");
        FRESH(), SPOIL(start, 4, 100000), refuse_csr(&csr, "row 4 ends at 100000, but there are");
        FRESH(), csr.nonzeros++, refuse_csr(&csr, "the last row ends at");
        FRESH(), csr.nonzeros--, refuse_csr(&csr, "but there are");
        FRESH(), SPOIL(column, 0, -1), refuse_csr(&csr, "row 1 has column -1, but there are 12");
        FRESH(), SPOIL(column, 0, BLOBS_D), refuse_csr(&csr, "row 1 has column 12");
        FRESH(), SPOIL(column, 1, a->column32[0]), refuse_csr(&csr, "row 1 are not in ascending");
        FRESH(), csr.start_type = DECANT_FLOAT32, refuse_csr(&csr, "CSR: start: expected the type");
        FRESH(), csr.column_type = (decant_type)7, refuse_csr(&csr, "CSR: column: expected");
        FRESH(), csr.value_type = DECANT_INT32, refuse_csr(&csr, "CSR: value: expected the type");
        FRESH(), csr.column = NULL, refuse_csr(&csr, "is NULL");
        FRESH(), csr.start = NULL, refuse_csr(&csr, "needs arrays");
        FRESH(), csr.rows = 0, refuse_csr(&csr, "not 0 x 12");
    }
    refuse_csr(NULL, "needs arrays");
    free(a);
}

/* ---- names ---- */

static void test_names(void **state) {
    fixture *f = *state;
    decant_dataset *data = NULL;
    const float x[] = {1, 2, 3, 4, 5, 6};
    const char *const ids[] = {"ann", "", "cäsar"}, *const columns[] = {"age", "size"};
    const char *const classes[] = {"low", "high", "none"}, *const broken[] = {"a", NULL, "c"};
    const int32_t labels[] = {0, 1, 1};
    (void)f;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 3, 2, 0, &data));
    assert_ok(decant_dataset_set_ids(data, ids));
    assert_ok(decant_dataset_set_column_names(data, columns));
    assert_fails(decant_dataset_set_class_names(data, classes, 2), DECANT_EINVAL, "set them first");
    assert_ok(decant_dataset_set_labels(data, labels));
    assert_string_equal(decant_dataset_class_name(data, 1), "1");
    assert_fails(decant_dataset_set_class_names(data, classes, 1), DECANT_EINVAL, "2 classes");
    assert_fails(decant_dataset_set_class_names(data, broken, 2), DECANT_EINVAL,
                 "class name 2 is NULL");
    assert_ok(decant_dataset_set_class_names(data, classes, 3));
    assert_int_equal(decant_dataset_class_count(data), 3);
    assert_string_equal(decant_dataset_class_name(data, 1), "high");
    assert_string_equal(decant_dataset_id(data, 2), "cäsar");
    assert_string_equal(decant_dataset_column_name(data, 1), "size");
    assert_fails(decant_dataset_set_ids(data, broken), DECANT_EINVAL, "id 2 is NULL");
    assert_string_equal(decant_dataset_id(data, 0), "ann"); /* as it was */
    assert_ok(decant_dataset_set_ids(data, NULL));
    assert_null(decant_dataset_id(data, 0));
    assert_ok(decant_dataset_set_column_names(data, NULL));
    assert_null(decant_dataset_column_name(data, 0));
    decant_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_layouts_have_the_same_rows),
        cmocka_unit_test(test_dense_layouts_fit_to_the_same_bytes),
        cmocka_unit_test(test_dense_layouts_predict_and_map),
        cmocka_unit_test(test_dense_layouts_report),
        cmocka_unit_test(test_dense_values_that_float_cannot_hold),
        cmocka_unit_test(test_dense_refused),
        cmocka_unit_test(test_csr_of_all_types),
        cmocka_unit_test(test_csr_refused),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
