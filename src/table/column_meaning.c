/* How the words of a column are written, what cells mean by a recipe, and the vocabulary of a text
 * column. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "table/cell.h"
#include "table/column_types.h"
#include "features/vocabulary.h"

/* ---- how words are written ---- */

void decant__column_unit(const decant__names *words, const size_t *counts, int decimal_comma,
                         decant__column *column) {
    enum { UNITS = 16 };
    char units[UNITS][DECANT__UNIT_SIZE];
    size_t count[UNITS] = {0}, found = 0, best = 0, comma = 0, point = 0;
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        int mark = counts[w] > 0 ? decant__cell_decimal(text, strlen(text)) : 0;
        comma += mark > 0 ? counts[w] : 0;
        point += mark < 0 ? counts[w] : 0;
    }
    column->decimal_comma = comma > point || (comma == point && decimal_comma);
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        char unit[DECANT__UNIT_SIZE];
        double value;
        size_t u = 0;
        if (counts[w] == 0 ||
            !decant__cell_number(text, strlen(text), column->decimal_comma, &value, unit))
            continue;
        if (unit[0] == '\0') continue;
        while (u < found && strcmp(units[u], unit) != 0) u++;
        if (u == UNITS) continue;
        if (u == found) memcpy(units[found++], unit, sizeof unit);
        count[u] += counts[w];
        if (count[u] > count[best]) best = u;
    }
    column->unit[0] = '\0';
    if (found > 0) memcpy(column->unit, units[best], sizeof units[best]);
}

void decant__column_order(const decant__names *words, const size_t *counts,
                          decant__column *column) {
    size_t day = 0, month = 0, slashes = 0;
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        double days;
        int timed;
        if (counts[w] == 0) continue;
        size_t length = strlen(text);
        day += decant__cell_date(text, length, DECANT__MONTH_FIRST, &days, &timed) == 2;
        month += decant__cell_date(text, length, DECANT__DAY_FIRST, &days, &timed) == 2;
        slashes += memchr(text, '/', length) != NULL;
    }
    column->order = day > month              ? DECANT__DAY_FIRST
                    : month > day || slashes ? DECANT__MONTH_FIRST
                                             : DECANT__DAY_FIRST;
}

/* ---- meanings ---- */

double decant__column_meaning(const decant__column *column, const double *meaning, double cell) {
    uint32_t word = cell != cell ? decant__cell_word(cell) : DECANT__NO_NAME;
    if (word != DECANT__NO_NAME) return meaning != NULL ? meaning[word] : (double)NAN;
    if (cell != cell) return cell;
    if (column->type == DECANT_COLUMN_NUMBER) { /* as a chunk may keep it */
        float rounded = (float)cell;
        return isfinite(rounded) ? (double)rounded : (double)NAN;
    }
    if (column->type == DECANT_COLUMN_YES_NO) return cell == 0 || cell == 1 ? cell : (double)NAN;
    if (column->type == DECANT_COLUMN_DATE) { /* 20240301 */
        char text[40];
        double days;
        int timed;
        if (!(cell >= 10000101 && cell <= 29991231)) return (double)NAN;
        decant__number_print(cell, text, sizeof text);
        return decant__cell_date(text, strlen(text), DECANT__DAY_FIRST, &days, &timed)
                   ? days
                   : (double)NAN;
    }
    return (double)NAN;
}

double decant__word_meaning(const decant__column *column, const char *text, size_t length) {
    double value;
    char unit[DECANT__UNIT_SIZE];
    int timed, answer;
    switch (column->type) {
        case DECANT_COLUMN_NUMBER:
            if (!decant__cell_number(text, length, column->decimal_comma, &value, unit))
                return (double)NAN;
            /* One of both may have no unit: 5 and $5. */
            return unit[0] == '\0' || column->unit[0] == '\0' || strcmp(unit, column->unit) == 0
                       ? value
                       : (double)NAN;
        case DECANT_COLUMN_DATE:
            return decant__cell_date(text, length, column->order, &value, &timed) ? value
                                                                                  : (double)NAN;
        case DECANT_COLUMN_YES_NO:
            answer = decant__cell_yes_no(text, length);
            if (answer < 0 && decant__number_is(text, length, &value) && (value == 0 || value == 1))
                answer = (int)value;
            return answer >= 0 ? answer : (double)NAN;
        case DECANT_COLUMN_CATEGORY: {
            uint32_t level = decant__names_find(&column->levels, text, length);
            if (level < column->known) return (double)level;
            return column->other_level != SIZE_MAX ? (double)column->other_level : -1;
        }
        default:
            return (double)NAN;
    }
}

/* The decimal mark of these words: the recipe's, unless all that have one have the other. A later
 * file may come from a program that writes numbers in another way. */
static int find_mark(const decant__column *column, const decant__names *words) {
    size_t own = 0, other = 0;
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        int mark = decant__cell_decimal(text, strlen(text));
        own += mark == (column->decimal_comma ? 1 : -1);
        other += mark == (column->decimal_comma ? -1 : 1);
    }
    return own == 0 && other > 0 ? !column->decimal_comma : column->decimal_comma;
}

decant_status decant__column_meanings(const decant__column *column, const decant__names *words,
                                      double **out) {
    decant_status status = DECANT_OK;
    double *meaning = NULL;
    decant__column here = *column;
    if (column->type == DECANT_COLUMN_NUMBER) here.decimal_comma = find_mark(column, words);
    NEW_ARRAY(meaning, words->count);
    for (size_t w = 0; w < words->count; w++) {
        const char *text = decant__names_at(words, w);
        meaning[w] = decant__word_meaning(&here, text, strlen(text));
    }
    *out = meaning;
done:
    return status;
}

/* ---- text ---- */

/* Of the cells that are here. */
static decant_status count_words(const decant__frame *frame, size_t column,
                                 decant__vocabulary *vocabulary) {
    decant_status status = DECANT_OK;
    for (size_t c = 0; c < frame->chunk_count; c++) {
        const decant__cells *cells = &frame->chunks[c].column[column];
        for (size_t i = 0; cells->items != NULL && i < frame->chunks[c].rows; i++) {
            uint32_t word = decant__cell_word(decant__cell_at(cells, i));
            const char *text =
                word != DECANT__NO_NAME ? decant__names_at(&frame->words[column], word) : "";
            TRY(decant__vocabulary_add(vocabulary, text, strlen(text)));
        }
    }
done:
    return status;
}

decant_status decant__table_find_text(const decant__frame *frame, const decant__typing *typing,
                                      decant_table *table) {
    decant_status status = DECANT_OK;
    const decant_options *options = typing->options;
    decant__vocabulary vocabulary = {0};
    size_t j = table->text_column, others = 0;
    if (j == SIZE_MAX) return DECANT_OK;
    NEW_ZEROED(table->text, 1);
    table->text->kind = DECANT_FEATURES_TFIDF;
    table->text->stop_words = options->stop_words;
    memcpy(table->text->language, options->language, sizeof options->language);
    TRY(decant__vocabulary_new(&vocabulary, options->language, options->stop_words));
    status = count_words(frame, j, &vocabulary);
    if (typing->comm != NULL) {
        TRY(decant__comm_agree(typing->comm, status));
        TRY(decant__vocabulary_merge(&vocabulary, typing->comm));
    }
    TRY(status);
    TRY(decant__vocabulary_choose(&vocabulary, options->vocabulary, options->vocabulary_by,
                                  table->text));
    for (size_t i = 0; i < table->count; i++) others += table->column[i].width > 0;
    table->text_scale = sqrt((double)(others > 0 ? others : 1) / (double)table->text->d);
    table->column[j].unused = DECANT__UNUSED_ROLE;
    decant__table_arrange(table);
done:
    decant__vocabulary_free(&vocabulary);
    return status;
}
