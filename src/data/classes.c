#include "data/classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

enum { SPELLING = 32 };

/* The one spelling of a whole number, or the text itself. */
static const char *canonical(const char *text, size_t *length, char spelling[SPELLING]) {
    double value;
    size_t digit = *length > 0 && (text[0] == '-' || text[0] == '+');
    int leading_zero = *length > digit + 1 && text[digit] == '0' && text[digit + 1] >= '0' &&
                       text[digit + 1] <= '9';
    if (leading_zero || !decant__number_is(text, *length, &value)) return text;
    if (!(fabs(value) < 0x1p53) || value != floor(value)) return text;
    *length = (size_t)snprintf(spelling, SPELLING, "%lld", (long long)value);
    return spelling;
}

decant_status decant__classes_add(decant__classes *classes, const char *text, size_t length,
                                  int32_t *number) {
    char spelling[SPELLING];
    uint32_t found;
    length = strnlen(text, length); /* names are C strings */
    text = canonical(text, &length, spelling);
    if (classes->count >= INT32_MAX)
        return decant__fail(DECANT_EFORMAT, "there are more than %d classes", INT32_MAX);
    decant_status status = decant__names_add(classes, text, length, &found);
    if (status == DECANT_OK) *number = (int32_t)found;
    return status;
}

typedef struct entry {
    const char *name;
    double value;
    int32_t number;
} entry;

static int compare_names(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static int compare_values(const void *a, const void *b) {
    double x = ((const entry *)a)->value, y = ((const entry *)b)->value;
    if (x != y) return x < y ? -1 : 1;
    return compare_names(a, b);
}

decant_status decant__classes_rank(const decant__classes *classes, int32_t *rank) {
    decant_status status = DECANT_OK;
    entry *entries;
    int numbers = 1;
    NEW_ARRAY(entries, classes->count);
    for (size_t i = 0; i < classes->count; i++) {
        const char *name = decant__names_at(classes, i);
        entries[i] = (entry){.name = name, .number = (int32_t)i};
        numbers &=
            decant__number_is(name, strlen(name), &entries[i].value) && isfinite(entries[i].value);
    }
    qsort(entries, classes->count, sizeof *entries, numbers ? compare_values : compare_names);
    for (size_t i = 0; i < classes->count; i++) rank[entries[i].number] = (int32_t)i;
    decant__free(entries);
done:
    return status;
}

decant_status decant__classes_export(const decant__classes *classes, const int32_t *rank,
                                     char ***names) {
    size_t pointers = classes->count * sizeof **names;
    char **block = decant__alloc_array(pointers + classes->text_length, 1);
    if (block == NULL) return DECANT_ENOMEM;
    char *text = (char *)block + pointers;
    if (classes->text_length > 0) memcpy(text, classes->text, classes->text_length);
    for (size_t i = 0; i < classes->count; i++)
        block[rank != NULL ? (size_t)rank[i] : i] = text + classes->start[i];
    *names = block;
    return DECANT_OK;
}
