#include "table/cell.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

static int is_one_of(const char *text, size_t length, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0) return 1;
    return 0;
}

int decant__cell_missing(const char *text, size_t length) {
    static const char *const words[] = {"",     "na",  "n/a", "nan",  "null", "none",
                                        "?",    "-",   "--",  "#n/a", "<na>", "nat",
                                        "n.a.", "nil", ".",   "#na",  "\\n",  "#null!"};
    /* Errors of sheets, and what databases write. */
    static const char *const longer[] = {"#div/0!", "#value!", "#ref!",      "#name?",
                                         "#num!",   "(null)",  "0000-00-00", "0000-00-00 00:00:00"};
    if (length <= 6 && is_one_of(text, length, words, sizeof words / sizeof *words)) return 1;
    return length >= 5 && (text[0] == '#' || text[0] == '(' || text[0] == '0') &&
           is_one_of(text, length, longer, sizeof longer / sizeof *longer);
}

int decant__cell_yes_no(const char *text, size_t length) {
    static const char *const yes[] = {"yes", "true", "y",         "t",   "on",   "ja",
                                      "oui", "si",   "s\xc3\xad", "sim", "wahr", "vrai"};
    static const char *const no[] = {"no",  "false", "n",          "f",      "off", "nein",
                                     "non", "nao",   "n\xc3\xa3o", "falsch", "faux"};
    if (is_one_of(text, length, yes, sizeof yes / sizeof *yes)) return 1;
    return is_one_of(text, length, no, sizeof no / sizeof *no) ? 0 : -1;
}

/* ---- numbers ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* A blank, a no-break space (also the narrow one) or an apostrophe between thousands. */
static size_t blank_length(const char *p, const char *end) {
    static const char *const marks[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        if ((size_t)(end - p) >= length && memcmp(p, marks[i], length) == 0) return length;
    }
    return 0;
}

static int three_digits(const char *p, const char *end) {
    return end - p >= 3 && is_digit(p[0]) && is_digit(p[1]) && is_digit(p[2]) &&
           (end - p == 3 || !is_digit(p[3]));
}

enum { LONGEST_NUMBER = 64 };

/* Digits with marks of thousands, then perhaps the decimal mark and more digits and an exponent,
 * copied to plain without the marks. Returns where it stops; NULL: no number. */
static const char *copy_digits(const char *p, const char *end, int comma, char *plain,
                               size_t *length) {
    char decimal = comma ? ',' : '.', thousands = comma ? '.' : ',';
    size_t digits = 0, run = 0; /* run: digits since the last mark */
    int grouped = 0;
    for (; p < end && *length < LONGEST_NUMBER - 8; p++) {
        size_t blank = p < end ? blank_length(p, end) : 0;
        if (is_digit(*p)) {
            plain[(*length)++] = *p;
            digits++;
            run++;
        } else if ((*p == thousands || blank > 0) && digits > 0 &&
                   (grouped ? run == 3 : run <= 3) &&
                   three_digits(p + (blank > 0 ? blank : 1), end)) {
            grouped = 1;
            run = 0;
            if (blank > 0) p += blank - 1;
        } else {
            break;
        }
    }
    if (p < end && *p == decimal) {
        plain[(*length)++] = '.';
        for (p++; p < end && is_digit(*p) && *length < LONGEST_NUMBER - 8; p++, digits++)
            plain[(*length)++] = *p;
    }
    if (digits == 0 || (p < end && is_digit(*p))) return NULL;
    if (end - p >= 2 && (*p == 'e' || *p == 'E') &&
        (is_digit(p[1]) || (end - p >= 3 && (p[1] == '-' || p[1] == '+') && is_digit(p[2])))) {
        plain[(*length)++] = *p++;
        for (plain[(*length)++] = *p++; p < end && is_digit(*p) && *length < LONGEST_NUMBER; p++)
            plain[(*length)++] = *p;
    }
    return p;
}

static const char *skip_blanks(const char *p, const char *end) {
    for (size_t blank; p < end && (blank = blank_length(p, end)) > 0 && *p != '\'';) p += blank;
    return p;
}

/* A sign of a currency, or its three capital letters. */
static size_t currency_length(const char *p, const char *end) {
    static const char *const signs[] = {"$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "US$",
                                        "USD", "EUR",          "GBP",      "CHF",      "JPY"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i]);
        if ((size_t)(end - p) >= length && memcmp(p, signs[i], length) == 0) return length;
    }
    return 0;
}

/* What follows a number: a few letters, perhaps with digits at their end (m2), a degree, a slash
 * (km/h); or a sign. */
static int is_unit(const char *p, const char *end) {
    size_t length = (size_t)(end - p), letters = 0;
    if (length == 0 || length >= DECANT__UNIT_SIZE || is_digit(*p)) return 0;
    if (currency_length(p, end) == length || (length == 1 && *p == '%')) return 1;
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        if (!isalpha(c) && c < 0x80 && !is_digit(*p) && *p != '/' && *p != '.') return 0;
        letters += isalpha(c) || c >= 0x80;
    }
    return letters > 0 && letters <= 8;
}

int decant__cell_number(const char *text, size_t length, int comma, double *value,
                        char unit[DECANT__UNIT_SIZE]) {
    const char *p = skip_blanks(text, text + length), *end = text + length;
    char plain[LONGEST_NUMBER + 8];
    size_t used = 0;
    unit[0] = '\0';
    int negative = end - p >= 2 && p[0] == '(' && end[-1] == ')'; /* as accountants have it */
    if (negative) p++, end--;
    if (p < end && (*p == '-' || *p == '+')) plain[used++] = *p++;
    size_t money = currency_length(p, end);
    if (money > 0) {
        memcpy(unit, p, money);
        unit[money] = '\0';
        p = skip_blanks(p + money, end);
        if (used == 0 && p < end && *p == '-') plain[used++] = *p++;
    }
    p = copy_digits(p, end, comma, plain, &used);
    if (p == NULL || !decant__number_is(plain, used, value) || !isfinite(*value)) return 0;
    if (negative) *value = -*value;
    p = skip_blanks(p, end);
    while (end > p && end[-1] == ' ') end--;
    if (p == end) return 1;
    if (money > 0 || !is_unit(p, end)) return 0;
    memcpy(unit, p, (size_t)(end - p));
    unit[end - p] = '\0';
    return 1;
}

int decant__cell_is_code(const char *text, size_t length) {
    size_t digits = 0;
    while (digits < length && is_digit(text[digits])) digits++;
    return digits == length && (length > DECANT__EXACT_DIGITS || (length > 1 && text[0] == '0'));
}

int decant__cell_decimal(const char *text, size_t length) {
    double value;
    char unit[DECANT__UNIT_SIZE];
    int point = decant__cell_number(text, length, 0, &value, unit);
    int comma = decant__cell_number(text, length, 1, &value, unit);
    return point == comma ? 0 : comma ? 1 : -1;
}

/* ---- Windows-1252 ---- */

size_t decant__cell_recode(const char *text, size_t length, char *out) {
    static const uint16_t high[32] = {
        0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
    char *to = out;
    for (size_t i = 0; i < length; i++) {
        unsigned c = (unsigned char)text[i];
        if (c >= 0x80 && c < 0xA0) c = high[c - 0x80];
        if (c < 0x80) {
            *to++ = (char)c;
        } else if (c < 0x800) {
            *to++ = (char)(0xC0 | (c >> 6));
            *to++ = (char)(0x80 | (c & 0x3F));
        } else {
            *to++ = (char)(0xE0 | (c >> 12));
            *to++ = (char)(0x80 | ((c >> 6) & 0x3F));
            *to++ = (char)(0x80 | (c & 0x3F));
        }
    }
    return (size_t)(to - out);
}

int decant__cell_is_windows(const char *text, size_t length) {
    static const char none[] = "\x81\x8d\x8f\x90\x9d";
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0' || strchr(none, text[i]) != NULL) return 0;
    return 1;
}
