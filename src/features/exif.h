/* The orientation of a JPEG picture, as cameras note it in an EXIF segment. */
#ifndef DECANT_FEATURES_EXIF_H
#define DECANT_FEATURES_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* 1 to 8 as EXIF numbers them; 1, upright, where the file does not say or is damaged. */
int decant__exif_orientation(const uint8_t *bytes, size_t count);

/* Does a picture of this orientation lie on its side, so that width and height change places? */
int decant__exif_is_sideways(int orientation);

/* Where pixel (x, y) of the stored picture, width x height, belongs in the upright one: pixel
 * number origin + x * step_x + y * step_y. */
typedef struct decant__exif_place {
    ptrdiff_t origin, step_x, step_y;
} decant__exif_place;
decant__exif_place decant__exif_upright(int orientation, size_t width, size_t height);

#endif
