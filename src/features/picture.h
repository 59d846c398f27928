/* A picture to a row of numbers, by the features' recipe:
 *
 *   pixels         height x width x channels, 0 to 255
 *   hog, hog31     hog.h
 *   colormap       colormap.h
 *   hog+colormap   10 (hog - 0.2), then (colormap - 128) / 10: the authors' scaling */
#ifndef DECANT_FEATURES_PICTURE_H
#define DECANT_FEATURES_PICTURE_H

#include "features/hog.h"
#include "features/recipe.h"

/* What all pictures share; read only once it is made. */
typedef struct decant__picture {
    const decant_features *features; /* borrowed */
    decant__hog hog;
} decant__picture;

/* What one thread needs. Zero-initialise. */
typedef struct decant__picture_scratch {
    decant__image resized;
    decant__resizer resizer;
    double *hog;
} decant__picture_scratch;

/* Also checks that images of the recipe's size can have such features, and sets its d. */
decant_status decant__picture_new(decant__picture *picture, decant_features *features);
void decant__picture_free(decant__picture *picture);

decant_status decant__picture_scratch_new(const decant__picture *picture,
                                          decant__picture_scratch *scratch);
void decant__picture_scratch_free(decant__picture_scratch *scratch);

/* row: d numbers. The image has the recipe's channels and any size. */
decant_status decant__picture_row(const decant__picture *picture, const decant__image *image,
                                  decant__picture_scratch *scratch, float *row);

#endif
