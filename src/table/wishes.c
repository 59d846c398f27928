/* What the options of a reading say about the columns of a table. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "table/column_types.h"

enum { LISTED = 12 }; /* names of columns in a message */

typedef struct wishing {
    const char *const *names; /* NULL: none */
    size_t count;
    const char *where;
    decant__wish *wish;
    size_t role[DECANT_COLUMN_TEXT + 1]; /* the last column of that type; SIZE_MAX: none */
} wishing;

/* The column of this name; else the one with this number, from 1; else SIZE_MAX. */
static size_t find(const wishing *w, const char *text, size_t length) {
    double number;
    for (size_t j = 0; w->names != NULL && j < w->count; j++)
        if (strlen(w->names[j]) == length && memcmp(w->names[j], text, length) == 0) return j;
    if (!decant__number_is(text, length, &number)) return SIZE_MAX;
    int fits = number >= 1 && number <= (double)w->count && number == floor(number);
    return fits ? (size_t)number - 1 : SIZE_MAX;
}

static decant_status resolve(const wishing *w, const char *what, const char *text, size_t length,
                             size_t *column) {
    *column = find(w, text, length);
    if (*column != SIZE_MAX) return DECANT_OK;
    decant__text list = {0};
    for (size_t j = 0; w->names != NULL && j < w->count && j < LISTED; j++)
        decant__text_print(&list, "%s%s", j > 0 ? ", " : ": ",
                           decant__quote(w->names[j], strlen(w->names[j])).text);
    if (list.bytes != NULL && w->count > LISTED) decant__text_print(&list, ", ...");
    decant_status status = decant__fail(
        DECANT_EINVAL, "%s: expected a column named or numbered %s for the %s, found %zu columns%s",
        w->where, decant__quote(text, length).text, what, w->count,
        w->names == NULL     ? " without a header"
        : list.bytes != NULL ? list.bytes
                             : "");
    decant__text_free(&list);
    return status;
}

static decant_status take_role(wishing *w, const char *what, const char *name,
                               decant_column_type type) {
    size_t column;
    if (name == NULL) return DECANT_OK;
    decant_status status = resolve(w, what, name, strlen(name), &column);
    if (status != DECANT_OK) return status;
    w->wish[column].type = (int)type;
    w->wish[column].drop = 0;
    w->role[type] = column;
    return DECANT_OK;
}

/* A list "a,b,c". A name that has a comma of its own can be given by its number. */
static decant_status take_list(const wishing *w, const char *what, const char *list, int drop) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ","), column;
        decant_status status = resolve(w, what, at, length, &column);
        if (status != DECANT_OK) return status;
        w->wish[column].drop = drop;
        at += length + (at[length] == ',');
    }
    return DECANT_OK;
}

static decant_status take_types(wishing *w, const char *list) {
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ","), column;
        const char *equals = NULL; /* the last one: a name may have its own */
        for (size_t i = 0; i < length; i++)
            if (at[i] == '=') equals = at + i;
        size_t name = equals != NULL ? (size_t)(equals - at) : length;
        int type = equals != NULL ? decant__type_find(equals + 1, length - name - 1) : -1;
        if (type < 0)
            return decant__fail(DECANT_EINVAL,
                                "types: expected NAME=TYPE with number, yes/no, category, date, "
                                "id, label or text, found %s",
                                decant__quote(at, length).text);
        decant_status status = resolve(w, "types", at, name, &column);
        if (status != DECANT_OK) return status;
        w->wish[column].type = type;
        w->wish[column].drop = 0;
        w->role[type] = column;
        at += length + (at[length] == ',');
    }
    return DECANT_OK;
}

decant_status decant__wishes_find(const decant_read_options *options, const char *const *names,
                                  size_t count, const char *where, decant__wishes *out) {
    decant_status status = DECANT_OK;
    wishing w = {.names = names, .count = count, .where = where};
    for (size_t t = 0; t < sizeof w.role / sizeof *w.role; t++) w.role[t] = SIZE_MAX;
    NEW_ARRAY(w.wish, count);
    for (size_t j = 0; j < count; j++)
        w.wish[j] = (decant__wish){.type = -1, .drop = options->keep != NULL};
    TRY(take_list(&w, "columns", options->keep, 0));
    TRY(take_types(&w, options->types));
    TRY(take_list(&w, "columns to drop", options->drop, 1));
    TRY(take_role(&w, "documents", options->text_column, DECANT_COLUMN_TEXT));
    TRY(take_role(&w, "labels", options->label_column, DECANT_COLUMN_LABEL));
    TRY(take_role(&w, "ids", options->id_column, DECANT_COLUMN_ID));
    *out = (decant__wishes){w.wish, w.role[DECANT_COLUMN_ID], w.role[DECANT_COLUMN_LABEL],
                            w.role[DECANT_COLUMN_TEXT]};
    w.wish = NULL;
done:
    decant__free(w.wish);
    return status;
}
