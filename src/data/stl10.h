/* STL-10's binary files: bytes without a head, 96 x 96 pixels an image, plane after plane (red,
 * green, blue), each plane column after column; and labels from 1 to 10 in a file beside it. */
#ifndef DECANT_DATA_STL10_H
#define DECANT_DATA_STL10_H

#include "features/image.h"

enum { DECANT__STL10_SIDE = 96, DECANT__STL10_BYTES = 3 * 96 * 96 };

typedef struct decant__stl10 {
    char *path;
    int file;
    size_t count;    /* images */
    uint8_t *labels; /* 0 to 9; NULL: there is no label file */
} decant__stl10;

/* Is this the name of such a file: *_X.bin? */
int decant__stl10_is(const char *path);
decant_status decant__stl10_open(decant__stl10 *self, const char *path);
decant_status decant__stl10_read(const decant__stl10 *self, size_t index, uint8_t *bytes,
                                 decant__image *image);
void decant__stl10_close(decant__stl10 *self);

#endif
