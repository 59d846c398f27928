/* NPZ and zip archives, and every compression, in files of numpy, scipy, zstd, xz and bzip2. */
#include "files.h"

#include "base/zip.h"
#include "data/dataset.h"
#include "formula.h"

#define FORMATS DECANT_TEST_DATA "/formats/"

static void test_npz_of_numpy(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *path = FORMATS "two.npz:X", *labels = FORMATS "two.npz:y";
    decant_read_options options = {
        .struct_size = sizeof options, .label_paths = &labels, .label_path_count = 1};
    assert_numbers(FORMATS "one.npz", formula);
    assert_numbers(path, formula);
    assert_ok(decant_dataset_read(&path, 1, &options, NULL, &data));
    assert_string_equal(decant_dataset_format(data), "NPZ");
    assert_int_equal(data->labels[1], 1);
    assert_int_equal(data->class_count, 2);
    decant_dataset_free(data);
    assert_refused(FORMATS "two.npz", "holds 2 arrays (X, y): name one of them, as in ");
    assert_refused(FORMATS "two.npz:z", "two.npz: holds no array \"z\", but X, y");
}

static void test_npz_of_scipy(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    assert_numbers(FORMATS "csr.npz", sparse_formula);
    assert_numbers(FORMATS "csc.npz", sparse_formula);
    assert_ok(read_one(FORMATS "csc.npz", &data));
    assert_true(decant_dataset_is_sparse(data));
    decant_dataset_free(data);
    assert_refused(FORMATS "coo.npz",
                   "expected a sparse matrix in the format csr or csc, found coo");
}

/* The same rows one by one as at once. */
static void test_npz_by_blocks(void **state) {
    (void)state;
    static const char *const names[] = {FORMATS "csr.npz", FORMATS "csc.npz"};
    for (size_t k = 0; k < 2; k++) {
        decant_stream *stream = NULL;
        assert_ok(decant_stream_open(&names[k], 1, NULL, NULL, &stream));
        for (size_t i = 0; i < 4; i++) {
            decant_dataset *block = NULL;
            float row[6];
            assert_ok(decant_stream_next(stream, 1, &block));
            assert_int_equal(decant_dataset_rows(block), 1);
            assert_ok(decant_dataset_row(block, 0, row));
            for (size_t j = 0; j < 6; j++) assert_true(row[j] == sparse_formula(i, j));
            decant_dataset_free(block);
        }
        decant_stream_close(stream);
    }
}

static void test_compressed_tables(void **state) {
    (void)state;
    assert_numbers(FORMATS "table.csv.zip", formula);
    assert_numbers(FORMATS "table.csv.zip:folder/table.csv", formula);
    assert_refused(FORMATS "table.csv.zip:other.csv", "holds no file \"other.csv\"");
#ifdef DECANT_ZSTD
    assert_numbers(FORMATS "table.csv.zst", formula);
#else
    assert_refused(FORMATS "table.csv.zst", "this decant was built without libzstd");
#endif
#ifdef DECANT_LZMA
    assert_numbers(FORMATS "table.csv.xz", formula);
#else
    assert_refused(FORMATS "table.csv.xz", "this decant was built without liblzma");
#endif
#ifdef DECANT_BZIP2
    assert_numbers(FORMATS "table.csv.bz2", formula);
#else
    assert_refused(FORMATS "table.csv.bz2", "this decant was built without libbz2");
#endif
}

/* Every way to cut a file short is an error, and every changed byte is one or changes nothing. */
static void assert_no_silent_damage(const char *path, size_t limit) {
    unsigned char bytes[4096];
    size_t count = read_bytes(path, bytes, sizeof bytes);
    for (size_t cut = 1; cut < count; cut += cut < limit ? 1 : 7) {
        decant_dataset *data = NULL;
        assert_int_not_equal(read_one(write_bytes("cut", bytes, cut), &data), DECANT_OK);
        assert_null(data);
    }
    for (size_t at = 0; at < count; at++) {
        decant_dataset *data = NULL;
        float row[6];
        bytes[at] ^= 0x20;
        if (read_one(write_bytes("bad", bytes, count), &data) == DECANT_OK && data->d == 6) {
            assert_int_equal(data->n, 4);
            for (size_t i = 0; i < 4; i++) {
                assert_ok(decant_dataset_row(data, i, row));
                for (size_t j = 0; j < 6; j++)
                    assert_true(row[j] == formula(i, j) || row[j] == sparse_formula(i, j));
            }
        }
        decant_dataset_free(data);
        bytes[at] ^= 0x20;
    }
}

static void test_damaged_archives(void **state) {
    (void)state;
    assert_no_silent_damage(FORMATS "one.npz", 400);
    assert_no_silent_damage(FORMATS "csc.npz", 64);
    assert_no_silent_damage(FORMATS "table.csv.zip", 300);
#ifdef DECANT_LZMA
    assert_no_silent_damage(FORMATS "table.csv.xz", 300);
#endif
#ifdef DECANT_BZIP2
    assert_no_silent_damage(FORMATS "table.csv.bz2", 300);
#endif
}

/* ---- sparse matrices that are wrong ---- */

/* A zip archive of stored members, as small as it can be. */
typedef struct archive {
    unsigned char bytes[8192], directory[2048];
    size_t size, directory_size, count;
} archive;

static void put(unsigned char *bytes, size_t *at, uint64_t value, size_t count) {
    for (size_t i = 0; i < count; i++) bytes[(*at)++] = i < 8 ? (unsigned char)(value >> 8 * i) : 0;
}

static void add_member(archive *zip, const char *name, const void *content, size_t count) {
    size_t header = zip->size, length = strlen(name);
    uint32_t crc = (uint32_t)crc32(0, content, (unsigned)count);
    put(zip->bytes, &zip->size, 0x04034b50, 4);
    put(zip->bytes, &zip->size, 20, 10); /* version, flags, method and time */
    put(zip->bytes, &zip->size, crc, 4);
    put(zip->bytes, &zip->size, count, 4);
    put(zip->bytes, &zip->size, count, 4);
    put(zip->bytes, &zip->size, length, 4);
    memcpy(zip->bytes + zip->size, name, length);
    memcpy(zip->bytes + zip->size + length, content, count);
    zip->size += length + count;
    put(zip->directory, &zip->directory_size, 0x02014b50, 4);
    put(zip->directory, &zip->directory_size, 20, 2);
    put(zip->directory, &zip->directory_size, 20, 10);
    put(zip->directory, &zip->directory_size, crc, 4);
    put(zip->directory, &zip->directory_size, count, 4);
    put(zip->directory, &zip->directory_size, count, 4);
    put(zip->directory, &zip->directory_size, length, 8);
    put(zip->directory, &zip->directory_size, 0, 6);
    put(zip->directory, &zip->directory_size, header, 4);
    memcpy(zip->directory + zip->directory_size, name, length);
    zip->directory_size += length;
    zip->count++;
}

static const char *write_archive(archive *zip, const char *name) {
    size_t offset = zip->size;
    memcpy(zip->bytes + zip->size, zip->directory, zip->directory_size);
    zip->size += zip->directory_size;
    put(zip->bytes, &zip->size, 0x06054b50, 4);
    put(zip->bytes, &zip->size, 0, 4);
    put(zip->bytes, &zip->size, zip->count, 2);
    put(zip->bytes, &zip->size, zip->count, 2);
    put(zip->bytes, &zip->size, zip->directory_size, 4);
    put(zip->bytes, &zip->size, offset, 4);
    put(zip->bytes, &zip->size, 0, 2);
    return write_bytes(name, zip->bytes, zip->size);
}

static void add_array(archive *zip, const char *name, const char *type, const void *numbers,
                      size_t count, size_t size) {
    unsigned char bytes[1024];
    int text = snprintf((char *)bytes + 10, 118,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", type, count);
    memcpy(bytes, "\x93NUMPY\1\0\x76\0", 10);
    memset(bytes + 10 + text, ' ', 118 - (size_t)text);
    bytes[127] = '\n';
    memcpy(bytes + 128, numbers, count * size);
    add_member(zip, name, bytes, 128 + count * size);
}

/* 3 x 4 with five entries, in the order that is given. */
static const char *write_sparse(const char *name, const int64_t *indptr, size_t starts,
                                const int32_t *indices, const double *data, const int64_t *shape) {
    static archive zip;
    static const char word[] =
        "\x93NUMPY\1\0\x76\0{'descr': '|S3', 'fortran_order': False, 'shape': (), }\ncsr";
    zip = (archive){0};
    add_array(&zip, "indices.npy", "<i4", indices, 5, 4);
    add_array(&zip, "indptr.npy", "<i8", indptr, starts, 8);
    add_member(&zip, "format.npy", word, sizeof word - 1);
    add_array(&zip, "shape.npy", "<i8", shape, 2, 8);
    add_array(&zip, "data.npy", "<f8", data, 5, 8);
    return write_archive(&zip, name);
}

static void test_sparse_matrices_are_checked(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const int64_t starts[] = {0, 3, 3, 5}, falling[] = {0, 3, 2, 5}, late[] = {1, 3, 3, 5},
                  early[] = {0, 3, 3, 4}, shape[] = {3, 4}, narrow[] = {3, 3};
    const int32_t columns[] = {3, 1, 3, 0, 2}, negative[] = {3, 1, 3, 0, -2};
    double values[] = {1, 2, 4, 8, 16};
    assert_ok(read_one(write_sparse("a", starts, 4, columns, values, shape), &data));
    const size_t start[] = {0, 2, 2, 4};
    const uint32_t column[] = {1, 3, 0, 2};
    const float value[] = {2, 5, 8, 16}; /* sorted; 1 and 4 have one place */
    assert_memory_equal(data->start, start, sizeof start);
    assert_memory_equal(data->column, column, sizeof column);
    assert_memory_equal(data->value, value, sizeof value);
    decant_dataset_free(data);
    assert_refused(write_sparse("b", falling, 4, columns, values, shape), "indptr[2]: expected");
    assert_refused(write_sparse("c", late, 4, columns, values, shape), "indptr[0]: expected");
    assert_refused(write_sparse("d", early, 4, columns, values, shape), "indptr ends with 4");
    assert_refused(write_sparse("e", starts, 3, columns, values, shape), "expected 4 starts");
    assert_refused(write_sparse("f", starts, 4, columns, values, narrow),
                   "row 1: expected an index below 3, found 3");
    assert_refused(write_sparse("g", starts, 4, negative, values, shape),
                   "expected whole numbers from 0 on");
    values[4] = 1e300;
    assert_refused(write_sparse("h", starts, 4, columns, values, shape),
                   "row 3, column 3: expected a finite float32 number, found inf");
}

static void test_zip_members(void **state) {
    (void)state;
    static archive zip;
    decant__input input = {0}, member = {0};
    decant__zip *found = NULL;
    char text[8];
    size_t got;
    zip = (archive){0};
    add_member(&zip, "a/", "", 0);
    add_member(&zip, "a/one.txt", "first", 5);
    add_member(&zip, "two.txt", "second", 6);
    assert_ok(decant__input_open(&input, write_archive(&zip, "z.zip"), NULL));
    assert_ok(decant__zip_open(&input, &found));
    assert_int_equal(found->count, 2);
    assert_non_null(decant__zip_find(found, "two", ".txt"));
    assert_null(decant__zip_find(found, "tw", ".txt"));
    assert_ok(decant__zip_input(found, &found->members[1], NULL, &member));
    assert_ok(decant__input_read(&member, text, sizeof text, &got));
    assert_int_equal(got, 6);
    assert_memory_equal(text, "second", 6);
    assert_ok(decant__input_rewind(&member));
    assert_ok(decant__input_read(&member, text, 3, &got));
    assert_memory_equal(text, "sec", 3);
    decant__input_close(&member);
    decant__zip_close(found);
    decant__input_close(&input);
}

/* An archive above 4 GB has ones in place of its sizes and offsets, and the numbers themselves in
 * an extra field of the entry and in a 64-bit end. Made by hand here, and so small. cut: bytes that
 * the extra field is too short. */
static const char *write_zip64(const char *name, size_t cut, uint64_t end_at) {
    static unsigned char bytes[1024];
    static const char content[] = "1,2,3\n4,5,6\n7,8,10\n";
    size_t at = 0, length = sizeof content - 1;
    uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)content, (unsigned)length);
    put(bytes, &at, 0x04034b50, 4);
    put(bytes, &at, 45, 10);
    put(bytes, &at, crc, 4);
    put(bytes, &at, UINT64_MAX, 8); /* both sizes */
    put(bytes, &at, 5, 2);
    put(bytes, &at, 20, 2);
    memcpy(bytes + at, "a.csv", 5);
    at += 5;
    put(bytes, &at, 1, 2); /* the extra field of the header */
    put(bytes, &at, 16, 2);
    put(bytes, &at, length, 8);
    put(bytes, &at, length, 8);
    memcpy(bytes + at, content, length);
    at += length;
    size_t directory = at;
    put(bytes, &at, 0x02014b50, 4);
    put(bytes, &at, 45, 2);
    put(bytes, &at, 45, 10);
    put(bytes, &at, crc, 4);
    put(bytes, &at, UINT64_MAX, 8);
    put(bytes, &at, 5, 2);
    put(bytes, &at, 28 - cut + 4, 2); /* with another field before it */
    put(bytes, &at, 0, 10);
    put(bytes, &at, UINT32_MAX, 4);
    memcpy(bytes + at, "a.csv", 5);
    at += 5;
    put(bytes, &at, 0x5455, 2);
    put(bytes, &at, 0, 2);
    put(bytes, &at, 1, 2);
    put(bytes, &at, 24 - cut, 2);
    put(bytes, &at, length, 8);
    put(bytes, &at, length, 8);
    put(bytes, &at, 0, 8 - cut);
    size_t end = at;
    put(bytes, &at, 0x06064b50, 4);
    put(bytes, &at, 44, 8);
    put(bytes, &at, 45, 2);
    put(bytes, &at, 45, 2);
    put(bytes, &at, 0, 8); /* disks */
    put(bytes, &at, 1, 8);
    put(bytes, &at, 1, 8);
    put(bytes, &at, end - directory, 8);
    put(bytes, &at, directory, 8);
    put(bytes, &at, 0x07064b50, 4);
    put(bytes, &at, 0, 4);
    put(bytes, &at, end_at > 0 ? end_at : end, 8);
    put(bytes, &at, 1, 4);
    put(bytes, &at, 0x06054b50, 4);
    put(bytes, &at, 0, 4);
    put(bytes, &at, UINT16_MAX, 2);
    put(bytes, &at, UINT16_MAX, 2);
    put(bytes, &at, UINT32_MAX, 4);
    put(bytes, &at, UINT32_MAX, 4);
    put(bytes, &at, 0, 2);
    return write_bytes(name, bytes, at);
}

static void test_zip64(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    float row[3];
    assert_ok(read_one(write_zip64("large.zip", 0, 0), &data));
    assert_int_equal(data->n, 3);
    assert_int_equal(data->d, 3);
    assert_ok(decant_dataset_row(data, 2, row));
    assert_true(row[0] == 7 && row[1] == 8 && row[2] == 10);
    decant_dataset_free(data);
    assert_refused(write_zip64("short.zip", 4, 0), "the zip archive is damaged (the size of a");
    assert_refused(write_zip64("lost.zip", 0, 8),
                   "the zip archive is damaged (no 64-bit directory");
    assert_refused(write_zip64("far.zip", 0, 1U << 30),
                   "the zip archive is damaged (it ends early");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npz_of_numpy),     cmocka_unit_test(test_npz_of_scipy),
        cmocka_unit_test(test_npz_by_blocks),    cmocka_unit_test(test_compressed_tables),
        cmocka_unit_test(test_damaged_archives), cmocka_unit_test(test_sparse_matrices_are_checked),
        cmocka_unit_test(test_zip_members),      cmocka_unit_test(test_zip64),
    };
    return run_with_folder(tests);
}
