#include "json_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"

enum { DIGITS = 15 };

json_t *json_name(const char *name) {
    json_t *text = json_string(name);
    if (text != NULL) return text;
    char *bytes = malloc(4 * strlen(name) + 1), *end = bytes;
    if (bytes == NULL) return NULL;
    while (*name != '\0') {
        size_t length = utf8_length(name);
        if (length > 0) {
            memcpy(end, name, length);
            end += length;
        } else {
            end += snprintf(end, 5, "\\x%02x", (unsigned char)*name);
        }
        name += length > 0 ? length : 1;
    }
    *end = '\0';
    text = json_string(bytes);
    free(bytes);
    return text;
}

json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

int json_put_scores(json_t *object, const decant_scores *scores) {
    int failed = json_object_set_new(object, "acc", json_number(scores->acc));
    failed |= json_object_set_new(object, "nmi", json_number(scores->nmi));
    failed |= json_object_set_new(object, "ari", json_number(scores->ari));
    failed |= json_object_set_new(object, "purity", json_number(scores->purity));
    return failed ? -1 : 0;
}

int json_write(const char *path, json_t *document) {
    char *text = document != NULL
                     ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS))
                     : NULL;
    json_decref(document);
    if (text == NULL) return complain_memory();
    decant_file *file = NULL;
    int code = output_open(&file, path);
    if (code == 0) {
        decant_file_print(file, "%s\n", text);
        code = output_commit(&file);
    }
    free(text);
    return code;
}
