#include "table/column_types.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/team.h"
#include "table/cell.h"
#include "table/frame_ranks.h"

/* A column is of a type if so much of what is not missing is; the rest counts as missing. */
static const double MOST = 0.95;
/* A missing value is a level of its own from this share on; a category that keeps less than that
 * share of its cells is of no use. */
static const double OWN_LEVEL = 0.01, COVERED = 0.3;
enum { MANY_VALUES = 20, SENTENCE_WORDS = 4, ID_ROWS = 16, PIXELS = 100 };

/* ---- facts ---- */

typedef struct facts {
    size_t rows, missing, numbers, words; /* cells */
    size_t zero_one, whole;               /* numbers */
    double min, max;
    int rising;      /* each number is larger than the one before */
    size_t *counts;  /* of each word */
    size_t distinct; /* words that occur */
    size_t spoken;   /* blanks between words, over all cells */
} facts;

static size_t count_blanks(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text++) count += *text == ' ' || *text == '\n';
    return count;
}

static decant_status find_facts(const decant__frame *frame, size_t column, facts *f) {
    decant_status status = DECANT_OK;
    const decant__names *words = &frame->words[column];
    double before = -HUGE_VAL;
    decant__free(f->counts);
    *f = (facts){.rows = frame->rows, .min = HUGE_VAL, .max = -HUGE_VAL, .rising = 1};
    NEW_ZEROED(f->counts, words->count);
    for (size_t c = 0; c < frame->chunk_count; c++) {
        const decant__cells *cells = &frame->chunks[c].column[column];
        if (cells->items == NULL) continue; /* of another rank, which was not asked */
        for (size_t i = 0; i < frame->chunks[c].rows; i++) {
            double x = decant__cell_at(cells, i);
            if (x != x) {
                uint32_t word = decant__cell_word(x);
                f->missing += word == DECANT__NO_NAME;
                f->words += word != DECANT__NO_NAME;
                if (word != DECANT__NO_NAME) f->counts[word]++;
                continue;
            }
            f->numbers++;
            f->zero_one += x == 0 || x == 1;
            f->whole += x == floor(x);
            f->rising &= x > before;
            before = x;
            if (x < f->min) f->min = x;
            if (x > f->max) f->max = x;
        }
    }
    for (size_t w = 0; w < words->count; w++) {
        f->distinct += f->counts[w] > 0;
        f->spoken += f->counts[w] * count_blanks(decant__names_at(words, w));
    }
done:
    return status;
}

/* ---- types ---- */

static int is_named_id(const char *name) {
    static const char *const words[] = {
        "id",        "uid",        "uuid",     "guid",        "index", "key",
        "no",        "nr",         "rownames", "row",         "rowid", "row_id",
        "row names", "unnamed: 0", "column 1", "observation", "obs"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(name, words[i]) == 0) return 1;
    if (length > 3 &&
        (strcasecmp(name + length - 3, "_id") == 0 || strcasecmp(name + length - 3, " id") == 0 ||
         strncasecmp(name, "id_", 3) == 0))
        return 1;
    return length > 2 && strcmp(name + length - 2, "Id") == 0;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* For a column of numbers alone. */
static decant_status find_all_different(const decant__frame *frame, size_t column, int *out) {
    decant_status status = DECANT_OK;
    double *sorted = NULL;
    size_t n = 0;
    NEW_ARRAY(sorted, frame->rows);
    for (size_t c = 0; c < frame->chunk_count; c++)
        for (size_t i = 0; i < frame->chunks[c].rows; i++)
            sorted[n++] = decant__cell_at(&frame->chunks[c].column[column], i);
    qsort(sorted, n, sizeof *sorted, by_value);
    *out = 1;
    for (size_t i = 1; i < n && *out; i++) *out = sorted[i] > sorted[i - 1];
done:
    decant__free(sorted);
    return status;
}

/* Whole numbers, all different, that count the rows or are called an id. */
static decant_status find_numeric_id(const decant__frame *frame, const facts *f, const char *name,
                                     size_t column, int *out) {
    *out = 0;
    if (f->missing + f->words > 0 || f->whole < f->numbers || f->rows < ID_ROWS) return DECANT_OK;
    if (frame->names == NULL) return DECANT_OK;
    if (is_named_id(name) && !f->rising) return find_all_different(frame, column, out);
    *out = f->rising && (is_named_id(name) || (column == 0 && (f->min == 0 || f->min == 1) &&
                                               f->max - f->min == (double)(f->rows - 1)));
    return DECANT_OK;
}

/* 20240301 and the like. */
static int is_compact_date(const decant__frame *frame, size_t column, const facts *f) {
    const decant__column date = {.type = DECANT_COLUMN_DATE};
    if (f->words > 0 || f->whole < f->numbers || f->min < 18000101 || f->max > 21991231) return 0;
    for (size_t c = 0; c < frame->chunk_count; c++)
        for (size_t i = 0; i < frame->chunks[c].rows; i++) {
            double x = decant__cell_at(&frame->chunks[c].column[column], i);
            if (x == x && isnan(decant__column_meaning(&date, NULL, x))) return 0;
        }
    return 1;
}

/* Cells that have a meaning if the column is of its type. */
static size_t count_meant(const decant__names *words, const facts *f, decant__column *column) {
    size_t count = column->type == DECANT_COLUMN_NUMBER   ? f->numbers
                   : column->type == DECANT_COLUMN_YES_NO ? f->zero_one
                                                          : 0;
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        if (f->counts[w] > 0 && !isnan(decant__word_meaning(column, text, strlen(text))))
            count += f->counts[w];
    }
    return count;
}

static int is_mostly(const decant__names *words, const facts *f, decant_column_type type,
                     decant__column *column, double share) {
    column->type = type;
    double meant = (double)count_meant(words, f, column);
    return meant > 0 && meant >= share * (double)(f->numbers + f->words);
}

/* Zip codes, numbers of cards: digits that do not count anything. A few may be slips. */
static int has_codes(const decant__names *words, const facts *f) {
    size_t codes = 0;
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        if (f->counts[w] > 0 && decant__cell_is_code(text, strlen(text))) codes += f->counts[w];
    }
    return (double)codes > (1 - MOST) * (double)(f->numbers + f->words);
}

/* ---- categories ---- */

typedef struct value {
    const char *text;
    size_t count;
} value;

static int by_count(const void *a, const void *b) {
    const value *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->text, y->text);
}

static decant_status add_level(decant__column *column, const char *text, size_t count,
                               size_t rows) {
    uint32_t level;
    decant_status status = decant__names_add(&column->levels, text, strlen(text), &level);
    if (status == DECANT_OK && level + 1 == column->levels.count)
        column->share[level] = (double)count / (double)rows;
    return status;
}

/* The frequent values, most frequent first; the others together; missing. */
static decant_status find_levels(const decant__names *words, const facts *f, int forced,
                                 decant__column *column) {
    decant_status status = DECANT_OK;
    value *values = NULL;
    size_t count = 0, kept = 0, covered = 0, present = f->words, rare = present / 200;
    NEW_ARRAY(values, words->count);
    NEW_ZEROED(column->share, DECANT__MAX_LEVELS + 2);
    column->scale = DECANT__CATEGORY_SCALE;
    for (size_t w = 0; w < words->count; w++)
        if (f->counts[w] > 0) values[count++] = (value){decant__names_at(words, w), f->counts[w]};
    qsort(values, count, sizeof *values, by_count);
    size_t least = rare > 2 ? rare : 2;
    if (count <= 2) least = 1;
    while (kept < count && kept < DECANT__MAX_LEVELS && values[kept].count >= least)
        covered += values[kept++].count;
    if (kept + 1 == count && kept < DECANT__MAX_LEVELS) /* the only rare one */
        covered += values[kept++].count;
    for (size_t v = 0; v < kept; v++)
        TRY(add_level(column, values[v].text, values[v].count, f->rows));
    column->known = column->levels.count;
    if ((double)covered < COVERED * (double)present && !forced)
        column->unused = DECANT__UNUSED_MANY;
    if (covered < present) {
        column->other_level = column->levels.count;
        TRY(add_level(column, "(other)", present - covered, f->rows));
    }
    if ((double)f->missing >= OWN_LEVEL * (double)f->rows) {
        column->missing_level = column->levels.count;
        TRY(add_level(column, "(missing)", f->missing, f->rows));
    }
    column->missing = (double)f->missing / (double)f->rows;
    if (column->levels.count < 2)
        column->unused = count > 1 ? DECANT__UNUSED_MANY : DECANT__UNUSED_CONSTANT;
done:
    decant__free(values);
    return status;
}

/* Words that are no numbers, dates or answers: how many different ones, and how long? */
static decant_status find_word_type(const decant__names *words, const facts *f,
                                    decant__column *column) {
    size_t present = f->words;
    if ((double)f->spoken >= (double)(SENTENCE_WORDS - 1) * (double)present &&
        f->distinct > present / 2 && present > 1) {
        column->type = DECANT_COLUMN_TEXT;
        column->unused = DECANT__UNUSED_TEXT;
        return DECANT_OK;
    }
    column->type = DECANT_COLUMN_CATEGORY;
    if (f->distinct == present && present > 2) {
        column->unused = DECANT__UNUSED_UNIQUE;
        return DECANT_OK;
    }
    if (f->distinct == 1 && f->missing * 20 < f->rows) {
        column->unused = DECANT__UNUSED_CONSTANT;
        return DECANT_OK;
    }
    return find_levels(words, f, 0, column);
}

/* ---- one column ---- */

typedef struct search {
    decant__frame *frame;
    const decant__typing *typing;
    decant_table *table;
    facts *facts;    /* of each column */
    int *id;         /* could be ids: 1 words, 2 numbers */
    size_t found_id; /* SIZE_MAX: none */
    size_t *ignored; /* cells that have no meaning, and so are missing */
    size_t first;    /* column that the pieces of work count from */
} search;

static decant_status find_number_type(const search *s, size_t j, decant__column *column) {
    decant_status status = DECANT_OK;
    const facts *f = &s->facts[j];
    int id;
    column->type = DECANT_COLUMN_NUMBER;
    TRY(find_numeric_id(s->frame, f, column->name, j, &id));
    if (f->min == f->max && f->missing * 20 < f->rows) {
        column->unused = DECANT__UNUSED_CONSTANT;
    } else if (f->zero_one == f->numbers) {
        column->type = DECANT_COLUMN_YES_NO;
    } else if (id) {
        s->id[j] = 2;
    } else if (is_compact_date(s->frame, j, f)) {
        column->type = DECANT_COLUMN_DATE;
    }
done:
    return status;
}

static decant_status spell(const search *s, size_t j) {
    decant_status status = DECANT_OK;
    if (s->facts[j].numbers == 0) return DECANT_OK;
    TRY(decant__frame_spell(s->frame, j));
    TRY(find_facts(s->frame, j, &s->facts[j]));
done:
    return status;
}

static decant_status find_type(const search *s, size_t j, decant__column *column) {
    decant_status status = DECANT_OK;
    const facts *f = &s->facts[j];
    const decant__names *words = &s->frame->words[j];
    if (f->numbers + f->words == 0) {
        column->unused = DECANT__UNUSED_EMPTY;
        return DECANT_OK;
    }
    if (f->words == 0) return find_number_type(s, j, column);
    decant__column_order(words, f->counts, column);
    if (is_mostly(words, f, DECANT_COLUMN_YES_NO, column, 1) && f->distinct > 1) return DECANT_OK;
    if (f->numbers == 0 && is_mostly(words, f, DECANT_COLUMN_DATE, column, MOST)) goto counted;
    decant__column_unit(words, f->counts, s->typing->decimal_comma, column);
    if (!has_codes(words, f) && is_mostly(words, f, DECANT_COLUMN_NUMBER, column, MOST))
        goto counted;
    column->unit[0] = '\0';
    TRY(spell(s, j));
    TRY(find_word_type(&s->frame->words[j], &s->facts[j], column));
    if (column->unused == DECANT__UNUSED_UNIQUE) s->id[j] = 1;
    return DECANT_OK;
counted:
    s->ignored[j] = f->numbers + f->words - count_meant(words, f, column) -
                    (column->type == DECANT_COLUMN_DATE ? f->numbers : 0);
    if (f->distinct == 1 && f->numbers == 0 && f->missing * 20 < f->rows)
        column->unused = DECANT__UNUSED_CONSTANT;
done:
    return status;
}

/* As the user wants it. */
static decant_status take_type(const search *s, size_t j, decant_column_type type,
                               decant__column *column) {
    decant_status status = DECANT_OK;
    const facts *f = &s->facts[j];
    const decant__names *words = &s->frame->words[j];
    column->type = type;
    if (type == DECANT_COLUMN_ID || type == DECANT_COLUMN_LABEL) {
        column->unused = DECANT__UNUSED_ROLE;
    } else if (f->numbers + f->words == 0) {
        column->unused = DECANT__UNUSED_EMPTY;
    } else if (type == DECANT_COLUMN_CATEGORY) {
        TRY(spell(s, j));
        TRY(find_levels(&s->frame->words[j], &s->facts[j], 1, column));
    } else if (type == DECANT_COLUMN_TEXT) {
        TRY(spell(s, j));
        column->unused = DECANT__UNUSED_TEXT; /* until it has a vocabulary */
    } else {
        decant__column_order(words, f->counts, column);
        decant__column_unit(words, f->counts, s->typing->decimal_comma, column);
        size_t dates = type == DECANT_COLUMN_DATE ? f->numbers : 0;
        size_t meant = count_meant(words, f, column) + dates;
        s->ignored[j] = f->numbers + f->words - meant;
        if (meant == 0) column->unused = DECANT__UNUSED_EMPTY;
    }
done:
    return status;
}

static decant_status type_column(void *context, size_t i) {
    decant_status status = DECANT_OK;
    search *s = context;
    size_t j = s->first + i;
    decant__column *column = &s->table->column[j];
    const decant__wish *wish = &s->typing->wishes->column[j];
    if (wish->drop) {
        column->unused = DECANT__UNUSED_DROPPED;
        return DECANT_OK;
    }
    TRY(find_facts(s->frame, j, &s->facts[j]));
    TRY(wish->type >= 0 ? take_type(s, j, (decant_column_type)wish->type, column)
                        : find_type(s, j, column));
done:
    return status;
}

/* ---- all columns ---- */

/* Does something with the columns that are wanted, in parallel. Of rows that several ranks have,
 * as many columns at a time are lent as there are threads. */
static decant_status each_column(search *s, int (*wanted)(const search *s, size_t j),
                                 decant_status (*work)(void *context, size_t i)) {
    decant_status status = DECANT_OK;
    decant__frame *frame = s->frame;
    const decant__comm *comm = s->typing->comm;
    int threads = s->typing->threads;
    size_t group = comm == NULL || threads < 1 ? 1 : (size_t)threads;
    if (comm == NULL) return decant__team_each(threads, frame->count, 1, work, s);
    for (s->first = 0; s->first < frame->count; s->first += group) {
        size_t count = frame->count - s->first < group ? frame->count - s->first : group;
        for (size_t j = s->first; j < s->first + count && status == DECANT_OK; j++)
            if (wanted(s, j)) status = decant__frame_lend(frame, j, comm);
        if (status == DECANT_OK) status = decant__team_each(threads, count, 1, work, s);
        for (size_t j = s->first; j < s->first + count; j++) decant__frame_return(frame, j);
        TRY(decant__comm_agree(comm, status));
    }
    s->first = 0;
done:
    return status;
}

/* What is only carried along, as words, has no facts that its type would depend on. */
static int needs_type(const search *s, size_t j) {
    const decant__wishes *wishes = s->typing->wishes;
    const decant__wish *wish = &wishes->column[j];
    return !wish->drop && wish->type != DECANT_COLUMN_TEXT && j != wishes->id && j != wishes->label;
}

static int needs_measure(const search *s, size_t j) {
    const decant__column *column = &s->table->column[j];
    return column->unused == DECANT__UNUSED_NO && column->type != DECANT_COLUMN_CATEGORY;
}

/* One column is the ids: the wanted one, else the first that has such a name, else the first. */
static void choose_id(search *s) {
    decant_table *table = s->table;
    size_t best = SIZE_MAX;
    int wanted = s->typing->wishes->id != SIZE_MAX;
    for (size_t j = 0; j < table->count; j++) {
        if (s->id[j] == 0) continue;
        if (best == SIZE_MAX ||
            (is_named_id(table->column[j].name) && !is_named_id(table->column[best].name)))
            best = j;
    }
    for (size_t j = 0; j < table->count; j++) {
        if (s->id[j] == 0) continue;
        if (j == best && !wanted) {
            table->column[j].type = DECANT_COLUMN_ID;
            table->column[j].unused = DECANT__UNUSED_ROLE;
            s->found_id = j;
        } else {
            table->column[j].unused = DECANT__UNUSED_UNIQUE;
        }
    }
}

/* Nothing but numbers, and none missing: rows stay as they are. But 0/1 columns beside others are
 * scaled, or the others would decide everything; many columns are taken for values of one kind. */
static int is_plain(const search *s) {
    size_t used = 0, zero_one = 0;
    for (size_t j = 0; j < s->table->count; j++) {
        const decant__column *column = &s->table->column[j];
        const facts *f = &s->facts[j];
        int constant = column->unused == DECANT__UNUSED_CONSTANT;
        if (column->unused != DECANT__UNUSED_NO && !constant) {
            if (column->type == DECANT_COLUMN_TEXT && s->typing->wishes->column[j].type >= 0)
                return 0;
            continue;
        }
        if (f->missing + f->words > 0) {
            if (constant) continue;
            return 0;
        }
        if (column->type != DECANT_COLUMN_NUMBER && column->type != DECANT_COLUMN_YES_NO) return 0;
        used++;
        zero_one += column->type == DECANT_COLUMN_YES_NO;
    }
    const decant_options *options = s->typing->options;
    int by_hand = options != NULL && options->scaling != DECANT_SCALING_AUTO;
    return zero_one == 0 || zero_one == used || used > PIXELS || by_hand;
}

static void keep_constants(search *s) {
    for (size_t j = 0; j < s->table->count; j++) {
        decant__column *column = &s->table->column[j];
        if (column->unused == DECANT__UNUSED_CONSTANT && s->facts[j].words == 0 &&
            s->facts[j].missing == 0)
            column->unused = DECANT__UNUSED_NO;
    }
}

static decant_status measure_column(void *context, size_t i) {
    decant_status status = DECANT_OK;
    search *s = context;
    size_t j = s->first + i;
    decant__column *column = &s->table->column[j];
    double *meaning = NULL;
    if (!needs_measure(s, j)) return DECANT_OK;
    TRY(decant__column_meanings(column, &s->frame->words[j], &meaning));
    TRY(decant__column_measure(s->frame, j, meaning, column));
    if (s->table->plain) {
        column->center = column->knee = 0;
        column->few = 0;
        column->scale = 1;
        column->low = -HUGE_VAL;
        column->high = HUGE_VAL;
    }
done:
    decant__free(meaning);
    return status;
}

/* An id by its name that is the same in some rows: that of a customer in a table of orders. */
static int is_used_id(const search *s, size_t j) {
    const decant__column *column = &s->table->column[j];
    return column->unused == DECANT__UNUSED_NO && s->table->header &&
           (column->type == DECANT_COLUMN_NUMBER || column->type == DECANT_COLUMN_CATEGORY) &&
           s->typing->wishes->column[j].type < 0 && is_named_id(column->name) &&
           s->facts[j].rows >= ID_ROWS && s->facts[j].whole == s->facts[j].numbers;
}

static void note_columns(const search *s) {
    decant__notes *notes = s->typing->notes;
    for (size_t j = 0; notes != NULL && j < s->table->count; j++) {
        const decant__column *column = &s->table->column[j];
        const facts *f = &s->facts[j];
        if (s->ignored[j] > 0 && column->unused == DECANT__UNUSED_NO)
            decant__notes_add(notes,
                              s->ignored[j] == 1 ? "%s: %zu cell is no %s and counts as missing"
                                                 : "%s: %zu cells are no %s and count as missing",
                              column->name, s->ignored[j], decant__type_word(column->type));
        if (column->unused == DECANT__UNUSED_NO && column->type == DECANT_COLUMN_NUMBER &&
            f->rising && f->words + f->missing == 0 && f->whole == f->numbers &&
            f->rows >= ID_ROWS && f->min < f->max && s->table->header)
            decant__notes_add(notes,
                              "%s: is different in each row and always rising; if it only numbers "
                              "the rows, --id-column or --drop leaves it out",
                              column->name);
        else if (is_used_id(s, j))
            decant__notes_add(notes,
                              "%s: is used to cluster, as it comes more than once; if it only "
                              "identifies something, --drop leaves it out",
                              column->name);
    }
}

static decant_status nothing_left(const search *s) {
    decant__text text = {0};
    const decant__column *best = NULL;
    for (size_t j = 0; j < s->table->count && j < 8; j++) {
        const decant__column *column = &s->table->column[j];
        decant__text_print(&text, "%s%s: ", j > 0 ? "; " : "", column->name);
        decant__column_use(s->table, j, &text);
        if (column->unused == DECANT__UNUSED_TEXT && best == NULL) best = column;
    }
    decant__text_print(&text,
                       best != NULL ? "); --text-column '%s' clusters by that text"
                                    : "); --types NAME=category uses one",
                       best != NULL ? best->name : "");
    /* What a file holds is never copied into a sentence as it is. */
    for (char *c = text.bytes; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    decant_status status = decant__fail(DECANT_EFORMAT, "%s: no column is left to cluster by (%s",
                                        s->typing->where, text.bytes != NULL ? text.bytes : "");
    decant__text_free(&text);
    return status;
}

static decant_status name_all(const decant__frame *frame, decant_table *table) {
    for (size_t j = 0; j < frame->count; j++) {
        char text[40];
        decant__format(text, sizeof text, "column %zu", j + 1);
        table->column[j].name = decant__copy_text(frame->names != NULL ? frame->names[j] : text);
        if (table->column[j].name == NULL) return DECANT_ENOMEM;
    }
    table->header = frame->names != NULL;
    return DECANT_OK;
}

decant_status decant__table_find(decant__frame *frame, const decant__typing *typing,
                                 decant_table **out) {
    decant_status status = DECANT_OK;
    search s = {.frame = frame, .typing = typing, .found_id = SIZE_MAX};
    TRY(decant__table_new(frame->count, &s.table));
    TRY(name_all(frame, s.table));
    NEW_ZEROED(s.facts, frame->count);
    NEW_ZEROED(s.id, frame->count);
    NEW_ZEROED(s.ignored, frame->count);
    TRY(each_column(&s, needs_type, type_column));
    for (size_t j = 0; j < frame->count && frame->rows > 0; j++)
        s.table->column[j].missing = (double)s.facts[j].missing / (double)frame->rows;
    choose_id(&s);
    s.table->plain = is_plain(&s);
    if (s.table->plain) keep_constants(&s);
    TRY(each_column(&s, needs_measure, measure_column));
    decant__table_arrange(s.table);
    s.table->id_column = typing->wishes->id != SIZE_MAX ? typing->wishes->id : s.found_id;
    s.table->label_column = typing->wishes->label;
    s.table->text_column = typing->wishes->text;
    if (s.table->d == 0 && s.table->text_column == SIZE_MAX) TRY(nothing_left(&s));
    note_columns(&s);
    *out = s.table;
    s.table = NULL;
done:
    for (size_t j = 0; s.facts != NULL && j < frame->count; j++) decant__free(s.facts[j].counts);
    decant__free(s.facts);
    decant__free(s.id);
    decant__free(s.ignored);
    decant__table_free(s.table);
    return status;
}
