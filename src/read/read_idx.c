/* IDX, the format of MNIST: two zero bytes, a type, the number of dimensions, the sizes and then
 * the numbers, all big-endian (http://yann.lecun.com/exdb/mnist). */
#include "read/binary.h"

static int kind_of(unsigned char type, decant_type *kind) {
    switch (type) {
        case 0x08:
            *kind = DECANT_UINT8;
            return 1;
        case 0x09:
            *kind = DECANT_INT8;
            return 1;
        case 0x0B:
            *kind = DECANT_INT16;
            return 1;
        case 0x0C:
            *kind = DECANT_INT32;
            return 1;
        case 0x0D:
            *kind = DECANT_FLOAT32;
            return 1;
        case 0x0E:
            *kind = DECANT_FLOAT64;
            return 1;
        default:
            return 0;
    }
}

decant_status decant__idx_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out) {
    (void)options;
    unsigned char header[20];
    size_t got;
    decant__binary layout = {.format = "IDX", .big_endian = 1, .d = 1};
    decant_status status = decant__input_read(input, header, 4, &got);
    if (status != DECANT_OK) return status;
    size_t dimensions = header[3];
    if (!kind_of(header[2], &layout.kind))
        return decant__fail(DECANT_EFORMAT,
                            "%s: expected an IDX type 8, 9, 11, 12, 13 or 14, found %d",
                            input->path, header[2]);
    if (dimensions < 1 || dimensions > 4)
        return decant__fail(DECANT_EFORMAT, "%s: expected 1 to 4 IDX dimensions, found %zu",
                            input->path, dimensions);
    status = decant__input_read(input, header + 4, 4 * dimensions, &got);
    if (status != DECANT_OK) return status;
    if (got < 4 * dimensions)
        return decant__fail(DECANT_EFORMAT, "%s: the file ends inside the IDX header", input->path);
    for (size_t i = 0; i < dimensions; i++) {
        const unsigned char *p = header + 4 + 4 * i;
        size_t size = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
        if (i == 0)
            layout.n = size;
        else if (size > 0 && layout.d > DECANT__MAX_COLUMNS / size)
            return decant__check_shape(input->path, 1, UINT64_MAX);
        else
            layout.d *= size;
    }
    layout.header = 4 + 4 * dimensions;
    return decant__binary_open(input, &layout, out);
}
