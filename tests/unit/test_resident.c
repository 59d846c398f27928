#include "base/resident.h"

#include "check.h"
#include "data/dataset.h"
#include "files.h"
#include "sample.h"

enum { ROWS = 60000, COLUMNS = 64, MEGABYTE = 1 << 20 };

/* Mapped pages that count as ours now; 0: the system does not say. */
static size_t resident_file_bytes(void) {
    char line[256];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "RssFile: %zu kB", &kilobytes) == 1) break;
    if (file != NULL) fclose(file);
    return kilobytes * 1024;
}

static decant_result *fit(const decant_dataset *data, size_t memory) {
    decant_result *result = NULL;
    decant_options options;
    decant_options_init(&options);
    options.k = 3;
    options.method = DECANT_METHOD_AE_KMEANS;
    options.layer_count = 2;
    options.layers[0] = 8;
    options.layers[1] = 2;
    options.finetune_iterations = 400;
    options.restarts = 1;
    options.threads = 2;
    options.memory = memory;
    assert_int_equal(decant_fit(data, &options, NULL, &result), DECANT_OK);
    return result;
}

/* A mapped file larger than the cap: the same result, and most of its pages given back. */
static void test_fit_under_cap(void **state) {
    (void)state;
    const char *path = in_folder("rows.npy");
    float *x = sample_new(1, 1, (size_t)ROWS * COLUMNS);
    decant_dataset *data = NULL;
    assert_int_equal(decant_npy_write(path, x, ROWS, COLUMNS), DECANT_OK);
    free(x);
    size_t before = resident_file_bytes();
    assert_int_equal(decant_dataset_read(&path, 1, NULL, &data), DECANT_OK);
    decant_result *small = fit(data, 8 * MEGABYTE);
    if (before > 0) assert_true(resident_file_bytes() < before + 8 * MEGABYTE);
    decant_result *large = fit(data, 1024 * MEGABYTE);
    assert_memory_equal(small->labels, large->labels, ROWS * sizeof *small->labels);
    assert_memory_equal(small->embedding, large->embedding,
                        (size_t)ROWS * 2 * sizeof *small->embedding);
    decant_result_free(small);
    decant_result_free(large);
    decant_dataset_free(data);
}

/* What the pages held is there when it is asked for, wherever the range begins and ends. */
static void test_release_keeps_contents(void **state) {
    (void)state;
    const char *path = in_folder("few.npy");
    float *x = sample_new(2, 1, 50000);
    decant_dataset *data = NULL;
    assert_int_equal(decant_npy_write(path, x, 5000, 10), DECANT_OK);
    assert_int_equal(decant_dataset_read(&path, 1, NULL, &data), DECANT_OK);
    assert_non_null(data->mapped);
    for (size_t from = 0; from < 50000; from += 7777) {
        decant__resident_release(data->dense + from, (50000 - from) * sizeof *x);
        assert_memory_equal(data->dense, x, 50000 * sizeof *x);
    }
    decant_dataset_free(data);
    free(x);
}

/* The mapping is given back when one touch more would be too much, and not before. */
static void test_touch_counts(void **state) {
    (void)state;
    decant__resident resident = {NULL, 0, 1000, 0};
    decant__resident_touch(&resident, 4, 100, 0);
    decant__resident_touch(&resident, 6, 100, 0);
    assert_int_equal(resident.touched, 1000);
    decant__resident_touch(&resident, 1, 100, 0);
    assert_int_equal(resident.touched, 100);
    decant__resident_touch(&resident, 1, 100, 1);
    assert_true(resident.touched > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_under_cap),
        cmocka_unit_test(test_release_keeps_contents),
        cmocka_unit_test(test_touch_counts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
