/* Helpers for JSON, on top of jansson. */
#ifndef DECANT_RUN_JSON_H
#define DECANT_RUN_JSON_H

#include <jansson.h>

#include "base/text.h"

/* Errors while building a document are sticky: decant__json_done returns them. */
typedef struct decant__json {
    int failed;
} decant__json;

/* Both take ownership of value; NULL is an error. */
void decant__json_put(decant__json *json, json_t *object, const char *key, json_t *value);
void decant__json_append(decant__json *json, json_t *array, json_t *value);

/* null for NaN and infinity, which JSON does not have. */
json_t *decant__json_real(double value);

/* For display: bytes that are not UTF-8 become '?'. NULL becomes null. */
json_t *decant__json_text(const char *text);

/* For paths and names of columns, which must be read back exactly. A text that is not UTF-8, or
 * begins with "bytes:", becomes "bytes:" and the text with %E9 for the byte E9 and %25 for a
 * percent sign. NULL becomes null, and null becomes NULL. */
json_t *decant__json_bytes(const char *text);
decant_status decant__json_take_bytes(const json_t *value, char **out); /* new memory, or NULL */

/* A string, formatted as by printf in the C locale. */
json_t *decant__json_print(const char *format, ...) DECANT_PRINTF(1, 2);
json_t *decant__json_print_list(const char *format, va_list arguments) DECANT_PRINTF(1, 0);

/* An integer, or a string if it does not fit into 63 bits. */
json_t *decant__json_whole(uint64_t value);

/* The value of one option, with the JSON type of its row in the table. */
json_t *decant__json_option(const decant_options *options, const decant_option_info *info);

/* ENOMEM if an error occurred while it was built. */
decant_status decant__json_done(const decant__json *json, const json_t *root);

/* Indented, with a final newline; reals are written so that they are read back exactly. */
decant_status decant__json_dump(const json_t *root, decant__text *text);

/* The same to a file, atomically. */
decant_status decant__json_write(const json_t *root, const char *path);

/* Reads a file; free with json_decref. */
decant_status decant__json_load(const char *path, json_t **out);

#endif
