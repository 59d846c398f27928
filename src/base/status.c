#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* The library's only mutable state, one for each thread. */
static _Thread_local char last_error[1024];

decant_status decant__fail(decant_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decant__format_list(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

decant_status decant__fail_in(decant_status status, const char *prefix) {
    char sentence[sizeof last_error];
    memcpy(sentence, last_error, sizeof sentence);
    snprintf(last_error, sizeof last_error, "%.300s: %.700s", prefix, sentence);
    return status;
}

const char *decant_last_error(void) { return last_error; }

const char *decant_version(void) { return DECANT_VERSION; }
