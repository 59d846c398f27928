/* A locale with a decimal comma, for the time of a test. CMake builds it and passes its path;
 * where it cannot be built, such tests are skipped. */
#ifndef DECANT_TESTS_LOCALE_OF_TEST_H
#define DECANT_TESTS_LOCALE_OF_TEST_H

#include <locale.h>
#include <stdlib.h>

#include "check.h"

static inline const char *test_locale(void) {
    const char *name = getenv("DECANT_TEST_LOCALE");
    if (name == NULL || name[0] == '\0') skip();
    return name;
}

/* Without a decimal comma the test would prove nothing. */
static inline void enter_test_locale(void) {
    char text[8];
    assert_non_null(setlocale(LC_ALL, test_locale()));
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

static inline void leave_test_locale(void) { setlocale(LC_ALL, "C"); }

#endif
