#include "check.h"

#include "base/lanes.h"
#include "base/random.h"

enum { MOST = 100 };

/* Numbers of many sizes, whose sum depends on the order. */
static void fill(float *x, uint64_t step) {
    decant__random random = decant__random_start(11, DECANT__RANDOM_TEST, step);
    for (size_t j = 0; j < MOST; j++) {
        double u = decant__random_uniform(&random) - 0.5;
        x[j] = (float)ldexp(u, (int)decant__random_below(&random, 12));
    }
}

/* The rule of the header, one addition at a time: volatile keeps them in this order. */
static float float_by_rule(const float *a, const float *b, size_t count) {
    volatile float lane[FLOAT_LANES] = {0};
    for (size_t j = 0; j < count; j++) lane[j % FLOAT_LANES] += a[j] * b[j];
    for (size_t half = FLOAT_LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

static double double_by_rule(const float *a, const float *b, size_t count) {
    volatile double lane[DOUBLE_LANES] = {0};
    for (size_t j = 0; j < count; j++) lane[j % DOUBLE_LANES] += (double)a[j] * (double)b[j];
    for (size_t half = DOUBLE_LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

static void test_sums_are_in_the_order_of_the_rule(void **state) {
    (void)state;
    float a[MOST], b[MOST];
    for (size_t count = 0; count <= MOST; count++) {
        fill(a, 2 * count);
        fill(b, 2 * count + 1);
        float sum, expected = float_by_rule(a, b, count);
        LANES_SUM_FLOAT(sum, j, count, a[j] * b[j]);
        assert_memory_equal(&sum, &expected, sizeof sum);
        double wide, expected_wide = double_by_rule(a, b, count);
        LANES_SUM_DOUBLE(wide, j, count, (double)a[j] * (double)b[j]);
        assert_memory_equal(&wide, &expected_wide, sizeof wide);
    }
}

static void test_several_sums_in_one_loop(void **state) {
    (void)state;
    float a[MOST], b[MOST];
    fill(a, 1000);
    fill(b, 1001);
    for (size_t count = 0; count <= MOST; count++) {
        float product[FLOAT_LANES] = {0}, square[FLOAT_LANES] = {0};
        LANES_FOR(FLOAT_LANES, l, j, count, {
            product[l] += a[j] * b[j];
            square[l] += b[j] * b[j];
        })
        float first = decant__lanes_sum_float(product), second = decant__lanes_sum_float(square);
        float expected_first = float_by_rule(a, b, count);
        float expected_second = float_by_rule(b, b, count);
        assert_memory_equal(&first, &expected_first, sizeof first);
        assert_memory_equal(&second, &expected_second, sizeof second);
    }
}

/* Else the tests above would pass for any order. */
static void test_the_order_matters(void **state) {
    (void)state;
    size_t other = 0;
    float a[MOST], b[MOST];
    for (size_t step = 0; step < 100; step++) {
        fill(a, 2 * step);
        fill(b, 2 * step + 1);
        volatile float in_turn = 0;
        for (size_t j = 0; j < MOST; j++) in_turn += a[j] * b[j];
        other += in_turn != float_by_rule(a, b, MOST);
    }
    assert_true(other > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_are_in_the_order_of_the_rule),
        cmocka_unit_test(test_several_sums_in_one_loop),
        cmocka_unit_test(test_the_order_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
