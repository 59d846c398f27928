/* The recipe of a table in a model's file: metadata "table", a value on each line, docs/format.md.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "store/model.h"
#include "store/settings.h"

enum { MAX_COLUMNS = 1 << 24 };

/* ---- writing ---- */

static void put_number(decant__text *text, double value) {
    char number[40];
    decant__number_print(value, number, sizeof number);
    decant__text_print(text, "%s\n", number);
}

static void put_place(decant__text *text, size_t place) {
    if (place == SIZE_MAX)
        decant__text_print(text, "-1\n");
    else
        decant__text_print(text, "%zu\n", place);
}

static void put_name(decant__text *text, const char *name) {
    decant__name_print(text, name);
    decant__text_print(text, "\n");
}

static void put_column(decant__text *text, const decant__column *column) {
    const double reals[] = {column->fill, column->center, column->scale,
                            column->knee, column->low,    column->high,
                            column->min,  column->max,    column->missing};
    put_name(text, column->name);
    decant__text_print(text, "%s\n", decant__type_word(column->type));
    put_place(text, (size_t)column->unused);
    put_name(text, column->unit);
    put_place(text, (size_t)column->decimal_comma);
    put_place(text, (size_t)column->order);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) put_number(text, reals[i]);
    put_place(text, (size_t)column->indicator);
    put_place(text, column->parts);
    put_place(text, column->known);
    put_place(text, column->other_level);
    put_place(text, column->missing_level);
    put_place(text, column->levels.count);
    for (size_t l = 0; l < column->levels.count; l++) {
        put_number(text, column->share[l]);
        put_name(text, decant__names_at(&column->levels, l));
    }
}

static void put_text(decant__text *text, const decant_table *table) {
    put_place(text, table->text != NULL ? table->text->d : 0);
    if (table->text == NULL) return;
    put_number(text, table->text_scale);
    put_name(text, table->text->language);
    put_place(text, (size_t)table->text->stop_words);
    for (size_t t = 0; t < table->text->d; t++)
        put_name(text, decant_features_stem(table->text, t));
}

void decant__model_put_table(decant__metadata *metadata, const decant_table *table) {
    decant__text text = {0};
    if (table == NULL) return;
    put_place(&text, DECANT__TABLE_VERSION);
    put_place(&text, table->count);
    put_place(&text, (size_t)table->plain);
    put_place(&text, (size_t)table->header);
    put_place(&text, table->id_column);
    put_place(&text, table->label_column);
    put_place(&text, table->text_column);
    for (size_t j = 0; j < table->count; j++) put_column(&text, &table->column[j]);
    put_text(&text, table);
    if (text.failed)
        metadata->status = DECANT_ENOMEM;
    else
        decant__metadata_put(metadata, "table", text.bytes);
    decant__text_free(&text);
}

/* ---- reading ---- */

typedef struct cursor {
    const char *at;
    char *scratch; /* a name, unescaped */
    int bad;
} cursor;

/* The next line, unescaped, in scratch. */
static const char *take_name(cursor *c) {
    char *to = c->scratch;
    if (c->bad || *c->at == '\0' || !decant__name_parse(&c->at, &to) || *c->at != '\n') {
        c->bad = 1;
        c->scratch[0] = '\0';
        return c->scratch;
    }
    c->at++;
    return c->scratch;
}

static double take_number(cursor *c) {
    double value;
    if (decant__number_read(take_name(c), &value)) return value;
    c->bad = 1;
    return 0;
}

/* A whole number below max; SIZE_MAX for -1, where that is allowed. */
static size_t take_place(cursor *c, size_t max, int may_be_none) {
    double value = take_number(c);
    if (value == -1 && may_be_none) return SIZE_MAX;
    if (value >= 0 && value < (double)max && value == floor(value)) return (size_t)value;
    c->bad = 1;
    return 0;
}

static decant_status take_levels(cursor *c, decant__column *column) {
    decant_status status = DECANT_OK;
    enum { MAX = DECANT__MAX_LEVELS + 3 };
    column->known = take_place(c, MAX, 0);
    column->other_level = take_place(c, MAX, 1);
    column->missing_level = take_place(c, MAX, 1);
    size_t count = take_place(c, MAX, 0);
    NEW_ZEROED(column->share, MAX);
    for (size_t l = 0; l < count && !c->bad; l++) {
        uint32_t number;
        column->share[l] = take_number(c);
        if (!isfinite(column->share[l])) c->bad = 1;
        const char *name = take_name(c);
        TRY(decant__names_add(&column->levels, name, strlen(name), &number));
    }
    c->bad |= column->levels.count != count || column->known > count ||
              (column->other_level != SIZE_MAX && column->other_level >= count) ||
              (column->missing_level != SIZE_MAX && column->missing_level >= count);
done:
    return status;
}

static decant_status take_column(cursor *c, decant__column *column) {
    decant_status status = DECANT_OK;
    column->name = decant__copy_text(take_name(c));
    if (column->name == NULL) TRY(DECANT_ENOMEM);
    const char *word = take_name(c);
    int type = decant__type_find(word, strlen(word));
    if (type < 0) c->bad = 1;
    column->type = type >= 0 ? (decant_column_type)type : DECANT_COLUMN_NUMBER;
    column->unused = (decant__unused)take_place(c, DECANT__UNUSED_DROPPED + 1, 0);
    const char *unit = take_name(c);
    if (strlen(unit) >= sizeof column->unit)
        c->bad = 1;
    else
        memcpy(column->unit, unit, strlen(unit) + 1);
    column->decimal_comma = (int)take_place(c, 2, 0);
    column->order = (decant__date_order)take_place(c, 2, 0);
    column->fill = take_number(c);
    column->center = take_number(c);
    column->scale = take_number(c);
    column->knee = take_number(c);
    column->low = take_number(c);
    column->high = take_number(c);
    column->min = take_number(c);
    column->max = take_number(c);
    column->missing = take_number(c);
    c->bad |= isinf(column->fill) || !isfinite(column->center) || !isfinite(column->scale) ||
              column->scale == 0 || !(column->knee >= 0) || isinf(column->knee) ||
              isnan(column->low) || isnan(column->high) || !isfinite(column->missing) ||
              (column->knee > 0 && column->low < 0 && isfinite(column->low));
    column->indicator = (int)take_place(c, 2, 0);
    column->parts = (unsigned)take_place(c, 8, 0);
    TRY(take_levels(c, column));
    c->bad |= column->type == DECANT_COLUMN_CATEGORY && column->unused == DECANT__UNUSED_NO &&
              column->levels.count < 2;
    c->bad |= column->type != DECANT_COLUMN_DATE && column->parts != 0;
done:
    return status;
}

static decant_status take_text(cursor *c, const decant__tensor_file *file, decant_table *table) {
    decant_status status = DECANT_OK;
    size_t stems = take_place(c, MAX_COLUMNS, 0);
    if (stems == 0 || c->bad) return DECANT_OK;
    table->text_scale = take_number(c);
    c->bad |= !isfinite(table->text_scale) || table->text_column == SIZE_MAX;
    NEW_ZEROED(table->text, 1);
    table->text->kind = DECANT_FEATURES_TFIDF;
    const char *language = take_name(c);
    if (strlen(language) >= sizeof table->text->language)
        c->bad = 1;
    else
        memcpy(table->text->language, language, strlen(language) + 1);
    table->text->stop_words = (int)take_place(c, 2, 0);
    for (size_t t = 0; t < stems && !c->bad; t++) {
        uint32_t number;
        const char *name = take_name(c);
        TRY(decant__names_add(&table->text->stems, name, strlen(name), &number));
        c->bad |= number != t || name[0] == '\0';
    }
    if (c->bad) goto done;
    table->text->d = stems;
    NEW_ARRAY(table->text->idf, stems);
    decant__tensor idf = {"table.idf", DECANT__F64, stems, 0, table->text->idf};
    TRY(decant__tensors_get(file, &idf));
done:
    return status;
}

static decant_status take_table(cursor *c, const decant__tensor_file *file, decant_table **out) {
    decant_status status = DECANT_OK;
    decant_table *table = NULL;
    double version = take_number(c);
    if (version > DECANT__TABLE_VERSION)
        return decant__fail(DECANT_EFORMAT,
                            "%s: its table was read by a newer version of decant: update decant",
                            file->path);
    size_t count = take_place(c, MAX_COLUMNS, 0), lines = 0;
    for (const char *p = c->at; *p != '\0'; p++) lines += *p == '\n';
    c->bad |= version != DECANT__TABLE_VERSION || count == 0 || count > lines;
    if (c->bad) return DECANT_OK;
    TRY(decant__table_new(count, &table));
    table->plain = (int)take_place(c, 2, 0);
    table->header = (int)take_place(c, 2, 0);
    table->id_column = take_place(c, count, 1);
    table->label_column = take_place(c, count, 1);
    table->text_column = take_place(c, count, 1);
    for (size_t j = 0; j < count && !c->bad; j++) TRY(take_column(c, &table->column[j]));
    if (!c->bad) TRY(take_text(c, file, table));
    c->bad |= *c->at != '\0';
    if (c->bad) goto done;
    decant__table_arrange(table);
    *out = table;
    table = NULL;
done:
    decant__table_free(table);
    return status;
}

decant_status decant__model_get_table(const decant__tensor_file *file, decant_model *model) {
    decant_status status = DECANT_OK;
    const char *text = decant__tensors_find_text(file, "table");
    cursor c = {.at = text};
    if (text == NULL) return DECANT_OK;
    NEW_ARRAY(c.scratch, strlen(text) + 1);
    TRY(take_table(&c, file, &model->table));
    if (c.bad || model->table == NULL || model->table->d != model->d)
        TRY(decant__fail(DECANT_EFORMAT, "%s: is damaged: the recipe of its table is not valid",
                         file->path));
done:
    decant__free(c.scratch);
    return status;
}
