#include "features/names.h"

#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 1024 };

const char *decant__names_at(const decant__names *names, size_t number) {
    return names->text + names->start[number];
}

static size_t length_at(const decant__names *names, size_t number) {
    size_t end = number + 1 < names->count ? names->start[number + 1] : names->text_length;
    return end - names->start[number] - 1;
}

/* Slots hold 32 bits of the hash: most different strings differ there, without comparing text. */
static uint64_t mark(uint64_t hash) { return hash & 0xffffffff00000000u; }

/* Where the string is, or the free slot where it belongs. */
static uint64_t *find_slot(const decant__names *names, const char *text, size_t length,
                           uint64_t hash) {
    size_t mask = names->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint64_t *slot = &names->slot[i];
        if (*slot == 0) return slot;
        if (mark(*slot) != mark(hash)) continue;
        size_t number = (uint32_t)*slot - 1;
        if (length_at(names, number) == length &&
            memcmp(decant__names_at(names, number), text, length) == 0)
            return slot;
    }
}

static decant_status grow_slots(decant__names *names) {
    decant_status status = DECANT_OK;
    uint64_t *old = names->slot, *slot;
    size_t count = names->slot_count == 0 ? FIRST_SLOTS : 2 * names->slot_count;
    NEW_ZEROED(slot, count);
    names->slot = slot;
    names->slot_count = count;
    for (size_t i = 0; i < names->count; i++) {
        const char *text = decant__names_at(names, i);
        size_t length = length_at(names, i);
        uint64_t hash = XXH3_64bits(text, length);
        *find_slot(names, text, length, hash) = mark(hash) | (i + 1);
    }
    decant__free(old);
done:
    return status;
}

/* Makes sure that one more string fits. */
static decant_status grow_names(decant__names *names, size_t length) {
    if (names->count >= UINT32_MAX - 1)
        return decant__fail(DECANT_EFORMAT, "there are more different words than can be numbered");
    if (names->text_length + length + 1 > names->text_capacity) {
        size_t capacity = 2 * names->text_capacity + length + 1024;
        char *text = decant__realloc_array(names->text, capacity, 1);
        if (text == NULL) return DECANT_ENOMEM;
        names->text = text;
        names->text_capacity = capacity;
    }
    if (names->count == names->capacity) {
        size_t capacity = 2 * names->capacity + 128;
        size_t *start = decant__realloc_array(names->start, capacity, sizeof *start);
        if (start == NULL) return DECANT_ENOMEM;
        names->start = start;
        names->capacity = capacity;
    }
    return 2 * (names->count + 1) > names->slot_count ? grow_slots(names) : DECANT_OK;
}

decant_status decant__names_add(decant__names *names, const char *text, size_t length,
                                uint32_t *number) {
    uint64_t hash = XXH3_64bits(text, length);
    if (names->slot_count > 0) {
        uint64_t *slot = find_slot(names, text, length, hash);
        if (*slot != 0) {
            *number = (uint32_t)*slot - 1;
            return DECANT_OK;
        }
    }
    decant_status status = grow_names(names, length);
    if (status != DECANT_OK) return status;
    memcpy(names->text + names->text_length, text, length);
    names->text[names->text_length + length] = '\0';
    *number = (uint32_t)names->count;
    *find_slot(names, text, length, hash) = mark(hash) | (*number + 1);
    names->start[names->count++] = names->text_length;
    names->text_length += length + 1;
    return DECANT_OK;
}

uint32_t decant__names_find(const decant__names *names, const char *text, size_t length) {
    if (names->slot_count == 0) return DECANT__NO_NAME;
    uint64_t slot = *find_slot(names, text, length, XXH3_64bits(text, length));
    return slot != 0 ? (uint32_t)slot - 1 : DECANT__NO_NAME;
}

void decant__names_clear(decant__names *names) {
    names->count = names->text_length = 0;
    if (names->slot_count > 0) memset(names->slot, 0, names->slot_count * sizeof *names->slot);
}

decant_status decant__names_copy(decant__names *to, const decant__names *from) {
    decant_status status = DECANT_OK;
    decant__names copy = {0};
    for (size_t i = 0; i < from->count; i++) {
        uint32_t number;
        TRY(decant__names_add(&copy, decant__names_at(from, i), length_at(from, i), &number));
    }
    *to = copy;
    copy = (decant__names){0};
done:
    decant__names_free(&copy);
    return status;
}

void decant__names_free(decant__names *names) {
    decant__free(names->text);
    decant__free(names->start);
    decant__free(names->slot);
    *names = (decant__names){0};
}

void decant__names_seal(decant__names *names) {
    decant__free(names->slot);
    names->slot = NULL;
    names->slot_count = 0;
}

decant_status decant__names_join(const char *const *strings, size_t count, char ***out) {
    size_t bytes = count * sizeof **out;
    for (size_t i = 0; i < count; i++) bytes += strlen(strings[i]) + 1;
    char **block = decant__alloc_array(bytes, 1);
    if (block == NULL) return DECANT_ENOMEM;
    char *text = (char *)(block + count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(strings[i]) + 1;
        block[i] = memcpy(text, strings[i], length);
        text += length;
    }
    *out = block;
    return DECANT_OK;
}
