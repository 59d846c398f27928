#include "sample.h"

#include "nn/optimizer.h"

enum { COUNT = 3, STEPS = 4 };

/* Gradients of four steps on three parameters, and where the parameters must be after each one:
 * worked out in double precision by tests/data/gen_optimizer.py. */
#include "../data/optimizer_reference.h"

static void check_steps(decant_optimizer kind, double rate, double momentum,
                        const double expected[STEPS][COUNT]) {
    float params[COUNT] = {1.0F, -2.0F, 0.5F}, first[COUNT] = {0}, second[COUNT] = {0};
    decant__optimizer optimizer = {
        .kind = kind, .params = params, .moment1 = first, .moment2 = second, .bias_rate = 1};
    for (size_t t = 0; t < STEPS; t++) {
        float grads[COUNT];
        for (size_t i = 0; i < COUNT; i++) grads[i] = (float)reference_gradients[t][i];
        decant__optimizer_step(&optimizer, t, rate, momentum);
        decant__optimizer_apply(&optimizer, grads, 0, COUNT, 1);
        for (size_t i = 0; i < COUNT; i++) assert_near(params[i], expected[t][i], 2e-6);
    }
}

static void test_apply_sgd_reference(void **state) {
    (void)state;
    check_steps(DECANT_OPTIMIZER_SGD, 0.1, 0.9, reference_sgd);
}

static void test_apply_adam_reference(void **state) {
    (void)state;
    check_steps(DECANT_OPTIMIZER_ADAM, 0.01, 0.9, reference_adam);
}

/* Only the given piece changes, and scale multiplies the rate. */
static void test_apply_piece_and_scale(void **state) {
    (void)state;
    float params[6] = {1, 1, 1, 1, 1, 1}, first[6] = {0}, grads[6] = {1, 1, 1, 1, 1, 1};
    decant__optimizer optimizer = {
        .kind = DECANT_OPTIMIZER_SGD, .params = params, .moment1 = first};
    decant__optimizer_step(&optimizer, 0, 0.125, 0.5);
    decant__optimizer_apply(&optimizer, grads, 2, 3, 2);
    const float expected[6] = {1, 1, 0.75F, 0.75F, 0.75F, 1};
    assert_true(largest_difference(params, expected, 6) == 0);
    decant__optimizer_apply(&optimizer, grads, 2, 3, 2);
    assert_true(params[2] == 0.375F); /* v = 0.5 * 0.25 + 0.25 */
}

/* The weights of a wide first layer take smaller steps, whatever the optimizer. */
static void test_apply_wide(void **state) {
    (void)state;
    float params[4] = {0}, first[4] = {0}, second[4] = {0}, grads[4] = {3, 3, 3, 3};
    decant__optimizer optimizer = {.kind = DECANT_OPTIMIZER_ADAM,
                                   .params = params,
                                   .moment1 = first,
                                   .moment2 = second,
                                   .wide = 2,
                                   .wide_rate = 0.25F};
    decant__optimizer_step(&optimizer, 0, 0.01, 0);
    decant__optimizer_apply(&optimizer, grads, 0, 2, 1);
    decant__optimizer_apply(&optimizer, grads, 2, 2, 1);
    assert_near(params[0], -0.0025, 1e-7);
    assert_near(params[1], -0.0025, 1e-7);
    assert_near(params[2], -0.01, 1e-7);
    assert_near(params[3], -0.01, 1e-7);
}

/* However large or small the gradient, Adam's first step is the rate. */
static void test_apply_adam_first_step_is_the_rate(void **state) {
    (void)state;
    float params[3] = {0}, first[3] = {0}, second[3] = {0}, grads[3] = {1e4F, -1e-4F, 0};
    decant__optimizer optimizer = {
        .kind = DECANT_OPTIMIZER_ADAM, .params = params, .moment1 = first, .moment2 = second};
    decant__optimizer_step(&optimizer, 0, 0.01, 0);
    decant__optimizer_apply(&optimizer, grads, 0, 3, 1);
    assert_near(params[0], -0.01, 1e-6);
    assert_near(params[1], 0.01, 1e-5);
    assert_true(params[2] == 0);
}

/* Without a gradient the moments end at 0: they do not stay subnormal, which is slow. */
static void test_apply_moments_end_at_zero(void **state) {
    (void)state;
    const decant_optimizer kinds[2] = {DECANT_OPTIMIZER_SGD, DECANT_OPTIMIZER_ADAM};
    for (int k = 0; k < 2; k++) {
        float params[1] = {1}, first[1] = {1e-3F}, second[1] = {1e-25F}, none[1] = {1e-20F};
        decant__optimizer optimizer = {
            .kind = kinds[k], .params = params, .moment1 = first, .moment2 = second};
        for (size_t t = 0; t < 20000; t++) {
            decant__optimizer_step(&optimizer, t, k == 0 ? 1e-20 : 1e-3, 0.9);
            decant__optimizer_apply(&optimizer, none, 0, 1, 1);
            assert_true(first[0] == 0 || first[0] > 1e-38F);
            assert_true(second[0] == 0 || second[0] > 1e-38F);
        }
        assert_true(first[0] == 0 && (k == 0 || second[0] == 0));
    }
}

static void test_rate_one_cycle_values(void **state) {
    (void)state;
    assert_near(decant__rate_one_cycle(2, 0, 1000), 2.0 / 25, 1e-12);
    assert_near(decant__rate_one_cycle(2, 125, 1000), 2 * 0.52, 1e-12);
    assert_near(decant__rate_one_cycle(2, 250, 1000), 2, 1e-12);
    assert_near(decant__rate_one_cycle(2, 500, 1000), 1.5, 1e-12); /* cos(pi/3) = 1/2 */
    assert_near(decant__rate_one_cycle(2, 625, 1000), 1, 1e-12);
    assert_near(decant__rate_one_cycle(2, 1000, 1000), 0, 1e-12);
    for (size_t t = 1; t < 1000; t++) {
        double before = decant__rate_one_cycle(1, t - 1, 1000);
        double here = decant__rate_one_cycle(1, t, 1000);
        assert_true(here > 0 && (t <= 250 ? here > before : here < before));
    }
    for (size_t steps = 1; steps < 6; steps++) /* short runs have a usable rate too */
        for (size_t t = 0; t < steps; t++) assert_true(decant__rate_one_cycle(1, t, steps) > 0);
}

static void test_rate_step_decay_values(void **state) {
    (void)state;
    assert_near(decant__rate_step_decay(0.1, 0, 20000), 0.1, 1e-15);
    assert_near(decant__rate_step_decay(0.1, 19999, 20000), 0.1, 1e-15);
    assert_near(decant__rate_step_decay(0.1, 20000, 20000), 0.01, 1e-15);
    assert_near(decant__rate_step_decay(0.1, 59999, 20000), 0.001, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply_sgd_reference),
        cmocka_unit_test(test_apply_adam_reference),
        cmocka_unit_test(test_apply_piece_and_scale),
        cmocka_unit_test(test_apply_wide),
        cmocka_unit_test(test_apply_adam_first_step_is_the_rate),
        cmocka_unit_test(test_apply_moments_end_at_zero),
        cmocka_unit_test(test_rate_one_cycle_values),
        cmocka_unit_test(test_rate_step_decay_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
