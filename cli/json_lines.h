/* Results as JSON, by jansson. */
#ifndef DECANT_CLI_JSON_LINES_H
#define DECANT_CLI_JSON_LINES_H

#include <jansson.h>

#include "decant/decant.h"

/* Names need not be UTF-8; a byte that is none becomes the text \xNN. NULL: memory ran out. */
json_t *json_name(const char *name);

/* null for NaN and infinity, which JSON does not have. NULL: memory ran out. */
json_t *json_number(double value);

/* acc, nmi, ari and purity become members of an object. 0, or -1: memory ran out. */
int json_put_scores(json_t *object, const decant_scores *scores);

/* Writes the document, indented, and frees it; NULL means that memory ran out while it was made.
 * path NULL: stdout. 0, or an exit code after an error message. */
int json_write(const char *path, json_t *document);

#endif
