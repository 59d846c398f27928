#include "features/image.h"

#include <string.h>

#include "base/memory.h"

/* Larger pictures than any camera's; a head that claims more is a lie or a bomb. */
enum { MOST_PIXELS = 1 << 27 };

decant_status decant__image_resize_room(decant__image *image, size_t width, size_t height,
                                        size_t channels) {
    if (width == 0 || height == 0)
        return decant__fail(DECANT_EFORMAT, "is an image of %zu x %zu pixels", width, height);
    if (width > MOST_PIXELS || height > MOST_PIXELS / width)
        return decant__fail(DECANT_EFORMAT,
                            "claims to be an image of %zu x %zu pixels, more than the %d million "
                            "that are read",
                            width, height, MOST_PIXELS / 1000000);
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

int decant__image_is_png(const uint8_t *bytes, size_t count) {
    return count >= 4 && memcmp(bytes, "\x89PNG", 4) == 0;
}

int decant__image_is_jpeg(const uint8_t *bytes, size_t count) {
    return count >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

static decant_status neither(size_t count) {
    return decant__fail(DECANT_EFORMAT, "expected a PNG or JPEG image, found %s",
                        count > 0 ? "something else" : "an empty file");
}

decant_status decant__image_size(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                                 size_t *channels) {
    if (decant__image_is_png(bytes, count))
        return decant__png_size(bytes, count, width, height, channels);
    if (decant__image_is_jpeg(bytes, count))
        return decant__jpeg_size(bytes, count, width, height, channels);
    return neither(count);
}

decant_status decant__image_decode(const uint8_t *bytes, size_t count, size_t channels,
                                   decant__image *image) {
    if (decant__image_is_png(bytes, count))
        return decant__png_decode(bytes, count, channels, image);
    if (decant__image_is_jpeg(bytes, count))
        return decant__jpeg_decode(bytes, count, channels, image);
    return neither(count);
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
