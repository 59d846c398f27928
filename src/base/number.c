/* A number is first parsed into mantissa * 10^exponent. Up to 2^53 and 10^22 both are exact
 * doubles, so one multiplication or division rounds correctly (Clinger, PLDI 1990). For a float, a
 * mantissa of up to 19 digits is enough, unless the value is so close to the midpoint of two floats
 * that the rounding errors matter. All other numbers are converted by strtod, written without a
 * decimal point
 * ("15e-1") so that the locale does not matter. */
#include "base/number.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <string.h>

typedef struct decimal {
    const char *digits, *digits_end; /* with at most one point among them */
    uint64_t mantissa;               /* valid if there are at most 19 significant digits */
    size_t significant;
    long exponent; /* of mantissa */
    long power;    /* the number after the e */
    int negative;
} decimal;

enum { MAX_DIGITS = 19, LARGEST_POWER = 100000, DECIDING_DIGITS = 770 };

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int is_digit(char c) { return (unsigned char)(c - '0') <= 9; }

static void scan_digits(decimal *number, const char **text, const char *end, long step) {
    const char *p = *text;
    for (; p < end && is_digit(*p); p++) {
        number->mantissa = number->mantissa * 10 + (unsigned char)(*p - '0');
        number->significant += number->mantissa != 0 || number->significant != 0;
        number->exponent += step;
    }
    *text = p;
}

/* Reads e, sign and digits; if they are not complete, reads nothing. */
static void scan_power(decimal *number, const char **text, const char *end) {
    const char *p = *text + 1;
    int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return;
    for (; p < end && is_digit(*p); p++)
        if (number->power < LARGEST_POWER) number->power = number->power * 10 + (*p - '0');
    if (negative) number->power = -number->power;
    number->exponent += number->power;
    *text = p;
}

static const char *scan_decimal(decimal *number, const char *text, const char *end, char mark) {
    *number = (decimal){0};
    if (text < end && (*text == '-' || *text == '+')) number->negative = *text++ == '-';
    const char *p = text;
    number->digits = text;
    scan_digits(number, &p, end, 0);
    size_t count = (size_t)(p - text);
    if (p < end && *p == mark) {
        const char *fraction = ++p;
        scan_digits(number, &p, end, -1);
        count += (size_t)(p - fraction);
    }
    number->digits_end = p;
    if (count == 0) return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) scan_power(number, &p, end);
    return p;
}

/* 767 digits are enough to decide how a double is rounded; of the digits after them it only matters
 * whether one is not zero. */
static double convert_slowly(const decimal *number) {
    char text[DECIDING_DIGITS + 40];
    size_t length = 0;
    long exponent = number->power;
    int after_point = 0, rest = 0;
    for (const char *p = number->digits; p < number->digits_end; p++) {
        if (!is_digit(*p)) {
            after_point = 1;
        } else if (length < DECIDING_DIGITS) {
            if (length > 0 || *p != '0') text[length++] = *p;
            exponent -= after_point;
        } else {
            rest |= *p != '0';
            exponent += !after_point;
        }
    }
    if (rest) {
        text[length++] = '1';
        exponent--;
    }
    if (length == 0) text[length++] = '0';
    snprintf(text + length, sizeof text - length, "e%ld", exponent);
    return strtod(text, NULL);
}

static int convert_exactly(const decimal *number, double *value) {
    if (number->significant > MAX_DIGITS || number->mantissa > (uint64_t)1 << 53) return 0;
    if (number->exponent < -22 || number->exponent > 22) return 0;
    double mantissa = (double)number->mantissa;
    *value = number->exponent < 0 ? mantissa / power_of_ten[-number->exponent]
                                  : mantissa * power_of_ten[number->exponent];
    return 1;
}

/* Two roundings, each off by at most 2^-53, before the one to float. */
static int convert_nearly(const decimal *number, float *value) {
    if (number->significant > MAX_DIGITS) return 0;
    if (number->exponent < -22 || number->exponent > 22) return 0;
    double mantissa = (double)number->mantissa;
    double middle = number->exponent < 0 ? mantissa / power_of_ten[-number->exponent]
                                         : mantissa * power_of_ten[number->exponent];
    float low = (float)(middle * (1 - 0x1p-50)), high = (float)(middle * (1 + 0x1p-50));
    *value = low;
    return low == high;
}

/* nan, inf and infinity: read as numbers, so that the error message can say "not finite". */
static const char *parse_word(const char *text, const char *end, double *value) {
    static const char *const words[] = {"infinity", "inf", "nan"};
    int negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+')) text++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - text) < length || strncasecmp(text, words[i], length) != 0) continue;
        *value = words[i][0] == 'n' ? (double)NAN : negative ? -HUGE_VAL : HUGE_VAL;
        return text + length;
    }
    return NULL;
}

/* The mantissa m of up to 19 digits as high + low, both exact. With p = 10^|exponent|, also exact,
 * q = high / p and its exact remainder r, the number is q + (r + low) / p; the last division and
 * sum have small errors, so the rounding is certain unless it changes with them. */
static int convert_closely(const decimal *number, double *value) {
    if (number->significant > MAX_DIGITS || number->exponent < -22 || number->exponent > 22)
        return 0;
    double high = (double)(number->mantissa & ~(uint64_t)0xfff);
    double low = (double)(number->mantissa & 0xfff), sum, rest;
    if (number->exponent < 0) {
        double p = power_of_ten[-number->exponent];
        sum = high / p;
        rest = (fma(-sum, p, high) + low) / p;
    } else {
        double p = power_of_ten[number->exponent];
        sum = high * p;
        rest = fma(high, p, -sum) + low * p;
    }
    double slack = fabs(rest) * 0x1p-48;
    *value = sum + rest;
    return sum + (rest - slack) == sum + (rest + slack);
}

const char *decant__number_parse_marked(const char *text, const char *end, char mark,
                                        double *value) {
    decimal number;
    const char *stop = scan_decimal(&number, text, end, mark);
    if (stop == NULL) return parse_word(text, end, value);
    double magnitude;
    if (!convert_exactly(&number, &magnitude) && !convert_closely(&number, &magnitude))
        magnitude = convert_slowly(&number);
    *value = number.negative ? -magnitude : magnitude;
    return stop;
}

const char *decant__number_parse(const char *text, const char *end, double *value) {
    return decant__number_parse_marked(text, end, '.', value);
}

const char *decant__number_parse_float(const char *text, const char *end, float *value) {
    decimal number;
    const char *stop = scan_decimal(&number, text, end, '.');
    double magnitude;
    float rounded;
    if (stop == NULL) {
        stop = parse_word(text, end, &magnitude);
        if (stop != NULL) *value = (float)magnitude;
        return stop;
    }
    if (convert_exactly(&number, &magnitude))
        rounded = (float)magnitude;
    else if (!convert_nearly(&number, &rounded))
        rounded = (float)convert_slowly(&number);
    *value = number.negative ? -rounded : rounded;
    return stop;
}

int decant__number_is(const char *text, size_t length, double *value) {
    const char *stop = decant__number_parse(text, text + length, value);
    return stop == text + length && length > 0;
}

/* ---- the C locale, on one thread ---- */

static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

/* "C" needs no memory in glibc and musl. If it failed, uselocale(0) would change nothing. */
static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t decant__c_locale_enter(void) {
    pthread_once(&c_locale_once, make_c_locale);
    return uselocale(c_locale);
}

void decant__c_locale_leave(locale_t saved) { uselocale(saved); }

int decant__number_read(const char *text, double *value) {
    char *end;
    locale_t saved = decant__c_locale_enter();
    *value = strtod(text, &end);
    decant__c_locale_leave(saved);
    return end != text && *end == '\0';
}

int decant__format_list(char *text, size_t size, const char *format, va_list arguments) {
    locale_t saved = decant__c_locale_enter();
    int count = vsnprintf(text, size, format, arguments);
    decant__c_locale_leave(saved);
    return count;
}

int decant__format(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = decant__format_list(text, size, format, arguments);
    va_end(arguments);
    return count;
}

void decant__number_print(double value, char *text, size_t size) {
    if (fabs(value) < 1e15 && value == floor(value)) {
        decant__format(text, size, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        double again;
        decant__format(text, size, "%.*g", digits, value);
        if (decant__number_read(text, &again) && again == value) return;
    }
}
