/* The few things of HDF5 that its readers need: objects, arrays of numbers, columns of texts.
 * libhdf5 may be built without threads in mind, so every function here holds one lock. */
#ifndef DECANT_READ_HDF5_FILE_H
#define DECANT_READ_HDF5_FILE_H

/* The types of HDF5 1.10, which newer versions have beside their own. */
#define H5_USE_110_API
#include <hdf5.h>

#include "base/text.h"
#include "read/reader.h"

enum { DECANT__H5_DIMENSIONS = 32 };

/* An array in the file. Zero-initialise with id -1. */
typedef struct decant__h5_array {
    hid_t id;
    const char *path, *name; /* of file and array, borrowed, for messages */
    H5T_class_t type;
    size_t dimensions;
    hsize_t size[DECANT__H5_DIMENSIONS];
    hsize_t d; /* numbers for each of the size[0] */
} decant__h5_array;

/* "the dataset X of data.h5 cannot be read: " and what libhdf5 says. */
decant_status decant__h5_fail(const char *path, const char *name, const char *what);

decant_status decant__h5_open(decant__input *input, hid_t *file);
void decant__h5_close(hid_t file);
int decant__h5_has(hid_t file, const char *name);
int decant__h5_is_group(hid_t file, const char *name);

/* A text attribute; 0: there is none. */
int decant__h5_attribute(hid_t file, const char *name, const char *attribute, char *text,
                         size_t size);
/* An attribute of two whole numbers; 0: there is none. */
int decant__h5_shape(hid_t file, const char *name, const char *attribute, uint64_t shape[2]);

/* Opens an array and checks that the file can hold what it promises. */
decant_status decant__h5_array_open(hid_t file, const char *path, const char *name,
                                    decant__h5_array *out);
void decant__h5_array_close(decant__h5_array *array);

/* The rows first .. first+count-1 of the first dimension, as float or as whole numbers from 0 on.
 */
decant_status decant__h5_read_floats(const decant__h5_array *array, size_t first, size_t count,
                                     float *out);
decant_status decant__h5_read_integers(const decant__h5_array *array, size_t first, size_t count,
                                       uint64_t *out);

/* Names of the arrays of numbers in the file, at most `max` of them; the caller frees them. */
typedef struct decant__h5_list {
    char *name[64];
    size_t count;
} decant__h5_list;
void decant__h5_list_arrays(hid_t file, decant__h5_list *list);

/* A column of texts, numbers, truth values or categories. */
typedef struct decant__h5_column {
    decant__h5_array array; /* the cells, or the numbers of the categories */
    char **category;        /* NULL: the cells are themselves */
    size_t category_count;
} decant__h5_column;

/* name: its path in the file. */
decant_status decant__h5_column_open(hid_t file, const char *path, const char *name,
                                     decant__h5_column *out);
void decant__h5_column_close(decant__h5_column *column);

/* The cells first .. first+count-1 in one block that begins with the pointers; decant__free. */
decant_status decant__h5_column_read(const decant__h5_column *column, size_t first, size_t count,
                                     char ***cells);

#endif
