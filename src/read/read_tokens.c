/* The token files of RCV1-v2 (LYRL2004): records of
 *
 *     .I <number of the document>
 *     .W
 *     lines of stems
 *     an empty line
 *
 * Where there are topics, documents without exactly one root are left out. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "read/documents.h"

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
    uint64_t at = self->ahead_at.offset;
    while (length == 0) {
        at = decant__input_at(&self->input);
        TRY(decant__input_read_line(&self->input, &line, &length));
        if (line == NULL) return DECANT_OK;
    }
    status = take_id(self, line, length);
    if (self->ahead != NULL) self->ahead[0] = '\0';
    int beyond = self->bounded && self->item == self->until.item && at >= self->until.at.offset;
    *more = status == DECANT_OK && !beyond;
done:
    return status;
}

decant_status decant__tokens_go(decant__documents *self) {
    decant_status status = DECANT_OK;
    for (;;) {
        char *line;
        size_t length;
        decant__row_place at = {decant__input_at(&self->input), self->input.line};
        TRY(decant__input_read_line(&self->input, &line, &length));
        if (line == NULL) break;
        if (!is_marker(line, 'I')) continue;
        self->ahead_at = at;
        TRY(keep_ahead(self, line, length));
        break;
    }
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
        decant__row_place at = {decant__input_at(&self->input), self->input.line};
        TRY(decant__input_read_line(&self->input, &line, &length));
        if (line == NULL || length == 0) break;
        if (is_marker(line, 'I')) {
            self->ahead_at = at;
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
        if (status != DECANT_OK) { /* the rest of this file is skipped */
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

/* ---- topics ---- */

/* Documents are numbered to 810 935 in RCV1-v2; a number far above is damage. */
enum { MAX_DOCUMENT = 1 << 28, LISTED = 1 << DECANT__ROOTS };

const char *const decant__root_name[DECANT__ROOTS] = {"CCAT", "GCAT", "MCAT", "ECAT"};

static decant_status grow_topics(decant__topics *topics, size_t document) {
    if (document < topics->capacity) return DECANT_OK;
    size_t capacity = 2 * document + 1024;
    uint8_t *grown = decant__realloc_array(topics->roots, capacity, 1);
    if (grown == NULL) return DECANT_ENOMEM;
    memset(grown + topics->capacity, 0, capacity - topics->capacity);
    topics->roots = grown;
    topics->capacity = capacity;
    return DECANT_OK;
}

/* "TOPIC DOCUMENT 1"; 0 when it is anything else. */
static int parse(char *line, char **topic, size_t *document) {
    *topic = line;
    char *p = line + strcspn(line, " \t");
    if (p == line || *p == '\0') return 0;
    *p++ = '\0';
    p += strspn(p, " \t");
    char *digits = p;
    for (*document = 0; *p >= '0' && *p <= '9' && *document < MAX_DOCUMENT; p++)
        *document = *document * 10 + (size_t)(*p - '0');
    if (p == digits || *document >= MAX_DOCUMENT || (*p != ' ' && *p != '\t')) return 0;
    p += strspn(p, " \t");
    return p[0] == '1' && p[1 + strspn(p + 1, " \t")] == '\0';
}

static decant_status add_line(decant__topics *topics, const decant__input *input, char *line,
                              size_t length) {
    char *topic;
    size_t document;
    decant__excerpt shown = decant__quote(line, length);
    if (!parse(line, &topic, &document))
        return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected \"TOPIC DOCUMENT 1\", found %s",
                            input->path, input->line, shown.text);
    decant_status status = grow_topics(topics, document);
    if (status != DECANT_OK) return status;
    uint8_t *roots = &topics->roots[document];
    topics->listed += *roots == 0;
    *roots |= LISTED;
    for (int r = 0; r < DECANT__ROOTS; r++)
        if (strcmp(topic, decant__root_name[r]) == 0) *roots |= (uint8_t)(1 << r);
    return DECANT_OK;
}

decant_status decant__topics_read(decant__topics *topics, const char *path, decant__meter *meter) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    decant__topics found = {0};
    TRY(decant__input_open(&input, path, meter));
    for (;;) {
        char *line;
        size_t length;
        TRY(decant__input_read_line(&input, &line, &length));
        if (line == NULL) break;
        if (length > 0) TRY(add_line(&found, &input, line, length));
    }
    if (found.listed == 0) TRY(decant__fail(DECANT_EFORMAT, "%s: names no document", path));
    *topics = found;
    found = (decant__topics){0};
done:
    decant__topics_free(&found);
    decant__input_close(&input);
    return status;
}

int decant__topics_root(const decant__topics *topics, uint64_t document) {
    if (document >= topics->capacity || topics->roots[document] == 0) return -2;
    switch (topics->roots[document] & (LISTED - 1)) {
        case 1:
            return 0;
        case 2:
            return 1;
        case 4:
            return 2;
        case 8:
            return 3;
        default:
            return -1;
    }
}

void decant__topics_free(decant__topics *topics) {
    decant__free(topics->roots);
    *topics = (decant__topics){0};
}
