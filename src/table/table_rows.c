#include "table/table_rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/team.h"
#include "base/text.h"
#include "table/cell.h"

enum { ROWS = 512 }; /* a piece of work */

/* ---- matching ---- */

static int is_used(const decant_table *table, size_t j) {
    return table->column[j].width > 0 || (j == table->text_column && table->text != NULL);
}

static void list_name(decant__text *list, const char *name, size_t *count) {
    enum { SHOWN = 10 };
    if (*count < SHOWN) decant__text_print(list, "%s%s", *count > 0 ? ", " : "", name);
    if (*count == SHOWN) decant__text_print(list, ", ...");
    ++*count;
}

static decant_status match_by_place(const decant_table *table, size_t count, const char *where,
                                    size_t *from) {
    size_t used = 0, at = 0;
    for (size_t j = 0; j < table->count; j++) used += (size_t)is_used(table, j);
    if (count != table->count && count != used)
        return decant__fail(DECANT_EFORMAT, "%s: expected %zu columns, found %zu", where,
                            table->count, count);
    for (size_t j = 0; j < table->count; j++)
        from[j] = count == table->count ? j : is_used(table, j) ? at++ : SIZE_MAX;
    return DECANT_OK;
}

/* A column without a name is called by its place, and "Unnamed: 0" by pandas. */
static int is_nameless(const char *name) {
    return strncmp(name, "column ", 7) == 0 || strncmp(name, "Unnamed: ", 9) == 0;
}

/* Ids without a name may stand elsewhere, or have got one. */
static void match_nameless_ids(const decant_table *table, const char *const *names, size_t count,
                               size_t *from) {
    size_t id = table->id_column;
    if (id == SIZE_MAX || from[id] != SIZE_MAX || !is_nameless(table->column[id].name)) return;
    for (size_t i = 0; i < count && from[id] == SIZE_MAX; i++) {
        int taken = 0;
        for (size_t j = 0; j < table->count; j++) taken |= from[j] == i;
        if (!taken && is_nameless(names[i])) from[id] = i;
    }
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static const char *skip_blanks(const char *text) { return text + strspn(text, " \t"); }

/* "Age " and "age": no regard to blanks around a name and to the case of A to Z. */
static int is_alike(const char *a, const char *b) {
    a = skip_blanks(a);
    b = skip_blanks(b);
    for (; *a != '\0' && lower(*a) == lower(*b); a++) b++;
    return *skip_blanks(a) == '\0' && *skip_blanks(b) == '\0';
}

/* The one name that is like that of column j, and that no column has; SIZE_MAX: none, or several
 * columns or names that are alike. */
static size_t find_alike(const decant_table *table, const char *const *names, size_t count,
                         const size_t *from, size_t j) {
    const char *name = table->column[j].name;
    size_t found = SIZE_MAX, columns = 0;
    for (size_t i = 0; i < table->count; i++)
        columns += from[i] == SIZE_MAX && is_alike(table->column[i].name, name);
    for (size_t i = 0; i < count; i++) {
        int taken = 0;
        if (!is_alike(names[i], name)) continue;
        for (size_t c = 0; c < table->count; c++) taken |= from[c] == i;
        if (taken) continue;
        if (found != SIZE_MAX) return SIZE_MAX;
        found = i;
    }
    return columns == 1 ? found : SIZE_MAX;
}

/* Columns that are not there under their own name, but under one that is written otherwise. */
static void match_alike(const decant_table *table, const char *const *names, size_t count,
                        const char *where, decant__notes *notes, size_t *from) {
    decant__text pairs = {0};
    size_t changed = 0;
    for (size_t j = 0; j < table->count; j++) {
        size_t i = from[j] == SIZE_MAX ? find_alike(table, names, count, from, j) : SIZE_MAX;
        if (i == SIZE_MAX) continue;
        char pair[600];
        from[j] = i;
        decant__format(pair, sizeof pair, "\"%s\" for \"%s\"", names[i], table->column[j].name);
        list_name(&pairs, pair, &changed);
    }
    if (notes != NULL && changed > 0)
        decant__notes_add(notes, "%s: names that are written in another way than the model's: %s",
                          where, pairs.bytes != NULL ? pairs.bytes : "");
    decant__text_free(&pairs);
}

static decant_status match_by_name(const decant_table *table, const char *const *names,
                                   size_t count, decant__names *known, size_t *from) {
    decant_status status = DECANT_OK;
    uint32_t number;
    for (size_t i = 0; i < count; i++)
        TRY(decant__names_add(known, names[i], strlen(names[i]), &number));
    for (size_t j = 0; j < table->count; j++) {
        const char *name = table->column[j].name;
        number = decant__names_find(known, name, strlen(name));
        from[j] = number != DECANT__NO_NAME ? number : SIZE_MAX;
    }
done:
    return status;
}

/* What is missing, and what is not in the table at all. */
static decant_status note_differences(const decant_table *table, const char *const *names,
                                      size_t count, const char *where, decant__notes *notes,
                                      const size_t *from) {
    decant_status status = DECANT_OK;
    decant__text missing = {0}, extra = {0};
    size_t lost = 0, left = 0, more = 0;
    char *taken = NULL;
    NEW_ZEROED(taken, count);
    for (size_t j = 0; j < table->count; j++) {
        if (from[j] != SIZE_MAX) taken[from[j]] = 1;
        if (!is_used(table, j)) continue;
        left += from[j] != SIZE_MAX;
        if (from[j] == SIZE_MAX) list_name(&missing, table->column[j].name, &lost);
    }
    for (size_t i = 0; i < count; i++)
        if (!taken[i]) list_name(&extra, names != NULL ? names[i] : "?", &more);
    if (left < lost || left == 0)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: has only %zu of the %zu columns that the model was fitted on; "
                         "missing: %s",
                         where, left, left + lost, missing.bytes != NULL ? missing.bytes : ""));
    if (notes != NULL && lost > 0)
        decant__notes_add(notes,
                          "%s: columns of the model that are missing, and count as empty: %s",
                          where, missing.bytes != NULL ? missing.bytes : "");
    if (notes != NULL && more > 0)
        decant__notes_add(notes, "%s: columns that the model does not know, and are not used: %s",
                          where, extra.bytes != NULL ? extra.bytes : "");
done:
    decant__free(taken);
    decant__text_free(&missing);
    decant__text_free(&extra);
    return status;
}

decant_status decant__table_match(const decant_table *table, const char *const *names, size_t count,
                                  const char *where, decant__notes *notes, size_t *from) {
    decant_status status = DECANT_OK;
    decant__names known = {0};
    if (names == NULL || !table->header) {
        TRY(match_by_place(table, count, where, from));
        goto done;
    }
    TRY(match_by_name(table, names, count, &known, from));
    match_alike(table, names, count, where, notes, from);
    match_nameless_ids(table, names, count, from);
    TRY(note_differences(table, names, count, where, notes, from));
done:
    decant__names_free(&known);
    return status;
}

/* ---- rows ---- */

decant_status decant__row_maker_new(decant__row_maker *maker, const decant_table *table,
                                    decant__frame *frame) {
    decant_status status = DECANT_OK;
    *maker = (decant__row_maker){
        .table = table, .frame = frame, .id_at = SIZE_MAX, .label_at = SIZE_MAX, .threads = 1};
    NEW_ZEROED(maker->meaning, table->count);
    NEW_ZEROED(maker->noted, table->count);
    if (table->text != NULL) TRY(decant__tfidf_new(&maker->tfidf, table->text));
done:
    return status;
}

static void forget(decant__row_maker *maker) {
    for (size_t j = 0; maker->meaning != NULL && j < maker->table->count; j++) {
        decant__free(maker->meaning[j]);
        maker->meaning[j] = NULL;
    }
}

void decant__row_maker_free(decant__row_maker *maker) {
    if (maker->table == NULL) return;
    forget(maker);
    decant__free(maker->meaning);
    decant__free(maker->noted);
    decant__tfidf_free(&maker->tfidf);
    *maker = (decant__row_maker){0};
}

/* Values that the recipe does not know, or cannot read. */
static void note_unknown(decant__row_maker *maker, size_t j) {
    const decant__column *column = &maker->table->column[j];
    const decant__names *words = &maker->frame->words[j];
    decant__text list = {0};
    size_t count = 0;
    for (size_t w = 0; w < words->count; w++) {
        double meaning = maker->meaning[j][w];
        if (!isnan(meaning) && (meaning != -1 || column->type != DECANT_COLUMN_CATEGORY)) continue;
        list_name(&list, decant__names_at(words, w), &count);
    }
    if (count > 0 && maker->notes != NULL && !maker->noted[j]) {
        decant__notes_add(maker->notes,
                          column->type == DECANT_COLUMN_CATEGORY
                              ? "%s: values that the model does not know, and count as none: %s"
                              : "%s: cells that cannot be read, and count as missing: %s",
                          column->name, list.bytes != NULL ? list.bytes : "");
        maker->noted[j] = 1;
    }
    decant__text_free(&list);
}

/* The unit of the first word that has one; "" where none has. */
static void find_unit(const decant__column *column, const decant__names *words,
                      char unit[DECANT__UNIT_SIZE]) {
    double value;
    unit[0] = '\0';
    for (size_t w = 0; w < words->count && unit[0] == '\0'; w++) {
        const char *text = decant__names_at(words, w);
        if (!decant__cell_number(text, strlen(text), column->decimal_comma, &value, unit))
            unit[0] = '\0';
    }
}

/* Is there a number, other than 0, that is written as such? */
static int has_number(const decant__frame *frame, size_t j) {
    for (size_t c = 0; c < frame->chunk_count; c++) {
        const decant__chunk *chunk = &frame->chunks[c];
        for (size_t i = 0; chunk->column != NULL && i < chunk->rows; i++) {
            double cell = decant__cell_at(&chunk->column[j], i);
            if (!isnan(cell) && cell != 0) return 1;
        }
    }
    return 0;
}

/* Numbers with a unit where the recipe has none, and the other way round: 0.05 is not 5 %. */
static void note_unit(decant__row_maker *maker, size_t j) {
    const decant__column *column = &maker->table->column[j];
    char unit[DECANT__UNIT_SIZE];
    if (column->type != DECANT_COLUMN_NUMBER || maker->notes == NULL || maker->noted[j]) return;
    find_unit(column, &maker->frame->words[j], unit);
    if (unit[0] != '\0' && column->unit[0] == '\0')
        decant__notes_add(maker->notes,
                          "%s: has numbers in %s, which the model did not have; they "
                          "are taken as they are",
                          column->name, unit);
    else if (unit[0] == '\0' && column->unit[0] != '\0' && has_number(maker->frame, j))
        decant__notes_add(maker->notes,
                          "%s: has numbers without %s, which the model had; they are taken as "
                          "they are",
                          column->name, column->unit);
    else
        return;
    maker->noted[j] = 1;
}

decant_status decant__row_maker_learn(decant__row_maker *maker) {
    decant_status status = DECANT_OK;
    forget(maker);
    for (size_t j = 0; j < maker->table->count; j++) {
        const decant__column *column = &maker->table->column[j];
        if (column->width == 0) continue;
        TRY(decant__column_meanings(column, &maker->frame->words[j], &maker->meaning[j]));
        note_unknown(maker, j);
        note_unit(maker, j);
    }
done:
    return status;
}

/* ---- pieces of rows ---- */

typedef struct work {
    const decant__row_maker *maker;
    const decant__chunk *chunk;
    size_t first, count;
    float *x; /* count x d; without the text's */
    size_t stride;
} work;

static decant_status unfilled(const decant__column *column) {
    return decant__fail(DECANT_EFORMAT,
                        "a cell of the column %s is missing, and the model is of a version that "
                        "does not say how to fill it: fit it again",
                        column->name);
}

static decant_status encode_piece(void *context, size_t piece) {
    decant_status status = DECANT_OK;
    const work *w = context;
    const decant_table *table = w->maker->table;
    size_t begin = piece * ROWS, end = begin + ROWS < w->count ? begin + ROWS : w->count;
    double *cell = NULL;
    NEW_ARRAY(cell, table->count);
    for (size_t i = begin; i < end; i++) {
        for (size_t j = 0; j < table->count; j++) {
            const decant__column *column = &table->column[j];
            if (column->width == 0) continue;
            cell[j] = decant__column_meaning(column, w->maker->meaning[j],
                                             decant__cell_at(&w->chunk->column[j], w->first + i));
            if (table->plain && isnan(cell[j]) && isnan(column->fill)) TRY(unfilled(column));
        }
        decant__table_encode(table, cell, w->x + i * w->stride);
    }
done:
    decant__free(cell);
    return status;
}

/* The words of a cell as they are; a number spelled. */
static const char *text_of(const decant__row_maker *maker, size_t chunk, size_t column, size_t row,
                           char spelled[40]) {
    double cell = decant__cell_at(&maker->frame->chunks[chunk].column[column], row);
    uint32_t word = cell != cell ? decant__cell_word(cell) : DECANT__NO_NAME;
    if (word != DECANT__NO_NAME) return decant__names_at(&maker->frame->words[column], word);
    if (cell != cell) return "";
    decant__number_print(cell, spelled, 40);
    return spelled;
}

static decant_status add_names(decant__row_maker *maker, size_t chunk, size_t first, size_t count,
                               int labels, decant__block *block) {
    decant_status status = DECANT_OK;
    char spelled[40];
    for (size_t i = first; i < first + count && maker->id_at != SIZE_MAX; i++) {
        const char *text = text_of(maker, chunk, maker->id_at, i, spelled);
        TRY(decant__block_add_id(block, text, strlen(text)));
    }
    for (size_t i = first; i < first + count && labels && maker->label_at != SIZE_MAX; i++) {
        const char *text = text_of(maker, chunk, maker->label_at, i, spelled);
        maker->unlabelled += text[0] == '\0';
        if (text[0] == '\0') text = "(missing)";
        TRY(decant__block_add_label(block, text, strlen(text)));
    }
done:
    return status;
}

static decant_status add_sparse(decant__row_maker *maker, const work *w, size_t chunk,
                                decant__block *block) {
    decant_status status = DECANT_OK;
    const decant_table *table = maker->table;
    char spelled[40];
    for (size_t i = 0; i < w->count; i++) {
        const float *x = w->x + i * w->stride;
        const char *text = text_of(maker, chunk, table->text_column, w->first + i, spelled);
        for (size_t j = 0; j < table->text_first; j++)
            TRY(decant__block_add_entry(block, (uint32_t)j, x[j]));
        TRY(decant__tfidf_row(&maker->tfidf, text, strlen(text)));
        for (size_t e = 0; e < maker->tfidf.nonzeros; e++)
            TRY(decant__block_add_entry(
                block, (uint32_t)table->text_first + maker->tfidf.column[e],
                (float)((double)maker->tfidf.value[e] * table->text_scale)));
        TRY(decant__block_end_row(block));
    }
done:
    return status;
}

decant_status decant__row_maker_add(decant__row_maker *maker, size_t chunk, size_t first,
                                    size_t count, int labels, decant__block *block) {
    decant_status status = DECANT_OK;
    const decant_table *table = maker->table;
    float *buffer = NULL;
    work w = {.maker = maker,
              .chunk = &maker->frame->chunks[chunk],
              .first = first,
              .count = count,
              .stride = table->text != NULL ? table->text_first : table->d};
    size_t pieces = (count + ROWS - 1) / ROWS;
    if (table->text == NULL) {
        TRY(decant__block_extend(block, 0, count * table->d, &w.x));
    } else {
        NEW_ARRAY(buffer, count * w.stride);
        w.x = buffer;
    }
    TRY(decant__team_each(maker->threads, pieces, 1, encode_piece, &w));
    TRY(add_names(maker, chunk, first, count, labels, block));
    if (table->text != NULL)
        TRY(add_sparse(maker, &w, chunk, block));
    else
        block->n += count;
done:
    decant__free(buffer);
    return status;
}
