/* A program and a library that were built with different headers: each struct that a caller fills
 * in, in a smaller and in a larger size. The blocks are allocated by malloc in exactly that size,
 * so that AddressSanitizer detects an access beyond their end. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/struct_size.h"
#include "blobs.h"
#include "check.h"
#include "decant/report.h"
#include "files.h"

typedef decant_status call(const void *given);

typedef struct sized {
    const char *type;
    size_t size;
    void (*init)(void *target, size_t size);
    call *use; /* a public function that takes the struct and ought to succeed */
} sized;

static blobs data;
static char run_folder[4096];
static const char *csv;

static decant_options small_options(void) {
    decant_options o = blobs_options(DECANT_METHOD_KMEANS);
    o.restarts = 1;
    return o;
}

static void init_options(void *target, size_t size) {
    decant_options_init(target, size);
    if (size >= offsetof(decant_options, k) + sizeof(size_t))
        memcpy((char *)target + offsetof(decant_options, k), &(size_t){BLOBS_K}, sizeof(size_t));
    if (size >= offsetof(decant_options, method) + sizeof(decant_method))
        memcpy((char *)target + offsetof(decant_options, method),
               &(decant_method){DECANT_METHOD_KMEANS}, sizeof(decant_method));
}

static void init_monitor(void *target, size_t size) { decant_monitor_init(target, size); }
static void init_reading(void *target, size_t size) { decant_read_options_init(target, size); }
static void init_map(void *target, size_t size) { decant_map_options_init(target, size); }
static void init_report(void *target, size_t size) { decant_report_options_init(target, size); }

static decant_status use_options(const void *given) {
    decant_result *result = NULL;
    decant_status status = decant_fit(data.dense, given, NULL, &result);
    if (status == DECANT_OK) assert_int_equal(result->struct_size, sizeof *result);
    decant_result_free(result);
    return status;
}

static decant_status use_monitor(const void *given) {
    decant_result *result = NULL;
    const decant_options options = small_options();
    decant_status status = decant_fit(data.dense, &options, given, &result);
    decant_result_free(result);
    return status;
}

static decant_status use_reading(const void *given) {
    decant_dataset *read = NULL;
    decant_status status = decant_dataset_read(&csv, 1, given, NULL, &read);
    decant_dataset_free(read);
    return status;
}

static decant_status use_map(const void *given) {
    const float x[] = {0, 0, 1, 0, 0, 1, 1, 1};
    float map[8];
    decant_dataset *rows = NULL;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 4, 2, 0, &rows));
    decant_status status = decant_map_rows(rows, given, NULL, map, NULL);
    decant_dataset_free(rows);
    return status;
}

static decant_status use_report(const void *given) {
    return decant_report_write(run_folder, data.dense, given, NULL);
}

static const sized structs[] = {
    {"decant_options", sizeof(decant_options), init_options, use_options},
    {"decant_monitor", sizeof(decant_monitor), init_monitor, use_monitor},
    {"decant_read_options", sizeof(decant_read_options), init_reading, use_reading},
    {"decant_map_options", sizeof(decant_map_options), init_map, use_map},
    {"decant_report_options", sizeof(decant_report_options), init_report, use_report},
};

enum { STRUCTS = sizeof structs / sizeof *structs };

/* init and use in a block of this size; extra: a byte that is set at the very end. */
static decant_status in_block(const sized *one, size_t size, unsigned char extra) {
    unsigned char *block = malloc(size);
    assert_non_null(block);
    memset(block, 0xA5, size);
    one->init(block, size);
    assert_memory_equal(block, &size, sizeof size);
    for (size_t i = one->size; i < size; i++) assert_int_equal(block[i], 0);
    if (extra != 0) block[size - 1] = extra;
    decant_status status = one->use(block);
    free(block);
    return status;
}

static void test_smaller_structs_of_older_programs(void **state) {
    (void)state;
    for (size_t i = 0; i < STRUCTS; i++) {
        print_message("%s\n", structs[i].type);
        assert_ok(in_block(&structs[i], structs[i].size, 0));
        assert_ok(in_block(&structs[i], structs[i].size - sizeof(size_t), 0));
        if (structs[i].use != use_options) /* which needs a k */
            assert_ok(in_block(&structs[i], sizeof(size_t), 0));
    }
}

static void test_larger_structs_of_newer_programs(void **state) {
    (void)state;
    for (size_t i = 0; i < STRUCTS; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "%s: something is set at byte %zu", structs[i].type,
                 structs[i].size + 63);
        assert_ok(in_block(&structs[i], structs[i].size + 64, 0));
        assert_fails(in_block(&structs[i], structs[i].size + 64, 1), DECANT_EINVAL, expected);
    }
}

static void test_sizes_that_make_no_sense(void **state) {
    (void)state;
    for (size_t i = 0; i < STRUCTS; i++) {
        static const size_t sizes[] = {0, 1, 7, 12, 1 << 20, SIZE_MAX};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char expected[200];
            size_t block[512] = {sizes[s]};
            assert_true(structs[i].size <= sizeof block);
            snprintf(expected, sizeof expected, "%s_init", structs[i].type);
            assert_fails(structs[i].use(block), DECANT_EINVAL, expected);
        }
        decant__struct_init(NULL, structs[i].size, structs, 8); /* does nothing */
    }
}

/* ---- options by name, in structs of other sizes ---- */

static size_t field_at(const void *block, size_t offset) {
    size_t value;
    memcpy(&value, (const char *)block + offset, sizeof value);
    return value;
}

#define FIELD(block, name) field_at(block, offsetof(decant_options, name))

static void test_options_set_stays_within_the_struct(void **state) {
    (void)state;
    const size_t size = offsetof(decant_options, gamma); /* a program without the last options */
    void *old = malloc(size);
    char text[64];
    decant_options_init(old, size);
    assert_ok(decant_options_set(old, "preset", "paper"));
    assert_ok(decant_options_set(old, "k", "7"));
    assert_int_equal(FIELD(old, struct_size), size);
    assert_int_equal(FIELD(old, k), 7);
    assert_int_equal(FIELD(old, max_iterations), 20000);
    assert_fails(decant_options_set(old, "threads", "2"), DECANT_EINVAL,
                 "option threads: the program was built for an older decant");
    assert_ok(decant_options_get(old, "memory", text, sizeof text));
    assert_string_equal(text, "1G");
    assert_ok(decant_options_get(old, "gamma", text, sizeof text));
    assert_string_equal(text, "0.1");
    assert_ok(decant_options_set(old, "method", "sec")); /* has another default for gamma */
    assert_ok(decant_options_get(old, "gamma", text, sizeof text));
    assert_string_equal(text, "1");
    free(old);
}

static void test_model_options_stay_within_the_struct(void **state) {
    (void)state;
    const decant_options options = small_options();
    decant_result *result = NULL;
    assert_ok(decant_fit(data.dense, &options, NULL, &result));
    const size_t size = offsetof(decant_options, resize_width);
    void *old = malloc(size);
    decant_options *new = malloc(sizeof *new + 16);
    decant_options_init(old, size);
    decant_options_init(new, sizeof *new + 16);
    assert_ok(decant_model_options(result->model, old));
    assert_ok(decant_model_options(result->model, new));
    assert_int_equal(FIELD(old, k), BLOBS_K);
    assert_int_equal(FIELD(old, struct_size), size);
    assert_int_equal(new->restarts, 1);
    assert_int_equal(new->struct_size, sizeof *new + 16);
    new->struct_size = 0;
    assert_fails(decant_model_options(result->model, new), DECANT_EINVAL, "decant_options_init");
    free(old);
    free(new);
    decant_result_free(result);
}

/* A field that lies in what is the padding of an older header could hold anything. */
static void test_structs_end_without_padding(void **state) {
    (void)state;
#define ENDS_WITH(type, field) \
    assert_int_equal(sizeof(type), offsetof(type, field) + sizeof(((type *)0)->field))
    ENDS_WITH(decant_options, networks);
    ENDS_WITH(decant_monitor, like);
    ENDS_WITH(decant_read_options, table);
    ENDS_WITH(decant_map_options, seed);
    ENDS_WITH(decant_report_options, without_rows);
}

static int set_up(void **state) {
    const decant_options options = small_options();
    decant_result *result = NULL;
    if (make_folder(state) != 0) return -1;
    blobs_new(&data, 60);
    csv = write_text("rows.csv", "1,2\n3,4\n5,7\n");
    snprintf(run_folder, sizeof run_folder, "%s", in_folder("run"));
    assert_ok(decant_run_fit(run_folder, data.dense, &options, NULL, NULL, &result));
    decant_result_free(result);
    return 0;
}

static int tear_down(void **state) {
    blobs_free(&data);
    return remove_folder(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smaller_structs_of_older_programs),
        cmocka_unit_test(test_larger_structs_of_newer_programs),
        cmocka_unit_test(test_sizes_that_make_no_sense),
        cmocka_unit_test(test_options_set_stays_within_the_struct),
        cmocka_unit_test(test_model_options_stay_within_the_struct),
        cmocka_unit_test(test_structs_end_without_padding),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
