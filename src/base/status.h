/* Error handling: a function that fails returns a status and stores a sentence for
 * decant_last_error(). */
#ifndef DECANT_BASE_STATUS_H
#define DECANT_BASE_STATUS_H

#include "decant/decant.h"

#if defined(__GNUC__)
#define DECANT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DECANT_PRINTF(text, first)
#endif

/* Stores the sentence and returns the status, so that failing is one line. */
decant_status decant__fail(decant_status status, const char *format, ...) DECANT_PRINTF(2, 3);

/* Puts "prefix: " before the stored sentence and returns status; for callers that know the file or
 * the phase when the callee does not. */
decant_status decant__fail_in(decant_status status, const char *prefix);

/* At the beginning of a public function. */
#define REQUIRE(argument)                                                                       \
    do {                                                                                        \
        if ((argument) == NULL)                                                                 \
            return decant__fail(DECANT_EINVAL, "%s: %s must not be NULL", __func__, #argument); \
    } while (0)

/* Inside a function with `decant_status status = DECANT_OK;` and a label `done:`. */
#define TRY(expression)                     \
    do {                                    \
        status = (expression);              \
        if (status != DECANT_OK) goto done; \
    } while (0)

#endif
