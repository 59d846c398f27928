/* A string that grows while it is printed to. */
#ifndef DECANT_BASE_TEXT_H
#define DECANT_BASE_TEXT_H

#include "base/status.h"

/* Zero-initialise. Out of memory is sticky: put and print need no check, take returns the error. */
typedef struct decant__text {
    char *bytes;
    size_t length, capacity;
    int failed;
} decant__text;

void decant__text_put(decant__text *text, const char *bytes, size_t count);
void decant__text_print(decant__text *text, const char *format, ...) DECANT_PRINTF(2, 3);

/* Appends a JSON string, with its quotes. The caller checks that it is UTF-8. */
void decant__text_put_json(decant__text *text, const char *bytes, size_t count);

/* Moves the string to *out (free with decant__free) and empties the buffer; ENOMEM if an append had
 * failed. */
decant_status decant__text_take(decant__text *text, char **out);

void decant__text_free(decant__text *text);

/* How many bytes from the start are valid UTF-8: `count` if all are. */
size_t decant__utf8_prefix(const char *bytes, size_t count);

/* Letters of a text: its bytes without those that go on with a code point. */
size_t decant__utf8_letters(const char *text);
/* Bytes of its first letters, at most `max` of them. */
size_t decant__utf8_head(const char *text, size_t max);

/* A piece of text for an error message: in quotes, cut short, without control characters. */
typedef struct decant__excerpt {
    char text[48];
} decant__excerpt;
decant__excerpt decant__quote(const char *text, size_t length);

/* FOLDER/NAME in new memory, freed with decant__free. */
decant_status decant__path_join(const char *folder, const char *name, char **out);

/* "1 row", "2 rows": "%zu row%s", n, decant__plural(n). */
static inline const char *decant__plural(size_t count) { return count == 1 ? "" : "s"; }

#endif
