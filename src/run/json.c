#include "run/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

void decant__json_put(decant__json *json, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) json->failed = 1;
}

void decant__json_append(decant__json *json, json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) json->failed = 1;
}

json_t *decant__json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* Each byte that is not valid UTF-8 becomes '?'. */
json_t *decant__json_text(const char *text) {
    if (text == NULL) return json_null();
    size_t length = strlen(text);
    if (decant__utf8_prefix(text, length) == length) return json_string(text);
    char *copy = decant__copy_text(text);
    if (copy == NULL) return NULL;
    for (size_t at = 0; at < length; at++) {
        at += decant__utf8_prefix(copy + at, length - at);
        if (at < length) copy[at] = '?';
    }
    json_t *value = json_string(copy);
    decant__free(copy);
    return value;
}

static const char BYTES[] = "bytes:";

json_t *decant__json_bytes(const char *text) {
    if (text == NULL) return json_null();
    size_t length = strlen(text);
    if (strncmp(text, BYTES, strlen(BYTES)) != 0 && decant__utf8_prefix(text, length) == length)
        return json_string(text);
    decant__text encoded = {0};
    decant__text_print(&encoded, "%s", BYTES);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80 || c == '%')
            decant__text_print(&encoded, "%%%02X", c);
        else
            decant__text_put(&encoded, text + i, 1);
    }
    json_t *value = encoded.failed ? NULL : json_string(encoded.bytes);
    decant__text_free(&encoded);
    return value;
}

decant_status decant__json_take_bytes(const json_t *value, char **out) {
    const char *text = json_string_value(value);
    *out = NULL;
    if (text == NULL) return DECANT_OK;
    int encoded = strncmp(text, BYTES, strlen(BYTES)) == 0;
    char *copy = decant__copy_text(encoded ? text + strlen(BYTES) : text), *to = copy;
    if (copy == NULL) return DECANT_ENOMEM;
    for (const char *from = copy; encoded && *from != '\0';) {
        unsigned byte;
        int width = 0;
        if (*from == '%' && sscanf(from, "%%%2x%n", &byte, &width) == 1 && width == 3 && byte > 0) {
            *to++ = (char)byte;
            from += width;
        } else {
            *to++ = *from++;
        }
    }
    if (encoded) *to = '\0';
    *out = copy;
    return DECANT_OK;
}

json_t *decant__json_print_list(const char *format, va_list arguments) {
    char text[1024];
    decant__format_list(text, sizeof text, format, arguments);
    return decant__json_text(text);
}

json_t *decant__json_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_t *value = decant__json_print_list(format, arguments);
    va_end(arguments);
    return value;
}

json_t *decant__json_whole(uint64_t value) {
    char text[24];
    if (value <= INT64_MAX) return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return json_string(text);
}

static json_t *whole_from_text(const char *text) {
    return decant__json_whole(strtoull(text, NULL, 10));
}

static json_t *real_from_text(const char *text) {
    double value;
    return decant__number_read(text, &value) ? decant__json_real(value) : json_null();
}

/* A list of numbers, or auto. */
static json_t *list_from_text(const char *text) {
    if (strcmp(text, "auto") == 0) return json_string(text);
    json_t *list = json_array();
    decant__json json = {0};
    for (const char *at = text; *at != '\0';) {
        char *end;
        decant__json_append(&json, list, decant__json_whole(strtoull(at, &end, 10)));
        if (end == at) break;
        at = *end == ',' ? end + 1 : end;
    }
    if (!json.failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *switch_from_text(const char *text) { return json_boolean(strcmp(text, "yes") == 0); }

/* A number of clusters, or a string like auto or 5..15. */
static json_t *count_from_text(const char *text) {
    return text[strspn(text, "0123456789")] == '\0' ? whole_from_text(text) : json_string(text);
}

/* The JSON type of an option depends on its placeholder in the table; all others are strings. */
static const struct {
    const char *argument;
    json_t *(*make)(const char *text);
} makers[] = {
    {"N", whole_from_text},
    {"COUNT", count_from_text},
    {"X", real_from_text},
    {"N,N,...", list_from_text},
};

json_t *decant__json_option(const decant_options *options, const decant_option_info *info) {
    char text[256];
    if (decant_options_get(options, info->name, text, sizeof text) != DECANT_OK) return NULL;
    if (info->argument == NULL) return switch_from_text(text);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (strcmp(makers[i].argument, info->argument) == 0) return makers[i].make(text);
    return json_string(text);
}

decant_status decant__json_done(const decant__json *json, const json_t *root) {
    if (root != NULL && !json->failed) return DECANT_OK;
    return decant__fail(DECANT_ENOMEM, "memory ran out while JSON was built");
}

decant_status decant__json_write(const json_t *root, const char *path) {
    decant_status status = DECANT_OK;
    decant__text text = {0};
    TRY(decant__json_dump(root, &text));
    TRY(decant__file_write(path, text.bytes, text.length));
done:
    decant__text_free(&text);
    return status;
}
