/* Pictures in memory, from files, and in other sizes. */
#ifndef DECANT_FEATURES_IMAGE_H
#define DECANT_FEATURES_IMAGE_H

#include "base/status.h"

/* Zero-initialise. Its memory is reused from one picture to the next. */
typedef struct decant__image {
    size_t width, height, channels; /* 1: grey; 3: red, green, blue */
    uint8_t *pixels;                /* height x width x channels, from the top left */
    size_t capacity;
} decant__image;

/* Sets the size and allocates; the pixels are not initialised. EFORMAT if that is too large. */
decant_status decant__image_allocate(decant__image *image, size_t width, size_t height,
                                     size_t channels);
void decant__image_free(decant__image *image);

/* What reads one format of image files. Complaints want the file's name put before them. */
typedef struct decant__codec {
    /* What the header says. */
    decant_status (*size)(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                          size_t *channels);
    /* Decodes the whole; channels: what is wanted, and colour is not made grey. A file that ends
     * early is an error, not a picture with a grey part. */
    decant_status (*decode)(const uint8_t *bytes, size_t count, size_t channels,
                            decant__image *image);
} decant__codec;

/* The picture as a file that browsers show, in new memory (decant__free): colour as JPEG, which is
 * small, grey as PNG, which is exact; or the other where a library is missing. */
decant_status decant__image_encode(const decant__image *image, const char **type, uint8_t **bytes,
                                   size_t *size);

/* Another size, each direction by itself: the mean over the area that a pixel covers where it
 * shrinks, linear interpolation where it grows. */
typedef struct decant__resizer {
    float *buffer;
    size_t capacity;
} decant__resizer;
decant_status decant__image_resize(const decant__image *from, size_t width, size_t height,
                                   decant__resizer *resizer, decant__image *to);
void decant__resizer_free(decant__resizer *resizer);

/* The two formats, each in a file of its own. */
decant_status decant__png_size(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                               size_t *channels);
decant_status decant__png_decode(const uint8_t *bytes, size_t count, size_t channels,
                                 decant__image *image);
decant_status decant__png_encode(const decant__image *image, uint8_t **bytes, size_t *size);
decant_status decant__jpeg_encode(const decant__image *image, uint8_t **bytes, size_t *size);
decant_status decant__jpeg_size(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                                size_t *channels);
decant_status decant__jpeg_decode(const uint8_t *bytes, size_t count, size_t channels,
                                  decant__image *image);

#endif
