#include "files.h"

#include "data/dataset.h"

static int formula(size_t i, size_t j) { return (int)((i * 5 + j * 3) % 11) - 2; }

static float value_at(const decant_dataset *data, size_t i, size_t j) {
    if (data->dense != NULL) return data->dense[i * data->d + j];
    for (size_t e = data->start[i]; e < data->start[i + 1]; e++)
        if (data->column[e] == j) return data->value[e];
    return 0;
}

static void test_read_mtx_from_scipy(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(read_one(DECANT_TEST_DATA "/formats/coordinate.mtx", &data));
    assert_true(decant_dataset_is_sparse(data));
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 6);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++)
            assert_true(value_at(data, i, j) ==
                        (float)((formula(i, j) + 2) % 3 == 0 ? formula(i, j) : 0));
    decant_dataset_free(data);

    assert_ok(read_one(DECANT_TEST_DATA "/formats/array.mtx", &data));
    assert_false(decant_dataset_is_sparse(data));
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++) assert_true(value_at(data, i, j) == (float)formula(i, j));
    decant_dataset_free(data);

    assert_ok(read_one(DECANT_TEST_DATA "/formats/symmetric.mtx", &data));
    assert_int_equal(data->d, 4);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            assert_true(value_at(data, i, j) == (float)(formula(i, j) + formula(j, i)));
    decant_dataset_free(data);
}

#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"

static void test_read_mtx_any_order_and_doubles(void **state) {
    (void)state;
    decant_dataset *data;
    const char *text =
        COORDINATE "% a comment\n\n3 4 6\n3 4 1\n1 2 2\n3 1 4\n1 2 0.5\n3 4 -1\n1 1 8\n";
    assert_ok(read_one(write_gzip("order", text, strlen(text)), &data));
    const size_t start[] = {0, 2, 2, 3}; /* 3 4 adds up to 0, so it is left out */
    const uint32_t column[] = {0, 1, 0};
    const float value[] = {8, 2.5f, 4};
    assert_memory_equal(data->start, start, sizeof start);
    assert_memory_equal(data->column, column, sizeof column);
    assert_memory_equal(data->value, value, sizeof value);
    decant_dataset_free(data);
}

/* 1e20 + 1 - 1e20 is 0 or 1, by the order of the sum; that must not be the sorting's affair. */
static void test_read_mtx_sums_do_not_depend_on_the_order(void **state) {
    (void)state;
    static const char *const texts[] = {
        COORDINATE "1 2 4\n1 2 1e20\n1 2 1\n1 2 -1e20\n1 1 1\n",
        COORDINATE "1 2 4\n1 2 1e20\n1 2 -1e20\n1 2 1\n1 1 1\n",
        COORDINATE "1 2 4\n1 2 1\n1 2 -1e20\n1 1 1\n1 2 1e20\n",
    };
    for (size_t t = 0; t < 3; t++) {
        decant_dataset *data;
        assert_ok(read_one(write_text("sums", texts[t]), &data));
        assert_true(value_at(data, 0, 0) == 1 && value_at(data, 0, 1) == 0);
        decant_dataset_free(data);
    }
}

static void test_read_mtx_pattern_and_symmetric_array(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(read_one(write_text("pattern",
                                  "%%matrixmarket MATRIX Coordinate Pattern General\n"
                                  "2 2 2\n2 1\n1 2\n"),
                       &data));
    assert_true(value_at(data, 0, 1) == 1 && value_at(data, 1, 0) == 1);
    decant_dataset_free(data);
    assert_ok(read_one(write_text("half",
                                  "%%MatrixMarket matrix array integer symmetric\n"
                                  "3 3\n1\n2\n3\n4\n5\n6\n"),
                       &data));
    const float expected[] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
    assert_memory_equal(data->dense, expected, sizeof expected);
    decant_dataset_free(data);
}

static void test_read_mtx_broken(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"%%MatrixMarket matrix coordinate\n1 1 0\n", "line 1: expected \"matrix\", a format"},
        {"%%MatrixMarket vector coordinate real general\n", "expected \"matrix\""},
        {"%%MatrixMarket matrix list real general\n",
         "expected coordinate or array, found \"list\""},
        {"%%MatrixMarket matrix array complex general\n", "found \"complex\""},
        {"%%MatrixMarket matrix array pattern general\n", "found \"pattern\""},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "expected general or symmetric"},
        {COORDINATE, "ends before the sizes"},
        {COORDINATE "2 2\n", "line 2: expected rows, columns and entries, found \"2 2\""},
        {COORDINATE "2 -2 1\n", "expected rows, columns and entries"},
        {COORDINATE "0 2 0\n", "has no rows"},
        {COORDINATE "2 0 0\n", "has no columns"},
        {COORDINATE "99999999999999999999 2 1\n", "expected rows, columns and entries"},
        {COORDINATE "1000000000000 2 1\n1 1 1\n", "has 1000000000000 rows"},
        {COORDINATE "4000000000 2 1\n1 1 1\n",
         "expected entries for 4000000000 rows, found only 1"},
        {COORDINATE "2 2 1000000000000000\n1 1 1\n", "promises 1000000000000000 entries, found 1"},
        {COORDINATE "2 2 2\n1 1 1\n", "bad.mtx: the header promises 2 entries, found 1"},
        {COORDINATE "2 2 1\n1 1 1\n2 2 2\n", "line 4: expected the end of the file"},
        {COORDINATE "2 2 1\n3 1 1\n",
         "line 3: expected a place from (1, 1) to (2, 2), found \"3 1 1\""},
        {COORDINATE "2 2 1\n0 1 1\n", "expected a place from (1, 1)"},
        {COORDINATE "2 2 1\n1 1\n", "line 3: expected row, column and value, found \"1 1\""},
        {COORDINATE "2 2 1\n1 1 x\n", "expected row, column and value"},
        {COORDINATE "2 2 1\n1 1 1 1\n", "expected row, column and value"},
        {COORDINATE "2 2 1\n1 1 inf\n", "line 3: expected a finite float32 value"},
        {COORDINATE "2 2 2\n1 1 3e38\n1 1 3e38\n",
         "row 1, column 1: expected entries with a finite"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "expected a square shape"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 5\n", "below the diagonal"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "promises 4 entries, found 3"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n5\n", "expected the end"},
        {"%%MatrixMarket matrix array real general\n2 2\n1 2\n", "line 3: expected one number"},
        {"%%MatrixMarket matrix array real general\n1 1\nnan\n", "expected a finite float32"},
        {"%%MatrixMarket matrix array real general\n4294967295 2147483647\n1\n",
         "has 2147483647 columns, but the memory option allows for"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(write_text("bad.mtx", cases[i].text), cases[i].message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_mtx_from_scipy),
        cmocka_unit_test(test_read_mtx_any_order_and_doubles),
        cmocka_unit_test(test_read_mtx_sums_do_not_depend_on_the_order),
        cmocka_unit_test(test_read_mtx_pattern_and_symmetric_array),
        cmocka_unit_test(test_read_mtx_broken),
    };
    return run_with_folder(tests);
}
