#include "data/topics.h"

#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "data/reader.h"

/* Documents are numbered to 810 935 in RCV1-v2; a number far above is damage. */
enum { MOST_DOCUMENT = 1 << 28, LISTED = 1 << DECANT__ROOTS };

const char *const decant__root_name[DECANT__ROOTS] = {"CCAT", "GCAT", "MCAT", "ECAT"};

static decant_status make_room(decant__topics *topics, size_t document) {
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
    for (*document = 0; *p >= '0' && *p <= '9' && *document < MOST_DOCUMENT; p++)
        *document = *document * 10 + (size_t)(*p - '0');
    if (p == digits || *document >= MOST_DOCUMENT || (*p != ' ' && *p != '\t')) return 0;
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
    decant_status status = make_room(topics, document);
    if (status != DECANT_OK) return status;
    uint8_t *roots = &topics->roots[document];
    topics->listed += *roots == 0;
    *roots |= LISTED;
    for (int r = 0; r < DECANT__ROOTS; r++)
        if (strcmp(topic, decant__root_name[r]) == 0) *roots |= (uint8_t)(1 << r);
    return DECANT_OK;
}

decant_status decant__topics_read(decant__topics *topics, const char *path) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    decant__topics found = {0};
    TRY(decant__input_open(&input, path));
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
