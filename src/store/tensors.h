/* Named arrays in a file: the safetensors layout (8-byte little-endian length, JSON header, raw
 * little-endian arrays) with a checksum of the whole file in its metadata. Models, checkpoints,
 * traces, graphs and networks are all such files: docs/format.md. */
#ifndef DECANT_STORE_TENSORS_H
#define DECANT_STORE_TENSORS_H

#include "store/header.h"

typedef enum decant__dtype { DECANT__F32, DECANT__I32, DECANT__F64 } decant__dtype;

typedef struct decant__tensor {
    const char *name;
    decant__dtype dtype;
    size_t rows, columns; /* columns 0: one-dimensional */
    void *data;           /* written from, or read into */
} decant__tensor;

/* The first entries of any metadata: which format, and which version of it. */
void decant__tensors_begin(decant__metadata *metadata, const char *format, const char *version);

/* Writes a file atomically; or the same bytes to new memory, freed with decant__free. */
decant_status decant__tensors_write(const char *path, const decant__metadata *metadata,
                                    const decant__tensor *tensors, size_t count);
decant_status decant__tensors_encode(const decant__metadata *metadata,
                                     const decant__tensor *tensors, size_t count, char **bytes,
                                     size_t *size);

typedef struct decant__tensor_file {
    const char *path; /* borrowed, for messages */
    char *bytes;
    size_t size, data_start;
    decant__header header;
} decant__tensor_file;

/* Reads and checks everything: layout, checksum, and that metadata "format" is `format` with
 * "format_version" `version`. */
decant_status decant__tensors_read(decant__tensor_file *file, const char *path, const char *format,
                                   const char *version);

/* The same for bytes in memory, which are copied; path is for messages. */
decant_status decant__tensors_decode(decant__tensor_file *file, const char *path, const void *bytes,
                                     size_t size, const char *format, const char *version);
void decant__tensors_close(decant__tensor_file *file);

/* Reads a tensor into tensor->data, which the caller allocated; the file must have a tensor of this
 * name, shape and type. */
decant_status decant__tensors_get(const decant__tensor_file *file, const decant__tensor *tensor);

/* Are all values finite? */
int decant__tensors_finite(const float *values, size_t count);

/* A metadata value, or NULL if it is missing; tensors_text then also sets the error message. */
const char *decant__tensors_find_text(const decant__tensor_file *file, const char *key);
const char *decant__tensors_text(const decant__tensor_file *file, const char *key);

/* Does this file begin like a tensor file? For detection by content. */
int decant__tensors_recognise(const char *path);

#endif
