#include "run/json.h"

#include <stdlib.h>

#include "base/memory.h"
#include "files.h"
#include "run/origin_json.h"
#include "run/recall.h"
#include "store/model.h"
#include "store/state.h"

static json_t *load(const char *text) {
    json_t *root = NULL;
    decant_status status = decant__json_load(write_text("x.json", text), &root);
    if (status != DECANT_OK) {
        assert_int_equal(status, DECANT_EFORMAT);
        assert_null(root);
    }
    return root;
}

static char *dump(const json_t *root) {
    decant__text text = {0};
    char *out = NULL;
    assert_ok(decant__json_dump(root, &text));
    assert_ok(decant__text_take(&text, &out));
    return out;
}

/* What jansson would have written, and reads. */
static void test_dump_and_load(void **state) {
    (void)state;
    static const char text[] =
        "{\n  \"a\": [\n    1,\n    -2.5,\n    1e+100,\n    true,\n    false,\n    null\n  ],\n"
        "  \"b\": {},\n  \"c\": [],\n  \"d\": \"quote \\\" tab\\t \xc3\xa4 \\u0007\",\n"
        "  \"e\": {\n    \"f\": 9007199254740993\n  }\n}\n";
    json_t *root = load(text);
    assert_non_null(root);
    char *again = dump(root);
    assert_string_equal(again, text);
    json_t *theirs = json_loads(text, 0, NULL);
    assert_true(json_equal(root, theirs));
    json_decref(theirs);
    json_decref(root);
    decant__free(again);
}

/* Every double comes back as itself, and what a person wrote as 0.1 stays 0.1. */
static void test_reals_round_trip(void **state) {
    (void)state;
    static const double values[] = {0.1,
                                    1.0 / 3,
                                    1e-300,
                                    5e-324,
                                    0.30000000000000004,
                                    1e22,
                                    -0.0,
                                    1,
                                    1e16,
                                    1.7976931348623157e308,
                                    2.0 / 7,
                                    123456789012345678.0};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        json_array_append_new(list, json_real(values[i]));
    char *text = dump(list);
    assert_non_null(strstr(text, "  0.1,\n"));
    assert_non_null(strstr(text, "  1.0,\n"));
    json_t *back = load(text);
    assert_true(json_equal(back, list));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double read = json_real_value(json_array_get(back, i));
        assert_memory_equal(&read, &values[i], sizeof read);
    }
    json_decref(back);
    json_decref(list);
    decant__free(text);
}

static void test_load_refuses(void **state) {
    (void)state;
    static const char *const bad[] = {"",         "{",           "[1,]",      "{\"a\" 1}", "[1 2]",
                                      "\"a",      "nul",         "tru",       "[01x]",     "1 2",
                                      "{\"a\":}", "\"\\q\" 5",   "[\"\\q 5]", "1e999",     "--1",
                                      "[1",       "\"\\u0000\"", "\"\xff\"",  "{1:2}",     "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (load(bad[i]) != NULL) fail_msg("was read: %s", bad[i]);
    char deep[1001];
    memset(deep, '[', 1000);
    deep[1000] = '\0';
    assert_null(load(deep));
    json_t *root = NULL;
    assert_fails(decant__json_load(write_text("x.json", "{\n\"a\":\n!}"), &root), DECANT_EFORMAT,
                 "line 3: is not valid JSON");
    assert_fails(decant__json_load(in_folder("none.json"), &root), DECANT_EIO, "No such file");
    assert_fails(decant__json_load(test_folder, &root), DECANT_EIO, "not a regular file");
}

static void check_bytes(const char *text, const char *stored) {
    char *back;
    json_t *value = decant__json_bytes(text);
    assert_string_equal(json_string_value(value), stored);
    assert_ok(decant__json_take_bytes(value, &back));
    assert_string_equal(back, text);
    decant__free(back);
    json_decref(value);
}

/* A path need not be UTF-8, and has to be found again. */
static void test_bytes_round_trip(void **state) {
    (void)state;
    check_bytes("/data/plain 100%.npy", "/data/plain 100%.npy");
    check_bytes("/data/caf\xc3\xa9.npy", "/data/caf\xc3\xa9.npy");
    check_bytes("/data/caf\xe9 100%.npy", "bytes:/data/caf%E9 100%25.npy");
    check_bytes("bytes:x", "bytes:bytes:x");
    check_bytes("\xff\xfe\x80", "bytes:%FF%FE%80");
    char *none = (char *)1;
    assert_ok(decant__json_take_bytes(json_null(), &none));
    assert_null(none);
    json_t *shown = decant__json_text("caf\xe9 \xc3\xa9");
    assert_string_equal(json_string_value(shown), "caf? \xc3\xa9");
    json_decref(shown);
}

static void test_origin_of_foreign_paths(void **state) {
    (void)state;
    const char *path = write_text("caf\xe9.csv", "a\xe9,b\n1,2\n3,4\n");
    decant_read_options options = {.struct_size = sizeof options, .label_column = "a\xe9"};
    decant__origin origin, back;
    decant__json json = {0};
    assert_ok(decant__origin_new(&origin, &path, 1, &options));
    json_t *data = decant__origin_put(&json, &origin);
    assert_false(json.failed);
    assert_ok(decant__origin_get(data, &back));
    assert_true(decant__origin_exists(&back));
    assert_string_equal(back.data.path[0], origin.data.path[0]);
    assert_string_equal(back.label_column, "a\xe9");
    json_decref(data);
    decant__origin_free(&origin);
    decant__origin_free(&back);
}

/* A run with an option of many digits is taken for what it is. */
static void test_recall_exact_options(void **state) {
    (void)state;
    float x[40];
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_options options;
    decant__outcome outcome;
    int found = 0;
    for (int i = 0; i < 40; i++) x[i] = (float)(i % 2 * 10 + i % 3);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 20, 2, 0, &data));
    decant_options_init(&options, sizeof options);
    options.k = 2;
    options.method = DECANT_METHOD_KMEANS;
    options.tol = 0.00123456789012345678;
    options.lambda = 1.0 / 3;
    assert_ok(decant_run_fit(in_folder("digits"), data, &options, NULL, NULL, &result));
    decant_result_free(result);
    assert_ok(decant__run_recall(in_folder("digits"), &options, &outcome, &found));
    assert_int_equal(found, 1);
    options.lambda = nextafter(options.lambda, 1);
    assert_fails(decant__run_recall(in_folder("digits"), &options, &outcome, &found), DECANT_EINVAL,
                 "other options");
    decant_dataset_free(data);
}

/* ---- allocations of jansson ---- */

static size_t jansson_calls, jansson_failing;

static void *counted_malloc(size_t size) {
    return ++jansson_calls == jansson_failing ? NULL : malloc(size);
}

static const char manifest_text[] =
    "{\"kind\": \"decant run\", \"list\": [1, 2.5, \"a text that is longer than sixteen bytes\"],"
    " \"more\": {\"a\": null, \"b\": true}}";

/* The n-th allocation inside jansson fails, for all n: ENOMEM, or the same value. */
static void test_load_and_dump_out_of_memory(void **state) {
    (void)state;
    const char *path = write_text("x.json", manifest_text);
    json_t *good = load(manifest_text);
    char *expected = dump(good);
    size_t failures = 0;
    json_set_alloc_funcs(counted_malloc, free);
    for (size_t n = 1;; n++) {
        json_t *root = NULL;
        jansson_calls = 0;
        jansson_failing = n;
        decant_status status = decant__json_load(path, &root);
        jansson_failing = 0;
        if (status == DECANT_OK) {
            char *text = dump(root);
            assert_string_equal(text, expected);
            decant__free(text);
            json_decref(root);
            if (jansson_calls < n) break;
            continue;
        }
        assert_int_equal(status, DECANT_ENOMEM);
        assert_null(root);
        failures++;
    }
    assert_true(failures > 10);
    json_set_alloc_funcs(malloc, free);
    json_decref(good);
    decant__free(expected);
}

/* A whole run: no manifest, or a good one. */
static void test_run_out_of_jansson_memory(void **state) {
    (void)state;
    float x[40];
    decant_dataset *data = NULL;
    decant_options options;
    decant_monitor again = {.struct_size = sizeof again, .overwrite = 1};
    for (int i = 0; i < 40; i++) x[i] = (float)(i % 2 * 10 + i % 3);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, 20, 2, 0, &data));
    decant_options_init(&options, sizeof options);
    options.k = 2;
    options.method = DECANT_METHOD_KMEANS;
    json_set_alloc_funcs(counted_malloc, free);
    size_t refused = 0, model_size = 0;
    char *model = NULL;
    for (size_t n = 0;; n++) {
        decant_result *result = NULL;
        jansson_calls = 0;
        jansson_failing = n;
        decant_status status =
            decant_run_fit(in_folder("run"), data, &options, &again, "caf\xc3\xa9", &result);
        size_t calls = jansson_calls;
        jansson_failing = 0;
        if (status == DECANT_OK) {
            json_t *root = NULL;
            char *bytes = NULL;
            size_t size;
            assert_ok(decant__json_load(in_folder("run/manifest.json"), &root));
            assert_string_equal(json_string_value(json_object_get(root, "command")), "caf\xc3\xa9");
            json_decref(root);
            assert_ok(decant_model_to_bytes(result->model, (void **)&bytes, &size));
            if (n > 0) assert_true(size == model_size && memcmp(bytes, model, size) == 0);
            if (n > 0) decant_bytes_free(bytes);
            if (n == 0) model = bytes, model_size = size;
        } else {
            assert_int_equal(status, DECANT_ENOMEM);
            assert_int_not_equal(access(in_folder("run/manifest.json"), F_OK), 0);
            refused++;
        }
        decant_result_free(result);
        if (n > calls) break;
    }
    assert_true(refused > 100);
    json_set_alloc_funcs(malloc, free);
    decant_bytes_free(model);
    decant_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dump_and_load),
        cmocka_unit_test(test_reals_round_trip),
        cmocka_unit_test(test_load_refuses),
        cmocka_unit_test(test_bytes_round_trip),
        cmocka_unit_test(test_origin_of_foreign_paths),
        cmocka_unit_test(test_recall_exact_options),
        cmocka_unit_test(test_load_and_dump_out_of_memory),
        cmocka_unit_test(test_run_out_of_jansson_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
