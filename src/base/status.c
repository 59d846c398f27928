#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* The library's only mutable state, one for each thread. */
static _Thread_local char last_error[1024];

void decant__sentence(char *text, size_t size, const char *format, va_list arguments) {
    decant__format_list(text, size, format, arguments);
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) *text = '?';
}

decant_status decant__fail(decant_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decant__sentence(last_error, sizeof last_error, format, arguments);
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
