#include "sample.h"

#include "nn/order.h"

enum { N = 23, EPOCHS = 4 };

static void take(size_t n, int shuffle, uint64_t seed, uint64_t phase, uint64_t position,
                 size_t count, uint32_t *rows) {
    decant__order order;
    assert_ok(decant__order_new(&order, n, shuffle, seed, phase));
    decant__order_take(&order, position, count, rows);
    decant__order_free(&order);
}

static void test_take_every_row_once_an_epoch(void **state) {
    (void)state;
    for (int shuffle = 0; shuffle <= 1; shuffle++) {
        uint32_t rows[N * EPOCHS];
        take(N, shuffle, 7, 1, 0, N * EPOCHS, rows);
        for (size_t e = 0; e < EPOCHS; e++) {
            char seen[N] = {0};
            for (size_t i = 0; i < N; i++) {
                assert_in_range(rows[e * N + i], 0, N - 1);
                assert_false(seen[rows[e * N + i]]++);
            }
        }
        if (shuffle) assert_memory_not_equal(rows, rows + N, N * sizeof *rows);
    }
}

/* A new order gives for any range of positions what one order gives batch by batch. */
static void test_take_from_any_position(void **state) {
    (void)state;
    for (int shuffle = 0; shuffle <= 1; shuffle++) {
        uint32_t rows[N * EPOCHS], some[2 * N];
        take(N, shuffle, 7, 1, 0, N * EPOCHS, rows);
        for (size_t from = 0; from + 2 * N <= N * EPOCHS; from++) {
            take(N, shuffle, 7, 1, from, 2 * N, some);
            assert_memory_equal(some, rows + from, sizeof some);
        }
        decant__order order;
        assert_ok(decant__order_new(&order, N, shuffle, 7, 1));
        for (size_t at = 0; at + 5 <= N * EPOCHS; at += 5) {
            decant__order_take(&order, at, 5, some);
            assert_memory_equal(some, rows + at, 5 * sizeof *some);
        }
        decant__order_take(&order, 3, 5, some); /* and backwards: a rollback does that */
        assert_memory_equal(some, rows + 3, 5 * sizeof *some);
        decant__order_free(&order);
    }
}

static void test_take_file_order_wraps(void **state) {
    (void)state;
    uint32_t rows[3 * N];
    take(N, 0, 7, 1, 20, 3 * N, rows);
    for (size_t i = 0; i < 3 * N; i++) assert_int_equal(rows[i], (20 + i) % N);
}

static void test_take_differs_by_seed_and_phase(void **state) {
    (void)state;
    uint32_t base[N], other[N];
    take(N, 1, 7, 1, 0, N, base);
    take(N, 1, 8, 1, 0, N, other);
    assert_memory_not_equal(base, other, sizeof base);
    take(N, 1, 7, 2, 0, N, other);
    assert_memory_not_equal(base, other, sizeof base);
}

static void test_take_one_row_and_far_positions(void **state) {
    (void)state;
    uint32_t rows[4], again[4];
    take(1, 1, 7, 1, 0, 4, rows);
    for (size_t i = 0; i < 4; i++) assert_int_equal(rows[i], 0);
    take(N, 1, 7, 1, (uint64_t)1 << 40, 4, rows);
    take(N, 1, 7, 1, (uint64_t)1 << 40, 4, again);
    assert_memory_equal(rows, again, sizeof rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take_every_row_once_an_epoch),
        cmocka_unit_test(test_take_from_any_position),
        cmocka_unit_test(test_take_file_order_wraps),
        cmocka_unit_test(test_take_differs_by_seed_and_phase),
        cmocka_unit_test(test_take_one_row_and_far_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
