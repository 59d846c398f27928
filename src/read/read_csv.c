/* CSV, with commas, semicolons or tabs: quoted cells may hold separators, line ends and "" for a
 * quote (RFC 4180); lines end with LF or CRLF.
 *
 * The separator is the first of tab, semicolon and comma that occurs in the first record; if one
 * column has documents, which may have such marks too, it is that of the whole table. That
 * record is a header if none of its cells (other than id and label) is a number, or if it has the
 * wanted name of the id or label column. A first record of names and numbers mixed is data, and
 * then an error: better than to lose a row silently. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "table/dialect.h"
#include "read/reader.h"
#include "table/record.h"

enum { LONGEST_RECORD = 1 << 26 };

static const char separators[] = "\t;,"; /* in the order in which they are tried */

typedef struct csv_reader {
    decant__reader reader;
    decant__input *input;
    int labels_only;
    char separator;
    size_t cells;               /* in each record */
    size_t id_cell, label_cell; /* SIZE_MAX: none */
    size_t text_cell;           /* of documents; SIZE_MAX: the cells are numbers */
    char *record;               /* buffer for a record of several lines */
    size_t record_capacity;
    size_t line;       /* where the record begins */
    size_t blank_line; /* an empty line, which is fine only at the end of the file; 0: none */
    char *first;       /* the first record, if it is data: read before the columns were known */
    size_t first_length;
    char **names;            /* of the cells; NULL: no header */
    decant__row_place front; /* where the first row begins */
} csv_reader;

/* ---- records ---- */

/* Follows the cells of a record, which may come in pieces. A quote only means something at the
 * beginning of a cell. */
typedef struct scanner {
    const char *marks; /* that separate cells */
    enum { BEGIN, PLAIN, QUOTED, CLOSED } at;
    size_t cells;
} scanner;

static void scan(scanner *self, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (self->at == QUOTED) {
            if (text[i] == '"') self->at = CLOSED;
        } else if (text[i] == '"' && self->at != PLAIN) { /* the first, or the second of "" */
            self->at = QUOTED;
        } else if (text[i] != '\0' && strchr(self->marks, text[i]) != NULL) {
            self->at = BEGIN;
            self->cells++;
        } else {
            self->at = PLAIN;
        }
    }
}

static decant_status append(csv_reader *self, size_t *used, const char *text, size_t length) {
    if (*used + length + 2 > LONGEST_RECORD)
        return decant__fail(DECANT_EFORMAT,
                            "%s: line %zu: a quoted cell that begins here has no end",
                            self->input->path, self->line);
    if (*used + length + 2 > self->record_capacity) {
        size_t capacity = 2 * (*used + length + 2);
        char *grown = decant__realloc_array(self->record, capacity, 1);
        if (grown == NULL) return DECANT_ENOMEM;
        self->record = grown;
        self->record_capacity = capacity;
    }
    memcpy(self->record + *used, text, length);
    *used += length;
    return DECANT_OK;
}

/* A record that has quotes goes on until its last cell is closed, perhaps over several lines, which
 * are then put together. */
static decant_status join_lines(csv_reader *self, char **record, size_t *length) {
    decant_status status = DECANT_OK;
    const char known[] = {self->separator, '\0'};
    scanner state = {.marks = self->separator != '\0' ? known : separators};
    size_t used = 0;
    scan(&state, *record, *length);
    if (state.at != QUOTED) return DECANT_OK;
    TRY(append(self, &used, *record, *length));
    while (state.at == QUOTED) {
        char *line;
        TRY(decant__input_read_line(self->input, &line, length));
        if (line == NULL)
            TRY(decant__fail(DECANT_EFORMAT,
                             "%s: line %zu: a quoted cell that begins here has no end",
                             self->input->path, self->line));
        scan(&state, line, *length);
        TRY(append(self, &used, "\n", 1));
        TRY(append(self, &used, line, *length));
    }
    *record = self->record;
    *length = used;
done:
    return status;
}

/* The next record, NULL at the end. */
static decant_status next_record(csv_reader *self, char **record, size_t *length) {
    do {
        decant_status status = decant__input_read_line(self->input, record, length);
        if (status != DECANT_OK || *record == NULL) return status;
        self->line = self->input->line;
        if (*length == 0 && self->blank_line == 0) self->blank_line = self->line;
    } while (*length == 0);
    if (self->blank_line != 0)
        return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected a row, found an empty line",
                            self->input->path, self->blank_line);
    int quotes = memchr(*record, '"', *length) != NULL;
    return quotes ? join_lines(self, record, length) : DECANT_OK;
}

/* ---- cells ---- */

typedef struct cell {
    char *text;
    size_t length;
    int broken; /* there is text after the closing quote */
} cell;

static int is_space(char c) { return c == ' ' || c == '\t'; }

static cell trimmed(char *begin, char *end) {
    while (begin < end && is_space(*begin)) begin++;
    while (end > begin && is_space(end[-1])) end--;
    return (cell){.text = begin, .length = (size_t)(end - begin)};
}

/* Takes the quotes off a cell, in place; *at is moved behind the closing one. */
static cell unquote(char **at, char *end) {
    char *begin = ++*at, *out = begin, *p = begin;
    for (; p < end; p++) {
        if (*p == '"') {
            if (p + 1 == end || p[1] != '"') break;
            p++;
        }
        *out++ = *p;
    }
    *at = p < end ? p + 1 : end;
    return (cell){.text = begin, .length = (size_t)(out - begin)};
}

/* The cell at *at, which is moved to the next one; NULL after the last. */
static cell next_cell(char separator, char **at, char *end) {
    cell found = {0};
    char *begin = *at;
    int quoted = begin < end && *begin == '"';
    if (quoted) found = unquote(at, end);
    char *cell_end = *at;
    while (cell_end < end && *cell_end != separator) cell_end++;
    if (quoted)
        found.broken = trimmed(*at, cell_end).length > 0;
    else
        found = trimmed(begin, cell_end);
    *at = cell_end < end ? cell_end + 1 : NULL;
    return found;
}

/* ---- rows ---- */

static decant_status bad_cell(const csv_reader *self, size_t column, const char *expected,
                              cell found) {
    const char *name = self->names != NULL ? self->names[column] : "";
    decant__excerpt label = decant__quote(name, strlen(name));
    decant__excerpt text = decant__quote(found.text, found.length);
    return decant__fail(DECANT_EFORMAT, "%s: line %zu, column %zu%s%s%s: expected %s, found %s",
                        self->input->path, self->line, column + 1, *name ? " (" : "",
                        *name ? label.text : "", *name ? ")" : "", expected,
                        found.broken       ? "text after the closing quote"
                        : found.length > 0 ? text.text
                                           : "an empty cell");
}

static decant_status ragged(const csv_reader *self, size_t found, int more) {
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected %zu cells, found %s%zu",
                        self->input->path, self->line, self->cells, more ? "more than " : "",
                        found);
}

static decant_status take_text(csv_reader *self, size_t column, cell found, decant__block *block) {
    decant_status status = DECANT_OK;
    if (column == self->id_cell) status = decant__block_add_id(block, found.text, found.length);
    if (column != self->label_cell || status != DECANT_OK) return status;
    if (found.length == 0) return bad_cell(self, column, "a label", found);
    return decant__block_add_label(block, found.text, found.length);
}

static decant_status take_number(csv_reader *self, size_t column, cell found, float *x) {
    const char *end = found.text + found.length;
    if (decant__number_parse_float(found.text, end, x) != end || found.length == 0)
        return bad_cell(self, column, "a number", found);
    if (!isfinite(*x)) return bad_cell(self, column, "a finite float32 number", found);
    return DECANT_OK;
}

/* The usual cell: a finite number right up to its separator. 0: it is some other cell. */
static int parse_plain(const csv_reader *self, char **at, char *end, float *x) {
    const char *stop = *at < end ? decant__number_parse_float(*at, end, x) : NULL;
    if (stop == NULL || (stop != end && *stop != self->separator) || !isfinite(*x)) return 0;
    *at = stop == end ? NULL : *at + (stop - *at) + 1;
    return 1;
}

static decant_status parse_row(csv_reader *self, char *record, size_t length,
                               decant__block *block) {
    decant_status status = DECANT_OK;
    char *at = record, *end = record + length;
    float *x;
    TRY(decant__block_extend(block, 0, self->reader.d, &x));
    for (size_t column = 0; column < self->cells; column++) {
        if (at == NULL) TRY(ragged(self, column, 0));
        int is_text = column == self->id_cell || column == self->label_cell;
        int is_number = !is_text && !self->labels_only;
        if (is_number && parse_plain(self, &at, end, x)) {
            x++;
            continue;
        }
        cell found = next_cell(self->separator, &at, end);
        if (!is_text && !is_number) continue;
        if (found.broken) TRY(bad_cell(self, column, "a separator", found));
        TRY(is_text ? take_text(self, column, found, block)
                    : take_number(self, column, found, x++));
    }
    if (at != NULL) TRY(ragged(self, self->cells, 1));
    block->n++;
done:
    return status;
}

static decant_status csv_next(decant__reader *reader, size_t max_rows, decant__block *block) {
    csv_reader *self = (csv_reader *)reader;
    decant_status status = DECANT_OK;
    size_t rows = 0;
    if (self->first != NULL && max_rows > 0) {
        TRY(parse_row(self, self->first, self->first_length, block));
        decant__free(self->first);
        self->first = NULL;
        rows = 1;
    }
    for (; rows < max_rows; rows++) {
        char *record;
        size_t length;
        TRY(next_record(self, &record, &length));
        if (record == NULL) break;
        TRY(parse_row(self, record, length, block));
    }
done:
    return status;
}

/* ---- documents ---- */

static decant_status take_cells(csv_reader *self, char *record, size_t length,
                                decant__csv_document *document) {
    char *at = record, *end = record + length;
    *document = (decant__csv_document){.line = self->line};
    for (size_t column = 0; column < self->cells; column++) {
        if (at == NULL) return ragged(self, column, 0);
        cell found = next_cell(self->separator, &at, end);
        if (found.broken) return bad_cell(self, column, "a separator", found);
        if (column == self->text_cell) {
            document->text = found.text;
            document->text_length = found.length;
        }
        if (column == self->id_cell) {
            document->id = found.text;
            document->id_length = found.length;
        }
        if (column != self->label_cell) continue;
        if (found.length == 0) return bad_cell(self, column, "a label", found);
        document->label = found.text;
        document->label_length = found.length;
    }
    return at == NULL ? DECANT_OK : ragged(self, self->cells, 1);
}

decant_status decant__csv_next_document(decant__reader *reader, decant__csv_document *document,
                                        int *more) {
    csv_reader *self = (csv_reader *)reader;
    char *record;
    size_t length;
    *more = 0;
    if (self->first != NULL) { /* read before the columns were known */
        self->record_capacity = self->first_length + 1;
        decant__free(self->record);
        record = self->record = self->first;
        length = self->first_length;
        self->first = NULL;
    } else {
        decant_status status = next_record(self, &record, &length);
        if (status != DECANT_OK || record == NULL) return status;
    }
    *more = 1;
    return take_cells(self, record, length, document);
}

decant__row_rules decant__csv_rows(const decant__reader *reader, decant__row_place *first) {
    const csv_reader *self = (const csv_reader *)reader;
    *first = self->front;
    return (decant__row_rules){.separator = self->separator};
}

decant_status decant__csv_go(decant__reader *reader, const decant__row_place *place) {
    csv_reader *self = (csv_reader *)reader;
    decant__free(self->first);
    self->first = NULL;
    self->blank_line = 0;
    decant_status status = decant__input_go(self->input, place->offset);
    self->input->line = place->line;
    return status;
}

/* ---- the first record ---- */

static void csv_close(decant__reader *reader) {
    csv_reader *self = (csv_reader *)reader;
    decant__free(self->record);
    decant__free(self->first);
    decant__free(self->reader.names);
    decant__free(self->names);
    decant__free(self);
}

/* The separator of a table with documents, and what comes before the first record. */
static decant_status find_dialect(csv_reader *self) {
    decant_status status = DECANT_OK;
    decant__input *input = self->input;
    decant__dialect dialect;
    decant__likeness likeness;
    const char *bytes;
    size_t count;
    TRY(decant__input_peek(input, DECANT__INPUT_PEEK, &bytes, &count));
    size_t mark = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    TRY(decant__dialect_find(bytes + mark, count - mark, count < DECANT__INPUT_PEEK, NULL, 0,
                             &dialect, &likeness));
    if (likeness == DECANT__NO_TABLE || dialect.separator == DECANT__BLANKS) return DECANT_OK;
    self->separator = dialect.separator;
    if (dialect.skip == 0) return DECANT_OK;
    decant__input_skip(input, mark + dialect.skip);
    input->line += dialect.skip_lines;
done:
    return status;
}

/* The separator, and the number of cells. */
static void find_separator(csv_reader *self, const char *record, size_t length) {
    const char known[] = {self->separator, '\0'};
    for (const char *c = *known != '\0' ? known : separators; *c != '\0'; c++) {
        const char candidate[] = {*c, '\0'};
        scanner state = {.marks = candidate, .cells = 1};
        scan(&state, record, length);
        self->cells = state.cells;
        self->separator = *c;
        if (self->cells > 1) break;
    }
}

/* The cells of a record as strings, with the pointers to them in one allocation. */
static decant_status split(const csv_reader *self, const char *record, size_t length,
                           char ***cells) {
    size_t pointers = self->cells * sizeof **cells, i = 0;
    char **block = decant__alloc_array(pointers + length + 1, 1);
    if (block == NULL) return DECANT_ENOMEM;
    char *text = (char *)block + pointers, *at = text, *end = text + length;
    memcpy(text, record, length);
    text[length] = '\0';
    while (at != NULL && i < self->cells) {
        cell found = next_cell(self->separator, &at, end);
        block[i] = found.text;
        found.text[found.length] = '\0'; /* on the separator or a closing quote */
        i++;
    }
    while (i < self->cells) block[i++] = end;
    *cells = block;
    return DECANT_OK;
}

/* The cell with this name; else the one with this number, from 1; else SIZE_MAX. */
static size_t find_cell(const csv_reader *self, char *const *names, const char *wanted) {
    double number;
    for (size_t i = 0; names != NULL && i < self->cells; i++)
        if (strcmp(names[i], wanted) == 0) return i;
    if (!decant__number_is(wanted, strlen(wanted), &number)) return SIZE_MAX;
    int fits = number >= 1 && number <= (double)self->cells && number == floor(number);
    return fits ? (size_t)number - 1 : SIZE_MAX;
}

/* Is this name, which is not a number, in the first record? */
static int has_name(const csv_reader *self, char *const *first, const char *wanted) {
    double number;
    if (wanted == NULL || decant__number_is(wanted, strlen(wanted), &number)) return 0;
    return find_cell(self, first, wanted) != SIZE_MAX;
}

static int is_header(const csv_reader *self, char *const *first,
                     const decant__reader_options *options) {
    size_t id = options->id_column ? find_cell(self, NULL, options->id_column) : SIZE_MAX;
    size_t label = options->label_column ? find_cell(self, NULL, options->label_column) : SIZE_MAX;
    size_t names = 0, numbers = 0;
    double number;
    if (has_name(self, first, options->id_column) || has_name(self, first, options->label_column))
        return 1;
    if (options->text_column != NULL) return has_name(self, first, options->text_column);
    for (size_t i = 0; i < self->cells; i++) {
        if (i == id || i == label || first[i][0] == '\0') continue;
        if (decant__number_is(first[i], strlen(first[i]), &number))
            numbers++;
        else
            names++;
    }
    return names > 0 && numbers == 0;
}

static decant_status resolve(const csv_reader *self, const char *what, const char *wanted,
                             size_t *column) {
    *column = SIZE_MAX;
    if (wanted == NULL) return DECANT_OK;
    *column = find_cell(self, self->names, wanted);
    if (*column != SIZE_MAX) return DECANT_OK;
    return decant__fail(
        DECANT_EINVAL, "%s: expected a column named or numbered %s for the %s, found %zu columns%s",
        self->input->path, decant__quote(wanted, strlen(wanted)).text, what, self->cells,
        self->names == NULL ? " without a header" : "");
}

/* A file of labels with several columns: the wanted one, or one with a usual name, if the first
 * record has such a name; else SIZE_MAX. */
static size_t named_label_cell(const csv_reader *self, char *const *first,
                               const decant__reader_options *options) {
    static const char *const usual[] = {"cluster", "label", "class"};
    if (options->label_column != NULL)
        return has_name(self, first, options->label_column)
                   ? find_cell(self, first, options->label_column)
                   : SIZE_MAX;
    for (size_t i = 0; self->cells > 1 && i < sizeof usual / sizeof *usual; i++) {
        size_t found = find_cell(self, first, usual[i]);
        if (found != SIZE_MAX) return found;
    }
    return SIZE_MAX;
}

static decant_status choose_label_cell(csv_reader *self, size_t named,
                                       const decant__reader_options *options) {
    self->id_cell = SIZE_MAX;
    self->label_cell = named != SIZE_MAX ? named : 0;
    if (named != SIZE_MAX) return DECANT_OK;
    if (options->label_column != NULL)
        return resolve(self, "labels", options->label_column, &self->label_cell);
    if (self->cells == 1) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT,
                        "%s: line %zu: expected one label, found %zu cells and no column named "
                        "cluster, label or class",
                        self->input->path, self->line, self->cells);
}

/* A first record that is data is kept for the first row. */
static decant_status keep_first(csv_reader *self, const char *record, size_t length) {
    self->first = decant__alloc_array(length + 1, 1);
    if (self->first == NULL) return DECANT_ENOMEM;
    memcpy(self->first, record, length + 1);
    self->first_length = length;
    return DECANT_OK;
}

static decant_status find_columns(csv_reader *self, const decant__reader_options *options) {
    decant_status status = DECANT_OK;
    TRY(resolve(self, "ids", options->id_column, &self->id_cell));
    TRY(resolve(self, "labels", options->label_column, &self->label_cell));
    TRY(resolve(self, "documents", options->text_column, &self->text_cell));
done:
    return status;
}

/* From the first record: the separator, whether it is a header, and which column is what. */
static decant_status read_first(csv_reader *self, const decant__reader_options *options) {
    decant_status status = DECANT_OK;
    char *record, **cells = NULL;
    size_t length;
    if (options->text_column != NULL) TRY(find_dialect(self));
    TRY(next_record(self, &record, &length));
    if (record == NULL) TRY(decant__check_shape(self->input->path, 0, 0));
    find_separator(self, record, length);
    TRY(split(self, record, length, &cells));
    size_t named = self->labels_only ? named_label_cell(self, cells, options) : SIZE_MAX;
    int may_be_header = !self->labels_only || options->label_column != NULL;
    if (named != SIZE_MAX || (may_be_header && is_header(self, cells, options))) {
        self->names = cells;
        cells = NULL;
    } else {
        TRY(keep_first(self, record, length));
    }
    TRY(self->labels_only ? choose_label_cell(self, named, options) : find_columns(self, options));
done:
    decant__free(cells);
    return status;
}

/* Columns of numbers: all but those of ids and labels; 0 where the file is read for others. */
static size_t count_numbers(const csv_reader *self) {
    if (self->labels_only || self->text_cell != SIZE_MAX) return 0;
    size_t count = self->cells;
    if (self->id_cell != SIZE_MAX) count--;
    if (self->label_cell != SIZE_MAX && self->label_cell != self->id_cell) count--;
    return count;
}

/* The header without the columns of ids and labels. */
static decant_status name_columns(csv_reader *self) {
    decant_status status = DECANT_OK;
    size_t count = 0;
    if (self->names == NULL) return DECANT_OK;
    NEW_ARRAY(self->reader.names, self->reader.d);
    for (size_t i = 0; i < self->cells; i++)
        if (i != self->id_cell && i != self->label_cell)
            self->reader.names[count++] = self->names[i];
done:
    return status;
}

decant_status decant__csv_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out) {
    decant_status status = DECANT_OK;
    csv_reader *self;
    NEW_ZEROED(self, 1);
    self->reader =
        (decant__reader){.format = "CSV", .rows = SIZE_MAX, .next = csv_next, .close = csv_close};
    self->input = input;
    self->labels_only = options->labels_only;
    self->text_cell = SIZE_MAX;
    self->front = (decant__row_place){decant__input_at(input), input->line};
    TRY(read_first(self, options));
    if (self->first == NULL)
        self->front = (decant__row_place){decant__input_at(input), input->line};
    self->reader.d = count_numbers(self);
    if (!self->labels_only && self->text_cell == SIZE_MAX)
        TRY(decant__check_shape(input->path, 1, self->reader.d));
    if (self->reader.d > 0) TRY(name_columns(self));
    *out = &self->reader;
done:
    if (status != DECANT_OK && self != NULL) csv_close(&self->reader);
    return status;
}
