/* The files behind paths that may be folders, and what their first bytes say they are. */
#ifndef DECANT_DATA_LISTING_H
#define DECANT_DATA_LISTING_H

#include "base/status.h"

typedef enum decant__item_kind {
    DECANT__ITEM_OTHER,  /* binary of no kind that we know */
    DECANT__ITEM_MATRIX, /* IDX or NPY */
    DECANT__ITEM_IMAGE,  /* PNG or JPEG, by content or by name */
    DECANT__ITEM_STL10,  /* *_X.bin */
    DECANT__ITEM_TEXT,
    DECANT__ITEM_TOKENS, /* LYRL2004: begins with ".I " and a number */
    DECANT__ITEM_TOPICS, /* *.qrels: what the documents of token files are about */
    DECANT__ITEM_KINDS
} decant__item_kind;

typedef struct decant__item {
    char *path;
    size_t name; /* where in path the name begins that people know it by */
    decant__item_kind kind;
} decant__item;

/* Zero-initialise. */
typedef struct decant__listing {
    decant__item *items;
    size_t count, capacity;
    size_t kinds[DECANT__ITEM_KINDS]; /* how many of each */
} decant__listing;

/* Adds a file, or all files in a folder and below it, in the order of their names' bytes. Names
 * that begin with a dot are left out. */
decant_status decant__listing_add(decant__listing *listing, const char *path);

/* Keeps only the items of one kind. */
void decant__listing_keep(decant__listing *listing, decant__item_kind kind);
void decant__listing_free(decant__listing *listing);

/* The name of an item, and of the first folder in it (length 0: it is in none). */
const char *decant__item_name(const decant__item *item);
size_t decant__item_folder(const decant__item *item);

#endif
