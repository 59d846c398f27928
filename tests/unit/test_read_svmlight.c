#include "files.h"

#include <math.h>

#include "experiments/select_columns.h"

static decant_status read_columns(const char *path, size_t columns, decant_dataset **data) {
    decant_read_options options = {.struct_size = sizeof options, .columns = columns};
    return decant_dataset_read(&path, 1, &options, NULL, data);
}

/* From scikit-learn, indices from 1 and from 0: the same rows (gen_formats.py has the formula). */
static void test_read_svmlight_from_sklearn(void **state) {
    (void)state;
    static const char *const paths[] = {DECANT_TEST_DATA "/formats/one.svm",
                                        DECANT_TEST_DATA "/formats/zero.svm"};
    for (size_t p = 0; p < 2; p++) {
        decant_dataset *data;
        assert_ok(read_one(paths[p], &data));
        assert_true(decant_dataset_is_sparse(data));
        assert_int_equal(data->n, 4);
        assert_int_equal(data->d, 6);
        for (size_t i = 0, e = 0; i < 4; i++) {
            assert_int_equal(data->start[i], e);
            for (size_t j = 0; j < 6; j++) {
                int number = (int)((i * 5 + j * 3) % 11);
                if (number % 3 != 0 || number == 2) continue;
                assert_int_equal(data->column[e], j);
                assert_true(data->value[e++] == (float)(number - 2));
            }
        }
        const int32_t labels[] = {1, 0, 1, 2}; /* of -1, 1, 2 */
        assert_memory_equal(data->labels, labels, sizeof labels);
        assert_string_equal(decant_dataset_class_name(data, 0), "-1");
        decant_dataset_free(data);
    }
}

static void test_read_svmlight_odd_but_fine(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(read_one(write_text("odd",
                                  "# a comment\n\n+1 qid:3 1:1 4:-2.5e0 # more: 5:5\r\n"
                                  "spam\n1.0\t2:0\t3:7   \n"),
                       &data));
    assert_int_equal(data->n, 3);
    assert_int_equal(data->d, 4);
    assert_int_equal(decant_dataset_nonzeros(data), 3); /* the 0 is left out */
    assert_int_equal(data->start[1], 2);
    assert_int_equal(data->start[2], 2); /* an empty row */
    assert_int_equal(data->column[2], 2);
    assert_int_equal(data->class_count, 2);
    assert_string_equal(decant_dataset_class_name(data, 0), "1");
    assert_int_equal(data->labels[1], 1);
    decant_dataset_free(data);
}

static void test_read_svmlight_columns_fix_d(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *path = write_text("fixed", "1 1:1 3:1\n2 2:1\n");
    assert_ok(read_columns(path, 9, &data));
    assert_int_equal(data->d, 9);
    decant_dataset_free(data);
    data = NULL;
    assert_ok(read_columns(path, 3, &data));
    assert_int_equal(data->d, 3);
    decant_dataset_free(data);
    data = NULL;
    assert_fails(read_columns(path, 2, &data), DECANT_EFORMAT,
                 "fixed: line 1: expected indices up to 2, found 3");
    path =
        write_text("zero", "1 1:1 3:1\n2 0:1\n"); /* index 0 is there, so 3 is the fourth column */
    assert_fails(read_columns(path, 3, &data), DECANT_EFORMAT,
                 "zero: line 1: expected indices up to 2 (a 0 occurs), found 3");
    assert_null(data);
}

static void test_read_svmlight_several_files_share_the_base(void **state) {
    (void)state;
    const char *paths[] = {write_text("a", "1 1:1 2:2\n"), write_text("b", "1 0:5 6:1\n")};
    decant_dataset *data;
    assert_ok(decant_dataset_read(paths, 2, NULL, NULL, &data));
    assert_int_equal(data->d, 7);
    const uint32_t columns[] = {1, 2, 0, 6};
    assert_memory_equal(data->column, columns, sizeof columns);
    decant_dataset_free(data);
}

static void test_read_svmlight_broken(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 1:1\n1,2 2:1\n", "bad.svm: line 2: expected one label, found \"1,2\""},
        {"1 1:1\n3:1 4:1\n", "line 2: expected a label first, found \"3:1\""},
        {"1 1:1 1:2\n", "line 1: expected ascending indices, found index 1"},
        {"1 5:1 3:2\n", "line 1: expected ascending indices, found index 3"},
        {"1 1:1 2\n", "line 1: expected index:value, found \"2\""},
        {"1 1:1 2:\n", "expected index:value, found \"2:\""},
        {"1 1:1 2:x\n", "expected index:value, found \"2:x\""},
        {"1 1:1 -2:1\n", "expected index:value, found \"-2:1\""},
        {"1 1:1 2:3:4\n", "expected index:value, found \"2:3:4\""},
        {"1 1:1 99999999999999999999:1\n", "expected index:value"},
        {"1 1:1 2147483648:1\n",
         "line 1: the index 2147483648 asks for more columns than the 33554432"},
        {"1 1:1\n1 2:nan\n", "line 2: expected a finite float32 value, found \"2:nan\""},
        {"1 1:1\n1 2:1e60\n", "line 2: expected a finite float32 value"},
        {"1 1:1 qid:3 2:1\n", "expected index:value, found \"qid:3\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(write_text("bad.svm", cases[i].text), cases[i].message);
    assert_refused(write_text("hollow.svm", "1 qid:1\n2 qid:1\n"), "has no columns");
}

static void test_stream_svmlight_first_block_decides(void **state) {
    (void)state;
    decant_stream *stream;
    decant_dataset *block;
    const char *path = write_text("decides", "1 1:1\n2 3:1\n1 2:1\n1 0:1\n");
    assert_ok(decant_stream_open(&path, 1, NULL, NULL, &stream));
    assert_ok(decant_stream_next(stream, 2, &block));
    assert_int_equal(block->d, 3);
    assert_int_equal(block->column[1], 2);
    decant_dataset_free(block);
    assert_ok(decant_stream_next(stream, 1, &block));
    assert_int_equal(block->column[0], 1);
    decant_dataset_free(block);
    assert_fails(decant_stream_next(stream, 2, &block), DECANT_EFORMAT,
                 "decides: line 4: expected indices from 1, as before, found index 0");
    assert_fails(decant_stream_next(stream, 2, &block), DECANT_EINVAL, "cannot go on");
    decant_stream_close(stream);

    path = write_text("wide", "1 1:1\n2 3:1\n1 4:1\n");
    assert_ok(decant_stream_open(&path, 1, NULL, NULL, &stream));
    assert_ok(decant_stream_next(stream, 2, &block));
    decant_dataset_free(block);
    assert_fails(decant_stream_next(stream, 2, &block), DECANT_EFORMAT,
                 "wide: line 3: expected indices up to 3, found 4");
    decant_stream_close(stream);
}

/* The two columns that most rows have stay, the first of those that tie, and rows have length 1. */
static void test_narrow_keeps_frequent_columns(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = write_text("cut.svm", "0 1:9 2:3 5:4\n1 2:5 4:1\n0 4:2 5:7\n1 3:6\n");
    assert_ok(read_one(path, &data));
    assert_ok(decant__dataset_keep_columns(data, 2));
    const size_t start[] = {0, 1, 3, 4, 4};
    const uint32_t column[] = {0, 0, 1, 1};
    assert_int_equal(data->d, 2);
    assert_memory_equal(data->start, start, sizeof start);
    assert_memory_equal(data->column, column, sizeof column);
    assert_true(data->value[0] == 1 && data->value[3] == 1);
    assert_true(fabs((double)data->value[1] - 5 / sqrt(26)) < 1e-6);
    assert_true(fabs((double)data->value[2] - 1 / sqrt(26)) < 1e-6);
    assert_ok(decant__dataset_keep_columns(data, 2)); /* nothing more to do */
    decant_dataset_free(data);
    const float x[] = {1, 2, 3};
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 1, 3, 0, &data));
    assert_int_equal(decant__dataset_keep_columns(data, 2), DECANT_EINVAL);
    decant_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_svmlight_from_sklearn),
        cmocka_unit_test(test_read_svmlight_odd_but_fine),
        cmocka_unit_test(test_read_svmlight_columns_fix_d),
        cmocka_unit_test(test_read_svmlight_several_files_share_the_base),
        cmocka_unit_test(test_read_svmlight_broken),
        cmocka_unit_test(test_stream_svmlight_first_block_decides),
        cmocka_unit_test(test_narrow_keeps_frequent_columns),
    };
    return run_with_folder(tests);
}
