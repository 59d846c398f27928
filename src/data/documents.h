/* Texts one after the other, as often as one likes: files of a folder, lines of files, a column of
 * CSV files, or records of token files. */
#ifndef DECANT_DATA_DOCUMENTS_H
#define DECANT_DATA_DOCUMENTS_H

#include "data/listing.h"
#include "data/notes.h"
#include "data/reader.h"
#include "data/topics.h"

typedef enum decant__documents_kind {
    DECANT__DOCUMENTS_FILES,
    DECANT__DOCUMENTS_LINES,
    DECANT__DOCUMENTS_COLUMN,
    DECANT__DOCUMENTS_TOKENS
} decant__documents_kind;

/* All of it is valid until the next one is asked for. */
typedef struct decant__document {
    const char *text;
    size_t length;
    const char *id, *label; /* NULL: none */
    size_t id_length, label_length;
    const char *path; /* where it is */
    size_t line;      /* where it begins; 0: the file is the document */
} decant__document;

typedef struct decant__documents {
    decant__documents_kind kind;
    const decant__listing *listing; /* borrowed, as are the next three */
    const decant__reader_options *columns;
    const decant__topics *topics;
    decant__notes *notes;    /* where broken documents are noted; NULL: not this time */
    int skip, folder_labels; /* as in decant_read_options */
    size_t item;             /* of the listing, being read */
    size_t ordinal;          /* documents so far, with the broken ones */
    decant__input input;     /* the open file; path NULL: none */
    decant__reader *reader;  /* column: of that file */
    char *text, *ahead;      /* of a document over several lines; the line that ended it */
    size_t capacity, ahead_capacity;
    char id[64];
    size_t left_out, unlisted; /* token files: documents without one root, and without topics */
} decant__documents;

/* The next one; *more = 0 when there is none. */
decant_status decant__documents_next(decant__documents *documents, decant__document *document,
                                     int *more);

/* Begins again. */
void decant__documents_rewind(decant__documents *documents);
void decant__documents_close(decant__documents *documents);

/* A document that failed to be read, with the reason as the stored sentence: DECANT_OK if it is to
 * be skipped, else the status. Only damage of the file can be skipped. */
decant_status decant__documents_broken(decant__documents *documents, decant_status status);

/* For the kinds in files of their own. */
decant_status decant__tokens_next(decant__documents *documents, decant__document *document,
                                  int *more);
decant_status decant__documents_append(decant__documents *documents, size_t *used, const char *text,
                                       size_t length);

#endif
