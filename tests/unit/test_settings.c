#include "sample.h"

#include "dec/settings.h"

/* Writes options but for the one named, and reads them back. */
static decant_status roundtrip(const decant_options *options, const char *without,
                               decant_options *back) {
    char path[SAMPLE_PATH];
    decant__tensor_file file = {0};
    float zero = 0;
    const decant__tensor tensor = {"x", DECANT__F32, 1, 0, &zero};
    json_t *metadata = json_object();
    sample_path("settings", path);
    json_object_set_new(metadata, "format", json_string("test"));
    json_object_set_new(metadata, "format_version", json_string("1"));
    assert_int_equal(decant__settings_put_options(metadata, options), 0);
    if (without != NULL) assert_int_equal(json_object_del(metadata, without), 0);
    assert_ok(decant__tensors_write(path, metadata, &tensor, 1));
    json_decref(metadata);
    assert_ok(decant__tensors_read(&file, path, "test", "1"));
    decant_status status = decant__settings_get_options(&file, back);
    decant__tensors_close(&file);
    remove(path);
    return status;
}

static void test_get_options_roundtrip(void **state) {
    (void)state;
    decant_options options, back;
    decant_options_init(&options);
    options.k = 7;
    options.neighbours = 11;
    assert_ok(roundtrip(&options, NULL, &back));
    assert_int_equal(back.k, 7);
    assert_int_equal(back.neighbours, 11);
}

/* A file from before there was an option has what that version did: the default. */
static void test_get_options_older_file(void **state) {
    (void)state;
    decant_options options, fresh, back;
    decant_options_init(&options);
    decant_options_init(&fresh);
    options.k = 7;
    options.neighbours = 11;
    assert_ok(roundtrip(&options, "option.neighbours", &back));
    assert_int_equal(back.k, 7);
    assert_int_equal(back.neighbours, fresh.neighbours);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_options_roundtrip),
        cmocka_unit_test(test_get_options_older_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
