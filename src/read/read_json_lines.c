/* JSON lines: each line is an object, and becomes a row of a table. The keys of all lines are the
 * columns, in the order in which they appear; what is inside of an object or a list gets the name
 * of its path: {"a": {"b": 1, "c": [2, 3]}} has the columns a.b, a.c.0 and a.c.1. A key that a line
 * does not have, and null, are an empty cell.
 *
 * The lines are translated to CSV while they are read, so all that is known of tables holds here,
 * too. A first pass over the file finds the keys. */
#include <string.h>

#include "base/json_scan.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "read/formats.h"
#include "features/names.h"

enum { DEEPEST = 16, MOST_KEYS = 1 << 16 };

typedef struct cell {
    size_t begin, length; /* in the text of the row */
} cell;

typedef struct json_lines {
    decant__names keys;
    int complete;      /* all keys are known: the first pass is done */
    int begun;         /* the header is written */
    decant__text path; /* of the value being read */
    decant__text row;  /* the cells of a line, as CSV */
    cell *cells;       /* one for each key */
} json_lines;

static decant_status bad_line(const decant__input *from, const char *expected, const char *found) {
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected %s, found %s", from->path,
                        from->line, expected, decant__quote(found, strlen(found)).text);
}

/* ---- cells ---- */

static void put_quoted(decant__text *text, const char *bytes, size_t count) {
    decant__text_put(text, "\"", 1);
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '"') decant__text_put(text, "\"", 1);
        decant__text_put(text, bytes + i, 1);
    }
    decant__text_put(text, "\"", 1);
}

/* A value at the present path: its key in the first pass, its cell in the second. Later values of a
 * key replace earlier ones. */
static decant_status take_value(json_lines *self, const decant__input *from, const char *bytes,
                                size_t count, int quoted) {
    uint32_t key;
    const char *path = self->path.length > 0 ? self->path.bytes : "";
    if (self->path.failed) return DECANT_ENOMEM;
    if (!self->complete) {
        if (self->keys.count >= MOST_KEYS)
            return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected at most %d different keys",
                                from->path, from->line, MOST_KEYS);
        return decant__names_add(&self->keys, path, self->path.length, &key);
    }
    key = decant__names_find(&self->keys, path, self->path.length);
    if (key == DECANT__NO_NAME) return bad_line(from, "a file that stays as it is", "a new key");
    self->cells[key].begin = self->row.length;
    if (quoted)
        put_quoted(&self->row, bytes, count);
    else
        decant__text_put(&self->row, bytes, count);
    self->cells[key].length = self->row.length - self->cells[key].begin;
    return self->row.failed ? DECANT_ENOMEM : DECANT_OK;
}

/* ---- values ---- */

static decant_status read_value(json_lines *self, decant__input *from, decant__scan *scan,
                                int depth);

/* A key or an index is appended to the path for the time of its value. */
static decant_status read_below(json_lines *self, decant__input *from, decant__scan *scan,
                                int depth, const char *name, size_t length) {
    size_t before = self->path.length;
    if (before > 0) decant__text_put(&self->path, ".", 1);
    decant__text_put(&self->path, name, length);
    decant_status status = read_value(self, from, scan, depth + 1);
    self->path.length = before;
    return status;
}

static decant_status read_object(json_lines *self, decant__input *from, decant__scan *scan,
                                 int depth) {
    if (decant__scan_take(scan, '}')) return DECANT_OK;
    do {
        char *key;
        size_t length;
        if (!decant__scan_text(scan, &key, &length) || !decant__scan_take(scan, ':'))
            return bad_line(from, "a key in quotes and a colon", scan->at);
        decant_status status = read_below(self, from, scan, depth, key, length);
        if (status != DECANT_OK) return status;
    } while (decant__scan_take(scan, ','));
    return decant__scan_take(scan, '}') ? DECANT_OK : bad_line(from, "',' or '}'", scan->at);
}

static decant_status read_list(json_lines *self, decant__input *from, decant__scan *scan,
                               int depth) {
    if (decant__scan_take(scan, ']')) return DECANT_OK;
    size_t index = 0;
    do {
        char name[32];
        int length = decant__format(name, sizeof name, "%zu", index++);
        decant_status status = read_below(self, from, scan, depth, name, (size_t)length);
        if (status != DECANT_OK) return status;
    } while (decant__scan_take(scan, ','));
    return decant__scan_take(scan, ']') ? DECANT_OK : bad_line(from, "',' or ']'", scan->at);
}

static decant_status read_value(json_lines *self, decant__input *from, decant__scan *scan,
                                int depth) {
    static const char *const words[] = {"true", "false", "NaN", "Infinity", "-Infinity"};
    char *text;
    const char *digits;
    size_t length;
    double number;
    if (depth > DEEPEST) return bad_line(from, "at most 16 objects inside each other", scan->at);
    if (decant__scan_take(scan, '{')) return read_object(self, from, scan, depth);
    if (decant__scan_take(scan, '[')) return read_list(self, from, scan, depth);
    if (decant__scan_word(scan, "null")) return take_value(self, from, "", 0, 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (decant__scan_word(scan, words[i]))
            return take_value(self, from, words[i], strlen(words[i]), 0);
    if (decant__scan_peek(scan) == '"')
        return decant__scan_text(scan, &text, &length)
                   ? take_value(self, from, text, length, 1)
                   : bad_line(from, "a string of UTF-8 in quotes", scan->at);
    char *at = scan->at;
    if (!decant__scan_number(scan, &digits, &length) || !decant__number_is(digits, length, &number))
        return bad_line(from, "a JSON value", at);
    return take_value(self, from, digits, length, 0);
}

/* One line; *more = 0 at the end. Lines without anything on them are passed over. */
static decant_status read_line(json_lines *self, decant__input *from, int *more) {
    char *line;
    size_t length;
    decant__scan scan;
    do {
        decant_status status = decant__input_read_line(from, &line, &length);
        *more = line != NULL;
        if (status != DECANT_OK || line == NULL) return status;
        scan = (decant__scan){line, line, line + length};
    } while (decant__scan_ended(&scan));
    if (memchr(line, '\0', length) != NULL) return bad_line(from, "text", line);
    if (!decant__scan_take(&scan, '{')) return bad_line(from, "a JSON object", line);
    decant_status status = read_object(self, from, &scan, 0);
    if (status == DECANT_OK && !decant__scan_ended(&scan))
        status = bad_line(from, "the end of the line after the object", scan.at);
    return status;
}

/* ---- the translator ---- */

static void put_header(json_lines *self, decant__text *text) {
    for (size_t i = 0; i < self->keys.count; i++) {
        const char *name = decant__names_at(&self->keys, i);
        if (i > 0) decant__text_put(text, ",", 1);
        put_quoted(text, name, strlen(name));
    }
    decant__text_put(text, "\n", 1);
    self->begun = 1;
}

static decant_status next_row(void *state, decant__input *from, decant__text *text) {
    json_lines *self = state;
    int more;
    if (!self->begun) {
        put_header(self, text);
        return DECANT_OK;
    }
    self->row.length = 0;
    memset(self->cells, 0, self->keys.count * sizeof *self->cells);
    decant_status status = read_line(self, from, &more);
    if (status != DECANT_OK || !more) return status;
    for (size_t i = 0; i < self->keys.count; i++) {
        if (i > 0) decant__text_put(text, ",", 1);
        if (self->cells[i].length > 0)
            decant__text_put(text, self->row.bytes + self->cells[i].begin, self->cells[i].length);
        else if (self->keys.count == 1)
            decant__text_put(text, "\"\"", 2); /* an empty line would be no row */
    }
    decant__text_put(text, "\n", 1);
    return DECANT_OK;
}

static void restart(void *state) { ((json_lines *)state)->begun = 0; }

static void free_lines(void *state) {
    json_lines *self = state;
    decant__names_free(&self->keys);
    decant__text_free(&self->path);
    decant__text_free(&self->row);
    decant__free(self->cells);
    decant__free(self);
}

decant_status decant__json_lines_translate(decant__input *input) {
    static const decant__translator translator = {next_row, restart, free_lines, 1};
    decant_status status = DECANT_OK;
    json_lines *self = NULL;
    if (!input->regular) TRY(decant__input_spool(input));
    NEW_ZEROED(self, 1);
    for (int more = 1; more;) TRY(read_line(self, input, &more));
    if (self->keys.count == 0)
        TRY(decant__fail(DECANT_EFORMAT, "%s: expected objects with keys, found only empty ones",
                         input->path));
    NEW_ZEROED(self->cells, self->keys.count);
    self->complete = 1;
    TRY(decant__input_rewind(input));
    status = decant__input_translate(input, &translator, self);
    self = NULL;
done:
    if (self != NULL) free_lines(self);
    return status;
}

decant_status decant__json_lines_open(decant__input *input, const decant__reader_options *options,
                                      decant__reader **out) {
    decant_status status = decant__csv_open(input, options, out);
    if (status == DECANT_OK) (*out)->format = "JSON lines";
    return status;
}
