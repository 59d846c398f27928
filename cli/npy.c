#include "npy.h"

#include <stdint.h>
#include <string.h>

enum { HEAD_SIZE = 128 }; /* a multiple of 64, as the format asks for */

/* NPY 1.0: magic, version, length of the rest of the head, a Python literal padded by spaces. */
void npy_write_head(FILE *file, size_t rows, size_t columns) {
    unsigned char head[HEAD_SIZE];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = HEAD_SIZE - 10;
    head[9] = 0;
    char text[HEAD_SIZE];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }", rows, columns);
    memcpy(head + 10, text, (size_t)length);
    head[HEAD_SIZE - 1] = '\n';
    fwrite(head, 1, sizeof head, file);
}

/* The format is little-endian whatever the machine is. */
void npy_write_values(FILE *file, const float *values, size_t count) {
    static const union {
        uint16_t word;
        unsigned char first;
    } order = {.word = 1};
    if (order.first == 1) {
        fwrite(values, sizeof *values, count, file);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[sizeof *values];
        memcpy(bytes, &values[i], sizeof bytes);
        for (size_t b = sizeof bytes; b-- > 0;) fputc(bytes[b], file);
    }
}
