/* The one dataset type: dense (owned, borrowed or in a file) or CSR, with labels and ids. */
#ifndef DECANT_DATA_DATASET_H
#define DECANT_DATA_DATASET_H

#include "base/comm.h"
#include "features/table.h"
#include "linalg/source.h"

/* Sentences about items that were left out, and why. */
enum { DECANT__MAX_NOTES = 100 };

/* Zero-initialise. */
typedef struct decant__notes {
    size_t skipped; /* items left out because they could not be read */
    char *sentence[DECANT__MAX_NOTES];
    size_t count;
} decant__notes;

/* Keeps a sentence, up to DECANT__MAX_NOTES of them. Out of memory, it is dropped. */
void decant__notes_add(decant__notes *notes, const char *format, ...) DECANT_PRINTF(2, 3);
void decant__notes_free(decant__notes *notes);

/* Where a dataset was read from, so that its files can be looked at again. */
typedef struct decant__path_list {
    char **path;
    size_t count;
} decant__path_list;

/* Zero-initialise. What decant_read_options says about files, in strings of its own. */
typedef struct decant__origin {
    decant__path_list data, labels; /* absolute paths; as given where realpath fails */
    char *id_column, *label_column, *text_column, *topics;
    int folder_labels, skip_broken;
} decant__origin;

/* options may be NULL. */
decant_status decant__origin_new(decant__origin *origin, const char *const *paths, size_t count,
                                 const decant_read_options *options);
void decant__origin_free(decant__origin *origin);

/* Are all of its files and folders there? What came through a pipe is not. */
int decant__origin_exists(const decant__origin *origin);

/* The options again; they borrow from the origin. */
decant_read_options decant__origin_options(const decant__origin *origin);

/* Rows of which other ranks have the rest. */
typedef struct decant__share {
    const decant__comm *comm; /* NULL: all rows are here */
    size_t first, rows;       /* that the matrix has */
    size_t all;               /* of all ranks */
} decant__share;

struct decant_dataset {
    size_t n, d; /* a part of the rows, as a fit sees it: n is share.rows; else n is share.all */
    decant__share share;
    size_t extra; /* rows after the first n, used by pretraining only */
    /* The matrix. Borrowed views; what this dataset owns is in owned[] and file. */
    const float *dense;
    decant__layout layout; /* of dense, where a program lent it or it is in a file */
    const size_t *start;
    const uint32_t *column;
    const float *value;
    void *owned[3];
    decant__row_file *file; /* rows too large for memory; layout has it, too. NULL: none */
    const char *format;     /* name of the file format; NULL: made in memory */
    /* What came with the rows; NULL: none. */
    int32_t *labels;
    char **class_names;
    size_t class_count;
    char **ids;
    char **column_names;          /* CSV with a header: d */
    decant_index_base index_base; /* svmlight: where indices began; else auto */
    decant_features *features;    /* raw files: what the rows were made by */
    decant_table *table;          /* tables: the same */
    decant__notes notes;
    decant__origin origin; /* no paths: made in memory */
    double seconds;        /* that reading took */
};

/* The communicator and the number of rows of all ranks, for a part of the rows as for the whole. */
const decant__comm *decant__dataset_comm(const decant_dataset *data);
size_t decant__dataset_all(const decant_dataset *data);

/* Which of all rows are here: the matrix has them from 0 on. */
typedef struct decant__row_span {
    size_t first, count;
} decant__row_span;
decant__row_span decant__dataset_here(const decant_dataset *data);

/* A buffer of `size` numbers for what follows; NULL where the layout needs none. */
decant_status decant__dataset_buffer(const decant_dataset *data, size_t size, float **buffer);

/* One dense row, perhaps in the buffer (d). Of rows in a file, decant__row_file_check says after
 * the last one whether they could be read. */
const float *decant__dataset_row(const decant_dataset *data, size_t row, float *buffer);

/* EINVAL for a dataset that decant_labels_read made: it has labels, but no numbers. */
decant_status decant__dataset_check_matrix(const decant_dataset *data);

/* Checks that all values are finite; the sentence names the first bad row and column. */
decant_status decant__dataset_check_finite(const decant_dataset *data);

/* XXH3-128 of shape and values: what a model or checkpoint was trained on. */
decant_status decant__dataset_digest(const decant_dataset *data, uint64_t digest[2]);

#endif
