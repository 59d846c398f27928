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

/* Unit vectors of the orientations: cosine and sine of 0, 20, 40, ... degrees. An edge counts for
 * those that it is less than 20 degrees from: by how much its length along them is above that of an
 * edge at 20 degrees. So no angle is needed. */
extern const float decant__gradients_cosine[DECANT__ORIENTATIONS];
extern const float decant__gradients_sine[DECANT__ORIENTATIONS];
#define DECANT__GRADIENT_LIMIT 0.93969262f

/* A cell's numbers are divided by the length of all in its 3 x 3 cells; the floor keeps faint noise
 * on a plain ground faint. No number is above the clip, so that one strong edge does not decide. */
#define DECANT__GRADIENT_FLOOR 0.01f
#define DECANT__GRADIENT_CLIP 0.5f

typedef struct decant__gradients {
    size_t width, height; /* 0: none */
    float unit;           /* 1 / (largest - smallest pixel) */
} decant__gradients;

/* Sides within the limits, and a unit that is a number? */
int decant__gradients_valid(const decant__gradients *gradients);

/* pixel: height x width; out: DECANT__GRADIENT_NUMBERS. context: a decant__gradients. */
void decant__gradients_make(const void *context, const float *pixel, float *out);

/* How much of each pixel of a side belongs to each cell; out: side x DECANT__GRADIENT_CELLS. */
void decant__gradients_shares(size_t side, float *out);

/* The factor after sums over pixels: the mean over a cell of 4 x 4 pixels, so that numbers do not
 * depend on the size of the image. */
float decant__gradients_factor(const decant__gradients *gradients);

/* Could rows of d numbers be images, by their number alone? */
int decant__gradients_possible(size_t d);

/* Are rows of d numbers pixels of grey images, row by row, whose shapes are worth comparing by
 * gradients? By the correlation of columns that would be neighbours in the image. x: n x d, rows of
 * all kinds; the first thousand are looked at. asked: it is enough that they are images. found: its
 * width is 0 if they are not. */
decant_status decant__gradients_recognise(const float *x, size_t n, size_t d, int asked,
                                          decant__gradients *found);

#endif
