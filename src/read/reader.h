/* One way to read all formats: open on an input, take rows until there are no more, close.
 *
 * Each read_*.c implements it for one format; formats.h has the table of them. Readers check what
 * they read: every number finite, every row complete. */
#ifndef DECANT_READ_READER_H
#define DECANT_READ_READER_H

#include "base/input.h"
#include "data/block.h"
#include "read/split.h"

/* svmlight indices begin at 0 or at 1 and the file does not say. One of these is shared by all the
 * files read together: 1, unless a 0 turns up (as scikit-learn has it). For a
 * model it is given: what it was when the model was fitted. */
typedef struct decant__index_base {
    int base; /* 0 or 1; -1: not decided yet, the readers append indices as they are */
    int zero_seen;
    size_t limit;       /* columns that the caller expects; 0: any number */
    size_t max_columns; /* columns that the memory option allows for */
    const char *file;   /* being read */
    size_t highest;     /* largest index so far, as written */
    const char *where;  /* the file and line that it is in */
    size_t line;
} decant__index_base;

typedef struct decant__reader_options {
    const char *id_column, *label_column; /* as in decant_read_options */
    int labels_only;                      /* CSV: one column, of labels */
    const char *text_column;              /* CSV: one column, of documents; NULL: numbers */
    decant__index_base *base;
} decant__reader_options;

typedef struct decant__reader decant__reader;
struct decant__reader {
    const char *format; /* its name */
    int sparse;
    size_t d;     /* 0: not known (svmlight, label files) */
    char **names; /* CSV: of the d columns, where there is a header; else NULL */
    size_t rows;  /* that the header promises; SIZE_MAX: none */
    /* Text without a header: what makes a row, so that reading can begin with any of them. NULL: it
     * cannot. */
    const decant__row_rules *rules;
    /* Appends at most max_rows rows to the block; none: the file has ended, and properly. */
    decant_status (*next)(decant__reader *reader, size_t max_rows, decant__block *block);
    /* Instead of next: a file of more than so many bytes as a dataset that stays in the file; *out
     * = NULL where it is smaller, or the bytes are not those of a dataset. NULL: never. */
    decant_status (*leave)(decant__reader *reader, size_t memory, decant_dataset **out);
    void (*close)(decant__reader *reader);
};

void decant__reader_close(decant__reader *reader); /* NULL is fine */

/* The formats. */
decant_status decant__idx_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out);
decant_status decant__npy_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out);
decant_status decant__csv_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out);
decant_status decant__svmlight_open(decant__input *input, const decant__reader_options *options,
                                    decant__reader **out);
decant_status decant__mtx_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out);
decant_status decant__npz_open(decant__input *input, const decant__reader_options *options,
                               decant__reader **out);
decant_status decant__hdf5_open(decant__input *input, const decant__reader_options *options,
                                decant__reader **out);
decant_status decant__json_lines_open(decant__input *input, const decant__reader_options *options,
                                      decant__reader **out);

/* From now on the input gives its JSON lines as CSV. */
decant_status decant__json_lines_translate(decant__input *input);

/* One cell of a CSV opened with a text column, and the id and label of its row; valid until
 * the next one. *more = 0 at the end. */
typedef struct decant__csv_document {
    const char *text, *id, *label; /* NULL: there is no such column */
    size_t text_length, id_length, label_length;
    size_t line; /* where the row begins */
} decant__csv_document;
decant_status decant__csv_next_document(decant__reader *reader, decant__csv_document *document,
                                        int *more);

/* What makes a row of a CSV, and where the first one begins; and the next row is the one there. */
decant__row_rules decant__csv_rows(const decant__reader *reader, decant__row_place *first);
decant_status decant__csv_go(decant__reader *reader, const decant__row_place *place);

/* n x d as a header has it: DECANT_EFORMAT when empty or too large. */
decant_status decant__check_shape(const char *path, uint64_t n, uint64_t d);

/* More columns than there is memory for. line: 0 where it is the whole file. */
decant_status decant__too_many_columns(const char *path, size_t line, size_t found, size_t max);

#endif
