/* JSON to text and back. The values are jansson's; but its parser loses characters without an error
 * when memory runs out, and its printer uses the same number of digits for all reals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/json.h"

enum { INDENT = 2, MAX_DEPTH = 100 };

/* ---- to text ---- */

static void dump_value(const json_t *value, size_t depth, decant__text *text);

static void begin_line(size_t depth, decant__text *text) {
    decant__text_print(text, "\n%*s", (int)(INDENT * depth), "");
}

/* With a point or an exponent, so that it is read back as a real. */
static void dump_real(double value, decant__text *text) {
    char digits[40];
    decant__number_print(value, digits, sizeof digits);
    int whole = digits[strspn(digits, "-0123456789")] == '\0';
    decant__text_print(text, whole ? "%s.0" : "%s", digits);
}

static void dump_array(const json_t *array, size_t depth, decant__text *text) {
    const json_t *value;
    size_t i;
    decant__text_put(text, "[", 1);
    json_array_foreach(array, i, value) {
        if (i > 0) decant__text_put(text, ",", 1);
        begin_line(depth + 1, text);
        dump_value(value, depth + 1, text);
    }
    if (json_array_size(array) > 0) begin_line(depth, text);
    decant__text_put(text, "]", 1);
}

/* jansson's iterators do not accept a const object, but do not change it. */
static void dump_object(const json_t *object, size_t depth, decant__text *text) {
    json_t *iterated = (json_t *)(uintptr_t)object;
    int begun = 0;
    decant__text_put(text, "{", 1);
    for (void *at = json_object_iter(iterated); at != NULL;
         at = json_object_iter_next(iterated, at)) {
        const char *key = json_object_iter_key(at);
        if (begun++) decant__text_put(text, ",", 1);
        begin_line(depth + 1, text);
        decant__text_put_json(text, key, strlen(key));
        decant__text_put(text, ": ", 2);
        dump_value(json_object_iter_value(at), depth + 1, text);
    }
    if (begun) begin_line(depth, text);
    decant__text_put(text, "}", 1);
}

static void dump_value(const json_t *value, size_t depth, decant__text *text) {
    switch (json_typeof(value)) {
        case JSON_OBJECT:
            dump_object(value, depth, text);
            break;
        case JSON_ARRAY:
            dump_array(value, depth, text);
            break;
        case JSON_STRING:
            decant__text_put_json(text, json_string_value(value), json_string_length(value));
            break;
        case JSON_INTEGER:
            decant__text_print(text, "%lld", (long long)json_integer_value(value));
            break;
        case JSON_REAL:
            dump_real(json_real_value(value), text);
            break;
        default:
            decant__text_print(text, "%s",
                               json_is_true(value)    ? "true"
                               : json_is_false(value) ? "false"
                                                      : "null");
    }
}

decant_status decant__json_dump(const json_t *root, decant__text *text) {
    dump_value(root, 0, text);
    decant__text_put(text, "\n", 1);
    if (!text->failed) return DECANT_OK;
    return decant__fail(DECANT_ENOMEM, "memory ran out while JSON was written");
}

/* ---- from text ---- */

typedef struct parser {
    decant__scan scan;
    const char *path;
} parser;

static decant_status parse_value(parser *p, size_t depth, json_t **out);

static decant_status refuse_json(const parser *p) {
    size_t line = 1;
    for (const char *at = p->scan.begin; at < p->scan.at; at++) line += *at == '\n';
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: is not valid JSON", p->path, line);
}

static decant_status out_of_memory(const parser *p) {
    return decant__fail(DECANT_ENOMEM, "%s: memory ran out while it was read", p->path);
}

static decant_status parse_array(parser *p, size_t depth, json_t *array) {
    decant_status status = DECANT_OK;
    if (decant__scan_take(&p->scan, ']')) return DECANT_OK;
    do {
        json_t *value = NULL;
        TRY(parse_value(p, depth, &value));
        if (json_array_append_new(array, value) != 0) TRY(out_of_memory(p));
    } while (decant__scan_take(&p->scan, ','));
    if (!decant__scan_take(&p->scan, ']')) status = refuse_json(p);
done:
    return status;
}

static decant_status parse_object(parser *p, size_t depth, json_t *object) {
    decant_status status = DECANT_OK;
    if (decant__scan_take(&p->scan, '}')) return DECANT_OK;
    do {
        json_t *value = NULL;
        char *key;
        size_t length;
        if (!decant__scan_text(&p->scan, &key, &length) || !decant__scan_take(&p->scan, ':'))
            return refuse_json(p);
        TRY(parse_value(p, depth, &value));
        if (json_object_set_new_nocheck(object, key, value) != 0) TRY(out_of_memory(p));
    } while (decant__scan_take(&p->scan, ','));
    if (!decant__scan_take(&p->scan, '}')) status = refuse_json(p);
done:
    return status;
}

/* An integer if it is written as one and fits. */
static decant_status parse_number(parser *p, json_t **out) {
    const char *text;
    size_t length;
    double real;
    if (!decant__scan_number(&p->scan, &text, &length) || !decant__number_is(text, length, &real))
        return refuse_json(p);
    int written_whole = memchr(text, '.', length) == NULL && memchr(text, 'e', length) == NULL &&
                        memchr(text, 'E', length) == NULL;
    if (written_whole && real >= -4611686018427387904.0 && real <= 4611686018427387904.0)
        *out = json_integer((json_int_t)strtoll(text, NULL, 10));
    else
        *out = isfinite(real) ? json_real(real) : NULL;
    return isfinite(real) ? DECANT_OK : refuse_json(p);
}

static decant_status parse_text(parser *p, json_t **out) {
    char *text;
    size_t length;
    if (!decant__scan_text(&p->scan, &text, &length)) return refuse_json(p);
    *out = json_stringn_nocheck(text, length);
    return DECANT_OK;
}

static decant_status parse_collection(parser *p, size_t depth, json_t **out) {
    int is_object = decant__scan_take(&p->scan, '{');
    if (!is_object) (void)decant__scan_take(&p->scan, '[');
    if (depth == MAX_DEPTH) return refuse_json(p);
    *out = is_object ? json_object() : json_array();
    if (*out == NULL) return out_of_memory(p);
    return is_object ? parse_object(p, depth + 1, *out) : parse_array(p, depth + 1, *out);
}

static decant_status parse_word(parser *p, json_t **out) {
    if (decant__scan_word(&p->scan, "true"))
        *out = json_true();
    else if (decant__scan_word(&p->scan, "false"))
        *out = json_false();
    else if (decant__scan_word(&p->scan, "null"))
        *out = json_null();
    else
        return parse_number(p, out);
    return DECANT_OK;
}

static decant_status parse_value(parser *p, size_t depth, json_t **out) {
    char next = decant__scan_peek(&p->scan);
    decant_status status = next == '"'                  ? parse_text(p, out)
                           : next == '{' || next == '[' ? parse_collection(p, depth, out)
                                                        : parse_word(p, out);
    if (status == DECANT_OK && *out == NULL) status = out_of_memory(p);
    if (status != DECANT_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

decant_status decant__json_load(const char *path, json_t **out) {
    decant_status status = DECANT_OK;
    char *bytes = NULL;
    size_t count;
    json_t *root = NULL;
    TRY(decant__file_read(path, &bytes, &count));
    parser p = {{bytes, bytes, bytes + count}, path};
    TRY(parse_value(&p, 0, &root));
    if (!decant__scan_ended(&p.scan)) TRY(refuse_json(&p));
    *out = root;
    root = NULL;
done:
    json_decref(root);
    decant__free(bytes);
    return status;
}
