#include "check.h"

#include <float.h>
#include <xxhash.h>

#include "base/elementary.h"
#include "base/random.h"
#include "elementary_reference.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The unit in the last place of a finite number. */
static double last_place(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, (exponent < DBL_MIN_EXP ? DBL_MIN_EXP : exponent) - DBL_MANT_DIG);
}

#define ASSERT_TABLE(table, result, most)                                         \
    do {                                                                          \
        for (size_t i_ = 0; i_ < COUNT(table); i_++) {                            \
            const double x = (table)[i_].x, y = (table)[i_].y;                    \
            const double nearest = (table)[i_].nearest;                           \
            (void)y;                                                              \
            double apart = ((result)-nearest) / last_place(nearest);              \
            double error = fabs(apart - (table)[i_].rest);                        \
            if (!(error < (most))) {                                              \
                print_error("%s: %.3f units at (%a, %a)\n", #table, error, x, y); \
                fail();                                                           \
            }                                                                     \
        }                                                                         \
    } while (0)

static void test_values_of_the_table(void **state) {
    (void)state;
    ASSERT_TABLE(exp_values, decant__exp(x), 0.8);
    ASSERT_TABLE(log_values, decant__log(x), 0.501);
    ASSERT_TABLE(pow_values, decant__pow(x, y), 0.8);
    ASSERT_TABLE(cos_values, decant__cos_turns(x), 0.8);
    ASSERT_TABLE(sin_values, decant__sin_turns(x), 0.8);
}

/* ---- many arguments ---- */

static double uniform(decant__random *random, double low, double high) {
    return low + (high - low) * decant__random_uniform(random);
}

/* Positive, of any size; or near 1. */
static double any_positive(decant__random *random) {
    int exponent = (int)decant__random_below(random, 2000) - 1000;
    double mantissa = uniform(random, 1, 2);
    return ldexp(mantissa, exponent);
}

static double near_one(decant__random *random) {
    int exponent = -1 - (int)decant__random_below(random, 45);
    double mantissa = uniform(random, -1, 1);
    return 1 + ldexp(mantissa, exponent);
}

/* The error of a result in units in the last place. */
static double units(double result, long double truth) {
    return (double)fabsl(((long double)result - truth) / (long double)last_place((double)truth));
}

/* Where long double has more digits, the C library's functions for it are the truth. */
static void test_errors_over_many_arguments(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    enum { MANY = 200000 };
    const long double two_pi = 6.283185307179586476925286766559005768L;
    double worst[4] = {0};
    decant__random random = decant__random_start(3, DECANT__RANDOM_TEST, 1);
    for (int i = 0; i < MANY; i++) {
        double x = i % 2 ? uniform(&random, -745, 709) : uniform(&random, -2, 2);
        worst[0] = fmax(worst[0], units(decant__exp(x), expl((long double)x)));
        x = i % 2 ? any_positive(&random) : near_one(&random);
        worst[1] = fmax(worst[1], units(decant__log(x), logl((long double)x)));
        double y = uniform(&random, -740, 700) / decant__log(x);
        worst[2] = fmax(worst[2], units(decant__pow(x, y), powl((long double)x, (long double)y)));
        x = uniform(&random, -0.125, 0.125);
        worst[3] = fmax(worst[3], units(decant__cos_turns(x), cosl(two_pi * (long double)x)));
        worst[3] = fmax(worst[3], units(decant__sin_turns(x), sinl(two_pi * (long double)x)));
    }
    print_message(
        "largest errors in units in the last place: exp %.3f, log %.4f, pow %.3f, "
        "cos and sin %.3f\n",
        worst[0], worst[1], worst[2], worst[3]);
    assert_true(worst[0] < 0.8 && worst[1] < 0.501 && worst[2] < 0.8 && worst[3] < 0.81);
}

/* ---- special cases ---- */

static void assert_same(double result, double expected) {
    if (isnan(expected) && isnan(result)) return;
    if (result == expected && !signbit(result) == !signbit(expected)) return;
    print_error("%a, expected %a\n", result, expected);
    fail();
}

static void test_exp_special_cases(void **state) {
    (void)state;
    assert_same(decant__exp(0), 1);
    assert_same(decant__exp(-0.0), 1);
    assert_same(decant__exp(HUGE_VAL), HUGE_VAL);
    assert_same(decant__exp(-HUGE_VAL), 0);
    assert_same(decant__exp(NAN), NAN);
    assert_same(decant__exp(709.782712893384), 0x1.fffffffffff2ap+1023);
    assert_same(decant__exp(709.782712893385), HUGE_VAL);
    assert_same(decant__exp(1e300), HUGE_VAL);
    assert_same(decant__exp(-745.1332191019411), 0x1p-1074);
    assert_same(decant__exp(-745.1332191019412), 0);
    assert_same(decant__exp(-1e300), 0);
    assert_same(decant__exp(0x1p-1074), 1);
}

static void test_log_special_cases(void **state) {
    (void)state;
    assert_same(decant__log(1), 0);
    assert_same(decant__log(0), -HUGE_VAL);
    assert_same(decant__log(-0.0), -HUGE_VAL);
    assert_same(decant__log(-1), NAN);
    assert_same(decant__log(-HUGE_VAL), NAN);
    assert_same(decant__log(HUGE_VAL), HUGE_VAL);
    assert_same(decant__log(NAN), NAN);
    assert_same(decant__log(2), 0x1.62e42fefa39efp-1);
}

static void test_pow_special_cases(void **state) {
    (void)state;
    static const double cases[][3] = {
        {NAN, 0, 1},
        {1, NAN, 1},
        {NAN, 1, NAN},
        {2, NAN, NAN},
        {0, 3, 0},
        {-0.0, 3, -0.0},
        {-0.0, 2, 0},
        {0, -2, HUGE_VAL},
        {-0.0, -3, -HUGE_VAL},
        {-0.0, -2.5, HUGE_VAL},
        {-1, HUGE_VAL, 1},
        {-1, -HUGE_VAL, 1},
        {0.5, HUGE_VAL, 0},
        {0.5, -HUGE_VAL, HUGE_VAL},
        {2, HUGE_VAL, HUGE_VAL},
        {-2, -HUGE_VAL, 0},
        {HUGE_VAL, 0.5, HUGE_VAL},
        {HUGE_VAL, -1, 0},
        {-HUGE_VAL, 3, -HUGE_VAL},
        {-HUGE_VAL, 2, HUGE_VAL},
        {-HUGE_VAL, -3, -0.0},
        {-HUGE_VAL, 0.5, HUGE_VAL},
        {-8, 1.0 / 3, NAN},
        {-2, 3, -8},
        {-2, 2, 4},
        {2, 10, 1024},
        {2, 1024, HUGE_VAL},
        {2, -1075, 0},
        {2, -1074, 0x1p-1074},
        {-2, 0x1p60, HUGE_VAL},
        {3, 1e300, HUGE_VAL},
        {3, -1e300, 0},
        {0x1.fffffffffffffp-1, 1e300, 0},
        {7, 1e-300, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_same(decant__pow(cases[i][0], cases[i][1]), cases[i][2]);
}

static void test_turns_special_cases(void **state) {
    (void)state;
    static const double at[] = {0, 0.25, 0.5, 0.75, 1, -0.25, -0.5, 5.25, 0x1p60};
    static const double cosine[] = {1, 0, -1, 0, 1, 0, -1, 0, 1};
    static const double sine[] = {0, 1, 0, -1, 0, -1, 0, 1, 0};
    for (size_t i = 0; i < COUNT(at); i++) {
        assert_same(decant__cos_turns(at[i]), cosine[i]);
        assert_same(decant__sin_turns(at[i]), sine[i]);
    }
    assert_same(decant__cos_turns(HUGE_VAL), NAN);
    assert_same(decant__sin_turns(NAN), NAN);
}

/* Steps of one unit in the last place where a series or a table row begins. */
static void assert_rises(double (*function)(double), double x) {
    for (int i = 0; i < 1000; i++) x = nextafter(x, -HUGE_VAL);
    for (int i = 0; i < 2000; i++) {
        double next = nextafter(x, HUGE_VAL);
        assert_true(function(next) >= function(x));
        x = next;
    }
}

static void test_exp_and_log_never_fall(void **state) {
    (void)state;
    for (int n = -1070; n < 1023; n += 7) assert_rises(decant__exp, (n + 0.5) * 0.6931471805599453);
    assert_rises(decant__exp, 0);
    for (int i = 180; i < 364; i++) assert_rises(decant__log, i / 256.0);
    assert_rises(decant__log, 1.4140625);
    assert_rises(decant__log, 2.828125);
}

/* ---- the same everywhere ---- */

static void test_exp_each_equals_exp(void **state) {
    (void)state;
    enum { MOST = 67 };
    decant__random random = decant__random_start(3, DECANT__RANDOM_TEST, 2);
    for (size_t count = 0; count <= MOST; count++) {
        double x[MOST], expected[MOST];
        for (size_t i = 0; i < count; i++) {
            x[i] = uniform(&random, -760, 715);
            expected[i] = decant__exp(x[i]);
        }
        decant__exp_each(x, count);
        assert_memory_equal(x, expected, count * sizeof *x);
    }
}

/* The bits of 100 000 values of each function. Another digest on another machine or by another
 * compiler is a fault; a change of src/base/elementary.c that is meant renews it. */
static void test_bits_are_those_of_every_machine(void **state) {
    (void)state;
    enum { MANY = 100000 };
    static const uint64_t expected = UINT64_C(0xdb06c1f03d170067);
    decant__random random = decant__random_start(3, DECANT__RANDOM_TEST, 4);
    uint64_t hash = 0;
    for (int i = 0; i < MANY; i++) {
        double x = i % 2 ? any_positive(&random) : near_one(&random);
        double turns = uniform(&random, -2, 2), power = uniform(&random, -746, 710);
        double value[] = {decant__exp(power),
                          decant__log(x),
                          decant__pow(x, power / decant__log(x)),
                          decant__cos_turns(turns),
                          decant__sin_turns(turns),
                          decant__random_normal(&random)};
        hash = XXH3_64bits_withSeed(value, sizeof value, hash);
    }
    if (hash != expected) print_error("digest 0x%016llx\n", (unsigned long long)hash);
    assert_true(hash == expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_the_table),
        cmocka_unit_test(test_errors_over_many_arguments),
        cmocka_unit_test(test_exp_special_cases),
        cmocka_unit_test(test_log_special_cases),
        cmocka_unit_test(test_pow_special_cases),
        cmocka_unit_test(test_turns_special_cases),
        cmocka_unit_test(test_exp_and_log_never_fall),
        cmocka_unit_test(test_exp_each_equals_exp),
        cmocka_unit_test(test_bits_are_those_of_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
