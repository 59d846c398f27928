#include "files.h"

#include "data/dataset.h"

/* An IDX file: type, dimensions, sizes, then numbers. */
static size_t make_idx(unsigned char *file, int type, int dimensions, const uint32_t *sizes,
                       const void *numbers, size_t bytes) {
    size_t at = 4;
    memcpy(file, (unsigned char[]){0, 0, (unsigned char)type, (unsigned char)dimensions}, 4);
    for (int i = 0; i < dimensions; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            file[at++] = (unsigned char)(sizes[i] >> shift);
    memcpy(file + at, numbers, bytes);
    return at + bytes;
}

static void test_read_idx_every_type(void **state) {
    (void)state;
    /* 2 x 2: 1, 2, 3 and -1 (unsigned: 255), big-endian as the format has it */
    static const struct {
        int type;
        size_t size;
        unsigned char bytes[32];
        float last;
    } cases[] = {
        {0x08, 1, {1, 2, 3, 255}, 255},
        {0x09, 1, {1, 2, 3, 255}, -1},
        {0x0B, 2, {0, 1, 0, 2, 0, 3, 255, 255}, -1},
        {0x0C, 4, {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 255, 255, 255, 255}, -1},
        {0x0D, 4, {0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0xBF, 0x80, 0, 0}, -1},
        {0x0E,
         8,
         {0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0x40, 0,    0, 0, 0, 0, 0, 0,
          0x40, 0x08, 0, 0, 0, 0, 0, 0, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0},
         -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char file[64];
        decant_dataset *data;
        size_t count =
            make_idx(file, cases[i].type, 2, (uint32_t[]){2, 2}, cases[i].bytes, 4 * cases[i].size);
        assert_ok(read_one(write_gzip("types", file, count), &data));
        assert_int_equal(decant_dataset_rows(data), 2);
        assert_int_equal(decant_dataset_columns(data), 2);
        const float expected[] = {1, 2, 3, cases[i].last};
        assert_memory_equal(data->dense, expected, sizeof expected);
        decant_dataset_free(data);
    }
}

static void test_read_idx_dimensions(void **state) {
    (void)state;
    const uint32_t sizes[] = {2, 3, 2, 2};
    const size_t columns[] = {1, 3, 6, 12};
    unsigned char file[64], numbers[24] = {0};
    for (int dimensions = 1; dimensions <= 4; dimensions++) {
        decant_dataset *data;
        size_t d = columns[dimensions - 1];
        size_t count = make_idx(file, 8, dimensions, sizes, numbers, 2 * d);
        assert_ok(read_one(write_bytes("dimensions", file, count), &data));
        assert_int_equal(decant_dataset_rows(data), 2);
        assert_int_equal(decant_dataset_columns(data), d);
        assert_int_equal(decant_dataset_nonzeros(data), 2 * d);
        assert_false(decant_dataset_is_sparse(data));
        assert_null(decant_dataset_labels(data));
        decant_dataset_free(data);
    }
}

static void test_read_idx_broken(void **state) {
    (void)state;
    unsigned char file[64], x[32] = {0};
    size_t count = make_idx(file, 8, 2, (uint32_t[]){2, 2}, x, 4);
    assert_refused(write_bytes("short", file, count - 1), "short: the IDX header promises 2 x 2");
    assert_refused(write_gzip("short", file, count - 1), "but the file ends after 3 of them");
    assert_refused(write_bytes("long", file, count + 1), "goes on after them");
    assert_refused(write_gzip("long", file, count + 1), "goes on after them");
    assert_refused(write_bytes("header", file, 9), "ends inside the IDX header");
    file[2] = 0x0A;
    assert_refused(write_bytes("type", file, count), "expected an IDX type");
    file[2] = 8;
    file[3] = 5;
    assert_refused(write_bytes("five", file, count), "expected 1 to 4 IDX dimensions, found 5");
    file[3] = 0;
    assert_refused(write_bytes("none", file, count), "expected 1 to 4 IDX dimensions, found 0");
    count = make_idx(file, 8, 2, (uint32_t[]){0, 2}, x, 0);
    assert_refused(write_bytes("rows", file, count), "has no rows");
    count = make_idx(file, 8, 2, (uint32_t[]){2, 0}, x, 0);
    assert_refused(write_bytes("columns", file, count), "has no columns");
}

static void test_read_idx_absurd_header(void **state) {
    (void)state;
    unsigned char file[64], x[32] = {0};
    const uint32_t huge[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    size_t count = make_idx(file, 14, 4, huge, x, 8);
    assert_refused(write_bytes("huge", file, count), "has more columns than the 2147483647");
    count = make_idx(file, 14, 3, (uint32_t[]){UINT32_MAX, 32768, 65535}, x, 8);
    assert_refused(write_bytes("huge", file, count), "but the file ends after 1 of them");
    assert_refused(write_gzip("huge", file, count), "ends after at most");
    count = make_idx(file, 8, 1, (uint32_t[]){20000}, x, 8); /* believable for a gzip file */
    assert_refused(write_gzip("huge", file, count), "but the file ends after 8 of them");
}

static void test_read_idx_not_finite(void **state) {
    (void)state;
    unsigned char file[64];
    const unsigned char x[] = {0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 0xC0, 0, 0, 0, 0, 0, 0};
    size_t count = make_idx(file, 13, 2, (uint32_t[]){2, 2}, x, 16);
    assert_refused(write_bytes("nan", file, count), "nan: row 2, column 1: expected a finite");
    const unsigned char large[] = {0x7F, 0xE0, 0, 0, 0, 0, 0, 0}; /* a double, 9e307 */
    count = make_idx(file, 14, 1, (uint32_t[]){1}, large, 8);
    assert_refused(write_bytes("large", file, count), "row 1, column 1: expected a finite float32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_idx_every_type), cmocka_unit_test(test_read_idx_dimensions),
        cmocka_unit_test(test_read_idx_broken),     cmocka_unit_test(test_read_idx_absurd_header),
        cmocka_unit_test(test_read_idx_not_finite),
    };
    return run_with_folder(tests);
}
