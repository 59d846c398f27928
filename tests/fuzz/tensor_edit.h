/* Files in the safetensors layout as fuzz inputs. Bytes at random would not get past the checksum,
 * the options and the digests of a checkpoint, so an input is a list of edits of a good file that
 * the library itself wrote a moment ago. One edit a line:
 *
 *     2                          the third of the target's good files
 *     key=text                   a value of the metadata
 *     -key                       removed from the metadata
 *     @name={"dtype":...}        a tensor's entry in the header, any JSON
 *     -@name                     removed from the header
 *     #name+4=ff00               bytes of a tensor's data, from its fourth byte on
 *
 * Then the length of the header and the checksum are set right. An input with a brace as its ninth
 * byte is a file as it is, of which only the checksum is set right. */
#ifndef DECANT_FUZZ_TENSOR_EDIT_H
#define DECANT_FUZZ_TENSOR_EDIT_H

#include "fuzz.h"

enum { TENSOR_BASES = 16 };

typedef struct tensor_bases {
    size_t count;
    char *bytes[TENSOR_BASES];
    size_t size[TENSOR_BASES];
} tensor_bases;

/* Adds the file at a path and removes it. */
void tensor_add_base(tensor_bases *bases, const char *path);

/* Writes what the input says. Returns the number of the good file that was edited. */
size_t tensor_edit(const tensor_bases *bases, const uint8_t *input, size_t size, const char *path);

/* Keys and names, for the dictionary. */
void tensor_print_words(const tensor_bases *bases, FILE *file);

#endif
