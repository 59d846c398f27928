#include "model_columns.h"

#include <stdlib.h>
#include <string.h>

#include "decant/table.h"

/* The column of this name; else the one with this number, from 1; else SIZE_MAX. */
static size_t find_column(const decant_table *table, const char *text, size_t length) {
    char *end;
    for (size_t j = 0; j < decant_table_columns(table); j++) {
        const char *name = decant_table_name(table, j);
        if (name != NULL && strlen(name) == length && memcmp(name, text, length) == 0) return j;
    }
    unsigned long long number = strtoull(text, &end, 10);
    int fits = end == text + length && number >= 1 && number <= decant_table_columns(table);
    return fits ? (size_t)number - 1 : SIZE_MAX;
}

static int is_used(const decant_table *table, size_t column) {
    return column != SIZE_MAX && decant_table_width(table, column) > 0;
}

static size_t count_used(const decant_table *table) {
    size_t used = 0;
    for (size_t j = 0; j < decant_table_columns(table); j++) used += is_used(table, j) != 0;
    return used;
}

/* How many of the names "a,b,c" are those of columns that are used, and whether there are others.
 */
static size_t count_named(const decant_table *table, const char *list, int *others) {
    size_t used = 0;
    *others = 0;
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (is_used(table, find_column(table, at, length)))
            used++;
        else
            *others = 1;
        at += length + (at[length] == ',');
    }
    return used;
}

static int keeps_others(const decant_table *table, const char *list) {
    int others;
    return list != NULL && (count_named(table, list, &others) != count_used(table) || others);
}

static int drops_used(const decant_table *table, const char *list) {
    int others;
    return list != NULL && count_named(table, list, &others) > 0;
}

static int has_other_types(const decant_table *table, const char *list) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ","), name = length;
        while (name > 0 && at[name - 1] != '=') name--;
        size_t column = name > 0 ? find_column(table, at, name - 1) : SIZE_MAX;
        if (column == SIZE_MAX) return 1;
        const char *word = decant_column_type_word(decant_table_type(table, column));
        if (strlen(word) != length - name || memcmp(word, at + name, length - name) != 0) return 1;
        at += length + (at[length] == ',');
    }
    return 0;
}

static int takes_other_text(const decant_table *table, const char *name) {
    if (name == NULL) return 0;
    size_t column = find_column(table, name, strlen(name));
    return !is_used(table, column) || decant_table_type(table, column) != DECANT_COLUMN_TEXT;
}

int check_recipe(const cli_arguments *given, const decant_model *model) {
    const decant_table *table = decant_model_table(model);
    if (table == NULL) return 0;
    const char *flag = keeps_others(table, given->keep)              ? "columns"
                       : drops_used(table, given->drop)              ? "drop"
                       : has_other_types(table, given->types)        ? "types"
                       : takes_other_text(table, given->text_column) ? "text-column"
                                                                     : NULL;
    if (flag == NULL) return 0;
    return complain_usage(NULL, "the model knows the columns that it was fitted on: leave out --%s",
                          flag);
}
