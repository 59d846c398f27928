/* The files behind paths that may be folders, and what they are. */
#ifndef DECANT_READ_LISTING_H
#define DECANT_READ_LISTING_H

#include "base/zip.h"
#include "data/dataset.h"
#include "read/formats.h"

typedef struct decant__item {
    char *path;
    size_t name; /* where in path the name begins that is shown */
    decant__kind kind;
    const decant__zip *zip; /* the archive that it is in; NULL: it is a file */
    const decant__zip_member *member;
} decant__item;

/* Zero-initialise, then set what is borrowed. */
typedef struct decant__listing {
    decant__item *items;
    size_t count, capacity;
    size_t kinds[DECANT__KINDS]; /* how many of each */
    uint64_t bytes;              /* of all files */
    decant__meter *meter;        /* may be NULL */
    decant__zip **zips;          /* that items are in */
    size_t zip_count;
    decant__notes *notes; /* what cannot be opened is left out and noted; NULL: it fails */
} decant__listing;

int decant__is_folder(const char *path);

/* Adds a file whose kind is known. */
decant_status decant__listing_add_file(decant__listing *listing, const char *path,
                                       decant__kind kind);

/* Adds a file, or all files in a folder and below it, in the order of their names' bytes, and looks
 * at the first bytes of each. Names that begin with a dot are left out. */
decant_status decant__listing_add(decant__listing *listing, const char *path);

/* Adds all files of a zip archive, as if it were a folder. */
decant_status decant__listing_add_zip(decant__listing *listing, decant__input *input);

/* The bytes of an item. */
decant_status decant__item_open(const decant__item *item, decant__meter *meter, decant__input *out);

/* One of several files cannot be read: the sentence also says how to go on without it. Returns the
 * status. */
decant_status decant__listing_offer_skipping(const decant__listing *listing, decant_status status);

/* Keeps only the items of one kind. */
void decant__listing_keep(decant__listing *listing, decant__kind kind);
void decant__listing_free(decant__listing *listing);

/* The name of an item, and of the first folder in it (length 0: it is in none). */
const char *decant__item_name(const decant__item *item);
size_t decant__item_folder(const decant__item *item);

/* A folder with the four files of an MNIST-style dataset: the paths of train images, train labels,
 * test images and test labels; the caller frees them. */
decant_status decant__folder_find(const char *folder, char *paths[4]);

#endif
