#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* Room for count more bytes and the final 0. */
static int reserve(decant__text *text, size_t count) {
    if (text->failed) return 0;
    if (text->length + count < text->capacity) return 1;
    size_t capacity = 2 * (text->length + count) + 64;
    char *bytes = decant__realloc_array(text->bytes, capacity, 1);
    if (bytes == NULL) {
        text->failed = 1;
        return 0;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return 1;
}

void decant__text_put(decant__text *text, const char *bytes, size_t count) {
    if (!reserve(text, count)) return;
    if (count != 0) memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
}

void decant__text_print(decant__text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int count = decant__format_list(NULL, 0, format, arguments);
    if (count >= 0 && reserve(text, (size_t)count)) {
        decant__format_list(text->bytes + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    } else {
        text->failed = 1;
    }
    va_end(again);
    va_end(arguments);
}

void decant__text_put_json(decant__text *text, const char *bytes, size_t count) {
    static const char special[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    size_t plain = 0; /* bytes before i that need no escape */
    decant__text_put(text, "\"", 1);
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        decant__text_put(text, bytes + plain, i - plain);
        plain = i + 1;
        const char *found = c != '\0' ? strchr(special, c) : NULL;
        if (found != NULL)
            decant__text_print(text, "\\%c", letter[found - special]);
        else
            decant__text_print(text, "\\u%04X", c);
    }
    decant__text_put(text, bytes + plain, count - plain);
    decant__text_put(text, "\"", 1);
}

/* Bytes of the code point that begins here; 0 if it is not valid. */
static size_t utf8_length(const unsigned char *at, size_t left) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0x80) return 1;
    size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || length > left) return 0;
    uint32_t point = at[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (at[i] & 0x3FU);
    }
    if (point < smallest[length] || point > 0x10FFFF) return 0;
    return point >= 0xD800 && point < 0xE000 ? 0 : length;
}

size_t decant__utf8_prefix(const char *bytes, size_t count) {
    size_t at = 0;
    while (at < count) {
        size_t length = utf8_length((const unsigned char *)bytes + at, count - at);
        if (length == 0) break;
        at += length;
    }
    return at;
}

static int begins_letter(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

size_t decant__utf8_head(const char *text, size_t max) {
    size_t length = 0, letters = 0;
    for (; text[length] != '\0'; length++) {
        letters += (size_t)begins_letter(text[length]);
        if (letters > max) break;
    }
    return length;
}

size_t decant__utf8_letters(const char *text) {
    size_t letters = 0;
    for (; *text != '\0'; text++) letters += (size_t)begins_letter(*text);
    return letters;
}

decant_status decant__text_take(decant__text *text, char **out) {
    decant__text_put(text, "", 0); /* allocates the final 0 of an empty text */
    if (text->failed) {
        decant__text_free(text);
        return decant__fail(DECANT_ENOMEM, "memory ran out while a text was built");
    }
    *out = text->bytes;
    *text = (decant__text){0};
    return DECANT_OK;
}

void decant__text_free(decant__text *text) {
    decant__free(text->bytes);
    *text = (decant__text){0};
}

decant__excerpt decant__quote(const char *text, size_t length) {
    decant__excerpt excerpt;
    const size_t max = sizeof excerpt.text - 6;
    size_t shown = length < max ? length : max, at = 0;
    excerpt.text[at++] = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)text[i];
        excerpt.text[at++] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    memcpy(excerpt.text + at, shown < length ? "...\"" : "\"", shown < length ? 5 : 2);
    return excerpt;
}

decant_status decant__path_join(const char *folder, const char *name, char **out) {
    decant__text path = {0};
    decant__text_print(&path, "%s/%s", folder, name);
    return decant__text_take(&path, out);
}
