/* The public writer, and arrays as NPY version 1.0: a header of 128 bytes, so that the numbers are
 * aligned and can be mapped, then the numbers in the order of bytes of this machine. */
#include "decant/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { HEADER = 128 };

struct decant_file {
    decant__writer writer;
    int has_header;
};

static int is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void print_header(char header[HEADER + 1], size_t rows, size_t columns) {
    memset(header, ' ', HEADER);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 0x76: 118 bytes after these ten */
    int length = snprintf(header + 10, HEADER - 10,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                          is_big_endian() ? '>' : '<', rows, columns);
    header[10 + length] = ' ';
    header[HEADER - 1] = '\n';
    header[HEADER] = '\0';
}

decant_status decant_file_open(const char *path, decant_file **out) {
    REQUIRE(out);
    decant_status status = DECANT_OK;
    decant_file *file = NULL;
    NEW_ZEROED(file, 1);
    TRY(decant__writer_open(&file->writer, path));
    *out = file;
    file = NULL;
done:
    decant__free(file);
    return status;
}

void decant_file_put(decant_file *file, const void *bytes, size_t count) {
    if (file != NULL) decant__writer_put(&file->writer, bytes, count);
}

void decant_file_print(decant_file *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (file != NULL && format != NULL) decant__writer_vprint(&file->writer, format, arguments);
    va_end(arguments);
}

void decant_file_put_csv(decant_file *file, const char *field) {
    if (file != NULL && field != NULL) decant__writer_put_csv(&file->writer, field);
}

int decant_file_failed(const decant_file *file) { return file == NULL || file->writer.error != 0; }

int decant_file_in_place(const decant_file *file) {
    return file != NULL && file->writer.folder < 0;
}

void decant_file_npy_header(decant_file *file, size_t rows, size_t columns) {
    char header[HEADER + 1];
    if (file == NULL) return;
    print_header(header, rows, columns);
    if (!file->has_header)
        decant__writer_put(&file->writer, header, HEADER);
    else
        decant__writer_patch(&file->writer, 0, header, HEADER);
    file->has_header = 1;
}

decant_status decant_file_commit(decant_file *file) {
    if (file == NULL) return DECANT_OK;
    decant_status status = decant__writer_commit(&file->writer);
    decant__free(file);
    return status;
}

void decant_file_discard(decant_file *file) {
    if (file == NULL) return;
    decant__writer_abandon(&file->writer);
    decant__free(file);
}

decant_status decant_npy_write(const char *path, const float *x, size_t rows, size_t columns) {
    decant_file *file = NULL;
    if (path == NULL || (x == NULL && rows * columns > 0))
        return decant__fail(DECANT_EINVAL, "decant_npy_write needs a path and an array");
    decant_status status = decant_file_open(path, &file);
    if (status != DECANT_OK) return status;
    decant_file_npy_header(file, rows, columns);
    decant_file_put(file, x, rows * columns * sizeof *x);
    return decant_file_commit(file);
}
