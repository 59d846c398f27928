#include "check.h"

#include "features/words.h"

/* All words of a text, separated by '|'. */
static const char *all_words(const char *text) {
    static char list[512];
    decant__words words = {0};
    int found;
    list[0] = '\0';
    assert_ok(decant__words_begin(&words, text, strlen(text)));
    for (;;) {
        assert_ok(decant__words_next(&words, &found));
        if (!found) break;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.*s", used ? "|" : "", (int)words.length,
                 words.word);
    }
    decant__words_free(&words);
    return list;
}

static void test_next_ascii(void **state) {
    (void)state;
    assert_string_equal(all_words("Hello, World! a bb C x_1 2024 don't"),
                        "hello|world|bb|x_1|2024|don");
    assert_string_equal(all_words(""), "");
    assert_string_equal(all_words(" .,; a b c \n\t"), "");
    assert_string_equal(all_words("end"), "end");
}

static void test_next_unicode(void **state) {
    (void)state;
    assert_string_equal(all_words("Élan naïve STRAẞE"), "élan|naïve|straße");
    assert_string_equal(all_words("Привет, МИР!"), "привет|мир");
    assert_string_equal(all_words("東京 x東 ½¼"), "東京|x東|½¼");
    assert_string_equal(all_words("\xef\xbb\xbfword \xe2\x80\x9cquoted\xe2\x80\x9d"),
                        "word|quoted");
    /* Vowel signs do not cut words. */
    assert_string_equal(all_words("हिन्दी"), "हिन्दी");
}

/* e + U+0301 is é; marks in either order are the same letter. */
static void test_next_composed(void **state) {
    (void)state;
    assert_string_equal(all_words("e\xcc\x81t\x65\xcc\x81"), "\xc3\xa9t\xc3\xa9");
    const char below_then_above[] = "a\xcc\xa3\xcc\x82z", above_then_below[] = "a\xcc\x82\xcc\xa3z";
    char first[64];
    snprintf(first, sizeof first, "%s", all_words(below_then_above));
    assert_string_equal(first, all_words(above_then_below));
    assert_string_equal(first, "\xe1\xba\xadz"); /* U+1EAD */
}

static void test_next_passes_markup(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"<p class=\"lead\">Oil <b>rises</b><br/>again</p>", "oil|rises|again"},
        {"&lt;strong&gt;Analysis&lt;/strong&gt; of &lt;A HREF=\"http://x.y/q?t=a\"&gt;it&lt;/A&gt;",
         "analysis|of|it"},
        {"men&#39;s &amp; women #39;s AT&T Q&A; x", "men|women|at"},
        {"see https://example.org/a?b=c&d=e, www.example.com/x and ftp://host/file now",
         "see|and|now"},
        {"mail first.last+tag@mail.example.org or @name", "mail|or|name"},
        {"<!-- hidden <b>words</b> --> shown <script src=x>var code = 1 < 2;</script> end",
         "shown|end"},
        {"<style>p { color: red }</style>text<?xml version=\"1.0\"?>", "text"},
        /* Not markup. */
        {"aa < bb and cc > dd, <3 you, if xx<yy then zz", "aa|bb|and|cc|dd|you|if|xx|yy|then|zz"},
        {"<unclosed words", "unclosed|words"},
        {"a tag in <one <two> three", "tag|in|one|three"},
        {"rock & roll; #hash #12 httpd wwwroot", "rock|roll|hash|12|httpd|wwwroot"},
        {"user@host me@ 50% off", "user|host|me|50|off"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(all_words(texts[i][0]), texts[i][1]);
}

static void test_begin_refuses_latin1(void **state) {
    (void)state;
    decant__words words = {0};
    static const char *const bad[] = {"caf\xe9 noir", "\xff", "ok \xc3", "\xed\xa0\x80",
                                      "\xc0\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(decant__words_begin(&words, bad[i], strlen(bad[i])), DECANT_EFORMAT,
                     "expected UTF-8");
    assert_fails(decant__words_begin(&words, bad[0], strlen(bad[0])), DECANT_EFORMAT,
                 "0xE9 at place 4");
    decant__words_free(&words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next_ascii),           cmocka_unit_test(test_next_unicode),
        cmocka_unit_test(test_next_composed),        cmocka_unit_test(test_next_passes_markup),
        cmocka_unit_test(test_begin_refuses_latin1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
