/* HDF5 and AnnData files of h5py and anndata; the numbers are those of tests/data/gen_formats.py.
 */
#include "files.h"

#include <hdf5.h>

#include "data/dataset.h"
#include "formula.h"

#define FORMATS DECANT_TEST_DATA "/formats/"

static float twice(size_t i, size_t j) { return 2 * sparse_formula(i, j); }

static void test_hdf5_datasets(void **state) {
    (void)state;
    assert_numbers(FORMATS "one.h5", formula);
    assert_numbers(FORMATS "two.h5:X", formula);
    assert_numbers(FORMATS "dense.h5ad", formula);
    assert_numbers(FORMATS "csr.h5ad", sparse_formula);
    assert_numbers(FORMATS "csc.h5ad", sparse_formula);
    assert_numbers(FORMATS "csc.h5ad:layers/twice", twice);
    assert_refused(FORMATS "two.h5", "holds several datasets (\"X\", \"y\"): name one of them");
    assert_refused(FORMATS "two.h5:nothing", "there is no such dataset in the file");
    assert_refused(FORMATS "csr.h5ad:obs", "found another group");
}

static void test_anndata_columns(void **state) {
    (void)state;
    const char *path = FORMATS "csr.h5ad";
    decant_dataset *data = NULL;
    decant_read_options options = {.struct_size = sizeof options, .label_column = "kind"};
    assert_ok(decant_dataset_read(&path, 1, &options, NULL, &data));
    assert_string_equal(decant_dataset_id(data, 2), "c2");
    assert_string_equal(decant_dataset_column_name(data, 5), "g5");
    assert_int_equal(data->class_count, 3);
    assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[0]), "a");
    assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[2]), "(missing)");
    decant_dataset_free(data);
    options.label_column = "flag";
    options.id_column = "number";
    assert_ok(decant_dataset_read(&path, 1, &options, NULL, &data));
    assert_string_equal(decant_dataset_id(data, 3), "10");
    assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[1]), "False");
    decant_dataset_free(data);
    data = NULL;
    options.label_column = "nothing";
    assert_fails(decant_dataset_read(&path, 1, &options, NULL, &data), DECANT_EFORMAT,
                 "has no column \"nothing\" in obs");
    path = FORMATS "one.h5";
    assert_fails(decant_dataset_read(&path, 1, &options, NULL, &data), DECANT_EFORMAT,
                 "columns of HDF5 files are those of obs");
}

static void test_hdf5_by_blocks(void **state) {
    (void)state;
    static const char *const names[] = {FORMATS "dense.h5ad", FORMATS "csr.h5ad"};
    decant_read_options options = {.struct_size = sizeof options, .label_column = "kind"};
    for (size_t k = 0; k < 2; k++) {
        decant_stream *stream = NULL;
        assert_ok(decant_stream_open(&names[k], 1, &options, NULL, &stream));
        for (size_t i = 0; i < 4; i += 3) {
            decant_dataset *block = NULL;
            float row[6];
            assert_ok(decant_stream_next(stream, 3, &block));
            assert_int_equal(decant_dataset_rows(block), i == 0 ? 3 : 1);
            assert_ok(decant_dataset_row(block, 0, row));
            for (size_t j = 0; j < 6; j++)
                assert_true(row[j] == (k == 0 ? formula(i, j) : sparse_formula(i, j)));
            assert_string_equal(decant_dataset_id(block, 0), i == 0 ? "c0" : "c3");
            decant_dataset_free(block);
        }
        decant_stream_close(stream);
    }
}

/* Through gzip: libhdf5 needs a file, and gets a temporary one. */
static void test_hdf5_gzipped(void **state) {
    (void)state;
    unsigned char bytes[32768];
    size_t count = read_bytes(FORMATS "one.h5", bytes, sizeof bytes);
    assert_numbers(write_gzip("one.h5.gz", bytes, count), formula);
    assert_refused(write_bytes("cut.h5", bytes, count / 2), "cut.h5: ");
    assert_refused(write_bytes("magic.h5", bytes, 8), "magic.h5: is no HDF5 file that can be read");
}

/* ---- files that are wrong ---- */

static void write_array(hid_t file, const char *name, hid_t type, const hsize_t *size, int rank,
                        const void *numbers) {
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t array = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(array >= 0);
    if (numbers != NULL) H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    H5Dclose(array);
    H5Sclose(space);
}

static void test_hdf5_broken(void **state) {
    (void)state;
    const hsize_t huge[] = {4000000000u, 1000}, small[] = {2, 2}, none[] = {0, 2};
    const double numbers[] = {1, 2, 3, 1e300};
    const char *path = in_folder("huge.h5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, huge, NULL);
    const hsize_t chunk[] = {1024, 8};
    H5Pset_chunk(create, 2, chunk);
    H5Dclose(H5Dcreate2(file, "x", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, create, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(create);
    H5Fclose(file);
    assert_refused(path, "promises more numbers than the file holds");
    path = in_folder("inf.h5");
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_array(file, "x", H5T_NATIVE_DOUBLE, small, 2, numbers);
    H5Fclose(file);
    assert_refused(path, "row 2, column 2: expected a finite float32 number");
    path = in_folder("empty.h5");
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused(path, "has no dataset of numbers");
    path = in_folder("rows.h5");
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_array(file, "x", H5T_NATIVE_DOUBLE, none, 2, NULL);
    H5Fclose(file);
    assert_refused(path, "has no rows");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hdf5_datasets),  cmocka_unit_test(test_anndata_columns),
        cmocka_unit_test(test_hdf5_by_blocks), cmocka_unit_test(test_hdf5_gzipped),
        cmocka_unit_test(test_hdf5_broken),
    };
    return run_with_folder(tests);
}
