/* Control characters in names are escaped on the terminal; typing errors get a suggestion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli/json_lines.h"
#include "cli/message.h"
#include "cli/suggest.h"

static void check_name(const char *name, int width, const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    print_name(file, name, width);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void test_print_name_shows_control_bytes(void **state) {
    (void)state;
    check_name("a\033[2Jb", 0, "a\\x1b[2Jb");
    check_name("a\nb\tc\rd\a", 0, "a\\x0ab\\x09c\\x0dd\\x07");
    check_name("del\177", 0, "del\\x7f");
    check_name("csi\302\2332J", 0, "csi\\xc2\\x9b2J"); /* U+009B is a CSI of one character */
    check_name("c:\\x1b", 0, "c:\\x1b");
}

static void test_print_name_keeps_utf8(void **state) {
    (void)state;
    check_name("gr\303\274n \342\202\254 \360\237\230\200", 0,
               "gr\303\274n \342\202\254 \360\237\230\200");
    check_name("\302\240", 0, "\302\240"); /* U+00A0, the first that is no control */
}

static void test_print_name_shows_bytes_that_are_no_utf8(void **state) {
    (void)state;
    check_name("gr\374n", 0, "gr\\xfcn");
    check_name("\233", 0, "\\x9b");
    check_name("\300\233", 0, "\\xc0\\x9b");          /* overlong ESC */
    check_name("\340\200\233", 0, "\\xe0\\x80\\x9b"); /* the same in three bytes */
    check_name("\355\240\200", 0, "\\xed\\xa0\\x80"); /* a surrogate */
    check_name("\364\220\200\200", 0, "\\xf4\\x90\\x80\\x80");
    check_name("cut \342\202", 0, "cut \\xe2\\x82");
}

static void test_print_name_pads_by_columns(void **state) {
    (void)state;
    check_name("gr\303\274n", 6, "  gr\303\274n");
    check_name("gr\303\274n", -6, "gr\303\274n  ");
    check_name("\033", -6, "\\x1b  ");
    assert_int_equal(name_width("gr\303\274n"), 4);
    assert_int_equal(name_width("\033"), 4);
    assert_true(is_visible("gr\303\274n \\x1b") && !is_visible("a\nb") && !is_visible("\374"));
}

static void test_json_name_takes_any_bytes(void **state) {
    (void)state;
    const char *const names[][2] = {{"plain", "plain"},
                                    {"esc \033", "esc \033"},
                                    {"gr\303\274n", "gr\303\274n"},
                                    {"gr\374n \\", "gr\\xfcn \\"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_t *text = json_name(names[i][0]);
        assert_string_equal(json_string_value(text), names[i][1]);
        json_decref(text);
    }
}

static const char *guess_choice(const char *typed) {
    static char best[32];
    cli_guess guess = {.typed = typed};
    guess_consider_choices(&guess, "dec|idec|kmeans|ae+kmeans");
    if (guess.best == NULL) return "";
    snprintf(best, sizeof best, "%.*s", (int)strcspn(guess.best, "|"), guess.best);
    return best;
}

static void test_guess_consider_choices_finds_the_nearest(void **state) {
    (void)state;
    assert_string_equal(guess_choice("decc"), "dec");
    assert_string_equal(guess_choice("k-means"), "kmeans");
    assert_string_equal(guess_choice("ae-kmeans"), "ae+kmeans");
    assert_string_equal(guess_choice("som"), "");
    assert_string_equal(guess_choice(""), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print_name_shows_control_bytes),
        cmocka_unit_test(test_print_name_keeps_utf8),
        cmocka_unit_test(test_print_name_shows_bytes_that_are_no_utf8),
        cmocka_unit_test(test_print_name_pads_by_columns),
        cmocka_unit_test(test_json_name_takes_any_bytes),
        cmocka_unit_test(test_guess_consider_choices_finds_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
