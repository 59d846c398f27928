#include "check.h"

#include "base/random.h"

/* Known answers of Philox 4x32-10 from the Random123 distribution's test vectors: counter 0 and key
 * 0, and all bits set. The purpose sits in the top byte of the last counter word. */
static void test_philox_known_answers(void **state) {
    (void)state;
    uint32_t out[4];
    decant__philox(0, 0, 0, 0, out);
    assert_int_equal(out[0], 0x6627e8d5);
    assert_int_equal(out[1], 0xe169c58d);
    assert_int_equal(out[2], 0xbc57ac4c);
    assert_int_equal(out[3], 0x9b00dbd8);
    decant__philox(UINT64_MAX, (decant__purpose)255, 0xffffffffffffffU, UINT64_MAX, out);
    assert_int_equal(out[0], 0x408f276d);
    assert_int_equal(out[1], 0x41c83b0e);
    assert_int_equal(out[2], 0xa20bc7c6);
    assert_int_equal(out[3], 0x6d5451fd);
}

static void test_normal_moments(void **state) {
    (void)state;
    decant__random random = decant__random_start(7, DECANT__RANDOM_TEST, 0);
    double sum = 0, squares = 0;
    enum { N = 200000 };
    for (int i = 0; i < N; i++) {
        double x = decant__random_normal(&random);
        sum += x;
        squares += x * x;
    }
    assert_near(sum / N, 0, 0.01);
    assert_near(squares / N, 1, 0.02);
}

static void test_below_is_uniform(void **state) {
    (void)state;
    decant__random random = decant__random_start(1, DECANT__RANDOM_TEST, 3);
    size_t count[7] = {0};
    for (int i = 0; i < 70000; i++) count[decant__random_below(&random, 7)]++;
    for (int j = 0; j < 7; j++) assert_near(count[j], 10000, 400);
}

static void test_permutation_holds_every_index_once(void **state) {
    (void)state;
    enum { N = 1000 };
    uint32_t order[N];
    char seen[N] = {0};
    decant__random random = decant__random_start(5, DECANT__RANDOM_ORDER, 1);
    decant__random_permutation(&random, N, order);
    size_t in_place = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true(order[i] < N && !seen[order[i]]);
        seen[order[i]] = 1;
        in_place += order[i] == i;
    }
    assert_true(in_place < 20);
}

/* Each of the six orders of three elements, one time in six: 1000 +- 29 (one deviation). */
static void test_permutation_is_uniform(void **state) {
    (void)state;
    size_t count[3][3] = {{0}};
    for (uint64_t step = 0; step < 6000; step++) {
        uint32_t order[3];
        decant__random random = decant__random_start(5, DECANT__RANDOM_ORDER, step);
        decant__random_permutation(&random, 3, order);
        count[order[0]][order[1]]++;
    }
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) assert_near(count[a][b], a == b ? 0 : 1000, 150);
}

static void test_streams_differ_by_seed_purpose_and_step(void **state) {
    (void)state;
    uint32_t base[4], other[4];
    decant__philox(1, DECANT__RANDOM_ORDER, 1, 0, base);
    decant__philox(2, DECANT__RANDOM_ORDER, 1, 0, other);
    assert_memory_not_equal(base, other, sizeof base);
    decant__philox(1, DECANT__RANDOM_DROPOUT, 1, 0, other);
    assert_memory_not_equal(base, other, sizeof base);
    decant__philox(1, DECANT__RANDOM_ORDER, 2, 0, other);
    assert_memory_not_equal(base, other, sizeof base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answers),
        cmocka_unit_test(test_normal_moments),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_permutation_holds_every_index_once),
        cmocka_unit_test(test_permutation_is_uniform),
        cmocka_unit_test(test_streams_differ_by_seed_purpose_and_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
