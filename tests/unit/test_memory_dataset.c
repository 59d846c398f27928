/* Arrays of a program, in all the types and layouts that they may have: the rows are those of
 * float32 arrays without gaps, to the byte. */
#include <stdlib.h>

#include "blobs.h"
#include "data/dataset.h"
#include "decant/report.h"
#include "files.h"

enum { N = 90, STRIDE = BLOBS_D + 5, LAYOUTS = 7 };

typedef struct fixture {
    blobs b;
    float gaps[N * STRIDE];
    double wide[N * BLOBS_D], wide_gaps[N * STRIDE];
    float by_columns[N * BLOBS_D], backwards[N * BLOBS_D], swapped[N * BLOBS_D];
    unsigned char unaligned[N * BLOBS_D * sizeof(double) + 1];
    decant_dataset *layout[LAYOUTS];
} fixture;

static void swap_bytes(const float *x, size_t count, float *out) {
    const unsigned char *from = (const unsigned char *)x;
    unsigned char *to = (unsigned char *)out;
    for (size_t i = 0; i < 4 * count; i++) to[i] = from[(i & ~(size_t)3) + 3 - i % 4];
}

/* The rows by columns, from the last number to the first, in the other byte order, and half of the
 * columns as they are beside half of them as unaligned doubles. */
static void make_arrays(fixture *f) {
    const ptrdiff_t size = sizeof(float);
    float last;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < BLOBS_D; j++) {
            last = f->b.x[i * BLOBS_D + j];
            f->by_columns[j * N + i] = last;
            f->backwards[(N - i) * BLOBS_D - j - 1] = last;
        }
    swap_bytes(f->b.x, N * BLOBS_D, f->swapped);
    memcpy(f->unaligned + 1, f->wide, sizeof f->wide);
    const decant_array arrays[] = {
        {f->by_columns, DECANT_FLOAT32, 0, BLOBS_D, size, N * size},
        {f->backwards + N * BLOBS_D - 1, DECANT_FLOAT32, 0, BLOBS_D, -BLOBS_D * size, -size},
        {f->swapped, DECANT_FLOAT32, 1, BLOBS_D, BLOBS_D * size, size},
    };
    const decant_array halves[] = {
        {f->b.x, DECANT_FLOAT32, 0, 1, BLOBS_D * size, size},
        {f->by_columns + N, DECANT_FLOAT32, 0, 4, size, N * size},
        {f->unaligned + 1 + 5 * 8, DECANT_FLOAT64, 0, BLOBS_D - 5, BLOBS_D * 8, 8}};
    for (size_t a = 0; a < 3; a++)
        assert_ok(decant_dataset_from_arrays(&arrays[a], 1, N, &f->layout[3 + a]));
    assert_ok(decant_dataset_from_arrays(halves, 3, N, &f->layout[6]));
}

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
    make_arrays(f);
    return make_folder(state);
}

static int teardown(void **state) {
    fixture *f = *state;
    for (size_t l = 0; l < LAYOUTS; l++) decant_dataset_free(f->layout[l]);
    blobs_free(&f->b);
    free(f);
    return remove_folder(state);
}

static void test_dense_layouts_have_the_same_rows(void **state) {
    fixture *f = *state;
    uint64_t expected[2], digest[2];
    float row[BLOBS_D];
    assert_ok(decant__dataset_digest(f->b.dense, expected));
    for (size_t l = 0; l < LAYOUTS; l++) {
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
            for (size_t l = 0; l < LAYOUTS; l++) {
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
    for (size_t l = 0; l < LAYOUTS; l++) {
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
    for (size_t l = 0; l < LAYOUTS; l++) {
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
    assert_fails(decant_dataset_from_dense(x, (decant_type)99, 2, 3, 0, &data), DECANT_EINVAL,
                 "array 1: its type is none of decant_type");
    decant_array arrays[] = {{x, DECANT_FLOAT32, 0, 3, 12, 4}, {x, DECANT_FLOAT32, 0, 3, 12, 4}};
    assert_fails(decant_dataset_from_arrays(arrays, 0, 2, &data), DECANT_EINVAL, "needs arrays");
    assert_fails(decant_dataset_from_arrays(arrays, 2, 0, &data), DECANT_EINVAL,
                 "rows and columns");
    arrays[1].columns = SIZE_MAX / 2;
    arrays[1].column_step = 0;
    assert_fails(decant_dataset_from_arrays(arrays, 2, 2, &data), DECANT_EINVAL, "is too large");
    arrays[1].columns = 0;
    assert_fails(decant_dataset_from_arrays(arrays, 2, 2, &data), DECANT_EINVAL,
                 "array 2 has no columns");
    arrays[0].row_step = PTRDIFF_MIN;
    assert_fails(decant_dataset_from_arrays(arrays, 1, 2, &data), DECANT_EINVAL,
                 "are too large for 2 x 3");
    assert_null(data);
}

/* 0 and 1, and a number of its own, in every type and both orders of bytes. */
static void test_array_types(void **state) {
    (void)state;
    static const struct {
        decant_type type;
        size_t size;
        unsigned char bytes[8]; /* the most significant first */
        float number;
    } types[] = {
        {DECANT_BOOL, 1, {7}, 1},
        {DECANT_INT8, 1, {0x80}, -128},
        {DECANT_UINT8, 1, {0x80}, 128},
        {DECANT_INT16, 2, {0xFF, 0xFE}, -2},
        {DECANT_UINT16, 2, {0xFF, 0xFE}, 65534},
        {DECANT_INT32, 4, {0x80, 0, 0, 0}, -0x1p31f},
        {DECANT_UINT32, 4, {0x80, 0, 0, 1}, 0x1p31f},
        {DECANT_INT64, 8, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFD}, -3},
        {DECANT_UINT64, 8, {0x80}, 0x1p63f},
        {DECANT_FLOAT16, 2, {0xC1, 0x00}, -2.5f},
        {DECANT_FLOAT32, 4, {0x40, 0x20, 0, 0}, 2.5f},
        {DECANT_FLOAT64, 8, {0x40, 0x04, 0, 0, 0, 0, 0, 0}, 2.5f},
    };
    const uint16_t one = 1;
    int big = *(const unsigned char *)&one == 0;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int other = 0; other < 2; other++)
            for (size_t gap = 0; gap < 2; gap++) {
                unsigned char x[4 * 9] = {0};
                size_t size = types[t].size, step = size + gap;
                float row[2];
                decant_dataset *data = NULL;
                for (size_t i = 0; i < 4; i += 3)
                    for (size_t b = 0; b < size; b++)
                        x[i * step + (big == other ? size - 1 - b : b)] = types[t].bytes[b];
                const decant_array array = {x, types[t].type,       other,
                                            2, 2 * (ptrdiff_t)step, (ptrdiff_t)step};
                assert_ok(decant_dataset_from_arrays(&array, 1, 2, &data));
                for (size_t i = 0; i < 2; i++) {
                    assert_ok(decant_dataset_row(data, i, row));
                    assert_true(row[i] == types[t].number && row[1 - i] == 0);
                }
                decant_dataset_free(data);
            }
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
        FRESH(), csr.value_type = (decant_type)99, refuse_csr(&csr, "the type of value is none");
        FRESH(), csr.column = NULL, refuse_csr(&csr, "is NULL");
        FRESH(), csr.start = NULL, refuse_csr(&csr, "is NULL");
        FRESH(), csr.rows = 0, refuse_csr(&csr, "not 0 x 12");
    }
    refuse_csr(NULL, "needs arrays");
    free(a);
}

/* The transposed matrix by columns is the matrix. */
static void test_csc(void **state) {
    fixture *f = *state;
    size_t count = f->b.csr.start[N];
    int32_t *start = calloc(BLOBS_D + 1, sizeof *start), *row = malloc(count * sizeof *row);
    double *value = malloc(count * sizeof *value);
    uint64_t expected[2], digest[2];
    decant_dataset *data = NULL;
    size_t to = 0;
    for (size_t j = 0; j < BLOBS_D; j++) {
        for (size_t i = 0; i < N; i++)
            for (size_t e = f->b.csr.start[i]; e < f->b.csr.start[i + 1]; e++)
                if (f->b.csr.column[e] == j)
                    row[to] = (int32_t)i, value[to++] = (double)f->b.csr.value[e];
        start[j + 1] = (int32_t)to;
    }
    decant_csr csc = {.rows = N,
                      .columns = BLOBS_D,
                      .nonzeros = count,
                      .start = start,
                      .column = row,
                      .value = value,
                      .start_type = DECANT_INT32,
                      .column_type = DECANT_INT32,
                      .value_type = DECANT_FLOAT64};
    assert_ok(decant__dataset_digest(f->b.sparse, expected));
    assert_ok(decant_dataset_from_csc(&csc, &data));
    assert_ok(decant__dataset_digest(data, digest));
    assert_memory_equal(digest, expected, sizeof digest);
    assert_memory_equal(data->start, f->b.csr.start, (N + 1) * sizeof *data->start);
    decant_dataset_free(data);
    data = NULL;
    row[0] = N;
    assert_fails(decant_dataset_from_csc(&csc, &data), DECANT_EINVAL,
                 "CSC: column 1 has row 90, but there are 90");
    assert_fails(decant_dataset_from_csc(NULL, &data), DECANT_EINVAL, "needs arrays");
    assert_null(data);
    free(start), free(row), free(value);
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
        cmocka_unit_test(test_array_types),
        cmocka_unit_test(test_csr_of_all_types),
        cmocka_unit_test(test_csc),
        cmocka_unit_test(test_csr_refused),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
