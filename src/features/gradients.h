/* Rows of pixels as histograms of oriented gradients (Dalal and Triggs, CVPR 2005): which edges an
 * image has, and roughly where. Two drawings of one shape differ in many pixels, but little in
 * this.
 *
 * For grey images of any size from 12 x 12 on, 7 x 7 cells of 9 orientations: hog.h is the layout
 * of the paper's STL-10 rows, for larger images. In fixed operations, so that the bits are the same
 * everywhere. */
#ifndef DECANT_FEATURES_GRADIENTS_H
#define DECANT_FEATURES_GRADIENTS_H

#include "base/status.h"

enum {
    DECANT__GRADIENT_CELLS = 7,
    DECANT__ORIENTATIONS = 9,
    DECANT__GRADIENT_NUMBERS =
        DECANT__GRADIENT_CELLS * DECANT__GRADIENT_CELLS * DECANT__ORIENTATIONS,
    DECANT__MIN_SIDE = 12, /* smaller images have hardly a pixel a cell */
    DECANT__MAX_SIDE = 128
};

typedef struct decant__gradients {
    size_t width, height; /* 0: none */
    float unit;           /* 1 / (largest - smallest pixel) */
} decant__gradients;

/* Sides within the limits, and a unit that is a number? */
int decant__gradients_valid(const decant__gradients *gradients);

/* pixel: height x width; out: DECANT__GRADIENT_NUMBERS. context: a decant__gradients. */
void decant__gradients_make(const void *context, const float *pixel, float *out);

/* Could rows of d numbers be images, by their number alone? */
int decant__gradients_possible(size_t d);

/* Are rows of d numbers pixels of grey images, row by row, whose shapes are worth comparing by
 * gradients? By the correlation of columns that would be neighbours in the image. x: n x d, rows of
 * all kinds; the first thousand are looked at. asked: it is enough that they are images. found: its
 * width is 0 if they are not. */
decant_status decant__gradients_recognise(const float *x, size_t n, size_t d, int asked,
                                          decant__gradients *found);

#endif
