/* Rows made of raw files: images, text and tables. The other way to fill blocks is decant__reader,
 * for files of numbers. */
#ifndef DECANT_READ_RAW_H
#define DECANT_READ_RAW_H

#include "base/comm.h"
#include "data/block.h"
#include "read/documents.h"
#include "features/table.h"

/* A file whose first bytes have been looked at. Zeroed: none. */
typedef struct decant__opened {
    decant__input input;
    const decant__file_format *format;
    int utf16; /* it began with a mark of UTF-16 */
} decant__opened;

/* What a rank of a fit makes of the rows: these, and of the others at most their labels and ids. */
typedef struct decant__own_rows {
    int only; /* 0: all rows are made */
    size_t first, count;
} decant__own_rows;

/* Those of a rank of n rows. EINVAL: there are fewer than parts of the rows. */
decant_status decant__own_rows_choose(const decant__comm *comm, size_t n, decant__own_rows *own);

typedef struct decant__raw decant__raw;
struct decant__raw {
    decant_read_options wanted; /* its strings are copies */
    decant_options options;
    decant__meter *meter; /* borrowed */
    decant__listing listing;
    decant__classes classes;
    decant__notes notes; /* since the last block */
    int32_t *labels;     /* from label files, one for each item */
    size_t label_count;
    char *label_path;                /* the first of those files; NULL: none */
    const decant_features *features; /* of the caller, or owned */
    decant_features *owned;
    const decant_table *table; /* the same for tables */
    decant_table *owned_table;
    const char *format; /* of a table */
    /* The ranks that read the files together, each calling the same functions: images are made by
     * all of them, and exchanged. */
    const decant__comm *comm;
    size_t rows; /* how many there will be; SIZE_MAX: not known before they are read */
    decant__own_rows own;
    /* Are the rows to be spread over the ranks? Then a kind of files that can go to the rows of a
     * rank sets `parted`: blocks have these rows only. */
    int spread, parted;
    void *work; /* of the kind of files */
    decant_status (*next)(decant__raw *raw, size_t max_rows, decant__block *block);
    void (*close)(decant__raw *raw);
};

/* Where rows come from, and who reads them. */
typedef struct decant__origin_paths {
    const char *const *path;
    size_t count;
    const decant__comm *comm; /* the ranks that read them together; NULL: this process alone */
    int spread;               /* as in decant__raw */
} decant__origin_paths;

/* Finds out what the paths are. *out = NULL: files of numbers; then *first is the first of them,
 * opened and with its format, unless it is a folder. meter: borrowed until close, may be NULL. */
decant_status decant__raw_open(const decant__origin_paths *paths,
                               const decant_read_options *options, decant__meter *meter,
                               decant__opened *first, decant__raw **out);

/* Appends the next at most max_rows rows to an empty block; none: the end. */
decant_status decant__raw_next(decant__raw *raw, size_t max_rows, decant__block *block);

/* Gives a dataset made of such rows its features and the notes so far. */
decant_status decant__raw_finish(decant__raw *raw, decant_dataset *data);
void decant__raw_close(decant__raw *raw);

/* The label of the item with this number (all items count, broken ones too), if there are label
 * files; else the text, if there is one. */
decant_status decant__raw_add_label(const decant__raw *raw, decant__block *block, size_t ordinal,
                                    const char *text, size_t length);

/* The kinds of files: find the features if they are not given, set work, next and close. first: the
 * first file, which is taken over if it is open. */
decant_status decant__texts_open(decant__raw *raw, decant__kind kind, decant__input *first);
decant_status decant__images_open(decant__raw *raw, int is_stl10);
decant_status decant__tables_open(decant__raw *raw, decant__opened *first);

/* What is promised below, for an opened raw of that kind. ids: of the rows. */
decant_status decant__texts_show(decant__raw *raw, const uint32_t *row, size_t count, size_t max,
                                 char **text);
decant_status decant__images_show(decant__raw *raw, char *const *ids, const uint32_t *row,
                                  size_t count, size_t width, size_t height, uint8_t *tile);

/* ---- the items that rows were made of, for reports ----
 *
 * The files of a dataset are read a second time, and only the wanted items are kept. */

/* Text: text[i] becomes the beginning of the document of row[i], at most `max` bytes of whole
 * characters; the caller frees each with decant__free. row: ascending. */
decant_status decant__items_texts(const decant_dataset *data, const uint32_t *row, size_t count,
                                  size_t max, char **text);

/* Images: tile[i], height x width x the recipe's channels, becomes the picture of row[i] in that
 * size. */
decant_status decant__items_pictures(const decant_dataset *data, const uint32_t *row, size_t count,
                                     size_t width, size_t height, uint8_t *tile);

#endif
