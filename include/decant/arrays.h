/* decant: datasets made of arrays that a program has. A part of decant.h, whose rules hold here
 * too. Tables of words and holes are in decant/table.h. */
#ifndef DECANT_ARRAYS_H
#define DECANT_ARRAYS_H

#include "decant/decant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of the numbers in a program's arrays. */
typedef enum decant_type {
    DECANT_FLOAT32,
    DECANT_FLOAT64,
    DECANT_INT32,
    DECANT_INT64,
    DECANT_BOOL, /* a byte; 0: no */
    DECANT_INT8,
    DECANT_UINT8,
    DECANT_INT16,
    DECANT_UINT16,
    DECANT_UINT32,
    DECANT_UINT64,
    DECANT_FLOAT16
} decant_type;

/* Wraps n rows of d numbers, each row without gaps and `stride` numbers after the one before (0: d,
 * no gaps between rows either). x is borrowed until the dataset is freed. Numbers of other types
 * are rounded to float32 when they are used, block by block; spectral, sec, ldmgi and maps, which
 * need the data's own neighbours, copy rows that are not float32 or have gaps (4 n d bytes). */
DECANT_API decant_status decant_dataset_from_dense(const void *x, decant_type type, size_t n,
                                                   size_t d, size_t stride, decant_dataset **out);

/* Columns of one type, anywhere in memory: by rows or by columns, with gaps, backwards. */
typedef struct decant_array {
    const void *x; /* the number in the first row and column */
    decant_type type;
    int swapped; /* 1: the bytes of a number are in the other order than this machine's */
    size_t columns;
    ptrdiff_t row_step, column_step; /* bytes from a row, from a column, to the next */
} decant_array;

/* Wraps n rows, whose columns are those of one array after the other: a matrix, or the columns of a
 * DataFrame. The numbers are borrowed until the dataset is freed, and rounded as above. */
DECANT_API decant_status decant_dataset_from_arrays(const decant_array *arrays, size_t count,
                                                    size_t n, decant_dataset **out);

/* A sparse matrix: row i has the columns column[start[i] .. start[i + 1]), ascending, with the
 * values at the same places. */
typedef struct decant_csr {
    size_t rows, columns, nonzeros;
    const void *start;                   /* rows + 1 */
    const void *column;                  /* nonzeros */
    const void *value;                   /* nonzeros */
    decant_type start_type, column_type; /* int32 or int64 */
    decant_type value_type;              /* any */
} decant_csr;

/* Wraps a sparse matrix, whose arrays are borrowed until the dataset is freed. Everything is
 * checked: starts that begin with 0, do not fall and end with nonzeros; columns in range,
 * ascending. Borrowed: int64 starts, int32 columns, float32 values; others are copied. */
DECANT_API decant_status decant_dataset_from_csr(const decant_csr *csr, decant_dataset **out);

/* The same of a matrix by columns: `start` has columns + 1 places, and `column` has rows. Makes a
 * CSR copy (8 bytes a value); nothing is borrowed. */
DECANT_API decant_status decant_dataset_from_csc(const decant_csr *csc, decant_dataset **out);

/* Copies n class numbers (>= 0) into the dataset. */
DECANT_API decant_status decant_dataset_set_labels(decant_dataset *data, const int32_t *labels);

/* Copies names: of the classes 0 .. count-1 (set labels first), of the n rows, of the d columns;
 * ids or column names that are NULL are removed. */
DECANT_API decant_status decant_dataset_set_class_names(decant_dataset *data,
                                                        const char *const *names, size_t count);
DECANT_API decant_status decant_dataset_set_ids(decant_dataset *data, const char *const *ids);
DECANT_API decant_status decant_dataset_set_column_names(decant_dataset *data,
                                                         const char *const *names);

#ifdef __cplusplus
}
#endif

#endif
