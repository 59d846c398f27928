#include "base/text.h"

#include "base/memory.h"
#include "check.h"

static void test_text_print_grows(void **state) {
    (void)state;
    decant__text text = {0};
    char *out;
    for (int i = 0; i < 1000; i++) decant__text_print(&text, "%d,", i);
    decant__text_put(&text, "end", 3);
    assert_ok(decant__text_take(&text, &out));
    assert_int_equal(strlen(out), 10 * 2 + 90 * 3 + 900 * 4 + 3);
    assert_memory_equal(out, "0,1,2,3,", 8);
    assert_string_equal(out + strlen(out) - 7, "999,end");
    decant__free(out);
}

static void test_utf8_letters(void **state) {
    (void)state;
    assert_int_equal(decant__utf8_letters(""), 0);
    assert_int_equal(decant__utf8_letters("5 \xe2\x82\xac \xc3\xa9t\xc3\xa9"), 7);
    assert_int_equal(decant__utf8_head("\xc3\xa9t\xc3\xa9", 0), 0);
    assert_int_equal(decant__utf8_head("\xc3\xa9t\xc3\xa9", 1), 2);
    assert_int_equal(decant__utf8_head("\xc3\xa9t\xc3\xa9", 2), 3);
    assert_int_equal(decant__utf8_head("\xc3\xa9t\xc3\xa9", 9), 5);
}

static void test_text_take_empty(void **state) {
    (void)state;
    decant__text text = {0};
    char *out;
    assert_ok(decant__text_take(&text, &out));
    assert_string_equal(out, "");
    decant__free(out);
}

static void test_text_out_of_memory(void **state) {
    (void)state;
    for (size_t n = 1; n <= 3; n++) {
        decant__text text = {0};
        char *out = NULL;
        decant__alloc_fail_at(n);
        for (int i = 0; i < 200; i++) decant__text_print(&text, "some words %d ", i);
        decant_status status = decant__text_take(&text, &out);
        decant__alloc_fail_at(0);
        assert_int_equal(status, DECANT_ENOMEM);
        assert_null(out);
        decant__text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_print_grows),
        cmocka_unit_test(test_utf8_letters),
        cmocka_unit_test(test_text_take_empty),
        cmocka_unit_test(test_text_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
