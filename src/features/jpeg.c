/* JPEG, by libjpeg, turned upright as its EXIF data says. Its errors jump back here; of its
 * warnings, those are errors that mean missing pixels, which libjpeg would fill with grey. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "base/memory.h"
#include "features/exif.h"
#include "features/image.h"

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf back;
    int incomplete;
    char message[JMSG_LENGTH_MAX];
} decoder;

static void on_error(j_common_ptr jpeg) {
    decoder *self = jpeg->client_data;
    jpeg->err->format_message(jpeg, self->message);
    longjmp(self->back, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    decoder *self = jpeg->client_data;
    int code = jpeg->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) self->incomplete = 1;
}

static void begin(decoder *self, const uint8_t *bytes, size_t count) {
    self->jpeg.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = on_error;
    self->errors.emit_message = on_message;
    self->jpeg.client_data = self;
    jpeg_create_decompress(&self->jpeg);
    jpeg_mem_src(&self->jpeg, bytes, (unsigned long)count);
    jpeg_read_header(&self->jpeg, TRUE);
}

static decant_status damaged(const char *message) {
    return decant__fail(DECANT_EFORMAT, "is a damaged JPEG: %s", message);
}

decant_status decant__jpeg_size(const uint8_t *bytes, size_t count, size_t *width, size_t *height,
                                size_t *channels) {
    decoder self = {.incomplete = 0};
    if (setjmp(self.back)) {
        jpeg_destroy_decompress(&self.jpeg);
        return damaged(self.message);
    }
    begin(&self, bytes, count);
    int sideways = decant__exif_is_sideways(decant__exif_orientation(bytes, count));
    *width = sideways ? self.jpeg.image_height : self.jpeg.image_width;
    *height = sideways ? self.jpeg.image_width : self.jpeg.image_height;
    *channels = self.jpeg.num_components > 1 ? 3 : 1;
    jpeg_destroy_decompress(&self.jpeg);
    return DECANT_OK;
}

/* Row by row as they are stored, each pixel to its place in the upright picture. */
static void read_rows(decoder *self, int orientation, decant__image *image) {
    struct jpeg_decompress_struct *jpeg = &self->jpeg;
    size_t width = jpeg->output_width, channels = image->channels;
    decant__exif_place place = decant__exif_upright(orientation, width, jpeg->output_height);
    JSAMPARRAY row =
        jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, (JDIMENSION)(width * channels), 1);
    while (jpeg->output_scanline < jpeg->output_height) {
        ptrdiff_t at = place.origin + (ptrdiff_t)jpeg->output_scanline * place.step_y;
        jpeg_read_scanlines(jpeg, row, 1);
        for (size_t x = 0; x < width; x++, at += place.step_x)
            memcpy(image->pixels + (size_t)at * channels, row[0] + x * channels, channels);
    }
}

decant_status decant__jpeg_decode(const uint8_t *bytes, size_t count, size_t channels,
                                  decant__image *image) {
    decoder self = {.incomplete = 0};
    const struct jpeg_decompress_struct *jpeg = &self.jpeg;
    const int orientation = decant__exif_orientation(bytes, count);
    const int sideways = decant__exif_is_sideways(orientation);
    decant_status status = DECANT_OK;
    if (setjmp(self.back)) {
        jpeg_destroy_decompress(&self.jpeg);
        return damaged(self.message);
    }
    begin(&self, bytes, count);
    if (self.jpeg.num_components > 3)
        status = decant__fail(DECANT_EFORMAT, "is a JPEG in CMYK; expected grey or colour (RGB)");
    else
        status =
            decant__image_allocate(image, sideways ? jpeg->image_height : jpeg->image_width,
                                   sideways ? jpeg->image_width : jpeg->image_height, channels);
    if (status == DECANT_OK) {
        self.jpeg.out_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
        jpeg_start_decompress(&self.jpeg);
        read_rows(&self, orientation, image);
        if (self.incomplete) status = damaged("it ends before the picture does");
    }
    jpeg_destroy_decompress(&self.jpeg);
    return status;
}

/* ---- writing ---- */

enum { QUALITY = 80, HEAD = 65536 };

typedef struct encoder {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
} encoder;

static void on_write_error(j_common_ptr jpeg) {
    encoder *self = jpeg->client_data;
    jpeg->err->format_message(jpeg, self->message);
    longjmp(self->back, 1);
}

static void write_all(encoder *self, const decant__image *image) {
    size_t stride = image->width * image->channels;
    self->jpeg.image_width = (JDIMENSION)image->width;
    self->jpeg.image_height = (JDIMENSION)image->height;
    self->jpeg.input_components = (int)image->channels;
    self->jpeg.in_color_space = image->channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&self->jpeg);
    jpeg_set_quality(&self->jpeg, QUALITY, TRUE);
    jpeg_start_compress(&self->jpeg, TRUE);
    while (self->jpeg.next_scanline < self->jpeg.image_height) {
        JSAMPROW row = image->pixels + self->jpeg.next_scanline * stride;
        jpeg_write_scanlines(&self->jpeg, &row, 1);
    }
    jpeg_finish_compress(&self->jpeg);
}

/* The buffer is larger than any JPEG of this quality, so that libjpeg never allocates its own. */
decant_status decant__jpeg_encode(const decant__image *image, uint8_t **bytes, size_t *size) {
    encoder self = {.message = ""};
    unsigned long used = 2 * (image->width + 16) * (image->height + 16) * image->channels + HEAD;
    uint8_t *file = decant__alloc_array(used, 1);
    unsigned char *out = file;
    if (file == NULL) return DECANT_ENOMEM;
    self.jpeg.err = jpeg_std_error(&self.errors);
    self.errors.error_exit = on_write_error;
    self.jpeg.client_data = &self;
    if (setjmp(self.back)) {
        jpeg_destroy_compress(&self.jpeg);
        decant__free(file);
        return decant__fail(DECANT_EFORMAT, "a picture cannot be written as JPEG: %s",
                            self.message);
    }
    jpeg_create_compress(&self.jpeg);
    self.jpeg.client_data = &self; /* creating clears it */
    jpeg_mem_dest(&self.jpeg, &out, &used);
    write_all(&self, image);
    jpeg_destroy_compress(&self.jpeg);
    *bytes = file;
    *size = used;
    return DECANT_OK;
}
