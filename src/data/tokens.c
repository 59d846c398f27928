/* The token files of RCV1-v2 (LYRL2004): records of
 *
 *     .I <number of the document>
 *     .W
 *     lines of stems
 *     an empty line
 *
 * Where there are topics, documents without exactly one root are passed over. */
#include <string.h>

#include "base/memory.h"
#include "data/documents.h"

static int is_marker(const char *line, char letter) {
    return line[0] == '.' && line[1] == letter && (line[2] == ' ' || line[2] == '\0');
}

static decant_status cut(const decant__documents *self, const char *id) {
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: the file ends in the middle of document %s",
                        self->input.path, self->input.line, id);
}

/* ".I 2286": keeps the number as text. */
static decant_status take_id(decant__documents *self, const char *line, size_t length) {
    const char *digits = line + 2 + strspn(line + 2, " ");
    size_t count = strspn(digits, "0123456789");
    if (!is_marker(line, 'I') || count == 0 || count > 18 || digits[count] != '\0')
        return decant__fail(DECANT_EFORMAT,
                            "%s: line %zu: expected \".I\" and the number of a document, found %s",
                            self->input.path, self->input.line, decant__quote(line, length).text);
    memcpy(self->id, digits, count + 1);
    return DECANT_OK;
}

/* Keeps the line that began the next record. */
static decant_status keep_ahead(decant__documents *self, const char *line, size_t length) {
    if (length + 1 > self->ahead_capacity) {
        char *grown = decant__realloc_array(self->ahead, 2 * (length + 1), 1);
        if (grown == NULL) return DECANT_ENOMEM;
        self->ahead = grown;
        self->ahead_capacity = 2 * (length + 1);
    }
    memcpy(self->ahead, line, length + 1);
    return DECANT_OK;
}

/* The ".I" line of the next record: kept from before, or the next line that is not empty. */
static decant_status find_record(decant__documents *self, int *more) {
    decant_status status = DECANT_OK;
    char *line = self->ahead;
    size_t length = line != NULL ? strlen(line) : 0;
    while (length == 0) {
        TRY(decant__input_read_line(&self->input, &line, &length));
        if (line == NULL) return DECANT_OK;
    }
    status = take_id(self, line, length);
    if (self->ahead != NULL) self->ahead[0] = '\0';
    *more = status == DECANT_OK;
done:
    return status;
}

static decant_status read_text(decant__documents *self, size_t *used) {
    decant_status status = DECANT_OK;
    char *line;
    size_t length;
    *used = 0;
    TRY(decant__input_read_line(&self->input, &line, &length));
    if (line == NULL) TRY(cut(self, self->id));
    if (!is_marker(line, 'W'))
        TRY(self->input.unfinished
                ? cut(self, self->id)
                : decant__fail(DECANT_EFORMAT, "%s: line %zu: expected \".W\", found %s",
                               self->input.path, self->input.line,
                               decant__quote(line, length).text));
    while (!self->input.unfinished) {
        TRY(decant__input_read_line(&self->input, &line, &length));
        if (line == NULL || length == 0) break;
        if (is_marker(line, 'I')) {
            TRY(keep_ahead(self, line, length));
            break;
        }
        TRY(decant__documents_append(self, used, line, length));
        TRY(decant__documents_append(self, used, " ", 1));
    }
    if (self->input.unfinished) TRY(cut(self, self->id)); /* a whole file ends with a line end */
done:
    return status;
}

static uint64_t number(const char *digits) {
    uint64_t value = 0;
    for (; *digits != '\0'; digits++) value = 10 * value + (uint64_t)(*digits - '0');
    return value;
}

decant_status decant__tokens_next(decant__documents *self, decant__document *document, int *more) {
    decant_status status = DECANT_OK;
    for (;;) {
        size_t used, line;
        *more = 0;
        TRY(find_record(self, more));
        if (!*more) return DECANT_OK;
        line = self->input.line;
        status = read_text(self, &used);
        if (status != DECANT_OK) { /* what follows cannot be trusted: the next file */
            *more = 0;
            return decant__documents_broken(self, status);
        }
        int root = self->topics != NULL ? decant__topics_root(self->topics, number(self->id)) : 0;
        self->ordinal++;
        self->left_out += root == -1;
        self->unlisted += root == -2;
        if (root < 0) continue;
        *document = (decant__document){.text = used > 0 ? self->text : "",
                                       .length = used,
                                       .id = self->id,
                                       .id_length = strlen(self->id),
                                       .path = self->input.path,
                                       .line = line};
        if (self->topics != NULL) {
            document->label = decant__root_name[root];
            document->label_length = strlen(document->label);
        }
        return DECANT_OK;
    }
done:
    return status;
}
