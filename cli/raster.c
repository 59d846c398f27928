#include "raster.h"

#include <string.h>

#include "args.h"
#include "output.h"

#ifdef DECANT_HAS_RSVG

#include <librsvg/rsvg.h>

static const double SCALE = 2;

int can_write_png(void) { return 1; }

static cairo_status_t put_bytes(void *file, const unsigned char *bytes, unsigned int count) {
    decant_file_put(file, bytes, count);
    return decant_file_failed(file) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *render(RsvgHandle *handle) {
    double width, height;
    rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height);
    RsvgRectangle whole = {0, 0, SCALE * width, SCALE * height};
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)whole.width, (int)whole.height);
    cairo_t *pen = cairo_create(surface);
    int drawn = rsvg_handle_render_document(handle, pen, &whole, NULL);
    int good = drawn && cairo_status(pen) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(pen);
    if (good) return surface;
    cairo_surface_destroy(surface);
    return NULL;
}

int write_png(const char *path, const char *svg) {
    decant_file *file = NULL;
    RsvgHandle *handle = rsvg_handle_new_from_data((const unsigned char *)svg, strlen(svg), NULL);
    cairo_surface_t *surface = handle != NULL ? render(handle) : NULL;
    int code = EXIT_FAILED;
    if (surface == NULL)
        complain("%s: the drawing could not be turned into pixels", path);
    else
        code = output_open(&file, path);
    if (code == 0) {
        cairo_surface_write_to_png_stream(surface, put_bytes, file);
        code = output_commit(&file);
    }
    if (surface != NULL) cairo_surface_destroy(surface);
    if (handle != NULL) g_object_unref(handle);
    return code;
}

#else

int can_write_png(void) { return 0; }

int write_png(const char *path, const char *svg) {
    (void)svg;
    complain("%s: this program was built without librsvg and writes drawings as .svg only", path);
    return EXIT_FAILED;
}

#endif
