/* Histograms of oriented gradients, over cells of 8 x 8 pixels.
 *
 * hog has 13 numbers a cell: 9 orientations and 4 textures; it is the layout with which the paper's
 * STL-10 rows have 1428 numbers. hog31 has 31: 18 orientations with and 9 without a sign, and 4
 * textures (Felzenszwalb, Girshick, McAllester and Ramanan, PAMI 2010). */
#ifndef DECANT_FEATURES_HOG_H
#define DECANT_FEATURES_HOG_H

#include "features/image.h"

enum { DECANT__HOG_CELL = 8 };

/* What all pictures share: the orientation of each gradient (dx, dy), -255 .. 255. */
typedef struct decant__hog {
    int is_signed;           /* 18 orientations: hog31 */
    size_t cells_x, cells_y; /* of pictures of one size; rounded */
    uint8_t *orientation;    /* 511 x 511 */
} decant__hog;

/* EINVAL for pictures without a cell that has neighbours all around: 20 pixels a side are needed.
 */
decant_status decant__hog_new(decant__hog *hog, int is_signed, size_t width, size_t height);
void decant__hog_free(decant__hog *hog);

/* Numbers of a picture: (cells_y - 2) x (cells_x - 2) x 13 or 31, in this order. */
size_t decant__hog_columns(const decant__hog *hog);

/* Doubles of scratch memory that computing one picture needs. */
size_t decant__hog_scratch_size(const decant__hog *hog);
void decant__hog_compute(const decant__hog *hog, const decant__image *image, double *scratch,
                         float *out);

#endif
