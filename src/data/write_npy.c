/* Writes NPY version 1.0: a 128-byte header, so that the numbers are aligned and can be mapped. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "data/scalar.h"

enum { HEADER = 128 };

decant_status decant_npy_write(const char *path, const float *x, size_t rows, size_t columns) {
    decant_status status = DECANT_OK;
    decant__writer writer = {0};
    char header[HEADER + 1] = "\x93NUMPY\x01\x00\x76"; /* 0x76: 118 bytes after these ten */
    char *text = header + 10;
    if (path == NULL || (x == NULL && rows * columns > 0))
        return decant__fail(DECANT_EINVAL, "decant_npy_write needs a path and an array");
    int length = snprintf(text, HEADER - 10,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                          decant__host_is_big_endian() ? '>' : '<', rows, columns);
    memset(text + length, ' ', (size_t)(HEADER - 11 - length));
    header[HEADER - 1] = '\n';
    TRY(decant__writer_open(&writer, path));
    decant__writer_put(&writer, header, HEADER);
    decant__writer_put(&writer, x, rows * columns * sizeof *x);
    TRY(decant__writer_commit(&writer));
done:
    decant__writer_abandon(&writer);
    return status;
}
