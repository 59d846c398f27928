#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

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
    int count = vsnprintf(NULL, 0, format, arguments);
    if (count >= 0 && reserve(text, (size_t)count)) {
        vsnprintf(text->bytes + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    } else {
        text->failed = 1;
    }
    va_end(again);
    va_end(arguments);
}

decant_status decant__text_take(decant__text *text, char **out) {
    decant__text_put(text, "", 0); /* an empty text is a string too */
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

decant_status decant__path_join(const char *folder, const char *name, char **out) {
    decant__text path = {0};
    decant__text_print(&path, "%s/%s", folder, name);
    return decant__text_take(&path, out);
}
