#include "files.h"

#include "data/dataset.h"

#define FORMATS DECANT_TEST_DATA "/formats/"

static float formula(size_t i, size_t j) { return (float)((int)((i * 5 + j * 3) % 11) - 2); }

static void test_json_lines_are_a_table(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *path = FORMATS "table.jsonl";
    decant_read_options options = {
        .struct_size = sizeof options, .id_column = "id", .label_column = "kind"};
    assert_ok(decant_dataset_read(&path, 1, &options, NULL, &data));
    assert_string_equal(decant_dataset_format(data), "JSON lines");
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 6);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++) assert_true(data->dense[i * 6 + j] == formula(i, j));
    assert_string_equal(decant_dataset_id(data, 3), "r3");
    assert_string_equal(decant_dataset_class_name(data, (size_t)data->labels[1]), "y");
    assert_string_equal(decant_dataset_column_name(data, 1), "b.c");
    assert_string_equal(decant_dataset_column_name(data, 5), "b.d.3");
    decant_dataset_free(data);
}

/* Keys in any order, keys that come late, doubled keys, blank lines, escapes; by blocks, too. */
static void test_json_lines_keys(void **state) {
    (void)state;
    const char *path = write_text("a.jsonl",
                                  "{\"a\": 1, \"b\": 2}\n\n  {\"b\":3e0,\"a\":-4}\r\n"
                                  "{\"a\": 9, \"a\": 5, \"\\u0062\": 6}");
    const float expected[] = {1, 2, -4, 3, 5, 6};
    decant_dataset *data = NULL;
    decant_stream *stream = NULL;
    assert_ok(read_one(path, &data));
    assert_int_equal(data->n, 3);
    assert_memory_equal(data->dense, expected, sizeof expected);
    decant_dataset_free(data);
    assert_ok(decant_stream_open(&path, 1, NULL, NULL, &stream));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(decant_stream_next(stream, 1, &data));
        assert_memory_equal(data->dense, expected + 2 * i, 2 * sizeof *expected);
        decant_dataset_free(data);
    }
    decant_stream_close(stream);
}

static void test_json_lines_broken(void **state) {
    (void)state;
    assert_refused(write_text("b", "{\"a\": 1}\n{\"a\": }\n"),
                   "b: line 2: expected a JSON value, found \"}\"");
    assert_refused(write_text("c", "{\"a\": 1}\n[1]\n"), "c: line 2: expected a JSON object");
    assert_refused(write_text("d", "{\"a\": 1}\n{\"a\": 2} x\n"), "line 2: expected the end");
    assert_refused(write_text("e", "{\"a\": 1}\n{\"a\" 2}\n"), "line 2: expected a key");
    assert_refused(write_text("f", "{\"a\": 1}\n{\"a\": 2\n"), "line 2: expected ',' or '}'");
    assert_refused(write_text("g", "{\"a\": 1}\n{\"a\": [2}\n"), "line 2: expected ',' or ']'");
    assert_refused(write_text("h", "{\"a\": 1}\n{\"a\": 1-2}\n"), "expected a JSON value");
    assert_refused(write_text("i", "{\"a\": 1}\n{\"a\": \"\\x\"}\n"), "a string of UTF-8");
    assert_refused(write_text("j", "{}\n{}\n"), "expected objects with keys");
    char deep[256] = "{\"a\": 1}\n{\"a\": ";
    for (size_t i = 0; i < 40; i++) strcat(deep, "[");
    assert_refused(write_text("k", deep), "at most 16 objects inside each other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_lines_are_a_table),
        cmocka_unit_test(test_json_lines_keys),
        cmocka_unit_test(test_json_lines_broken),
    };
    return run_with_folder(tests);
}
