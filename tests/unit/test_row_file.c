#include "base/row_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "data/dataset.h"
#include "files.h"
#include "sample.h"
#include "decant/file.h"

enum { ROWS = 20000, COLUMNS = 64, MEGABYTE = 1 << 20 };

/* Resident pages of mapped files; 0: unknown. */
static size_t resident_file_bytes(void) {
    char line[256];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "RssFile: %zu kB", &kilobytes) == 1) break;
    if (file != NULL) fclose(file);
    return kilobytes * 1024;
}

static const char *write_sample(const char *name) {
    const char *path = in_folder(name);
    float *x = sample_new(1, 1, (size_t)ROWS * COLUMNS);
    assert_ok(decant_npy_write(path, x, ROWS, COLUMNS));
    free(x);
    return path;
}

static decant_options small_fit(decant_method method) {
    decant_options options;
    decant_options_init(&options, sizeof options);
    options.k = 3;
    options.method = method;
    options.layer_count = 2;
    options.layers[0] = 8;
    options.layers[1] = 2;
    options.finetune_iterations = 400;
    options.restarts = 1;
    options.threads = 2;
    return options;
}

/* memory: as the option; little leaves the rows in the file. */
static decant_dataset *read_with_memory(const char *path, size_t memory) {
    decant_dataset *data = NULL;
    decant_options options = small_fit(DECANT_METHOD_KMEANS);
    decant_read_options reading = {.struct_size = sizeof reading, .options = &options};
    options.memory = memory;
    assert_ok(decant_dataset_read(&path, 1, &reading, NULL, &data));
    return data;
}

/* Rows in the file: the same result as from memory, and no page of the file is mapped in. */
static void test_fit_from_file(void **state) {
    (void)state;
    const char *path = write_sample("rows.npy");
    const decant_method methods[] = {DECANT_METHOD_AE_KMEANS, DECANT_METHOD_KMEANS,
                                     DECANT_METHOD_GMM};
    size_t before = resident_file_bytes();
    decant_dataset *there = read_with_memory(path, 2 * MEGABYTE);
    decant_dataset *here = read_with_memory(path, 1024 * MEGABYTE);
    assert_non_null(there->file);
    assert_null(here->file);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        decant_options options = small_fit(methods[m]);
        decant_result *small = NULL, *large = NULL;
        assert_ok(decant_fit(there, &options, NULL, &small));
        assert_ok(decant_fit(here, &options, NULL, &large));
        assert_memory_equal(small->labels, large->labels, ROWS * sizeof *small->labels);
        assert_memory_equal(small->data_digest, large->data_digest, sizeof small->data_digest);
        decant_result_free(small);
        decant_result_free(large);
    }
    if (before > 0) assert_true(resident_file_bytes() < before + 4 * MEGABYTE);
    decant_dataset_free(there);
    decant_dataset_free(here);
}

typedef struct truncation {
    const char *path;
    size_t calls;
} truncation;

/* Cuts the file in the middle of the fit. */
static int cut_file(const decant_progress *progress, void *user) {
    truncation *cut = user;
    (void)progress;
    if (++cut->calls == 20) assert_int_equal(truncate(cut->path, 4096), 0);
    return 0;
}

/* A file that becomes shorter under a fit or before a prediction: an error, not a signal. */
static void test_file_that_shrinks(void **state) {
    (void)state;
    const decant_method methods[] = {DECANT_METHOD_AE_KMEANS, DECANT_METHOD_DEC};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const char *path = write_sample("shrinks.npy");
        truncation cut = {.path = path};
        decant_monitor monitor = {
            .struct_size = sizeof monitor, .progress = cut_file, .user = &cut};
        decant_options options = small_fit(methods[m]);
        decant_result *result = NULL;
        decant_dataset *data = read_with_memory(path, 2 * MEGABYTE);
        assert_fails(decant_fit(data, &options, &monitor, &result), DECANT_EIO,
                     "shrinks.npy: has become shorter while it was read");
        assert_true(cut.calls >= 20);
        assert_null(result);
        decant_dataset_free(data);
    }
}

static void test_predict_after_shrinking(void **state) {
    (void)state;
    const char *path = write_sample("later.npy");
    decant_options options = small_fit(DECANT_METHOD_KMEANS);
    decant_result *result = NULL;
    decant_dataset *data = read_with_memory(path, 2 * MEGABYTE);
    int32_t *labels = malloc(ROWS * sizeof *labels);
    assert_ok(decant_fit(data, &options, NULL, &result));
    assert_int_equal(truncate(path, 4096), 0);
    assert_fails(decant_model_predict(result->model, data, 2, NULL, labels, NULL), DECANT_EIO,
                 "has become shorter");
    free(labels);
    decant_result_free(result);
    decant_dataset_free(data);
}

static void test_row_file_read(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4, 5};
    float out[4] = {9, 9, 9, 9};
    decant__row_file *file = NULL;
    const char *path = write_bytes("few", x, sizeof x);
    int descriptor = open(path, O_RDONLY);
    assert_ok(decant__row_file_new(descriptor, sizeof(float), path, &file));
    close(descriptor);
    decant__row_file_read(file, 1, 2, out);
    assert_true(out[0] == 3 && out[1] == 4);
    assert_ok(decant__row_file_check(file));
    decant__row_file_read(file, 2, 4, out);
    assert_true(out[0] == 4 && out[1] == 5 && out[2] == 0 && out[3] == 0);
    assert_fails(decant__row_file_check(file), DECANT_EIO, "few: has become shorter");
    decant__row_file_free(file);
    assert_ok(decant__row_file_check(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_from_file),
        cmocka_unit_test(test_file_that_shrinks),
        cmocka_unit_test(test_predict_after_shrinking),
        cmocka_unit_test(test_row_file_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
