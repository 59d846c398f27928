#include <stdlib.h>

#include "check.h"
#include "locale_of_test.h"

#include "base/random.h"
#include "base/number.h"

/* The locale of a test program is "C", where strtod is right. */
static void assert_like_strtod(const char *text) {
    const char *end = text + strlen(text);
    double value = 7, expected = strtod(text, NULL);
    float single = 7, expected_single = (float)expected;
    assert_ptr_equal(decant__number_parse(text, end, &value), end);
    assert_ptr_equal(decant__number_parse_float(text, end, &single), end);
    if (memcmp(&value, &expected, sizeof value) != 0 ||
        memcmp(&single, &expected_single, sizeof single) != 0) {
        print_error("%s: %.17g and %.9g, expected %.17g\n", text, value, (double)single, expected);
        fail();
    }
}

static void test_parse_chosen_numbers(void **state) {
    (void)state;
    static const char *const numbers[] = {
        "0",
        "-0",
        "+3",
        "1.5",
        "-.5",
        "5.",
        "1e3",
        "1E+3",
        "1e-3",
        "007",
        "0.1",
        "123456789",
        "9007199254740993",
        "9007199254740992",
        "18446744073709551616",
        "1e22",
        "1e23",
        "1e-22",
        "1e308",
        "1.7976931348623157e308",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "2.4703e-324",
        "2.2250738585072011e-308",
        "3.4028235e38",
        "3.4028236e38",
        "1.17549435e-38",
        "1e-45",
        "1e99999999999999999999",
        "0e99999999999999999999",
        "1e-99999999999999999999",
        "0.000000000000000000000000000000000001",
        "100000000000000000000000000000000000000",
        "8.5899345920000000001e9",
        "16777217",
        "16777217.0000000000001",
        "33554434.99999999999999",
        "0.30000001192092895507812500000000000000000000000000000000001",
        "7.038531e-26",
        "1.00000005960464477539062500001",
        "1.000000059604644775390625",
        "9223372036854775808e-19",
        "12345678901234567890123456789012345678901234567890e-49"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) assert_like_strtod(numbers[i]);
}

static void test_parse_random_numbers(void **state) {
    (void)state;
    decant__random random = decant__random_start(1, DECANT__RANDOM_TEST, 0);
    char text[80];
    for (size_t i = 0; i < 200000; i++) {
        double value = decant__random_normal(&random);
        int digits = (int)decant__random_below(&random, 22);
        int power = (int)decant__random_below(&random, 60) - 30;
        snprintf(text, sizeof text, "%.*fe%d", digits, value, power);
        assert_like_strtod(text);
        snprintf(text, sizeof text, "%.*e", digits, value);
        assert_like_strtod(text);
        /* the middle between two floats, and just beside it */
        float single = (float)value;
        double middle = ((double)single + (double)nextafterf(single, 9)) / 2;
        snprintf(text, sizeof text, "%.*g", 16 + (int)(i % 20), middle);
        assert_like_strtod(text);
    }
}

static void test_parse_more_digits_than_a_double_has(void **state) {
    (void)state;
    char text[1200] = "1.";
    memset(text + 2, '0', 1100);
    strcpy(text + 1102, "1");
    assert_like_strtod(text);
    memset(text, '9', 1100);
    strcpy(text + 1100, "e-1090");
    assert_like_strtod(text);
    /* 2^-1 + 2^-54, exactly half way, then with a digit far behind that decides */
    strcpy(text, "0.500000000000000055511151231257827021181583404541015625");
    assert_like_strtod(text);
    size_t length = strlen(text);
    memset(text + length, '0', 900);
    strcpy(text + length + 900, "1");
    assert_like_strtod(text);
}

static void test_parse_stops_where_the_number_does(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {{"1,5", 1},   {"2e", 1},   {"2e+", 1}, {"2ex", 1},
                 {"3.4.5", 3}, {"0x10", 1}, {"6 7", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        const char *text = cases[i].text, *end = text + strlen(text);
        assert_ptr_equal(decant__number_parse(text, end, &value), text + cases[i].length);
    }
}

static void test_parse_refuses(void **state) {
    (void)state;
    static const char *const texts[] = {"", "-", "+", ".", "e5", "-.", "abc", " 1", "--1", "na"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        assert_null(decant__number_parse(texts[i], texts[i] + strlen(texts[i]), &value));
        assert_false(decant__number_is(texts[i], strlen(texts[i]), &value));
    }
}

static void test_parse_words(void **state) {
    (void)state;
    double value;
    assert_true(decant__number_is("NaN", 3, &value) && isnan(value));
    assert_true(decant__number_is("-inf", 4, &value) && value == -HUGE_VAL);
    assert_true(decant__number_is("Infinity", 8, &value) && value == HUGE_VAL);
    assert_false(decant__number_is("infinite", 8, &value));
}

static void test_parse_ignores_the_locale(void **state) {
    (void)state;
    double value;
    enter_test_locale();
    assert_true(decant__number_is("1.25", 4, &value) && value == 1.25);
    assert_true(decant__number_is("1.2500000000000000000000001e30", 30, &value));
    assert_true(value == 1.25e30);
    leave_test_locale();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_chosen_numbers),
        cmocka_unit_test(test_parse_random_numbers),
        cmocka_unit_test(test_parse_more_digits_than_a_double_has),
        cmocka_unit_test(test_parse_stops_where_the_number_does),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_parse_words),
        cmocka_unit_test(test_parse_ignores_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
