/* Rows on their way from a dataset to an algorithm.
 *
 * A source is a whole matrix that is only borrowed (dense, perhaps mapped from a file, or CSR) and
 * the column scaling that dense rows go through when they are fetched, perhaps after they were made
 * into other rows: the data itself is never copied or changed. A block is what an algorithm works
 * on at a time. */
#ifndef DECANT_LINALG_SOURCE_H
#define DECANT_LINALG_SOURCE_H

#include "base/row_file.h"
#include "base/status.h"

/* How dense rows lie in memory that belongs to somebody else, or in a file. */
typedef struct decant__layout {
    const decant_array *part; /* side by side, rounded to float when they are fetched; NULL: none */
    size_t parts;
    decant__row_file *file; /* float32 rows without gaps in a file; NULL: they are in memory */
    size_t first;           /* the row of the parts or of the file that is row 0 here */
} decant__layout;

/* Float32 rows in memory, without gaps? */
static inline int decant__layout_is_plain(decant__layout layout) {
    return layout.part == NULL && layout.file == NULL;
}

/* The numbers at .. at+count-1 of dense rows, counted row by row, as floats without gaps. */
void decant__layout_copy(const float *dense, decant__layout layout, size_t d, size_t at,
                         size_t count, float *out);

/* Makes a row of d numbers, at most DECANT__MAX_MADE, of one of `from`: of pixels their gradients
 * (features/gradients.h). */
enum { DECANT__MAX_MADE_FROM = 128 * 128, DECANT__MAX_MADE = 512 };
typedef struct decant__row_map {
    void (*make)(const void *context, const float *row, float *out);
    const void *context;
    size_t from; /* at most DECANT__MAX_MADE_FROM */
} decant__row_map;

typedef struct decant__source {
    size_t n, d;
    const float *dense;    /* where n x d numbers begin, or n x map.from; NULL: CSR */
    decant__row_map map;   /* of dense rows; make is NULL: they are as they are */
    decant__layout layout; /* of dense. Fetches and decant__source_row know it; neighbours do not:
                              see decant__scaled_compact */
    const float *shift; /* d: a fetched value is (x - shift) * scale; NULL: as it is. Dense only */
    const float *scale;
    const size_t *start; /* CSR: row i is [start[i], start[i+1]) of column and value */
    const uint32_t *column;
    const float *value;
    const uint32_t *rows; /* row i is row rows[i] of the matrix; NULL: is row i. Fetches know it;
                             neighbours and products of a whole matrix do not take such a choice */
} decant__source;

/* A value of column j as a fetch gives it. */
static inline float decant__source_scaled(const decant__source *source, size_t j, float value) {
    return source->scale == NULL ? value : (value - source->shift[j]) * source->scale[j];
}

/* Dense: row `row` of the matrix as a fetch gives it. out: d. */
void decant__source_copy(const decant__source *source, size_t row, float *out);

/* Some rows: dense, or CSR with a begin and an end for each row, so that any choice of rows of a
 * sparse matrix is a view and not a copy. */
typedef struct decant__rows {
    size_t n, d;
    const float *dense; /* n x d; NULL: CSR */
    const size_t *begin, *end;
    const uint32_t *column;
    const float *value;
} decant__rows;

/* Room for the rows of one fetch. */
typedef struct decant__rows_buffer {
    float *dense;
    size_t *begin, *end;
} decant__rows_buffer;

decant_status decant__rows_buffer_new(decant__rows_buffer *buffer, const decant__source *source,
                                      size_t capacity);
void decant__rows_buffer_free(decant__rows_buffer *buffer);

/* Do fetches of rows in order need a buffer? Otherwise they are where they were. */
int decant__source_copies(const decant__source *source);

/* The rows index[0..count), or first .. first+count-1 where index is NULL.
 * For a whole team: inside a parallel region every thread calls it and gets the same rows; outside
 * one it works alone. The rows stay valid until the buffer's next fetch. */
decant__rows decant__source_fetch(const decant__source *source, const uint32_t *index, size_t first,
                                  size_t count, decant__rows_buffer *buffer);

/* One row of a fetch, written out densely. out: d. */
void decant__rows_copy(const decant__rows *rows, size_t i, float *out);

/* |x|^2 of one row of a fetch. */
double decant__rows_squares(const decant__rows *rows, size_t i);

/* One row of a source as a fetch would give it, densely and in double. out: d. */
void decant__source_row(const decant__source *source, size_t row, double *out);

/* The rows first .. first+count-1 as a source of their own. */
decant__source decant__source_slice(const decant__source *source, size_t first, size_t count);

/* The most non-zeros that a minibatch of `count` rows can have; 0 if the source is dense. */
size_t decant__source_max_nonzeros(const decant__source *source, size_t count);

/* A dense matrix as it is. */
decant__source decant__source_dense(const float *x, size_t n, size_t d);

#endif
