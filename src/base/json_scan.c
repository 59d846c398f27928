#include "base/json_scan.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

static void skip_blanks(decant__scan *scan) {
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\t' || *scan->at == '\r'))
        scan->at++;
}

char decant__scan_peek(decant__scan *scan) {
    skip_blanks(scan);
    return scan->at < scan->end ? *scan->at : '\0';
}

int decant__scan_take(decant__scan *scan, char c) {
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != c) return 0;
    scan->at++;
    return 1;
}

int decant__scan_word(decant__scan *scan, const char *word) {
    size_t length = strlen(word);
    skip_blanks(scan);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) return 0;
    scan->at += length;
    return 1;
}

int decant__scan_ended(decant__scan *scan) {
    skip_blanks(scan);
    return scan->at == scan->end;
}

static int hex_unit(const char *at, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return 0;
        *out = *out << 4 | (uint32_t)digit;
    }
    return 1;
}

/* A code point below 0x110000 as UTF-8. */
static size_t encode_point(uint32_t point, char *out) {
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    out[0] = (char)(first[more] | point >> 6 * more);
    for (size_t i = 1; i <= more; i++) out[i] = (char)(0x80 | (point >> 6 * (more - i) & 0x3F));
    return more + 1;
}

/* After \u: four hexadecimal digits, or a surrogate pair for points above 0xFFFF. The UTF-8 is
 * shorter than the escape, so it can be written in place. */
static int take_point(decant__scan *scan, char **out) {
    uint32_t point, low;
    if (scan->end - scan->at < 4 || !hex_unit(scan->at, &point)) return 0;
    scan->at += 4;
    if (point >= 0xD800 && point < 0xDC00) {
        if (scan->end - scan->at < 6 || scan->at[0] != '\\' || scan->at[1] != 'u') return 0;
        if (!hex_unit(scan->at + 2, &low) || low < 0xDC00 || low > 0xDFFF) return 0;
        scan->at += 6;
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    } else if (point == 0 || (point >= 0xDC00 && point < 0xE000)) {
        return 0;
    }
    *out += encode_point(point, *out);
    return 1;
}

static int take_escape(decant__scan *scan, char **out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (scan->at == scan->end) return 0;
    char c = *scan->at++;
    if (c == 'u') return take_point(scan, out);
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found == NULL) return 0;
    *(*out)++ = to[found - from];
    return 1;
}

int decant__scan_text(decant__scan *scan, char **text, size_t *length) {
    if (!decant__scan_take(scan, '"')) return 0;
    char *begin = scan->at, *out = scan->at;
    while (scan->at < scan->end && *scan->at != '"') {
        if ((unsigned char)*scan->at < 0x20) return 0;
        if (*scan->at != '\\') {
            *out++ = *scan->at++;
            continue;
        }
        scan->at++;
        if (!take_escape(scan, &out)) return 0;
    }
    size_t count = (size_t)(out - begin);
    if (scan->at == scan->end || decant__utf8_prefix(begin, count) != count) return 0;
    scan->at++;
    *out = '\0';
    *text = begin;
    *length = count;
    return 1;
}

int decant__scan_count(decant__scan *scan, size_t *count) {
    skip_blanks(scan);
    const char *first = scan->at;
    *count = 0;
    for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
        if (*count > (SIZE_MAX - 9) / 10) return 0;
        *count = 10 * *count + (size_t)(*scan->at - '0');
    }
    return scan->at > first;
}

int decant__scan_number(decant__scan *scan, const char **text, size_t *length) {
    skip_blanks(scan);
    *text = scan->at;
    while (scan->at < scan->end && *scan->at != '\0' && strchr("0123456789+-.eE", *scan->at))
        scan->at++;
    *length = (size_t)(scan->at - *text);
    return *length > 0;
}
