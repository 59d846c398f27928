/* What every unit test includes: cmocka with its prerequisites, and comparisons of arrays. */
#ifndef DECANT_TESTS_CHECK_H
#define DECANT_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decant/decant.h"

/* A call that must work; prints the library's sentence when it does not. */
#define assert_ok(expression)                                               \
    do {                                                                    \
        decant_status status_ = (expression);                               \
        if (status_ != DECANT_OK) print_error("%s\n", decant_last_error()); \
        assert_int_equal(status_, DECANT_OK);                               \
    } while (0)

/* A call that must fail with this status and a sentence that contains this text. */
#define assert_fails(expression, expected, text)                                               \
    do {                                                                                       \
        assert_int_equal((expression), (expected));                                            \
        if (strstr(decant_last_error(), (text)) == NULL) {                                     \
            print_error("message was: %s\nexpected in it: %s\n", decant_last_error(), (text)); \
            fail();                                                                            \
        }                                                                                      \
    } while (0)

#define assert_near(a, b, tolerance)                                             \
    do {                                                                         \
        double a_ = (double)(a), b_ = (double)(b);                               \
        if (!(fabs(a_ - b_) <= (double)(tolerance))) {                           \
            print_error("%s = %.9g, expected %.9g (tolerance %g)\n", #a, a_, b_, \
                        (double)(tolerance));                                    \
            fail();                                                              \
        }                                                                        \
    } while (0)

/* Largest absolute difference of two float arrays; infinite if any is NaN. */
static inline double largest_difference(const float *a, const float *b, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        if (!(difference <= largest)) largest = isnan(difference) ? HUGE_VAL : difference;
    }
    return largest;
}

#endif
