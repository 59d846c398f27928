/* Documents one after the other, and again from the beginning: files of a folder, lines of files, a
 * column of CSV files, or records of token files. */
#ifndef DECANT_READ_DOCUMENTS_H
#define DECANT_READ_DOCUMENTS_H

#include "read/listing.h"
#include "read/reader.h"

/* What documents are about: the relevance file of RCV1-v2, lines "TOPIC DOCUMENT 1".
 *
 * Documents with exactly one of the four roots of the collection's tree of topics are kept, and the
 * root is the class, as the paper has it. */
enum { DECANT__ROOTS = 4 };

/* CCAT, GCAT, MCAT, ECAT: the classes in the authors' order. */
extern const char *const decant__root_name[DECANT__ROOTS];

/* Zero-initialise. */
typedef struct decant__topics {
    uint8_t *roots; /* of each document: a bit for each root, and whether it is listed at all */
    size_t capacity;
    size_t listed; /* documents with any topic */
} decant__topics;

decant_status decant__topics_read(decant__topics *topics, const char *path, decant__meter *meter);

/* The only root of a document; -1: it has none or several; -2: it is not in the file. */
int decant__topics_root(const decant__topics *topics, uint64_t document);
void decant__topics_free(decant__topics *topics);

/* Between two documents: in the file with this number; in what is one document, 0. */
typedef struct decant__document_place {
    size_t item;
    decant__row_place at;
} decant__document_place;

/* Valid until the next document is read. */
typedef struct decant__document {
    const char *text;
    size_t length;
    const char *id, *label; /* NULL: none */
    size_t id_length, label_length;
    const char *path; /* where it is */
    size_t line;      /* where it begins; 0: the file is the document */
} decant__document;

typedef struct decant__documents {
    decant__kind kind;              /* files, lines, column or tokens */
    const decant__listing *listing; /* borrowed, as are the next four */
    const decant__reader_options *columns;
    const decant__topics *topics;
    decant__meter *meter;
    decant__notes *notes;    /* where broken documents are noted; NULL: not noted in this pass */
    int skip, folder_labels; /* as in decant_read_options */
    int unread;              /* a document of its own file: only its name is wanted */
    size_t item;             /* of the listing, being read */
    size_t ordinal;          /* documents so far, broken ones included */
    decant__input input;     /* the open file; path NULL: none */
    decant__reader *reader;  /* column: of that file */
    char *text, *ahead;      /* of a document over several lines; the line that ended it */
    size_t capacity, ahead_capacity;
    char id[64];
    size_t left_out, unlisted;  /* token files: documents without one root, and without topics */
    decant__row_place ahead_at; /* where `ahead` begins */
    int bounded;                /* documents from `until` on are not read */
    decant__document_place until;
} decant__documents;

/* The next one; *more = 0 when there is none. */
decant_status decant__documents_next(decant__documents *documents, decant__document *document,
                                     int *more);

/* Begins again: a single file by seeking, several by opening them once more. EIO where the single
 * file is a pipe. */
decant_status decant__documents_rewind(decant__documents *documents);
void decant__documents_close(decant__documents *documents);

/* A document that failed to be read, with the reason as the stored sentence: DECANT_OK if it is to
 * be skipped, else the status. Only damage of the file can be skipped. */
decant_status decant__documents_broken(decant__documents *documents, decant_status status);

/* Where the next one begins, or a place before it with none between. */
decant__document_place decant__documents_place(const decant__documents *documents);

/* The next one is the first that begins there or after it. */
decant_status decant__documents_go(decant__documents *documents,
                                   const decant__document_place *place);

/* ---- several ranks ----
 *
 * To count words, each reads a part of the files, and marks places on its way, so that afterwards
 * any of them can go to any row. */

/* A place between two documents, and what there is before it: rows (documents that were kept),
 * documents, and those that were left out. */
typedef struct decant__document_mark {
    decant__document_place place;
    size_t rows, ordinal, left_out, unlisted;
} decant__document_mark;

enum { DECANT__DOCUMENT_MARKS = 64 }; /* of a rank */

/* Zero-initialise. */
typedef struct decant__document_marks {
    decant__document_mark mark[DECANT__DOCUMENT_MARKS], end;
    size_t count, stride;
} decant__document_marks;

/* All ranks: from now on only the documents of this rank's part of the bytes, or files, are read.
 */
decant_status decant__documents_share(decant__documents *documents, const decant__comm *comm);

/* Before each document of the part, and behind the last one; rows: so many of the part were kept.
 */
void decant__documents_mark(const decant__documents *documents, size_t rows,
                            decant__document_marks *marks);

/* All ranks, with the marks of their parts: to the last mark that has at most `row` rows before it,
 * and the documents are no longer bounded. all: marks of size ranks, to be filled in; the end of
 * the last one is that of all documents. */
void decant__documents_join(const decant__comm *comm, const decant__document_marks *own,
                            decant__document_marks *all);
decant_status decant__documents_seek(decant__documents *documents,
                                     const decant__document_marks *all, int ranks, size_t row,
                                     size_t *rows);

/* For the kinds in files of their own. */
decant_status decant__tokens_next(decant__documents *documents, decant__document *document,
                                  int *more);
decant_status decant__tokens_go(decant__documents *documents); /* to the next record, if in one */
decant_status decant__documents_open_item(decant__documents *documents);
void decant__documents_close_item(decant__documents *documents);
decant_status decant__documents_append(decant__documents *documents, size_t *used, const char *text,
                                       size_t length);

#endif
