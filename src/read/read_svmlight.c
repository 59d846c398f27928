/* svmlight / libsvm: one row a line, "label [qid:n] index:value ... [# comment]", indices
 * ascending. Labels are kept as class names; qid is skipped. Whether indices begin at 0 or 1 is
 * decided when rows of all files are collected: see decant__index_base. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "read/reader.h"

typedef struct svmlight_reader {
    decant__reader reader;
    decant__input *input;
    decant__index_base *base;
} svmlight_reader;

typedef struct token {
    char *begin, *end;
} token;

/* The next word of the line; empty at its end. */
static token next_token(char **at) {
    char *p = *at;
    while (*p == ' ' || *p == '\t') p++;
    token word = {p, p};
    while (*p != '\0' && *p != ' ' && *p != '\t') p++;
    word.end = *at = p;
    return word;
}

static decant_status bad_line(const svmlight_reader *self, const char *expected, token found) {
    size_t length = (size_t)(found.end - found.begin);
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected %s, found %s", self->input->path,
                        self->input->line, expected, decant__quote(found.begin, length).text);
}

static decant_status bad_index(const svmlight_reader *self, const char *expected, size_t found) {
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected %s, found index %zu",
                        self->input->path, self->input->line, expected, found);
}

/* Checks an index against those before it and against the limits. */
static decant_status check_index(const svmlight_reader *self, size_t index) {
    decant__index_base *base = self->base;
    if (index == 0 && base->base == 1) return bad_index(self, "indices from 1, as before", index);
    if (index == 0) base->zero_seen = 1;
    int from_zero = base->base == 0 || base->zero_seen;
    if (base->limit == 0 && index > base->max_columns)
        return decant__too_many_columns(self->input->path, self->input->line, index,
                                        base->max_columns);
    size_t max = (base->limit > 0 ? base->limit : DECANT__MAX_COLUMNS) - (size_t)from_zero;
    if (index > max)
        return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected indices up to %zu, found %zu",
                            self->input->path, self->input->line, max, index);
    if (index >= base->highest) {
        base->highest = index;
        base->where = base->file;
        base->line = self->input->line;
    }
    return DECANT_OK;
}

/* "index:value". *above: the smallest index allowed, so that they ascend. */
static decant_status parse_pair(const svmlight_reader *self, token pair, size_t *above,
                                decant__block *block) {
    char *p = pair.begin;
    size_t index = 0;
    float value;
    for (; *p >= '0' && *p <= '9' && index <= DECANT__MAX_COLUMNS; p++)
        index = index * 10 + (size_t)(*p - '0');
    if (p == pair.begin || *p != ':') return bad_line(self, "index:value", pair);
    const char *stop = decant__number_parse_float(p + 1, pair.end, &value);
    if (stop != pair.end) return bad_line(self, "index:value", pair);
    if (!isfinite(value)) return bad_line(self, "a finite float32 value", pair);
    if (index < *above) return bad_index(self, "ascending indices", index);
    decant_status status = check_index(self, index);
    if (status != DECANT_OK) return status;
    *above = index + 1;
    return decant__block_add_entry(block, (uint32_t)index, value);
}

static decant_status parse_row(const svmlight_reader *self, char *line, decant__block *block) {
    decant_status status = DECANT_OK;
    size_t above = 0;
    token word = next_token(&line);
    size_t length = (size_t)(word.end - word.begin);
    if (memchr(word.begin, ',', length) != NULL) TRY(bad_line(self, "one label", word));
    if (memchr(word.begin, ':', length) != NULL) TRY(bad_line(self, "a label first", word));
    TRY(decant__block_add_label(block, word.begin, length));
    for (word = next_token(&line); word.begin < word.end; word = next_token(&line)) {
        if (strncmp(word.begin, "qid:", 4) == 0 && above == 0) continue;
        TRY(parse_pair(self, word, &above, block));
    }
    TRY(decant__block_end_row(block));
done:
    return status;
}

static decant_status svmlight_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    svmlight_reader *self = (svmlight_reader *)reader;
    decant_status status = DECANT_OK;
    for (size_t rows = 0; rows < max_rows;) {
        char *line;
        size_t length;
        TRY(decant__input_read_line(self->input, &line, &length));
        if (line == NULL) break;
        if (memchr(line, '\0', length) != NULL)
            TRY(decant__fail(DECANT_EFORMAT, "%s: line %zu: expected text, found a zero byte",
                             self->input->path, self->input->line));
        char *comment = strchr(line, '#');
        if (comment != NULL) *comment = '\0';
        if (line[strspn(line, " \t")] == '\0') continue; /* nothing but a comment */
        TRY(parse_row(self, line, block));
        rows++;
    }
done:
    return status;
}

static const decant__row_rules lines = {.comment = '#', .indented = 1};

static void svmlight_close(decant__reader *reader) { decant__free(reader); }

decant_status decant__svmlight_open(decant__input *input, const decant__reader_options *options,
                                    decant__reader **out) {
    decant_status status = DECANT_OK;
    svmlight_reader *self;
    NEW_ZEROED(self, 1);
    self->reader = (decant__reader){.format = "svmlight",
                                    .sparse = 1,
                                    .rows = SIZE_MAX,
                                    .rules = &lines,
                                    .next = svmlight_next,
                                    .close = svmlight_close};
    self->input = input;
    self->base = options->base;
    *out = &self->reader;
done:
    return status;
}
