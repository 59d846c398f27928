#include "store/protobuf.h"

#include <string.h>

enum { VARINT = 0, LENGTH = 2, FIXED32 = 5 };

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
static void put_varint(decant__text *message, uint64_t value) {
    char bytes[10];
    size_t count = 0;
    for (; value >= 128; value >>= 7) bytes[count++] = (char)(unsigned char)(value | 128);
    bytes[count++] = (char)(unsigned char)value;
    decant__text_put(message, bytes, count);
}

static void put_key(decant__text *message, unsigned field, unsigned wire) {
    put_varint(message, (uint64_t)field << 3 | wire);
}

void decant__pb_int(decant__text *message, unsigned field, uint64_t value) {
    put_key(message, field, VARINT);
    put_varint(message, value);
}

void decant__pb_float(decant__text *message, unsigned field, float value) {
    put_key(message, field, FIXED32);
    decant__text_put(message, (const char *)&value, sizeof value);
}

void decant__pb_bytes(decant__text *message, unsigned field, const void *bytes, size_t count) {
    put_key(message, field, LENGTH);
    put_varint(message, count);
    if (count > 0) decant__text_put(message, bytes, count);
}

void decant__pb_string(decant__text *message, unsigned field, const char *text) {
    decant__pb_bytes(message, field, text, strlen(text));
}

void decant__pb_message(decant__text *message, unsigned field, decant__text *inner) {
    if (inner->failed) message->failed = 1;
    decant__pb_bytes(message, field, inner->bytes, inner->failed ? 0 : inner->length);
    decant__text_free(inner);
}
