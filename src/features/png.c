/* PNG, by libpng's simplified interface: all bit depths, palettes and interlacing become 8 bits of
 * sRGB; what is transparent is blended with white. */
#include <png.h>
#include <string.h>

#include "base/memory.h"
#include "features/image.h"

static decant_status begin(png_image *png, const uint8_t *bytes, size_t count) {
    memset(png, 0, sizeof *png);
    png->version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(png, bytes, count)) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "is a damaged PNG: %s", png->message);
}

decant_status decant__png_size(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                               size_t *channels) {
    png_image png;
    decant_status status = begin(&png, bytes, count);
    if (status != DECANT_OK) return status;
    *width = png.width;
    *height = png.height;
    *channels = png.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    png_image_free(&png);
    return DECANT_OK;
}

decant_status decant__png_decode(const uint8_t *bytes, size_t count, size_t channels,
                                 decant__image *image) {
    static const png_color white = {255, 255, 255};
    png_image png;
    decant_status status = begin(&png, bytes, count);
    if (status != DECANT_OK) return status;
    status = decant__image_allocate(image, png.width, png.height, channels);
    png.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if (status == DECANT_OK && !png_image_finish_read(&png, &white, image->pixels, 0, NULL))
        status = decant__fail(DECANT_EFORMAT, "is a damaged PNG: %s", png.message);
    png_image_free(&png);
    return status;
}

decant_status decant__png_encode(const decant__image *image, uint8_t **bytes, size_t *size) {
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = image->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY};
    png_alloc_size_t capacity = PNG_IMAGE_PNG_SIZE_MAX(png);
    uint8_t *file = decant__alloc_array(capacity, 1);
    if (file == NULL) return DECANT_ENOMEM;
    if (!png_image_write_to_memory(&png, file, &capacity, 0, image->pixels, 0, NULL)) {
        decant__free(file);
        return decant__fail(DECANT_EFORMAT, "a picture cannot be written as PNG: %s", png.message);
    }
    *bytes = file;
    *size = capacity;
    return DECANT_OK;
}
