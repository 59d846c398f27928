/* Small pictures of items, side by side in one image (the sheet) that is part of the page. */
#ifndef DECANT_REPORT_GALLERY_H
#define DECANT_REPORT_GALLERY_H

#include "features/image.h"
#include "run/study.h"

/* Where a row of the exhibit is shown. */
enum { DECANT__ON_MAP = 1, DECANT__ON_CARD = 2 };

typedef struct decant__gallery {
    size_t count;                   /* pictures in the sheet; 0: the items are not pictures */
    size_t width, height, channels; /* of one picture */
    size_t columns;                 /* pictures in a row of the sheet */
    int32_t *place;                 /* in the sheet, for each item; -1: no room for it */
    uint8_t *tiles;                 /* pixels of the pictures, one after the other */
    int32_t *tile;                  /* index in tiles, for each item; -1: none */
    const char *type;               /* "image/png" or "image/jpeg" */
    uint8_t *bytes;                 /* the sheet as a file */
    size_t size;
} decant__gallery;

/* row: rows of the items, count of them; marked: for each row of the data, DECANT__ON_ flags.
 * width, height: size of a picture; 0: found from the data. */
decant_status decant__gallery_make(decant__gallery *gallery, const decant__study *study,
                                   const uint32_t *row, size_t count, const uint8_t *marked,
                                   size_t width, size_t height);
void decant__gallery_free(decant__gallery *gallery);

/* The pixels of an item's picture; NULL: it has none. */
const uint8_t *decant__gallery_tile(const decant__gallery *gallery, size_t item);

#endif
