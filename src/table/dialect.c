/* The separator is the one by which most records have as many cells as the first. The first record
 * is a header if it has a wanted name, or names above columns of numbers; without numbers, if its
 * cells are different and none of them comes again below. Names and numbers mixed are data: better
 * an odd value than a row that is lost. */
#include "table/dialect.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "table/cell.h"
#include "table/record.h"

enum { RECORDS = 200, MAX_CELLS = 1 << 20, TITLE_LINES = 20 };

/* The cells of the first records, split by one separator. */
typedef struct sample {
    char *bytes; /* a copy that is split in place */
    decant__record_cell *cell;
    size_t cell_count, cell_capacity;
    size_t start[RECORDS + 1]; /* the first cell of each record */
    size_t records;
} sample;

static decant_status add_cell(sample *s, decant__record_cell cell) {
    if (s->cell_count == s->cell_capacity) {
        size_t capacity = 2 * s->cell_capacity + 256;
        decant__record_cell *grown = decant__realloc_array(s->cell, capacity, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        s->cell = grown;
        s->cell_capacity = capacity;
    }
    s->cell[s->cell_count++] = cell;
    return DECANT_OK;
}

static int is_blank_line(const char *p, const char *end) {
    return *p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n');
}

static void free_sample(sample *s) {
    decant__free(s->bytes);
    decant__free(s->cell);
    *s = (sample){0};
}

/* Only whole records: the last one counts if the file ends with it. */
static decant_status split(sample *s, const char *bytes, size_t count, int whole, char separator,
                           int comments) {
    decant_status status = DECANT_OK;
    decant__record_scan scan = {.separator = separator};
    *s = (sample){0};
    NEW_ARRAY(s->bytes, count + 1);
    memcpy(s->bytes, bytes, count);
    char *at = s->bytes, *end = s->bytes + count;
    while (at < end && s->records < RECORDS && s->cell_count < MAX_CELLS) {
        if (is_blank_line(at, end) || (comments && *at == '#')) {
            char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline != NULL ? newline + 1 : end;
            continue;
        }
        scan.at = DECANT__AT_BEGIN;
        const char *stop = decant__record_end(&scan, at, at, end);
        if (stop == NULL && (!whole || scan.at == DECANT__AT_QUOTED) && s->records > 0) break;
        char *cell_at = at, *record_end = stop != NULL ? s->bytes + (stop - s->bytes) : end;
        s->start[s->records] = s->cell_count;
        while (cell_at != NULL)
            TRY(add_cell(s, decant__record_take(separator, &cell_at, record_end, &at)));
        at = record_end;
        s->records++;
    }
    s->start[s->records] = s->cell_count;
done:
    if (status != DECANT_OK) free_sample(s);
    return status;
}

static size_t cells_of(const sample *s, size_t record) {
    return s->start[record + 1] - s->start[record];
}

static const decant__record_cell *cell_of(const sample *s, size_t record, size_t column) {
    return &s->cell[s->start[record] + column];
}

/* ---- numbers ---- */

static int is_number(const decant__record_cell *cell) {
    double value;
    char unit[DECANT__UNIT_SIZE];
    return decant__number_is(cell->text, cell->length, &value) ||
           decant__cell_number(cell->text, cell->length, 0, &value, unit) ||
           decant__cell_number(cell->text, cell->length, 1, &value, unit);
}

/* Of the records after the first: is every cell a number, or missing, and one a number? first: the
 * first of the cells' records that count. */
static int column_is_numeric(const sample *s, size_t column, size_t first) {
    size_t numbers = 0;
    for (size_t r = first; r < s->records; r++) {
        if (column >= cells_of(s, r)) continue;
        const decant__record_cell *cell = cell_of(s, r, column);
        if (decant__cell_missing(cell->text, cell->length)) continue;
        if (!is_number(cell)) return 0;
        numbers++;
    }
    return numbers > 0;
}

/* ---- the separator ---- */

/* The number of cells that most records after the first have; the first if it is alone. */
static size_t usual_cells(const sample *s, size_t *agreeing) {
    size_t best = 0, best_count = 0, first = s->records > 1;
    for (size_t r = first; r < s->records; r++) {
        size_t same = 0;
        for (size_t t = first; t < s->records; t++) same += cells_of(s, t) == cells_of(s, r);
        if (same > best_count) best = cells_of(s, r), best_count = same;
    }
    *agreeing = best_count;
    return best;
}

typedef struct verdict {
    size_t cells;
    double agreement; /* share of the records */
    int numeric;      /* a column is numbers */
    int brief;        /* a column is made of a word or two */
} verdict;

static int column_is_brief(const sample *s, size_t column) {
    size_t words = 0, cells = 0;
    for (size_t r = 0; r < s->records; r++) {
        if (column >= cells_of(s, r)) continue;
        const decant__record_cell *cell = cell_of(s, r, column);
        int inside = 0;
        cells++;
        for (size_t i = 0; i < cell->length; i++) {
            int blank = isspace((unsigned char)cell->text[i]) != 0;
            words += !blank && !inside;
            inside = !blank;
        }
    }
    return words <= 2 * cells;
}

static verdict judge(const sample *s) {
    verdict found = {0};
    size_t agreeing, first = s->records > 1;
    found.cells = usual_cells(s, &agreeing);
    size_t head = s->records > 0 ? cells_of(s, 0) : 0;
    /* the header may be a name short, or a record may end with a separator */
    int fits =
        s->records > 0 &&
        (head == found.cells || head + 1 == found.cells ||
         (head == found.cells + 1 && found.cells > 1 && cell_of(s, 0, head - 1)->length == 0));
    if (!fits) found.cells = head;
    if (!fits) agreeing = 0;
    found.agreement =
        s->records > 1 ? (double)agreeing / (double)(s->records - first) : (double)(s->records > 0);
    for (size_t j = 0; j < found.cells && !(found.numeric && found.brief); j++) {
        found.numeric |= column_is_numeric(s, j, first);
        found.brief |= column_is_brief(s, j);
    }
    return found;
}

static int is_better(const verdict *a, const verdict *b) {
    if ((a->cells > 1) != (b->cells > 1)) return a->cells > 1;
    return a->agreement > b->agreement + 1e-9;
}

static decant_status find_separator(const char *bytes, size_t count, int whole, int comments,
                                    char *separator, verdict *best) {
    static const char marks[] = {'\t', ';', ',', '|', DECANT__BLANKS};
    decant_status status = DECANT_OK;
    *best = (verdict){.cells = 1, .agreement = 0};
    *separator = ',';
    for (size_t i = 0; i < sizeof marks; i++) {
        sample s;
        if (marks[i] == DECANT__BLANKS && best->cells > 1 && best->agreement >= 0.9) break;
        TRY(split(&s, bytes, count, whole, marks[i], comments));
        verdict found = judge(&s);
        int enough =
            marks[i] != DECANT__BLANKS || (found.numeric && found.agreement == 1 && s.records > 1);
        free_sample(&s);
        if (!enough || !is_better(&found, best)) continue;
        *best = found;
        *separator = marks[i];
    }
done:
    return status;
}

/* ---- the header ---- */

static int is_wanted(const decant__record_cell *cell, const char *const *wanted, size_t count) {
    double number;
    for (size_t i = 0; i < count; i++)
        if (wanted[i] != NULL && strlen(wanted[i]) == cell->length && cell->length > 0 &&
            memcmp(wanted[i], cell->text, cell->length) == 0 &&
            !decant__number_is(cell->text, cell->length, &number))
            return 1;
    return 0;
}

/* ",0,1,2": the names that pandas gives. */
static int is_counting(const sample *s) {
    size_t count = cells_of(s, 0);
    double number;
    if (count < 2 || cell_of(s, 0, 0)->length > 0) return 0;
    for (size_t j = 1; j < count; j++) {
        const decant__record_cell *cell = cell_of(s, 0, j);
        if (!decant__number_is(cell->text, cell->length, &number) || number != (double)(j - 1))
            return 0;
    }
    return 1;
}

static int is_count(const decant__record_cell *cell, size_t wanted) {
    char text[24];
    int length = snprintf(text, sizeof text, "%zu", wanted);
    return cell->length == (size_t)length && memcmp(cell->text, text, cell->length) == 0;
}

static int is_fraction(const decant__record_cell *cell) {
    double value;
    return decant__number_is(cell->text, cell->length, &value) && value != floor(value);
}

/* Does a record count on by one in each cell? */
static int counts_on(const sample *s, size_t record) {
    double before = 0, value;
    for (size_t j = 0; j < cells_of(s, record); j++, before = value) {
        const decant__record_cell *cell = cell_of(s, record, j);
        if (!decant__number_is(cell->text, cell->length, &value)) return 0;
        if (j > 0 && value != before + 1) return 0;
    }
    return 1;
}

/* "0,1,2": what pandas writes above numbers without names and without an index. Three or more need
 * fractions in each column below: a time that begins with 0 may have a 1 and a 2 beside it, and
 * then the line is a row. Of ten or more only whole numbers that count on below are such rows. */
static int is_numbering(const sample *s) {
    size_t count = cells_of(s, 0);
    if (count < 3 || s->records < 2) return 0;
    for (size_t j = 0; j < count; j++)
        if (!is_count(cell_of(s, 0, j), j)) return 0;
    if (count >= 10) return !counts_on(s, 1);
    for (size_t j = 0; j < count; j++) {
        size_t fractions = 0;
        for (size_t r = 1; r < s->records; r++)
            fractions += j < cells_of(s, r) && is_fraction(cell_of(s, r, j));
        if (fractions == 0) return 0;
    }
    return 1;
}

static int same_text(const decant__record_cell *a, const decant__record_cell *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Without a column of numbers to tell by: are the names different, and none a value? */
static int could_be_names(const sample *s) {
    size_t count = cells_of(s, 0);
    for (size_t j = 0; j < count; j++) {
        const decant__record_cell *name = cell_of(s, 0, j);
        for (size_t i = 0; i < j; i++)
            if (same_text(name, cell_of(s, 0, i))) return 0;
        for (size_t r = 1; r < s->records; r++)
            if (j < cells_of(s, r) && same_text(name, cell_of(s, r, j))) return 0;
    }
    return 1;
}

/* Numbers without any unit: "2B" above them is a name, and not two of something. */
static int column_is_plain(const sample *s, size_t column) {
    size_t numbers = 0;
    double value;
    for (size_t r = 1; r < s->records; r++) {
        if (column >= cells_of(s, r)) continue;
        const decant__record_cell *cell = cell_of(s, r, column);
        if (decant__cell_missing(cell->text, cell->length)) continue;
        if (!decant__number_is(cell->text, cell->length, &value)) return 0;
        numbers++;
    }
    return numbers > 0;
}

static int has_header(const sample *s, const char *const *wanted, size_t wanted_count) {
    size_t names = 0, numbers = 0, above = 0;
    if (s->records == 0) return 0;
    for (size_t j = 0; j < cells_of(s, 0); j++) {
        const decant__record_cell *cell = cell_of(s, 0, j);
        double value;
        if (is_wanted(cell, wanted, wanted_count)) return 1;
        if (decant__cell_missing(cell->text, cell->length)) continue;
        if (decant__number_is(cell->text, cell->length, &value) ||
            (is_number(cell) && !column_is_plain(s, j))) {
            numbers++;
            continue;
        }
        names++;
        above +=
            column_is_numeric(s, j, 1) || (s->records > 1 && cells_of(s, 1) == cells_of(s, 0) + 1 &&
                                           column_is_numeric(s, j + 1, 1));
    }
    if (is_counting(s) || is_numbering(s)) return 1;
    if (names == 0 || numbers > 0) return 0;
    return above > 0 || s->records == 1 || could_be_names(s);
}

/* ---- the rest ---- */

/* Do cells say that the comma is the decimal mark, and none that the point is? */
static int has_decimal_comma(const sample *s, size_t first, char separator) {
    size_t comma = 0, point = 0;
    if (separator == ',') return 0;
    for (size_t i = s->start[first < s->records ? first : 0]; i < s->cell_count; i++) {
        int mark = decant__cell_decimal(s->cell[i].text, s->cell[i].length);
        comma += mark > 0;
        point += mark < 0;
    }
    return comma > 0 && point == 0;
}

static void find_shape(const sample *s, decant__dialect *dialect) {
    size_t agreeing, head = s->records > 0 ? cells_of(s, 0) : 1;
    size_t usual = usual_cells(s, &agreeing);
    dialect->cells = head;
    if (s->records < 2 || usual == head) return;
    if (usual == head + 1) {
        int empty = 1;
        for (size_t r = 1; r < s->records; r++)
            if (cells_of(s, r) == usual) empty &= cell_of(s, r, usual - 1)->length == 0;
        dialect->trailing = empty;
        dialect->row_names = !empty && dialect->header;
        dialect->cells = empty || !dialect->header ? head : usual;
    } else if (usual + 1 == head && cell_of(s, 0, head - 1)->length == 0) {
        dialect->cells = usual;
        dialect->trailing = 1;
    }
}

/* All records end with an empty cell that has no name. */
static void find_trailing(const sample *s, decant__dialect *dialect) {
    if (!dialect->header || dialect->trailing || dialect->cells < 2 || s->records < 2) return;
    for (size_t r = 0; r < s->records; r++)
        if (cells_of(s, r) != dialect->cells || cell_of(s, r, dialect->cells - 1)->length > 0)
            return;
    dialect->trailing = 1;
    dialect->cells--;
}

/* Comments at the beginning and Excel's "sep=;". */
static void skip_front(const char *bytes, size_t count, decant__dialect *dialect, char *given) {
    const char *p = bytes, *end = bytes + count;
    *given = '\0';
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t length = newline != NULL ? (size_t)(newline - p) : (size_t)(end - p);
        int comment = *p == '#' && newline != NULL;
        int sep = length >= 5 && length <= 6 && strncasecmp(p, "sep=", 4) == 0;
        if (sep) *given = p[4];
        if (!comment && !sep) break;
        dialect->comments |= comment;
        dialect->skip_lines++;
        p = newline != NULL ? newline + 1 : end;
        if (sep) break;
    }
    dialect->skip = (size_t)(p - bytes);
}

static int is_even(const verdict *found) { return found->cells > 1 && found->agreement >= 0.9; }

/* Lines above a table say what it is, and have other cells. They end where a header begins, with
 * numbers below it and without an exception in what follows. */
static decant_status skip_title(const char *bytes, size_t count, int whole, decant__dialect *found,
                                verdict *best) {
    decant_status status = DECANT_OK;
    const char *end = bytes + count, *p = bytes;
    for (size_t lines = 1; lines <= TITLE_LINES; lines++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        sample s;
        verdict rest;
        char separator;
        if (newline == NULL || newline + 1 == end) break;
        p = newline + 1;
        if (is_blank_line(p, end)) continue;
        TRY(find_separator(p, (size_t)(end - p), whole, found->comments, &separator, &rest));
        if (rest.cells < 2 || rest.agreement < 1 || !rest.numeric) continue;
        if (is_even(best) && rest.cells <= best->cells) continue;
        TRY(split(&s, p, (size_t)(end - p), whole, separator, found->comments));
        int table = s.records > 2 && has_header(&s, NULL, 0);
        free_sample(&s);
        if (!table) continue;
        found->separator = separator;
        found->title_lines = lines;
        found->skip_lines += lines;
        found->skip += (size_t)(p - bytes);
        *best = rest;
        break;
    }
done:
    return status;
}

decant_status decant__dialect_find(const char *bytes, size_t count, int whole,
                                   const char *const *wanted, size_t wanted_count,
                                   decant__dialect *dialect, decant__likeness *likeness) {
    decant_status status = DECANT_OK;
    decant__dialect found = {0};
    verdict best;
    sample s = {0};
    char given;
    skip_front(bytes, count, &found, &given);
    bytes += found.skip;
    count -= found.skip;
    TRY(find_separator(bytes, count, whole, found.comments, &found.separator, &best));
    if (given != '\0') found.separator = given;
    if (given == '\0' && (!is_even(&best) || best.agreement < 1)) {
        size_t front = found.skip;
        TRY(skip_title(bytes, count, whole, &found, &best));
        bytes += found.skip - front;
        count -= found.skip - front;
    }
    TRY(split(&s, bytes, count, whole, found.separator, found.comments));
    found.header = has_header(&s, wanted, wanted_count);
    find_shape(&s, &found);
    find_trailing(&s, &found);
    found.decimal_comma = has_decimal_comma(&s, (size_t)found.header, found.separator);
    int even = is_even(&best) && s.records > 1;
    int odd_mark = found.separator != ',' && found.separator != DECANT__BLANKS;
    *likeness = !even && given == '\0'                                      ? DECANT__NO_TABLE
                : odd_mark || best.numeric || (best.brief && s.records > 2) ? DECANT__SURE_TABLE
                                                                            : DECANT__MAYBE_TABLE;
    *dialect = found;
done:
    free_sample(&s);
    return status;
}
