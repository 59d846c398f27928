/* Named arrays in a file: the safetensors layout (8-byte little-endian length, JSON header, raw
 * little-endian arrays) with a checksum of the whole file in its metadata. Models and checkpoints
 * are both kept in it. */
#ifndef DECANT_DEC_TENSORS_H
#define DECANT_DEC_TENSORS_H

#include <jansson.h>

#include "base/status.h"

typedef enum decant__dtype { DECANT__F32, DECANT__I32, DECANT__F64 } decant__dtype;

typedef struct decant__tensor {
    const char *name;
    decant__dtype dtype;
    size_t rows, columns; /* columns 0: one-dimensional */
    void *data;           /* written from, or read into */
} decant__tensor;

/* metadata: an object whose values are all strings; it is not changed. */
decant_status decant__tensors_write(const char *path, json_t *metadata,
                                    const decant__tensor *tensors, size_t count);

typedef struct decant__tensor_file {
    const char *path; /* borrowed, for messages */
    char *bytes;
    size_t size, data_start;
    json_t *header;
} decant__tensor_file;

/* Reads and checks everything: layout, checksum, and that metadata "format" is `format` with
 * "format_version" `version`. */
decant_status decant__tensors_read(decant__tensor_file *file, const char *path, const char *format,
                                   const char *version);
void decant__tensors_close(decant__tensor_file *file);

/* Fills a tensor's data, which has room for exactly its rows x columns items; what the file has
 * under its name must be of that shape and type. */
decant_status decant__tensors_get(const decant__tensor_file *file, const decant__tensor *tensor);

int decant__tensors_has(const decant__tensor_file *file, const char *key);

/* A metadata value; NULL when it is missing. tensors_text also stores a sentence then. */
const char *decant__tensors_find_text(const decant__tensor_file *file, const char *key);
const char *decant__tensors_text(const decant__tensor_file *file, const char *key);

/* Does this file begin like one of ours? For detection by content. */
int decant__tensors_recognise(const char *path);

#endif
