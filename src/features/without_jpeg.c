/* In place of jpeg.c where libjpeg was not found. */
#include "features/image.h"

static decant_status absent(void) {
    return decant__fail(DECANT_EINVAL, "is a JPEG, but this decant was built without libjpeg");
}

decant_status decant__jpeg_size(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                                size_t *channels) {
    (void)bytes, (void)count, (void)width, (void)height, (void)channels;
    return absent();
}

decant_status decant__jpeg_decode(const uint8_t *bytes, size_t count, size_t channels,
                                  decant__image *image) {
    (void)bytes, (void)count, (void)channels, (void)image;
    return absent();
}

decant_status decant__jpeg_encode(const decant__image *image, uint8_t **bytes, size_t *size) {
    (void)image, (void)bytes, (void)size;
    return absent();
}
