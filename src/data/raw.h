/* Rows made of raw files. Beside decant__sequence, which reads files of numbers, this is the other
 * way into a dataset; both fill blocks. */
#ifndef DECANT_DATA_RAW_H
#define DECANT_DATA_RAW_H

#include "data/block.h"
#include "data/documents.h"
#include "features/recipe.h"

typedef struct decant__raw decant__raw;
struct decant__raw {
    decant_read_options wanted; /* its strings are copies */
    decant_options options;
    decant__listing listing;
    decant__classes classes;
    decant__notes notes; /* since they were last taken */
    int32_t *labels;     /* from label files, one for each item */
    size_t label_count;
    const decant_features *features; /* of the caller, or owned */
    decant_features *owned;
    void *work; /* of the kind of files */
    decant_status (*next)(decant__raw *raw, size_t max_rows, decant__block *block);
    void (*close)(decant__raw *raw);
};

/* Looks at the paths; *out = NULL where they are files of numbers. */
decant_status decant__raw_open(const char *const *paths, size_t path_count,
                               const decant_read_options *options, decant__raw **out);

/* Appends the next at most max_rows rows to an empty block; none: the end. */
decant_status decant__raw_next(decant__raw *raw, size_t max_rows, decant__block *block);

/* Gives a dataset made of such rows its features and the notes so far. */
decant_status decant__raw_finish(decant__raw *raw, decant_dataset *data);
void decant__raw_close(decant__raw *raw);

/* The label of the item with this number (all items count, broken ones too), if there are label
 * files; else the text, if there is one. */
decant_status decant__raw_add_label(const decant__raw *raw, decant__block *block, size_t ordinal,
                                    const char *text, size_t length);

/* The kinds of files: find the features if they are not given, set work, next and close. */
decant_status decant__texts_open(decant__raw *raw, decant__documents_kind kind);
decant_status decant__images_open(decant__raw *raw, int stl10);

/* What items.h promises, for an opened raw of that kind. ids: of the rows. */
decant_status decant__texts_show(decant__raw *raw, const uint32_t *row, size_t count, size_t most,
                                 char **text);
decant_status decant__images_show(decant__raw *raw, char *const *ids, const uint32_t *row,
                                  size_t count, size_t width, size_t height, uint8_t *tile);

#endif
