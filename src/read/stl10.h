/* STL-10's binary files: bytes without a header, 96 x 96 pixels an image, plane after plane (red,
 * green, blue), each plane column after column; and labels from 1 to 10 in a file beside it. */
#ifndef DECANT_READ_STL10_H
#define DECANT_READ_STL10_H

#include "features/picture.h"

enum { DECANT__STL10_SIDE = 96, DECANT__STL10_BYTES = 3 * 96 * 96 };

typedef struct decant__stl10 {
    char *path; /* NULL: it is not open */
    int file;
    size_t count;    /* images */
    uint8_t *labels; /* 0 to 9; NULL: there is no label file */
} decant__stl10;

decant_status decant__stl10_open(decant__stl10 *self, const char *path);
void decant__stl10_close(decant__stl10 *self);

/* bytes: room for DECANT__STL10_BYTES. */
decant_status decant__stl10_read(const decant__stl10 *self, size_t index, uint8_t *bytes,
                                 decant__image *image);

#endif
