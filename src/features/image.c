#include "features/image.h"

#include "base/memory.h"

/* More than any camera has; a header that claims more is damaged or hostile. */
enum { MAX_PIXELS = 1 << 27 };

decant_status decant__image_allocate(decant__image *image, size_t width, size_t height,
                                     size_t channels) {
    if (width == 0 || height == 0)
        return decant__fail(DECANT_EFORMAT, "is an image of %zu x %zu pixels", width, height);
    if (width > MAX_PIXELS || height > MAX_PIXELS / width)
        return decant__fail(DECANT_EFORMAT,
                            "claims to be an image of %zu x %zu pixels, more than the %d million "
                            "that are read",
                            width, height, MAX_PIXELS / 1000000);
    size_t size = width * height * channels;
    if (size > image->capacity) {
        uint8_t *grown = decant__alloc_array(size, 1);
        if (grown == NULL) return DECANT_ENOMEM;
        decant__free(image->pixels);
        image->pixels = grown;
        image->capacity = size;
    }
    image->width = width;
    image->height = height;
    image->channels = channels;
    return DECANT_OK;
}

void decant__image_free(decant__image *image) {
    decant__free(image->pixels);
    *image = (decant__image){0};
}

decant_status decant__image_encode(const decant__image *image, const char **type, uint8_t **bytes,
                                   size_t *size) {
    static const struct {
        const char *type;
        decant_status (*encode)(const decant__image *image, uint8_t **bytes, size_t *size);
    } ways[] = {{"image/png", decant__png_encode}, {"image/jpeg", decant__jpeg_encode}};
    size_t first = image->channels == 3;
    decant_status status = ways[first].encode(image, bytes, size);
    *type = ways[first].type;
    if (status != DECANT_EINVAL) return status;
    *type = ways[!first].type;
    return ways[!first].encode(image, bytes, size);
}
