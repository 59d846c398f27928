/* A batch of whole records is cut into pieces at ends of records; each piece is parsed on its own,
 * with a list of words of its own, and the pieces are then added to the frame in their order. So
 * the result does not depend on the number of threads. Errors are kept in their piece until its
 * turn: only then is the number of its first line known. */
#include "read/read_frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/team.h"
#include "base/text.h"
#include "data/block.h"
#include "table/cell.h"
#include "read/reader.h"
#include "read/utf16.h"
#include "table/record.h"

enum {
    PIECE = 1 << 20, /* bytes */
    PIECES = 8,
    LONGEST_RECORD = 1 << 26
};

typedef enum problem { FINE, TOO_FEW, TOO_MANY, BROKEN, NO_MEMORY } problem;

typedef struct piece {
    char *begin, *end; /* in the batch */
    double *cells;     /* columns x capacity */
    size_t capacity, rows, lines;
    decant__names *words;
    size_t blank_lines, trailing_blanks, recoded;
    size_t skipped, skipped_line[DECANT__SKIPPED_LINES]; /* lines from the piece's first on */
    /* the first error: 0 none */
    problem problem;
    size_t problem_line, problem_cells;
    char *scratch;
    size_t scratch_capacity;
} piece;

struct decant__frame_reader {
    decant__input *input;
    int threads;
    decant__dialect dialect;
    char **names; /* in one block */
    decant__cell_mode *mode;
    char *batch;
    size_t capacity, used; /* bytes in batch */
    int ended;
    decant__utf16 utf16;
    unsigned char pending[4]; /* UTF-16: bytes that are no whole character yet */
    size_t pending_count;
    uint64_t left;           /* bytes that may still be read */
    decant__row_place front; /* where the first record begins */
    piece pieces[PIECES];
    size_t line, rows, blank_lines, waiting_blanks, recoded;
    int skip;
    size_t skipped, skipped_line[DECANT__SKIPPED_LINES];
};

const decant__dialect *decant__frame_reader_dialect(const decant__frame_reader *reader) {
    return &reader->dialect;
}

const char *const *decant__frame_reader_names(const decant__frame_reader *reader) {
    return (const char *const *)reader->names;
}

decant__frame_oddities decant__frame_reader_oddities(const decant__frame_reader *reader) {
    decant__frame_oddities odd = {.blank_lines = reader->blank_lines,
                                  .trailing = reader->waiting_blanks,
                                  .recoded = reader->recoded,
                                  .utf16 = reader->utf16 != 0,
                                  .skipped = reader->skipped};
    memcpy(odd.skipped_line, reader->skipped_line, sizeof odd.skipped_line);
    return odd;
}

/* ---- bytes ---- */

/* Reads up to `room` more bytes of text behind those of the batch. */
static decant_status read_more(decant__frame_reader *r, size_t room) {
    decant_status status = DECANT_OK;
    unsigned char *raw = NULL;
    size_t got, whole;
    if (r->utf16 == 0) {
        if (room > r->left) room = (size_t)r->left;
        TRY(decant__input_read(r->input, r->batch + r->used, room, &got));
        r->left -= got;
        r->ended = got < room || r->left == 0;
        r->used += got;
        return DECANT_OK;
    }
    size_t want = room / 2 & ~(size_t)1; /* two bytes can become three */
    NEW_ARRAY(raw, want + sizeof r->pending);
    size_t before = r->pending_count;
    memcpy(raw, r->pending, before);
    TRY(decant__input_read(r->input, raw + before, want - before, &got));
    r->ended = got < want - before;
    r->used +=
        decant__utf16_recode(r->utf16, raw, before + got, r->ended, r->batch + r->used, &whole);
    r->pending_count = before + got - whole < sizeof r->pending ? before + got - whole : 0;
    memcpy(r->pending, raw + whole, r->pending_count);
done:
    decant__free(raw);
    return status;
}

/* Fills the batch until it holds a whole record; *stop: behind the last one. */
static decant_status fill_batch(decant__frame_reader *r, size_t *stop) {
    decant_status status = DECANT_OK;
    for (;;) {
        if (r->capacity - r->used < PIECE && !r->ended) {
            if (r->capacity > LONGEST_RECORD)
                TRY(decant__fail(DECANT_EFORMAT,
                                 "%s: line %zu: a quoted cell that begins here has no end",
                                 r->input->path, r->line + 1));
            size_t capacity = r->capacity == 0 ? (size_t)PIECES * PIECE : 2 * r->capacity;
            char *grown = decant__realloc_array(r->batch, capacity + 1, 1);
            if (grown == NULL) TRY(DECANT_ENOMEM);
            r->batch = grown;
            r->capacity = capacity;
        }
        while (!r->ended && r->used < r->capacity - (r->utf16 != 0 ? 8 : 0)) {
            size_t before = r->used;
            TRY(read_more(r, r->capacity - r->used));
            if (r->used == before && r->utf16 == 0) break;
            if (r->utf16 != 0 && r->capacity - r->used < PIECE) break;
        }
        *stop = r->used;
        if (r->ended) goto done;
        /* the last line end that is outside of quotes */
        decant__record_scan scan = {.separator = r->dialect.separator};
        const char *end = r->batch + r->used, *found = NULL;
        if (memchr(r->batch, '"', r->used) == NULL) {
            for (found = end; found > r->batch && found[-1] != '\n';) found--;
            if (found == r->batch) found = NULL;
        } else {
            for (const char *p = r->batch; p != NULL && p < end;) {
                p = decant__record_end(&scan, p, p, end);
                if (p != NULL) found = p;
            }
        }
        if (found != NULL) {
            *stop = (size_t)(found - r->batch);
            goto done;
        }
    }
done:
    return status;
}

/* Cuts the first `stop` bytes of the batch into pieces; returns how many. */
static size_t cut_pieces(decant__frame_reader *r, size_t stop) {
    size_t count = 0;
    char *at = r->batch, *end = r->batch + stop;
    int quotes = memchr(at, '"', stop) != NULL;
    decant__record_scan scan = {.separator = r->dialect.separator};
    while (at < end) {
        const char *cut = NULL,
                   *from = (size_t)(end - at) > stop / PIECES + 1 ? at + stop / PIECES + 1 : end;
        if (count + 1 < PIECES && from < end)
            cut = quotes ? decant__record_end(&scan, at, from, end)
                         : memchr(from - 1, '\n', (size_t)(end - from) + 1);
        if (cut != NULL && !quotes) cut++;
        if (cut == NULL) cut = end;
        r->pieces[count].begin = at;
        r->pieces[count++].end = at + (cut - at);
        at += cut - at;
    }
    return count;
}

/* ---- rows ---- */

static decant_status grow_cells(const decant__frame_reader *r, piece *p) {
    size_t columns = r->dialect.cells, capacity = 2 * p->capacity + 256;
    double *grown = decant__alloc_array(columns * capacity, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    for (size_t j = 0; j < columns && p->rows > 0; j++)
        memcpy(grown + j * capacity, p->cells + j * p->capacity, p->rows * sizeof *grown);
    decant__free(p->cells);
    p->cells = grown;
    p->capacity = capacity;
    return DECANT_OK;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* A number as programs write it, right up to the end of its cell. Whole numbers with leading zeros
 * or too many digits for a double are words. Returns where it stops; NULL: it is none. */
static char *take_number(const decant__dialect *dialect, char *at, char *end, double *value) {
    const char *digits = at + (at < end && *at == '-');
    if (digits >= end || !(is_digit(*digits) || *digits == '.' || *digits == ',')) return NULL;
    if (*digits == '0' && digits + 1 < end && is_digit(digits[1])) return NULL;
    const char *stop =
        decant__number_parse_marked(at, end, dialect->decimal_comma ? ',' : '.', value);
    if (stop == NULL || !isfinite(*value)) return NULL;
    if (stop - digits > DECANT__EXACT_DIGITS) {
        const char *p = digits;
        while (p < stop && is_digit(*p)) p++;
        if (p == stop) return NULL;
    }
    return at + (stop - at);
}

/* Is the cell over here? Then *next is where the next one begins, NULL at the end of the record. */
static int ends_cell(char separator, char *at, char *end, char **next, char **next_record) {
    if (at < end && *at == separator && separator != DECANT__BLANKS) {
        *next = at + 1;
        return 1;
    }
    if (at < end && *at == '\r' && at + 1 < end && at[1] == '\n') at++;
    if (at < end && *at != '\n') return 0;
    *next = NULL;
    *next_record = at < end ? at + 1 : end;
    return 1;
}

static int has_high_byte(const char *text, size_t length) {
    unsigned char any = 0;
    for (size_t i = 0; i < length; i++) any |= (unsigned char)text[i];
    return any >= 0x80;
}

static decant_status reserve_scratch(piece *p, size_t length) {
    if (p->scratch_capacity >= length) return DECANT_OK;
    char *grown = decant__realloc_array(p->scratch, 2 * length, 1);
    if (grown == NULL) return DECANT_ENOMEM;
    p->scratch = grown;
    p->scratch_capacity = 2 * length;
    return DECANT_OK;
}

static decant_status add_word(piece *p, size_t column, const char *text, size_t length,
                              double *cell) {
    uint32_t word;
    length = strnlen(text, length);
    if (has_high_byte(text, length) && decant__utf8_prefix(text, length) != length) {
        if (reserve_scratch(p, 3 * length) != DECANT_OK) return DECANT_ENOMEM;
        length = decant__cell_recode(text, length, p->scratch);
        text = p->scratch;
        p->recoded++;
    }
    decant_status status = decant__names_add(&p->words[column], text, length, &word);
    if (status == DECANT_OK) *cell = decant__word_cell(word);
    return status;
}

static decant_status read_cell(const decant__frame_reader *r, piece *p, size_t column,
                               const decant__record_cell *found, double *cell) {
    decant__cell_mode mode = r->mode[column];
    char spelled[40];
    double value;
    *cell = (double)NAN;
    if (mode == DECANT__READ_NONE) return DECANT_OK;
    if (mode == DECANT__READ_TEXT) return add_word(p, column, found->text, found->length, cell);
    if (decant__cell_missing(found->text, found->length)) return DECANT_OK;
    char *end = found->text + found->length;
    if (take_number(&r->dialect, found->text, end, &value) == end && found->length > 0) {
        if (mode == DECANT__READ_CELLS) {
            *cell = value;
            return DECANT_OK;
        }
        decant__number_print(value, spelled, sizeof spelled);
        return add_word(p, column, spelled, strlen(spelled), cell);
    }
    int infinite = decant__number_parse(found->text, end, &value) == end && isinf(value);
    return infinite ? DECANT_OK : add_word(p, column, found->text, found->length, cell);
}

static void fail_piece(piece *p, problem found, size_t cells) {
    p->problem = found;
    p->problem_line = p->lines;
    p->problem_cells = cells;
}

static size_t count_lines(const char *begin, const char *end) {
    size_t lines = 0;
    for (const char *p = begin; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        lines++;
    return lines;
}

static size_t lines_of(const piece *p, const char *begin, const char *next) {
    return count_lines(begin, next) + (next == p->end && next > begin && next[-1] != '\n');
}

/* Looks whether the record at *at is a row; if it is not, *at becomes the next one. That is done in
 * a copy: reading takes quotes off in place, and the words of a broken row would stay. */
static int pass_broken(const decant__frame_reader *r, piece *p, char **at) {
    const decant__dialect *dialect = &r->dialect;
    decant__record_scan scan = {.separator = dialect->separator};
    const char *end = decant__record_end(&scan, *at, *at, p->end);
    size_t length = (size_t)((end != NULL ? end : p->end) - *at), cells = 0;
    int broken = 0;
    if (reserve_scratch(p, length) != DECANT_OK) {
        fail_piece(p, NO_MEMORY, 0);
        *at = p->end;
        return 1;
    }
    memcpy(p->scratch, *at, length);
    for (char *cell = p->scratch, *next; cell != NULL; cells++) {
        decant__record_cell found =
            decant__record_take(dialect->separator, &cell, p->scratch + length, &next);
        broken |= cells < dialect->cells ? found.broken : found.length > 0 || !dialect->trailing;
    }
    if (!broken && cells >= dialect->cells) return 0;
    if (p->skipped < DECANT__SKIPPED_LINES) p->skipped_line[p->skipped] = p->lines;
    p->skipped++;
    p->lines += lines_of(p, *at, *at + length);
    *at += length;
    return 1;
}

/* One record at `at`; returns the next one. */
static char *parse_record(const decant__frame_reader *r, piece *p, char *at) {
    const decant__dialect *dialect = &r->dialect;
    char *begin = at, *next = p->end;
    size_t column = 0, extra = 0;
    if (p->rows == p->capacity && grow_cells(r, p) != DECANT_OK) {
        fail_piece(p, NO_MEMORY, 0);
        return p->end;
    }
    for (; at != NULL; column++) {
        double *cell = column < dialect->cells ? p->cells + column * p->capacity + p->rows : NULL;
        double value;
        char *after = cell != NULL && r->mode[column] == DECANT__READ_CELLS
                          ? take_number(dialect, at, p->end, &value)
                          : NULL;
        if (after != NULL && ends_cell(dialect->separator, after, p->end, &after, &next)) {
            *cell = value;
            at = after;
            continue;
        }
        decant__record_cell found = decant__record_take(dialect->separator, &at, p->end, &next);
        if (cell == NULL) {
            extra += found.length > 0 || !dialect->trailing;
            continue;
        }
        if (found.broken) {
            fail_piece(p, BROKEN, column);
            return p->end;
        }
        if (read_cell(r, p, column, &found, cell) != DECANT_OK) {
            fail_piece(p, NO_MEMORY, 0);
            return p->end;
        }
    }
    if (column < dialect->cells || extra > 0) {
        fail_piece(p, column < dialect->cells ? TOO_FEW : TOO_MANY, column);
        return p->end;
    }
    p->rows++;
    p->lines += lines_of(p, begin, next);
    return next;
}

static decant_status parse_piece(void *context, size_t index) {
    decant__frame_reader *r = context;
    piece *p = &r->pieces[index];
    p->rows = p->lines = p->blank_lines = p->trailing_blanks = p->recoded = p->skipped = 0;
    p->problem = FINE;
    for (size_t j = 0; j < r->dialect.cells; j++) decant__names_clear(&p->words[j]);
    for (char *at = p->begin; at < p->end;) {
        int blank = *at == '\n' || (*at == '\r' && at + 1 < p->end && at[1] == '\n');
        if (blank || (r->dialect.comments && *at == '#')) {
            char *newline = memchr(at, '\n', (size_t)(p->end - at));
            at = newline != NULL ? newline + 1 : p->end;
            p->lines++;
            p->trailing_blanks += (size_t)blank;
            continue;
        }
        p->blank_lines += p->trailing_blanks; /* the last ones may be the end of the file */
        p->trailing_blanks = 0;
        if (!r->skip || !pass_broken(r, p, &at)) at = parse_record(r, p, at);
    }
    return DECANT_OK;
}

static decant_status explain(const decant__frame_reader *r, const piece *p) {
    static const char *const help = "; --on-error skip leaves such lines out";
    size_t line = r->line + p->problem_line + 1, cells = r->dialect.cells;
    const char *path = r->input->path;
    switch (p->problem) {
        case TOO_FEW:
            return decant__fail(DECANT_EFORMAT, "%s: line %zu: expected %zu cells, found %zu%s",
                                path, line, cells, p->problem_cells, help);
        case TOO_MANY:
            return decant__fail(DECANT_EFORMAT,
                                "%s: line %zu: expected %zu cell%s, found more than %zu%s", path,
                                line, cells, decant__plural(cells), cells, help);
        case BROKEN:
            return decant__fail(DECANT_EFORMAT,
                                "%s: line %zu, column %zu: expected a separator, found text after "
                                "the closing quote%s",
                                path, line, p->problem_cells + 1, help);
        default:
            return decant__fail(DECANT_ENOMEM, "%s: there is not enough memory for this table",
                                path);
    }
}

static void add_skipped(decant__frame_reader *r, const piece *p) {
    for (size_t i = 0; i < p->skipped && r->skipped + i < DECANT__SKIPPED_LINES; i++)
        r->skipped_line[r->skipped + i] = r->line + p->skipped_line[i] + 1;
    r->skipped += p->skipped;
}

/* A few lines may be broken; if most are, the first one is, or this is no table. */
static decant_status check_skipped(const decant__frame_reader *r) {
    if (r->skipped <= r->rows) return DECANT_OK;
    return decant__fail(
        DECANT_EFORMAT,
        "%s: %zu of %zu lines do not have %zu cell%s as the first has, and these are "
        "too many to leave out",
        r->input->path, r->skipped, r->skipped + r->rows, r->dialect.cells,
        decant__plural(r->dialect.cells));
}

/* At the end of the file: is the last record's quote closed? */
static decant_status check_end(const decant__frame_reader *r, size_t stop) {
    decant__record_scan scan = {.separator = r->dialect.separator};
    const char *p = r->batch, *end = r->batch + stop, *last = p;
    if (memchr(p, '"', stop) == NULL) return DECANT_OK;
    while (p != NULL && p < end) {
        last = p;
        p = decant__record_end(&scan, p, p, end);
    }
    if (scan.at != DECANT__AT_QUOTED) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: line %zu: a quoted cell that begins here has no end",
                        r->input->path, r->line + count_lines(r->batch, last) + 1);
}

decant_status decant__frame_reader_next(decant__frame_reader *r, decant__frame *frame,
                                        const size_t *from, int *more) {
    decant_status status = DECANT_OK;
    size_t stop = 0;
    *more = 0;
    TRY(fill_batch(r, &stop));
    if (stop == 0) {
        TRY(check_skipped(r));
        goto done;
    }
    if (r->ended) TRY(check_end(r, stop));
    size_t count = cut_pieces(r, stop);
    TRY(decant__team_each(r->threads, count, 1, parse_piece, r));
    for (size_t i = 0; i < count; i++) {
        const piece *p = &r->pieces[i];
        if (p->problem != FINE) TRY(explain(r, p));
        if (r->rows + p->rows > DECANT__MAX_ROWS)
            TRY(decant__fail(DECANT_EFORMAT, "%s: has more than the %zu rows that are possible",
                             r->input->path, DECANT__MAX_ROWS));
        const decant__new_rows rows = {p->cells, p->capacity, p->rows, p->words, from};
        TRY(decant__frame_add(frame, &rows));
        add_skipped(r, p);
        r->line += p->lines;
        r->rows += p->rows;
        r->recoded += p->recoded;
        if (p->rows > 0) {
            r->blank_lines += r->waiting_blanks + p->blank_lines;
            r->waiting_blanks = 0;
        }
        r->waiting_blanks += p->trailing_blanks;
    }
    memmove(r->batch, r->batch + stop, r->used - stop);
    r->used -= stop;
    *more = 1;
done:
    return status;
}

/* ---- opening ---- */

static decant_status take_header(decant__frame_reader *r, char *at, char *end, char **rest) {
    decant_status status = DECANT_OK;
    decant__names names = {0};
    const char **list = NULL;
    *rest = end;
    if (r->dialect.row_names) TRY(decant__column_name_add(&names, "", 0));
    while (at != NULL) {
        decant__record_cell cell = decant__record_take(r->dialect.separator, &at, end, rest);
        size_t quote = cell.length > 2 && cell.text[0] == '\'' &&
                       cell.text[cell.length - 1] == '\''; /* 'name' */
        if (names.count < r->dialect.cells)
            TRY(decant__column_name_add(&names, cell.text + quote, cell.length - 2 * quote));
    }
    while (names.count < r->dialect.cells) TRY(decant__column_name_add(&names, "", 0));
    NEW_ARRAY(list, names.count);
    for (size_t j = 0; j < names.count; j++) list[j] = decant__names_at(&names, j);
    TRY(decant__names_join(list, names.count, &r->names));
done:
    decant__free(list);
    decant__names_free(&names);
    return status;
}

/* Takes comments, the separator's line and the header off the batch. */
static decant_status take_front(decant__frame_reader *r, size_t stop) {
    decant_status status = DECANT_OK;
    char *at = r->batch + r->dialect.skip, *end = r->batch + stop, *rest = at;
    r->line = r->dialect.skip_lines;
    while (at < end && (*at == '\n' || *at == '\r' || (r->dialect.comments && *at == '#'))) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        r->line++;
        at = newline != NULL ? newline + 1 : end;
    }
    rest = at;
    if (r->dialect.header) {
        TRY(take_header(r, at, end, &rest));
        r->line += count_lines(at, rest);
    }
    r->front.offset += (uint64_t)(rest - r->batch);
    r->front.line = r->line;
    r->used -= (size_t)(rest - r->batch);
    memmove(r->batch, rest, r->used);
done:
    return status;
}

decant_status decant__frame_reader_open(decant__input *input, int threads,
                                        const char *const *wanted, size_t wanted_count,
                                        decant__frame_reader **out) {
    decant_status status = DECANT_OK;
    decant__frame_reader *r = NULL;
    decant__likeness likeness;
    const char *bytes;
    size_t count, stop;
    NEW_ZEROED(r, 1);
    r->input = input;
    r->threads = threads;
    r->left = UINT64_MAX;
    TRY(decant__input_peek(input, 3, &bytes, &count));
    if (count == 0) TRY(decant__fail(DECANT_EFORMAT, "%s: the file is empty", input->path));
    r->utf16 = decant__utf16_mark(bytes, count);
    if (count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) decant__input_skip(input, 3);
    r->front.offset = decant__input_at(input);
    TRY(fill_batch(r, &stop));
    size_t look = r->used < DECANT__INPUT_PEEK ? r->used : DECANT__INPUT_PEEK;
    TRY(decant__dialect_find(r->batch, look, r->ended && look == r->used, wanted, wanted_count,
                             &r->dialect, &likeness));
    if (input->translation != NULL) r->dialect.header = 1; /* JSON lines: the keys */
    TRY(decant__check_shape(input->path, 1, r->dialect.cells));
    if (r->ended) TRY(check_end(r, stop));
    TRY(take_front(r, stop));
    NEW_ZEROED(r->mode, r->dialect.cells);
    for (size_t i = 0; i < PIECES; i++) NEW_ZEROED(r->pieces[i].words, r->dialect.cells);
    *out = r;
    r = NULL;
done:
    decant__frame_reader_close(r);
    return status;
}

decant__frame_rows decant__frame_reader_rows(const decant__frame_reader *reader) {
    return (decant__frame_rows){
        {.separator = reader->dialect.separator, .comment = reader->dialect.comments ? '#' : '\0'},
        reader->front};
}

decant_status decant__frame_reader_range(decant__frame_reader *r, const decant__row_place *from,
                                         const decant__row_place *until) {
    decant_status status = decant__input_go(r->input, from->offset);
    r->left = until->offset - from->offset;
    r->line = from->line;
    r->used = 0;
    r->ended = r->left == 0;
    return status;
}

void decant__frame_reader_modes(decant__frame_reader *reader, const decant__cell_mode *mode) {
    memcpy(reader->mode, mode, reader->dialect.cells * sizeof *mode);
}

void decant__frame_reader_skip_broken(decant__frame_reader *reader) { reader->skip = 1; }

void decant__frame_reader_close(decant__frame_reader *r) {
    if (r == NULL) return;
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t j = 0; r->pieces[i].words != NULL && j < r->dialect.cells; j++)
            decant__names_free(&r->pieces[i].words[j]);
        decant__free(r->pieces[i].words);
        decant__free(r->pieces[i].cells);
        decant__free(r->pieces[i].scratch);
    }
    decant__free(r->batch);
    decant__free(r->mode);
    decant__free(r->names);
    decant__free(r);
}
