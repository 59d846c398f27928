/* The header of a tensor file (safetensors): a JSON object with the metadata, and for each tensor
 * its type, shape and position:
 *
 *   {"__metadata__":{"format":"decant-model",...},"params":{"dtype":"F32","shape":[4,2],
 *    "data_offsets":[0,32]},...} */
#ifndef DECANT_STORE_HEADER_H
#define DECANT_STORE_HEADER_H

#include "base/text.h"

/* Metadata to write: pairs of strings, in the order of the calls. Zero-initialise. Errors are
 * sticky: decant__tensors_write returns the first one. */
typedef struct decant__metadata {
    decant__text pairs;
    decant_status status;
} decant__metadata;

void decant__metadata_put(decant__metadata *metadata, const char *key, const char *value);
void decant__metadata_free(decant__metadata *metadata);

typedef struct decant__header_pair {
    const char *key, *value;
} decant__header_pair;

typedef struct decant__header_tensor {
    const char *name, *dtype;
    size_t rank, shape[2];
    size_t begin, end; /* offsets in bytes, from the start of the data */
} decant__header_tensor;

typedef struct decant__header {
    decant__header_pair *metadata;
    size_t metadata_count;
    decant__header_tensor *tensors;
    size_t tensor_count;
} decant__header;

/* Appends a tensor to the text of a header. */
void decant__header_put_tensor(decant__text *text, const decant__header_tensor *tensor);

/* Parses `length` bytes in place: the strings of the header point into them. path is for messages.
 */
decant_status decant__header_parse(decant__header *header, char *bytes, size_t length,
                                   const char *path);
void decant__header_free(decant__header *header);

/* A metadata value; NULL when it is missing. */
const char *decant__header_text(const decant__header *header, const char *key);
const decant__header_tensor *decant__header_tensor_of(const decant__header *header,
                                                      const char *name);

#endif
