/* A stream of rows while it is open, for the two ways to read all of it: decant_dataset_read
 * (read.c) and the rows of one rank (read_own.c). */
#ifndef DECANT_READ_STREAM_H
#define DECANT_READ_STREAM_H

#include "read/labels.h"
#include "read/raw.h"

typedef struct decant__number_file {
    char *data, *labels; /* labels: NULL where there is no such file */
} decant__number_file;

/* Files of numbers, one after the other. */
typedef struct decant__sequence {
    decant__number_file *files; /* folders are already replaced by what is in them */
    size_t count;
    char *id_column, *label_column;
    size_t memory;               /* as the option: half of it is for rows */
    size_t columns, max_columns; /* wanted by the caller, 0: any number; and possible */
    char **wanted_names;         /* of the columns, in one block; NULL: any */
    decant__meter *meter;
    /* what the files must have in common, from the first one */
    const char *format;
    int sparse, labelled;
    char **names; /* of the columns, in one block; NULL: none */
    size_t d;     /* 0: not known before the rows are read */
    int indexed;  /* svmlight: base is to be decided */
    int deferred; /* but not by each block: when all of them were read */
    decant__index_base base;
    decant__classes classes;
    decant__classes ignored; /* labels inside files that also have a label file */
    /* the open file */
    size_t current;
    decant__opened opened;
    decant__reader *reader;
    int32_t *labels; /* from its label file */
    size_t label_count;
    size_t rows; /* read from it so far */
    /* where each rank reads its own rows */
    decant__split *splits; /* of the files; NULL: all rows are read */
    size_t all;            /* rows of all ranks */
    decant__own_rows own;
    size_t end; /* of the open file: the row to stop at */
} decant__sequence;

struct decant_stream {
    const decant__comm *comm; /* the ranks that read it together; NULL: this process alone */
    int spread;               /* each of them its own rows, as in decant__raw */
    decant__raw *raw;         /* images and text; NULL: files of numbers */
    decant__sequence numbers;
    decant__meter meter;
    int failed; /* after an error there are no more blocks */
};

/* The options of a caller, for any version of the header. */
decant_status decant__read_options_copy(decant_read_options *copy,
                                        const decant_read_options *options);

/* stream: all zero before, but for comm. Fill: appends at most max_rows rows to an empty block;
 * none: the end. */
decant_status decant__stream_open(const char *const *paths, size_t path_count,
                                  const decant_read_options *options, const decant_monitor *monitor,
                                  decant_stream *stream);
decant_status decant__stream_fill(decant_stream *stream, size_t max_rows, decant__block *block);
void decant__stream_close(decant_stream *stream);

/* The next of the files of numbers, up to its header; and what is left of it is not read. */
decant_status decant__sequence_open_file(decant__sequence *self);
void decant__sequence_skip_file(decant__sequence *self);

/* All ranks: finds where the rows of this one are, so that blocks have these only; does nothing for
 * files whose rows cannot be found so (splits stays NULL). */
decant_status decant__sequence_part(decant__sequence *self, const decant__comm *comm);

/* Then: goes to the first row of this rank in the file that was opened, and away from it. */
decant_status decant__sequence_enter_part(decant__sequence *self);
decant_status decant__sequence_leave_part(decant__sequence *self);

/* svmlight: what the indices of all ranks have in common, before the base is decided. */
void decant__sequence_share_base(decant__sequence *self, const decant__comm *comm);

/* svmlight, deferred: decides where the indices of all rows began. */
decant_status decant__sequence_decide_base(decant__sequence *self, decant__block *block);

/* A single file that is better left where it is, with its labels. *out = NULL: it is to be read. */
decant_status decant__sequence_leave(decant__sequence *self, decant_dataset **out);

/* What all rows of a dataset have in common: the rest of reading it. */
decant_status decant__stream_finish(decant_stream *stream, const char *const *paths,
                                    size_t path_count, const decant_read_options *options,
                                    double began, decant_dataset *data);

#endif
