/* The colours of a picture, roughly: 8 x 8 pixels, each with its two numbers of colour without
 * brightness, Cr and Cb of YCrCb. */
#ifndef DECANT_FEATURES_COLORMAP_H
#define DECANT_FEATURES_COLORMAP_H

#include "features/image.h"

enum { DECANT__COLORMAP_SIDE = 8, DECANT__COLORMAP_COLUMNS = 128 };

/* 8 x 8 x 2 numbers from 0 to 255; grey is 128. */
void decant__colormap_compute(const decant__image *image, float *out);

#endif
