#include "check.h"

#include "base/random.h"
#include "metrics/hungarian.h"

/* The largest total by trying every choice, row by row. */
static size_t best_total(const size_t *gain, size_t rows, size_t columns, size_t row,
                         unsigned used) {
    if (row == rows) return 0;
    size_t best = rows > columns ? best_total(gain, rows, columns, row + 1, used) : 0;
    for (size_t j = 0; j < columns; j++) {
        if (used & 1u << j) continue;
        size_t total =
            gain[row * columns + j] + best_total(gain, rows, columns, row + 1, used | 1u << j);
        if (total > best) best = total;
    }
    return best;
}

static void check_matching(const size_t *gain, size_t rows, size_t columns) {
    int32_t match[8];
    size_t total = 0, matched = 0;
    unsigned used = 0;
    assert_ok(decant__hungarian_match(gain, rows, columns, match));
    for (size_t i = 0; i < rows; i++) {
        if (match[i] < 0) continue;
        assert_true((size_t)match[i] < columns);
        assert_false(used & 1u << match[i]);
        used |= 1u << match[i];
        matched++;
        total += gain[i * columns + (size_t)match[i]];
    }
    assert_int_equal(matched, rows < columns ? rows : columns);
    assert_int_equal(total, best_total(gain, rows, columns, 0, 0));
}

static void test_match_equals_brute_force(void **state) {
    (void)state;
    decant__random random = decant__random_start(1, DECANT__RANDOM_TEST, 0);
    size_t gain[49];
    for (int round = 0; round < 600; round++) {
        size_t rows = 1 + decant__random_below(&random, 7);
        size_t columns = 1 + decant__random_below(&random, 7);
        if (rows > 5 && columns > 5 && round % 8 != 0) rows = 5;
        uint64_t range = round % 3 == 0 ? 3 : 1000;  // a small range: many ties
        for (size_t i = 0; i < rows * columns; i++) gain[i] = decant__random_below(&random, range);
        check_matching(gain, rows, columns);
    }
}

static void test_match_large_diagonal(void **state) {
    (void)state;
    static size_t gain[300 * 300];
    static int32_t match[300];
    for (size_t i = 0; i < 300; i++)
        for (size_t j = 0; j < 300; j++)
            gain[i * 300 + j] = (i + 77) % 300 == j ? 1000 : (i * j) % 999;
    assert_ok(decant__hungarian_match(gain, 300, 300, match));
    for (size_t i = 0; i < 300; i++) assert_int_equal(match[i], (i + 77) % 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match_equals_brute_force),
        cmocka_unit_test(test_match_large_diagonal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
