/* Sparse matrices as scipy and anndata store them: CSR (rows) or CSC (columns), three arrays. The
 * rows of CSR are read block by block, CSC is read whole and turned. Entries of a row may come in
 * any order; those of one place are added up. */
#ifndef DECANT_READ_COMPRESSED_H
#define DECANT_READ_COMPRESSED_H

#include "read/reader.h"

/* Where the arrays come from: the next count numbers of each. */
typedef struct decant__compressed_source {
    void *user;
    decant_status (*indices)(void *user, size_t count, uint64_t *index);
    decant_status (*values)(void *user, size_t count, float *value);
    decant_status (*end)(void *user); /* after the last number; may be NULL */
    void (*close)(void *user);
} decant__compressed_source;

typedef struct decant__compressed {
    const char *format; /* its name */
    const char *path;   /* borrowed */
    int by_columns;     /* CSC */
    uint64_t n, d;
    uint64_t *start; /* n + 1, or d + 1; decant__alloc_array */
    size_t start_count;
    uint64_t nonzeros; /* in the arrays of indices and values */
    decant__meter *meter;
    decant__compressed_source source;
} decant__compressed;

/* Takes over start and source, also on failure. */
decant_status decant__compressed_open(const decant__compressed *matrix, decant__reader **out);

#endif
