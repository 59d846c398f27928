/* Where a dataset was read from, so that its files can be looked at again. */
#ifndef DECANT_DATA_ORIGIN_H
#define DECANT_DATA_ORIGIN_H

#include "base/status.h"

typedef struct decant__path_list {
    char **path;
    size_t count;
} decant__path_list;

/* Zero-initialise. What decant_read_options says about files, in strings of its own. */
typedef struct decant__origin {
    decant__path_list data, labels; /* as whole paths, where they can be had */
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

#endif
