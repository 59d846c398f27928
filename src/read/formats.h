/* The one table of file formats: name, how a file is recognised, what reads it, and a line of
 * help. Detection, messages, `decant info`, `decant help files` and docs/format.md follow from
 * it; no other file knows magic bytes. */
#ifndef DECANT_READ_FORMATS_H
#define DECANT_READ_FORMATS_H

#include "read/reader.h"
#include "features/image.h"

/* What is done with a file, or with all files of a path. */
typedef enum decant__kind {
    DECANT__KIND_OTHER,   /* nothing: it cannot be read */
    DECANT__KIND_NUMBERS, /* rows, by a decant__reader */
    DECANT__KIND_IMAGES,
    DECANT__KIND_STL10,  /* many images in a file */
    DECANT__KIND_LINES,  /* text, a document a line */
    DECANT__KIND_TOKENS, /* text, records of stems */
    DECANT__KIND_TOPICS, /* what the documents of token files are about */
    DECANT__KIND_FILES,  /* a folder of texts, a document a file */
    DECANT__KIND_COLUMN, /* documents in a column of a CSV file */
    DECANT__KIND_ZIP,    /* an archive of files: as a folder of them */
    DECANT__KIND_TABLE,  /* columns of numbers, words, dates */
    DECANT__KINDS
} decant__kind;

/* The kind in words: "images". */
const char *decant__kind_name(decant__kind kind);

typedef struct decant__file_format {
    decant_format_info info; /* what the public table shows; help NULL: not shown, refused */
    decant__kind kind;
    const char *magic; /* the first bytes; NULL: see looks */
    size_t magic_length;
    /* Decides where first bytes are not enough; bytes: the first of them, unpacked. -1: memory ran
     * out. */
    int (*looks)(const char *path, const char *bytes, size_t count);
    decant_status (*open)(decant__input *input, const decant__reader_options *options,
                          decant__reader **out); /* numbers; else NULL */
    const decant__codec *codec;                  /* images; else NULL */
} decant__file_format;

/* The format of a file with this name and these first bytes. is_text: the caller knows that it is
 * text. What nothing else claims is CSV, or "an unknown binary file". NULL: memory ran out; never
 * if is_text. */
const decant__file_format *decant__format_find(const char *path, const char *bytes, size_t count,
                                               int is_text);

/* Looks at the first bytes of an open input; skips a UTF-8 byte order mark. A zip archive of one
 * file becomes that file, JSON lines become CSV, and what is no table becomes UTF-8. */
decant_status decant__format_detect(decant__input *input, int is_text,
                                    const decant__file_format **out);

/* A table in UTF-16 becomes one in UTF-8, for readers that do not know the former. */
decant_status decant__format_recode(const decant__file_format *format, decant__input *input);

/* Opens the reader of an input in a format of numbers, or says why there is none. */
decant_status decant__format_open(const decant__file_format *format, decant__input *input,
                                  const decant__reader_options *options, decant__reader **out);

/* NPY's magic bytes, for its reader and writer. */
#define DECANT__NPY_MAGIC "\x93NUMPY"

#endif
