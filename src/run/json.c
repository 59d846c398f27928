#include "run/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

void decant__json_put(decant__json *json, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) json->failed = 1;
}

void decant__json_append(decant__json *json, json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) json->failed = 1;
}

json_t *decant__json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *decant__json_text(const char *text) {
    if (text == NULL) return json_null();
    json_t *value = json_string(text);
    if (value != NULL) return value;
    char *copy = decant__copy_text(text);
    if (copy == NULL) return NULL;
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    value = json_string(copy);
    decant__free(copy);
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

static json_t *real_from_text(const char *text) { return decant__json_real(strtod(text, NULL)); }

static json_t *list_from_text(const char *text) {
    json_t *list = json_array();
    for (const char *at = text; list != NULL && *at != '\0';) {
        char *end;
        json_array_append_new(list, decant__json_whole(strtoull(at, &end, 10)));
        if (end == at) break;
        at = *end == ',' ? end + 1 : end;
    }
    return list;
}

static json_t *switch_from_text(const char *text) { return json_boolean(strcmp(text, "yes") == 0); }

/* A number of clusters, or the words for how it is chosen. */
static json_t *count_from_text(const char *text) {
    return text[strspn(text, "0123456789")] == '\0' ? whole_from_text(text) : json_string(text);
}

/* How a value is written follows from its placeholder in the table; choices and the rest are
 * texts. */
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

static int dump_piece(const char *bytes, size_t count, void *user) {
    decant__text_put(user, bytes, count);
    return 0;
}

decant_status decant__json_dump(const json_t *root, decant__text *text) {
    /* 15 digits: what a person wrote as 0.1 stays 0.1. */
    if (json_dump_callback(root, dump_piece, text, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0)
        return decant__fail(DECANT_ENOMEM, "memory ran out while JSON was written");
    decant__text_put(text, "\n", 1);
    return DECANT_OK;
}

decant_status decant__json_write(const json_t *root, const char *path) {
    decant_status status = DECANT_OK;
    decant__text text = {0};
    TRY(decant__json_dump(root, &text));
    if (text.failed) TRY(decant__fail(DECANT_ENOMEM, "memory ran out while %s was built", path));
    TRY(decant__file_write(path, text.bytes, text.length));
done:
    decant__text_free(&text);
    return status;
}
