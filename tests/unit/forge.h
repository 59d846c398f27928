/* Tensor files with a modified header and a correct checksum: the reader must detect what the
 * checksum cannot. */
#ifndef DECANT_TESTS_FORGE_H
#define DECANT_TESTS_FORGE_H

#include <xxhash.h>

#include "sample.h"

static inline char *forge_find(char *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, text, length) == 0) return bytes + i;
    return NULL;
}

/* Replaces a text of the header by another one of the same length. */
static inline void forge(const char *path, const char *from, const char *to) {
    size_t size;
    char *bytes = sample_read(path, &size), sum[33];
    char *place = forge_find(bytes, size, from);
    assert_non_null(place);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(place, to, strlen(to));
    char *checksum = forge_find(bytes, size, "\"checksum\":\"");
    assert_non_null(checksum);
    checksum += strlen("\"checksum\":\"");
    memset(checksum, '0', 32);
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    snprintf(sum, sizeof sum, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    memcpy(checksum, sum, 32);
    sample_write(path, bytes, size);
    free(bytes);
}

#endif
