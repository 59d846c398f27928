#include "sample.h"

#include "nn/order.h"

enum { N = 23, EPOCHS = 4 };

static void take(size_t n, int shuffle, uint64_t seed, uint64_t phase, uint64_t position,
                 size_t count, uint32_t *rows) {
    decant__order order;
    decant__shards shards;
    assert_ok(decant__order_new(&order, n, shuffle, seed, phase, (decant__parts){0, 16}));
    decant__order_take(&order, position, count, rows, &shards);
    assert_int_equal(shards.begin[DECANT__SHARDS], count);
    decant__order_free(&order);
}

static void test_take_every_row_once_an_epoch(void **state) {
    (void)state;
    for (size_t n = 1; n <= 70; n++) {
        for (int shuffle = 0; shuffle <= 1; shuffle++) {
            uint32_t rows[70], next[70];
            char seen[70] = {0};
            take(n, shuffle, 7, 1, 3 * n, n, rows);
            for (size_t i = 0; i < n; i++) {
                assert_in_range(rows[i], 0, n - 1);
                assert_false(seen[rows[i]]++);
            }
            take(n, shuffle, 7, 1, 4 * n, n, next);
            if (shuffle && n == 70) assert_memory_not_equal(rows, next, sizeof rows);
            if (!shuffle) assert_memory_equal(rows, next, n * sizeof *rows);
        }
    }
}

/* Each shard has rows of its part alone, about as many as the others. */
static void test_take_gives_shards_of_parts(void **state) {
    (void)state;
    enum { ROWS = 1003, COUNT = 256 };
    for (uint64_t position = 0; position < 5 * ROWS; position += 131) {
        decant__order order;
        decant__shards shards;
        uint32_t rows[COUNT];
        assert_ok(decant__order_new(&order, ROWS, 1, 7, 1, (decant__parts){0, 16}));
        decant__order_take(&order, position, COUNT, rows, &shards);
        for (size_t s = 0; s < DECANT__SHARDS; s++) {
            size_t size = shards.begin[s + 1] - shards.begin[s];
            size_t begin = ROWS / DECANT__SHARDS * s + (s < ROWS % 16 ? s : ROWS % 16);
            assert_in_range(size, COUNT / DECANT__SHARDS - 1, COUNT / DECANT__SHARDS + 1);
            for (size_t i = shards.begin[s]; i < shards.begin[s + 1]; i++)
                assert_in_range(rows[i], begin, begin + ROWS / DECANT__SHARDS);
        }
        decant__order_free(&order);
    }
}

static int compare_rows(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A new order gives for any range of positions the rows that one order gives position by position.
 */
static void test_take_from_any_position(void **state) {
    (void)state;
    for (int shuffle = 0; shuffle <= 1; shuffle++) {
        uint32_t rows[N * EPOCHS], some[2 * N], sorted[2 * N];
        decant__order order;
        decant__shards shards;
        assert_ok(decant__order_new(&order, N, shuffle, 7, 1, (decant__parts){0, 16}));
        for (size_t at = 0; at < N * EPOCHS; at++)
            decant__order_take(&order, at, 1, rows + at, &shards);
        for (size_t from = 0; from + 2 * N <= N * EPOCHS; from++) {
            take(N, shuffle, 7, 1, from, 2 * N, some);
            memcpy(sorted, rows + from, sizeof sorted);
            qsort(sorted, 2 * N, sizeof *sorted, compare_rows);
            qsort(some, 2 * N, sizeof *some, compare_rows);
            assert_memory_equal(some, sorted, sizeof some);
        }
        decant__order_take(&order, 3, 1, some, &shards); /* and backwards: a rollback does that */
        assert_memory_equal(some, rows + 3, sizeof *some);
        decant__order_free(&order);
    }
}

/* Without shuffling each part is read from its first row to its last. */
static void test_take_file_order(void **state) {
    (void)state;
    uint32_t rows[64];
    take(64, 0, 7, 1, 0, 64, rows);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(rows[i], i);
    take(64, 0, 7, 1, 32, 16, rows);
    for (uint32_t s = 0; s < 16; s++) assert_int_equal(rows[s], 4 * s + 2);
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
        cmocka_unit_test(test_take_gives_shards_of_parts),
        cmocka_unit_test(test_take_file_order),
        cmocka_unit_test(test_take_differs_by_seed_and_phase),
        cmocka_unit_test(test_take_one_row_and_far_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
