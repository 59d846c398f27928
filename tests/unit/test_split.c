#include "read/split.h"

#include "base/random.h"
#include "files.h"

enum { MAX_ROWS = 4096, LENGTH = 20000, FILES = 8 };

/* What begins rows, read from the first byte on: the same rules in other words. */
typedef struct naive {
    size_t rows, place[MAX_ROWS], line[MAX_ROWS];
} naive;

static int ends_line(const char *text, size_t i, size_t n) {
    return text[i] == '\n' || (text[i] == '\r' && i + 1 < n && text[i + 1] == '\n');
}

/* Behind the line end of the record at i, whose quotes may hold line ends. */
static size_t end_of_record(const char *text, size_t i, size_t n, char separator) {
    enum { BEGIN, PLAIN, INSIDE, BEHIND } at = BEGIN;
    for (; i < n; i++) {
        if (at == INSIDE) {
            if (text[i] == '"') at = BEHIND;
        } else if (text[i] == '\n') {
            return i + 1;
        } else if (separator != 0 && text[i] == '"' && at != PLAIN) {
            at = INSIDE;
        } else {
            at = separator != 0 && text[i] == separator ? BEGIN : PLAIN;
        }
    }
    return n;
}

static void read_naively(const char *text, size_t n, const decant__row_rules *rules, naive *found) {
    size_t line = 0, next;
    found->rows = 0;
    for (size_t i = 0; i < n; i = next) {
        size_t first = i;
        while (rules->indented && first < n && (text[first] == ' ' || text[first] == '\t')) first++;
        int none = first == n || ends_line(text, first, n) ||
                   (rules->comment != 0 && text[first] == rules->comment);
        int row = rules->empty || !none;
        next = end_of_record(text, i, n, row ? rules->separator : 0);
        if (row) {
            assert_true(found->rows < MAX_ROWS);
            found->place[found->rows] = i;
            found->line[found->rows++] = line;
        }
        for (size_t c = i; c < next; c++) line += text[c] == '\n';
    }
}

static void compare(const char *path, const naive *expected, const decant__row_rules *rules) {
    decant__input input = {0};
    decant__split split = {0};
    decant__row_place place;
    assert_ok(decant__input_open(&input, path, NULL));
    assert_ok(decant__split_new(&split, &input, 0, 0, rules, decant__comm_alone()));
    assert_int_equal(split.rows, expected->rows);
    for (size_t row = 0; row < split.rows; row++) {
        assert_ok(decant__split_find(&split, &input, row, &place));
        assert_int_equal(place.offset, expected->place[row]);
        assert_int_equal(place.line, expected->line[row]);
    }
    decant__split_free(&split);
    decant__input_close(&input);
}

/* Bytes of few kinds, so that everything follows everything, in files of several blocks. */
static void check_rules(const decant__row_rules *rules, const char *kinds) {
    char *text = malloc(LENGTH);
    naive *expected = malloc(sizeof *expected);
    for (uint64_t seed = 0; seed < FILES; seed++) {
        decant__random random = decant__random_start(seed, DECANT__RANDOM_TEST, 0);
        for (size_t i = 0; i < LENGTH; i++)
            text[i] = decant__random_below(&random, 8) > 0
                          ? 'x'
                          : kinds[decant__random_below(&random, strlen(kinds))];
        read_naively(text, LENGTH, rules, expected);
        compare(write_bytes("split", text, LENGTH), expected, rules);
        compare(write_gzip("packed", text, LENGTH), expected, rules);
    }
    free(expected);
    free(text);
}

static void test_split_quotes(void **state) {
    (void)state;
    check_rules(&(decant__row_rules){.separator = ',', .comment = '#'}, ",\"\"\n\n\r#");
}

static void test_split_lines(void **state) {
    (void)state;
    check_rules(&(decant__row_rules){.comment = '#', .indented = 1}, " \n\n\"#\t");
    check_rules(&(decant__row_rules){.empty = 1}, "\n\n\"# ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_quotes),
        cmocka_unit_test(test_split_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
