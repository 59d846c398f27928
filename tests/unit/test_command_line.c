/* What words_join writes, a shell and words_split read back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cli/command_line.h"

static const char *const odd[] = {"decant",  "plain-1.0_x", "two words", "",
                                  "it's",    "a'b'c''",     "$HOME",     "back\\slash",
                                  "\"q\"",   "gr\303\274n", "latin\374", "esc\033[2J'\\",
                                  "a\nb\tc", "$'x'",        "--",        "\177"};
enum { ODD = sizeof odd / sizeof odd[0] };

static void test_words_join_quotes_only_where_needed(void **state) {
    (void)state;
    const char *const words[] = {"decant", "fit", "my data.csv", "-k", "3", "\033"};
    char *text = words_join(words, 6);
    assert_string_equal(text, "decant fit 'my data.csv' -k 3 $'\\x1b'");
    free(text);
}

static void test_words_split_gives_the_words_back(void **state) {
    (void)state;
    char *found[ODD + 1], *text = words_join(odd, ODD);
    assert_int_equal(words_split(text, found, ODD + 1), ODD);
    for (int i = 0; i < ODD; i++) assert_string_equal(found[i], odd[i]);
    free(text);
}

static void test_words_split_refuses_open_quotes(void **state) {
    (void)state;
    const char *const broken[] = {"a 'b", "$'", "a $'\\x1b", "'"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char text[16], *words[8];
        snprintf(text, sizeof text, "%s", broken[i]);
        assert_int_equal(words_split(text, words, 8), -1);
    }
}

static void test_words_split_keeps_to_the_array(void **state) {
    (void)state;
    char text[] = "a b c d", *words[2];
    assert_int_equal(words_split(text, words, 2), 2);
    assert_string_equal(words[1], "b");
}

/* The text, read by bash and printed with a bar behind each word. */
static void test_words_join_is_read_back_by_a_shell(void **state) {
    (void)state;
    char command[1024], expected[512] = "", found[512] = "";
    char *text = words_join(odd, ODD);
    snprintf(command, sizeof command, "exec bash -c \"$DECANT_TEST_SCRIPT\"");
    char script[1024];
    snprintf(script, sizeof script, "printf '%%s|' %s", text);
    setenv("DECANT_TEST_SCRIPT", script, 1);
    for (int i = 0; i < ODD; i++) {
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s|", odd[i]);
    }
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    size_t count = fread(found, 1, sizeof found - 1, shell);
    found[count] = '\0';
    if (pclose(shell) != 0) skip(); /* no bash */
    assert_string_equal(found, expected);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_join_quotes_only_where_needed),
        cmocka_unit_test(test_words_split_gives_the_words_back),
        cmocka_unit_test(test_words_split_refuses_open_quotes),
        cmocka_unit_test(test_words_split_keeps_to_the_array),
        cmocka_unit_test(test_words_join_is_read_back_by_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
