#include "files.h"

#include "data/dataset.h"
#include "decant/file.h"

/* Files made by numpy, with numbers from the formula in tests/data/gen_formats.py. */
static float expected_at(const char *kind, size_t i, size_t j) {
    int number = (int)((i * 5 + j * 3) % 11);
    if (kind[0] == 'b') return (float)(number % 2);
    return (float)(kind[0] == 'u' ? number : number - 2);
}

static void assert_numbers(const char *name, size_t columns) {
    char path[256];
    decant_dataset *data;
    snprintf(path, sizeof path, "%s/formats/%s", DECANT_TEST_DATA, name);
    assert_ok(read_one(path, &data));
    assert_int_equal(decant_dataset_rows(data), 4);
    assert_int_equal(decant_dataset_columns(data), columns);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < columns; j++)
            if (data->dense[i * columns + j] != expected_at(name, i, j)) fail_msg("%s", name);
    decant_dataset_free(data);
}

static void test_read_npy_from_numpy(void **state) {
    (void)state;
    static const char *const kinds[] = {"u1", "u2", "u4", "u8", "i1", "i2",
                                        "i4", "i8", "f2", "f4", "f8"};
    static const char *const others[] = {"b1.npy",           "fortran.npy",  "cube.npy",
                                         "cube_fortran.npy", "version2.npy", "version3.npy",
                                         "f4.npy.gz"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_le.npy", kinds[i]);
        assert_numbers(name, 6);
        snprintf(name, sizeof name, "%s_be.npy", kinds[i]);
        assert_numbers(name, 6);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_numbers(others[i], 6);
    assert_numbers("line.npy", 1);
}

static void test_read_npy_half_precision(void **state) {
    (void)state;
    decant_dataset *data;
    const float expected[] = {0x1p-24f, 6.097555e-05f, 0x1p-14f, 65504, -0.0f, -1.0009766f};
    assert_ok(read_one(DECANT_TEST_DATA "/formats/half.npy", &data));
    assert_memory_equal(data->dense, expected, sizeof expected);
    decant_dataset_free(data);
}

/* With the least memory that can be asked for, a file of 1 MiB stays where it is. */
static void test_read_npy_larger_than_memory(void **state) {
    (void)state;
    enum { NUMBERS = 1 << 18 };
    decant_dataset *data;
    decant_options options;
    float *x = calloc(NUMBERS, sizeof *x), row[4];
    const char *path = in_folder("large.npy");
    decant_read_options reading = {.struct_size = sizeof reading, .options = &options};
    decant_options_init(&options, sizeof options);
    options.memory = 1 << 20;
    for (size_t i = 0; i < NUMBERS; i++) x[i] = (float)i;
    assert_ok(decant_npy_write(path, x, NUMBERS / 4, 4));
    assert_ok(decant_dataset_read(&path, 1, &reading, NULL, &data));
    assert_non_null(data->file);
    assert_string_equal(decant_dataset_format(data), "NPY");
    assert_ok(decant_dataset_row(data, 77, row));
    assert_memory_equal(row, x + 4 * 77, sizeof row);
    assert_null(decant_dataset_dense(data));
    decant_dataset_free(data);
    assert_ok(read_one(path, &data));
    assert_null(data->file);
    assert_memory_equal(data->dense, x, NUMBERS * sizeof *x);
    decant_dataset_free(data);
    free(x);
}

/* A version 1 file with any header and some bytes of numbers. */
static const char *make_npy(const char *header, const void *numbers, size_t bytes) {
    unsigned char file[512] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + 10, header, length);
    memcpy(file + 10 + length, numbers, bytes);
    return write_bytes("made.npy", file, 10 + length + bytes);
}

static void test_read_npy_unaligned(void **state) {
    (void)state;
    const float x[] = {1, 2};
    for (size_t padding = 0; padding < 4; padding++) {
        char header[80];
        snprintf(header, sizeof header, "%s%.*s",
                 "{'descr':'<f4','fortran_order':False,'shape':(1L, 2L)}", (int)padding, "   ");
        decant_dataset *data;
        assert_ok(read_one(make_npy(header, x, sizeof x), &data));
        assert_memory_equal(data->dense, x, sizeof x);
        decant_dataset_free(data);
    }
}

#define HEADER(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"

static void test_read_npy_broken(void **state) {
    (void)state;
    const float x[] = {1, 2, NAN, 4};
    const char *bad = "expected descr, fortran_order and shape";
    assert_refused(make_npy("", x, 0), bad);
    assert_refused(make_npy("{", x, 0), bad);
    assert_refused(make_npy("{}", x, 0), bad);
    assert_refused(make_npy("{'descr': '<f4', 'shape': (1, 2)}", x, 8), bad);
    assert_refused(make_npy("{'descr': '<f4", x, 8), bad);
    assert_refused(make_npy(HEADER("'<f4'", "(1, 2"), x, 8), bad);
    assert_refused(make_npy(HEADER("'<f4'", "2"), x, 8), bad);
    assert_refused(make_npy(HEADER("'<f4'", "(-1, 2)"), x, 8), bad);
    assert_refused(make_npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", x, 4), bad);
    assert_refused(make_npy(HEADER("[('a', '<f4')]", "(2,)"), x, 8), bad);
    assert_refused(make_npy(HEADER("'<c8'", "(1,)"), x, 8),
                   "real or boolean numbers, found \"<c8\"");
    assert_refused(make_npy(HEADER("'<U2'", "(1,)"), x, 8), "found \"<U2\"");
    assert_refused(make_npy(HEADER("'|O'", "(1,)"), x, 8), "found \"|O\"");
    assert_refused(make_npy(HEADER("'|f4'", "(1,)"), x, 4), "found \"|f4\"");
    assert_refused(make_npy(HEADER("'<f4'", "()"), x, 4), "found a single number");
    assert_refused(make_npy(HEADER("'<f4'", "(0, 2)"), x, 0), "has no rows");
    assert_refused(make_npy(HEADER("'<f4'", "(2, 0)"), x, 0), "has no columns");
    assert_refused(make_npy(HEADER("'<f4'", "(2, 1)"), x, 7), "but the file ends after 1 of them");
    assert_refused(make_npy(HEADER("'<f4'", "(1, 1)"), x, 7), "but the file goes on after them");
    assert_refused(make_npy(HEADER("'<f4'", "(2, 2)"), x, 16),
                   "row 2, column 1: expected a finite");
    assert_refused(make_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", x, 16),
                   "row 1, column 2: expected a finite");
    assert_refused(make_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", x, 16),
                   "promises 2 x 3 numbers, but the file ends after 4 of them");
}

static void test_read_npy_absurd_header(void **state) {
    (void)state;
    const float x[] = {1};
    assert_refused(make_npy(HEADER("'<f4'", "(1152921504606846976, 1)"), x, 4),
                   "has 1152921504606846976 rows, but at most 4294967295 are possible");
    assert_refused(make_npy(HEADER("'<f4'", "(99999999999999999999999999999, 1)"), x, 4), "rows");
    assert_refused(make_npy(HEADER("'<f4'", "(1, 1152921504606846976)"), x, 4), "more columns");
    assert_refused(make_npy(HEADER("'<f4'", "(1, 4294967296, 4294967296)"), x, 4), "more columns");
    assert_refused(make_npy(HEADER("'<f8'", "(4294967295, 2147483647)"), x, 4),
                   "but the file ends after 0 of them");
    assert_refused(write_bytes("v9", "\x93NUMPY\x09\x00\x01\x00 ", 11),
                   "version 1, 2 or 3, found 9");
    assert_refused(write_bytes("v2", "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "4294967295 bytes");
    assert_refused(write_bytes("v1", "\x93NUMPY\x01\x00\xff\xff{", 11),
                   "ends inside the NPY header");
    assert_refused(write_bytes("v0", "\x93NUMPY", 6), "ends inside the NPY header");
}

static void test_npy_write_reads_back(void **state) {
    (void)state;
    const float x[] = {1, -2.5f, 3, 4, 5, 6e-30f};
    const char *path = in_folder("written.npy");
    unsigned char bytes[256];
    decant_dataset *data;
    assert_ok(decant_npy_write(path, x, 3, 2));
    assert_int_equal(read_bytes(path, bytes, sizeof bytes), 128 + sizeof x);
    assert_ok(read_one(path, &data));
    assert_int_equal(data->n, 3);
    assert_int_equal(data->d, 2);
    assert_memory_equal(data->dense, x, sizeof x);
    decant_dataset_free(data);
    assert_fails(decant_npy_write(in_folder("no/such"), x, 3, 2), DECANT_EIO, "no/such");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_npy_from_numpy),
        cmocka_unit_test(test_read_npy_half_precision),
        cmocka_unit_test(test_read_npy_larger_than_memory),
        cmocka_unit_test(test_read_npy_unaligned),
        cmocka_unit_test(test_read_npy_broken),
        cmocka_unit_test(test_read_npy_absurd_header),
        cmocka_unit_test(test_npy_write_reads_back),
    };
    return run_with_folder(tests);
}
