/* Strings and their numbers: each different one is kept once and numbered as it appears. */
#ifndef DECANT_FEATURES_NAMES_H
#define DECANT_FEATURES_NAMES_H

#include "base/status.h"

#define DECANT__NO_NAME UINT32_MAX

/* Zero-initialise. */
typedef struct decant__names {
    char *text; /* the strings, each with a final 0 */
    size_t text_length, text_capacity;
    size_t *start; /* where in text a string begins */
    size_t count, capacity;
    uint64_t *slot; /* hash table: upper half of the hash, number + 1; 0: free */
    size_t slot_count;
} decant__names;

/* The number of a string; a new one gets the next. It must not contain a zero
 * byte. */
decant_status decant__names_add(decant__names *names, const char *text, size_t length,
                                uint32_t *number);

/* The number of a string, or DECANT__NO_NAME. */
uint32_t decant__names_find(const decant__names *names, const char *text, size_t length);
const char *decant__names_at(const decant__names *names, size_t number);

/* Removes all strings but keeps the memory. */
void decant__names_clear(decant__names *names);
decant_status decant__names_copy(decant__names *to, const decant__names *from);
void decant__names_free(decant__names *names);

/* Frees what only finding and adding need: then only decant__names_at may be used. */
void decant__names_seal(decant__names *names);

/* count strings in one block that begins with the pointers to them; decant__free. */
decant_status decant__names_join(const char *const *strings, size_t count, char ***out);

#endif
