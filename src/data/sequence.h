/* Files one after the other, as if they were one: what decant_dataset_read and decant_stream share.
 */
#ifndef DECANT_DATA_SEQUENCE_H
#define DECANT_DATA_SEQUENCE_H

#include "data/reader.h"

typedef struct decant__file {
    char *data, *labels; /* labels: NULL where there is no such file */
} decant__file;

typedef struct decant__sequence {
    decant__file *files; /* folders are already replaced by what is in them */
    size_t count;
    char *id_column, *label_column;
    size_t columns; /* wanted by the caller; 0: any number */
    /* what the files must have in common, from the first one */
    const char *format;
    int sparse, labelled;
    char **names; /* of the columns, in one block; NULL: none */
    size_t d;     /* 0: not known before the rows are read */
    int indexed;  /* svmlight: base is to be settled */
    decant__index_base base;
    decant__classes classes;
    decant__classes ignored; /* labels inside files that also have a label file */
    /* the open file */
    size_t current;
    decant__input input;
    decant__reader *reader;
    int32_t *labels; /* from its label file */
    size_t label_count;
    size_t rows; /* read from it so far */
} decant__sequence;

/* Options of the caller's size: fields that its version did not have are 0. NULL: all are. */
decant_status decant__read_options_copy(decant_read_options *copy,
                                        const decant_read_options *options);

/* Do paths, label files and columns go together? */
decant_status decant__read_options_check(const char *const *paths, size_t count,
                                         const decant_read_options *options);

/* The options are as copied and checked by these two. */
decant_status decant__sequence_open(const char *const *paths, size_t path_count,
                                    const decant_read_options *options, decant__sequence **out);

/* Fills an empty block with the next at most max_rows rows of all files; none: the end. */
decant_status decant__sequence_next(decant__sequence *sequence, size_t max_rows,
                                    decant__block *block);

/* Complains if a file does not have the number of columns that the caller wants. */
decant_status decant__sequence_check_columns(const decant__sequence *sequence, const char *path,
                                             size_t d);
void decant__sequence_close(decant__sequence *sequence);

#endif
