/* A dataset made of the columns of a table that a program has. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/scalar.h"
#include "base/struct_size.h"
#include "base/team.h"
#include "table/cell.h"
#include "read/raw.h"
#include "table/table_rows.h"

enum { ROWS = 1 << 16 }; /* of a chunk */

typedef struct columns {
    decant_column *column; /* as this version of the library knows them */
    size_t count, n;
} columns;

static decant_status check_columns(const decant_column *given, columns *c) {
    decant_status status = DECANT_OK;
    const char *at = (const char *)given;
    size_t size = given->struct_size;
    NEW_ZEROED(c->column, c->count);
    for (size_t j = 0; j < c->count; j++) {
        decant_column *column = &c->column[j];
        decant_column next;
        memcpy(&next.struct_size, at + j * size, sizeof next.struct_size);
        if (next.struct_size != size)
            TRY(decant__fail(DECANT_EINVAL, "column %zu: its struct_size is not that of the others",
                             j + 1));
        column->struct_size = sizeof *column;
        TRY(decant__struct_read(column, sizeof *column, at + j * size, "decant_column"));
        int forms = (column->numbers != NULL) + (column->strings != NULL) +
                    (column->codes != NULL) + (column->array != NULL);
        if (forms != 1)
            TRY(decant__fail(
                DECANT_EINVAL,
                "column %zu: expected numbers, strings, codes or an array, found %d of them", j + 1,
                forms));
        if (column->array != NULL &&
            (column->array->x == NULL || decant__type_size(column->array->type) == 0))
            TRY(decant__fail(DECANT_EINVAL, "column %zu: its array has no numbers", j + 1));
        if (column->codes != NULL && column->category_count > 0 && column->categories == NULL)
            TRY(decant__fail(DECANT_EINVAL, "column %zu: has codes, but no categories", j + 1));
    }
done:
    return status;
}

/* ---- cells ---- */

/* A string as a cell of a CSV file would be read. */
static decant_status string_cell(const char *text, int exact, decant__names *words, double *cell) {
    uint32_t word;
    double value;
    *cell = (double)NAN;
    if (text == NULL) return DECANT_OK;
    size_t length = strlen(text);
    const char *end = text + length;
    if (!exact && decant__cell_missing(text, length)) return DECANT_OK;
    int digits = length > 0 && length <= 15 &&
                 (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    int zeros = length > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
    if (!exact && digits && !zeros && decant__number_parse(text, end, &value) == end &&
        isfinite(value)) {
        *cell = value;
        return DECANT_OK;
    }
    if (decant__utf8_prefix(text, length) != length)
        return decant__fail(DECANT_EINVAL, "a string of the table is not UTF-8");
    decant_status status = decant__names_add(words, text, length, &word);
    if (status == DECANT_OK) *cell = decant__word_cell(word);
    return status;
}

static decant_status code_words(const decant_column *column, decant__names *words, uint32_t **out) {
    decant_status status = DECANT_OK;
    uint32_t *word = NULL;
    NEW_ARRAY(word, column->category_count);
    for (size_t v = 0; v < column->category_count; v++) {
        if (column->categories[v] == NULL)
            TRY(decant__fail(DECANT_EINVAL, "category %zu is NULL", v + 1));
        TRY(decant__names_add(words, column->categories[v], strlen(column->categories[v]),
                              &word[v]));
    }
    *out = word;
    word = NULL;
done:
    decant__free(word);
    return status;
}

static void numbers_of(const decant_array *array, size_t first, size_t count, double *numbers) {
    const decant__scalars from = {
        .bytes = (const unsigned char *)array->x + (ptrdiff_t)first * array->row_step,
        .step = array->row_step,
        .type = array->type,
        .big_endian = decant__host_is_big_endian() ^ (array->swapped != 0),
    };
    decant__scalars_to_doubles(&from, count, numbers);
}

static decant_status fill_cells(const decant_column *column, size_t first, size_t count, int exact,
                                decant__names *words, const uint32_t *word, double *cells) {
    decant_status status = DECANT_OK;
    if (column->numbers != NULL)
        memcpy(cells, column->numbers + first, count * sizeof *cells);
    else if (column->array != NULL)
        numbers_of(column->array, first, count, cells);
    for (size_t i = 0; i < count; i++) {
        size_t row = first + i;
        if (column->numbers != NULL || column->array != NULL) {
            cells[i] = isfinite(cells[i]) ? cells[i] : (double)NAN;
        } else if (column->strings != NULL) {
            TRY(string_cell(column->strings[row], exact, words, &cells[i]));
        } else if (column->codes[row] < 0) {
            cells[i] = (double)NAN;
        } else {
            if ((size_t)column->codes[row] >= column->category_count)
                TRY(decant__fail(DECANT_EINVAL, "row %zu: has category %d, but there are %zu",
                                 row + 1, (int)column->codes[row], column->category_count));
            cells[i] = decant__word_cell(word[column->codes[row]]);
        }
    }
done:
    return status;
}

/* from[j]: the column that is column j of the frame. */
static decant_status fill_frame(const columns *c, const size_t *from, const char *exact,
                                decant__frame *frame) {
    decant_status status = DECANT_OK;
    double *cells = NULL;
    uint32_t **word = NULL;
    size_t rows = c->n < ROWS ? c->n : ROWS;
    NEW_ARRAY(cells, frame->count * rows);
    NEW_ZEROED(word, frame->count);
    for (size_t j = 0; j < frame->count; j++)
        if (from[j] != SIZE_MAX && c->column[from[j]].codes != NULL)
            TRY(code_words(&c->column[from[j]], &frame->words[j], &word[j]));
    for (size_t first = 0; first < c->n; first += rows) {
        size_t count = c->n - first < rows ? c->n - first : rows;
        for (size_t j = 0; j < frame->count; j++) {
            double *to = cells + j * rows;
            for (size_t i = 0; from[j] == SIZE_MAX && i < count; i++) to[i] = (double)NAN;
            if (from[j] != SIZE_MAX)
                TRY(fill_cells(&c->column[from[j]], first, count, exact[j], &frame->words[j],
                               word[j], to));
        }
        const decant__new_rows more = {cells, rows, count, NULL, NULL};
        TRY(decant__frame_add(frame, &more));
    }
done:
    for (size_t j = 0; word != NULL && j < frame->count; j++) decant__free(word[j]);
    decant__free(word);
    decant__free(cells);
    return status;
}

/* ---- with and without a recipe ---- */

typedef struct building {
    columns c;
    const char **names;
    int named;
    const decant_read_options *options;
    decant_options settings;
    decant__frame frame;
    size_t *from;
    char *exact;
    decant__wishes wishes;
    decant__notes notes;
    decant__row_maker maker;
    decant_table *owned;
    decant__block block;
    decant__classes classes;
} building;

static const char WHERE[] = "the table";

static decant_status find_recipe(building *b) {
    decant_status status = DECANT_OK;
    const char *const *names = b->named ? b->names : NULL;
    TRY(decant__wishes_find(b->options, names, b->c.count, WHERE, &b->wishes));
    TRY(decant__frame_new(&b->frame, b->c.count, names));
    for (size_t j = 0; j < b->c.count; j++) {
        b->from[j] = b->wishes.column[j].drop ? SIZE_MAX : j;
        b->exact[j] = j == b->wishes.id || j == b->wishes.label || j == b->wishes.text;
        /* what a program calls a category is one */
        if (b->c.column[j].codes != NULL && b->wishes.column[j].type < 0)
            b->wishes.column[j].type = DECANT_COLUMN_CATEGORY;
    }
    TRY(fill_frame(&b->c, b->from, b->exact, &b->frame));
    const decant__typing typing = {.wishes = &b->wishes,
                                   .options = &b->settings,
                                   .threads = decant__team_size(b->settings.threads),
                                   .where = WHERE,
                                   .notes = &b->notes};
    TRY(decant__table_find(&b->frame, &typing, &b->owned));
    TRY(decant__table_find_text(&b->frame, &typing, b->owned));
    TRY(decant__row_maker_new(&b->maker, b->owned, &b->frame));
    b->maker.id_at = b->owned->id_column;
    b->maker.label_at = b->owned->label_column;
done:
    return status;
}

static decant_status apply_recipe(building *b) {
    decant_status status = DECANT_OK;
    const decant_table *table = b->options->table;
    const char *const *names = b->named ? b->names : NULL;
    size_t *from = NULL;
    char *exact = NULL;
    NEW_ARRAY(from, table->count);
    NEW_ZEROED(exact, table->count);
    TRY(decant__table_match(table, names, b->c.count, WHERE, &b->notes, from));
    TRY(decant__frame_new(&b->frame, table->count, NULL));
    for (size_t j = 0; j < table->count; j++)
        exact[j] = j == table->id_column || j == table->label_column || j == table->text_column;
    TRY(fill_frame(&b->c, from, exact, &b->frame));
    for (size_t j = 0; j < table->count; j++)
        if (table->column[j].type == DECANT_COLUMN_CATEGORY && table->column[j].width > 0)
            TRY(decant__frame_spell(&b->frame, j));
    TRY(decant__row_maker_new(&b->maker, table, &b->frame));
    b->maker.notes = &b->notes;
    if (table->id_column != SIZE_MAX && from[table->id_column] != SIZE_MAX)
        b->maker.id_at = table->id_column;
    if (table->label_column != SIZE_MAX && from[table->label_column] != SIZE_MAX)
        b->maker.label_at = table->label_column;
done:
    decant__free(from);
    decant__free(exact);
    return status;
}

static decant_status make_rows(building *b, decant_dataset **out) {
    decant_status status = DECANT_OK;
    const decant_table *table = b->maker.table;
    decant_dataset *data = NULL;
    b->maker.threads = decant__team_size(b->settings.threads);
    TRY(decant__row_maker_learn(&b->maker));
    b->block.classes = &b->classes;
    b->block.d = table->d;
    b->block.sparse = table->text != NULL;
    for (size_t k = 0; k < b->frame.chunk_count; k++)
        TRY(decant__row_maker_add(&b->maker, k, 0, b->frame.chunks[k].rows, 1, &b->block));
    TRY(decant__block_finish(&b->block, 1, &data));
    TRY(decant__table_copy(table, &data->table));
    if (table->header || !table->plain) TRY(decant__table_names(table, &data->column_names));
    data->notes = b->notes;
    b->notes = (decant__notes){0};
    *out = data;
    data = NULL;
done:
    decant_dataset_free(data);
    return status;
}

static decant_status start(building *b, const decant_column *given,
                           const decant_read_options *options) {
    decant_status status = DECANT_OK;
    decant_options_init(&b->settings, sizeof b->settings);
    TRY(decant__struct_read(&b->settings, sizeof b->settings, options->options, "decant_options"));
    TRY(check_columns(given, &b->c));
    NEW_ZEROED(b->names, b->c.count);
    NEW_ZEROED(b->from, b->c.count);
    NEW_ZEROED(b->exact, b->c.count);
    for (size_t j = 0; j < b->c.count; j++) {
        b->names[j] = b->c.column[j].name != NULL ? b->c.column[j].name : "";
        b->named |= b->c.column[j].name != NULL;
        for (size_t i = 0; i < j && b->c.column[j].name != NULL; i++)
            if (strcmp(b->names[i], b->names[j]) == 0)
                TRY(decant__fail(DECANT_EINVAL, "two columns are called %s", b->names[j]));
    }
done:
    return status;
}

decant_status decant_dataset_from_columns(const decant_column *given, size_t count, size_t n,
                                          const decant_read_options *options,
                                          decant_dataset **out) {
    REQUIRE(given);
    REQUIRE(out);
    decant_status status = DECANT_OK;
    decant_read_options known = {.struct_size = sizeof known};
    building b = {.c = {.count = count, .n = n}, .options = &known};
    TRY(decant__struct_read(&known, sizeof known, options, "decant_read_options"));
    if (count == 0 || n == 0)
        TRY(decant__fail(DECANT_EINVAL, "a table needs rows and columns, not %zu x %zu", n, count));
    if (n > DECANT__MAX_ROWS)
        TRY(decant__fail(DECANT_EINVAL, "a table of %zu rows is too large", n));
    TRY(start(&b, given, &known));
    TRY(known.table != NULL ? apply_recipe(&b) : find_recipe(&b));
    TRY(make_rows(&b, out));
done:
    decant__row_maker_free(&b.maker);
    decant__frame_free(&b.frame);
    decant__table_free(b.owned);
    decant__block_free(&b.block);
    decant__names_free(&b.classes);
    decant__notes_free(&b.notes);
    decant__free(b.wishes.column);
    decant__free(b.from);
    decant__free(b.exact);
    decant__free(b.names);
    decant__free(b.c.column);
    return status;
}
