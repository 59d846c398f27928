#include "base/struct_size.h"

#include <string.h>

/* Larger than any struct of the API: a larger value means that struct_size was not set. */
enum { MAX_STRUCT_SIZE = 1 << 16 };

static int is_struct_size(size_t size) {
    return size >= sizeof(size_t) && size <= MAX_STRUCT_SIZE && size % sizeof(size_t) == 0;
}

static size_t struct_size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void decant__struct_init(void *target, size_t struct_size, const void *defaults, size_t size) {
    if (target == NULL || !is_struct_size(struct_size)) return;
    memset(target, 0, struct_size);
    memcpy(target, defaults, smaller(struct_size, size));
    memcpy(target, &struct_size, sizeof struct_size);
}

decant_status decant__struct_read(void *copy, size_t size, const void *given, const char *type) {
    if (given == NULL) return DECANT_OK;
    size_t struct_size = struct_size_of(given);
    if (!is_struct_size(struct_size))
        return decant__fail(DECANT_EINVAL,
                            "%s: its struct_size is %zu: fill the struct by %s_init first", type,
                            struct_size, type);
    const unsigned char *bytes = given;
    for (size_t i = size; i < struct_size; i++)
        if (bytes[i] != 0)
            return decant__fail(DECANT_EINVAL,
                                "%s: something is set at byte %zu, but libdecant %s knows only %zu "
                                "bytes: use a newer libdecant, or leave that field at its default",
                                type, i, decant_version(), size);
    memcpy(copy, given, smaller(struct_size, size));
    memcpy(copy, &size, sizeof size);
    return DECANT_OK;
}

void decant__struct_write(void *given, const void *copy, size_t size) {
    size_t struct_size = struct_size_of(given);
    memcpy(given, copy, smaller(struct_size, size));
    memcpy(given, &struct_size, sizeof struct_size);
}
