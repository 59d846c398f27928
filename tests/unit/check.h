/* Included by every unit test: cmocka with its prerequisites, and comparisons of arrays. */
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

/* A sparse dataset of arrays as the library itself has them. */
static inline decant_status csr_dataset(const size_t *start, const uint32_t *column,
                                        const float *value, size_t n, size_t d,
                                        decant_dataset **data) {
    const decant_csr csr = {.rows = n,
                            .columns = d,
                            .nonzeros = start[n],
                            .start = start,
                            .column = column,
                            .value = value,
                            .start_type = DECANT_INT64,
                            .column_type = DECANT_INT32,
                            .value_type = DECANT_FLOAT32};
    return decant_dataset_from_csr(&csr, data);
}

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
