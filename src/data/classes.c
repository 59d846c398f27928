#include "data/classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "data/number.h"

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

const char *decant__classes_name(const decant__classes *classes, size_t number) {
    return classes->text + classes->start[number];
}

/* Where the name is, or the free slot where it belongs. */
static uint32_t *find_slot(const decant__classes *classes, const char *text, size_t length) {
    size_t mask = classes->slot_count - 1;
    for (size_t i = XXH3_64bits(text, length) & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &classes->slot[i];
        if (*slot == 0) return slot;
        const char *name = decant__classes_name(classes, *slot - 1);
        if (strncmp(name, text, length) == 0 && name[length] == '\0') return slot;
    }
}

static decant_status grow_slots(decant__classes *classes) {
    decant_status status = DECANT_OK;
    uint32_t *slot, *old = classes->slot;
    size_t count = classes->slot_count == 0 ? 64 : classes->slot_count * 2;
    NEW_ZEROED(slot, count);
    classes->slot = slot;
    classes->slot_count = count;
    for (size_t i = 0; i < classes->count; i++) {
        const char *name = decant__classes_name(classes, i);
        *find_slot(classes, name, strlen(name)) = (uint32_t)i + 1;
    }
    decant__free(old);
done:
    return status;
}

/* Room for one more name. */
static decant_status make_room(decant__classes *classes, size_t length) {
    if (classes->count >= INT32_MAX)
        return decant__fail(DECANT_EFORMAT, "there are more than %d classes", INT32_MAX);
    if (classes->text_length + length + 1 > classes->text_capacity) {
        size_t capacity = 2 * classes->text_capacity + length + 64;
        char *text = decant__realloc_array(classes->text, capacity, 1);
        if (text == NULL) return DECANT_ENOMEM;
        classes->text = text;
        classes->text_capacity = capacity;
    }
    if (classes->count == classes->capacity) {
        size_t capacity = 2 * classes->capacity + 16;
        size_t *start = decant__realloc_array(classes->start, capacity, sizeof *start);
        if (start == NULL) return DECANT_ENOMEM;
        classes->start = start;
        classes->capacity = capacity;
    }
    return 2 * (classes->count + 1) > classes->slot_count ? grow_slots(classes) : DECANT_OK;
}

decant_status decant__classes_add(decant__classes *classes, const char *text, size_t length,
                                  int32_t *number) {
    char spelling[SPELLING];
    length = strnlen(text, length); /* names are C strings */
    text = canonical(text, &length, spelling);
    decant_status status = make_room(classes, length);
    if (status != DECANT_OK) return status;
    uint32_t *slot = find_slot(classes, text, length);
    if (*slot == 0) {
        memcpy(classes->text + classes->text_length, text, length);
        classes->text[classes->text_length + length] = '\0';
        classes->start[classes->count] = classes->text_length;
        classes->text_length += length + 1;
        *slot = (uint32_t)++classes->count;
    }
    *number = (int32_t)(*slot - 1);
    return DECANT_OK;
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
        const char *name = decant__classes_name(classes, i);
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

void decant__classes_free(decant__classes *classes) {
    decant__free(classes->text);
    decant__free(classes->start);
    decant__free(classes->slot);
    *classes = (decant__classes){0};
}
