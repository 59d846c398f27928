/* What manifest and descriptions need on top of jansson. */
#ifndef DECANT_RUN_JSON_H
#define DECANT_RUN_JSON_H

#include <jansson.h>

#include "base/text.h"

/* An object or array being filled. Failing to add is sticky and seen by decant__json_done. */
typedef struct decant__json {
    int failed;
} decant__json;

/* Both take over value; NULL counts as a failure. */
void decant__json_put(decant__json *json, json_t *object, const char *key, json_t *value);
void decant__json_append(decant__json *json, json_t *array, json_t *value);

/* null where JSON has no such number (NaN, infinity). */
json_t *decant__json_real(double value);

/* For people: class names need not be UTF-8, and bytes that are not become '?'. NULL becomes null.
 */
json_t *decant__json_text(const char *text);

/* For reading back: paths and names of columns, exactly. What is not UTF-8, or begins with
 * "bytes:", becomes "bytes:" and the text, with %E9 for the byte E9 and %25 for a percent sign.
 * NULL becomes null, and null NULL. */
json_t *decant__json_bytes(const char *text);
decant_status decant__json_take_bytes(const json_t *value, char **out); /* new memory, or NULL */

/* A text, as printf makes it in the C locale. */
json_t *decant__json_print(const char *format, ...) DECANT_PRINTF(1, 2);
json_t *decant__json_print_list(const char *format, va_list arguments) DECANT_PRINTF(1, 0);

/* A whole number, or a text where it is too large for JSON readers' 63 bits. */
json_t *decant__json_whole(uint64_t value);

/* One option as a value of the type that fits its row in the table. */
json_t *decant__json_option(const decant_options *options, const decant_option_info *info);

/* ENOMEM if anything is missing from it. */
decant_status decant__json_done(const decant__json *json, const json_t *root);

/* Indented, with a final newline; reals so that they are read back as the same number. */
decant_status decant__json_dump(const json_t *root, decant__text *text);

/* The same into a file, whole or not at all. */
decant_status decant__json_write(const json_t *root, const char *path);

/* Reads a file; the caller gives it back with json_decref. */
decant_status decant__json_load(const char *path, json_t **out);

#endif
