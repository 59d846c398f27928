#include "sample.h"

#include "store/settings.h"

/* Writes options but for the one named, and reads them back. */
static decant_status roundtrip(const decant_options *options, const char *without,
                               decant_options *back) {
    char path[SAMPLE_PATH];
    decant__tensor_file file = {0};
    float zero = 0;
    const decant__tensor tensor = {"x", DECANT__F32, 1, 0, &zero};
    decant__metadata metadata = {0};
    sample_path("settings", path);
    decant__tensors_begin(&metadata, "test", "1");
    decant__settings_put_options(&metadata, options);
    if (without != NULL) { /* under another name, which no option has */
        char *found = strstr(metadata.pairs.bytes, without);
        assert_non_null(found);
        found[0] = 'O';
    }
    assert_ok(decant__tensors_write(path, &metadata, &tensor, 1));
    decant__metadata_free(&metadata);
    assert_ok(decant__tensors_read(&file, path, "test", "1"));
    decant_status status = decant__settings_get_options(&file, back);
    decant__tensors_close(&file);
    remove(path);
    return status;
}

static void test_get_options_roundtrip(void **state) {
    (void)state;
    decant_options options, back;
    decant_options_init(&options, sizeof options);
    options.k = 7;
    options.neighbours = 11;
    assert_ok(roundtrip(&options, NULL, &back));
    assert_int_equal(back.k, 7);
    assert_int_equal(back.neighbours, 11);
}

/* A file written before an option existed means that option's default. */
static void test_get_options_older_file(void **state) {
    (void)state;
    decant_options options, fresh, back;
    decant_options_init(&options, sizeof options);
    decant_options_init(&fresh, sizeof fresh);
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
