#include "report/gallery.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "read/raw.h"

enum {
    MAX_BYTES = 2500000, /* of the sheet */
    LARGEST_SIDE = 48,   /* of a picture */
    SHEET_WIDTH = 2048,
    MAX_FILES = 1500, /* raw files that are read again for the map */
    MIN_SIDE = 6,
    SAMPLED_ROWS = 256,
    GREYS = 15 /* grey levels: enough at this size, and half the bytes */
};

/* How a row is read as a picture. */
typedef struct shape {
    size_t width, height, channels; /* 0: rows are not pictures */
    int from_files;                 /* rows are features; the pictures are in files */
    double low, high;               /* values of black and white */
    float *buffer;                  /* scratch for one row */
} shape;

/* ---- are rows pictures? ---- */

/* Neighbouring pixels of a picture are alike: the mean square of their differences is well below
 * that of distant pixels. */
static int looks_smooth(const decant_dataset *data, size_t side, float *buffer) {
    double across = 0, down = 0, apart = 0;
    size_t step = data->n / SAMPLED_ROWS + 1, d = data->d;
    for (size_t i = 0; i < data->n; i += step) {
        const float *x = decant__dataset_row(data, i, buffer);
        for (size_t r = 0; r + 1 < side; r++)
            for (size_t c = 0; c + 1 < side; c++) {
                size_t at = r * side + c, far = (at + d / 2 + side / 3) % d;
                double right = (double)x[at] - (double)x[at + 1];
                double below = (double)x[at] - (double)x[at + side];
                double away = (double)x[at] - (double)x[far];
                across += right * right;
                down += below * below;
                apart += away * away;
            }
    }
    return across < 0.7 * apart && down < 0.7 * apart;
}

static size_t square_root(size_t d) {
    size_t side = (size_t)(sqrt((double)d) + 0.5);
    return side * side == d ? side : 0;
}

static void find_pixel_range(const decant_dataset *data, shape *found) {
    size_t step = data->n / SAMPLED_ROWS + 1;
    found->low = INFINITY;
    found->high = -INFINITY;
    for (size_t i = 0; i < data->n; i += step) {
        const float *x = decant__dataset_row(data, i, found->buffer);
        for (size_t j = 0; j < data->d; j++) {
            if ((double)x[j] < found->low) found->low = (double)x[j];
            if ((double)x[j] > found->high) found->high = (double)x[j];
        }
    }
}

static decant_status find_shape(const decant_dataset *data, size_t width, size_t height,
                                shape *found) {
    const decant_features *features = data->features;
    *found = (shape){.low = 0, .high = 255, .buffer = found->buffer};
    if (features != NULL) {
        if (features->idf != NULL) return DECANT_OK;
        found->width = features->width;
        found->height = features->height;
        found->channels = features->channels;
        found->from_files = features->kind != DECANT_FEATURES_PIXELS;
        return DECANT_OK;
    }
    if (width > 0 &&
        (data->dense == NULL || (data->d != width * height && data->d != 3 * width * height)))
        return decant__fail(DECANT_EINVAL, "rows of %zu numbers cannot be pictures of %zux%zu",
                            data->d, width, height);
    size_t side = square_root(data->d);
    if (width == 0 && data->dense != NULL && data->column_names == NULL && side >= MIN_SIDE &&
        looks_smooth(data, side, found->buffer))
        width = height = side;
    if (width == 0) return DECANT_OK;
    found->width = width;
    found->height = height;
    found->channels = data->d / (width * height);
    find_pixel_range(data, found);
    return DECANT_OK;
}

/* ---- which items, and how large ---- */

static void choose_size(decant__gallery *g, const shape *rows) {
    double side = (double)(rows->width > rows->height ? rows->width : rows->height);
    double factor = side > LARGEST_SIDE ? LARGEST_SIDE / side : 1;
    g->width = (size_t)fmax(1, round(factor * (double)rows->width));
    g->height = (size_t)fmax(1, round(factor * (double)rows->height));
    g->channels = rows->channels;
    g->columns = SHEET_WIDTH / g->width;
}

/* All items on cards, and every step-th of the others. */
static void choose_items(decant__gallery *g, const uint32_t *row, size_t count,
                         const uint8_t *marked, size_t step) {
    g->count = 0;
    for (size_t i = 0, others = 0; i < count; i++) {
        int wanted = (marked[row[i]] & DECANT__ON_CARD) || others++ % step == 0;
        g->place[i] = wanted ? (int32_t)g->count++ : -1;
    }
}

/* ---- pixels ---- */

static decant_status paint_row(const decant_dataset *data, const shape *rows, size_t row,
                               const decant__gallery *g, decant__image *whole,
                               decant__resizer *resizer, decant__image *small, uint8_t *tile) {
    decant_status status = DECANT_OK;
    double scale = rows->high > rows->low ? 255 / (rows->high - rows->low) : 0;
    const float *x = decant__dataset_row(data, row, rows->buffer);
    TRY(decant__image_allocate(whole, rows->width, rows->height, rows->channels));
    for (size_t j = 0; j < data->d; j++) {
        double value = ((double)x[j] - rows->low) * scale;
        whole->pixels[j] = (uint8_t)(fmin(fmax(value, 0), 255) + 0.5);
    }
    if (rows->width != g->width || rows->height != g->height) {
        TRY(decant__image_resize(whole, g->width, g->height, resizer, small));
        whole = small;
    }
    memcpy(tile, whole->pixels, g->width * g->height * g->channels);
done:
    return status;
}

/* Fills g->tiles: the pictures one after the other. */
static decant_status paint_tiles(const decant__gallery *g, const decant_dataset *data,
                                 const shape *rows, const uint32_t *row, size_t count) {
    decant_status status = DECANT_OK;
    decant__image whole = {0}, small = {0};
    decant__resizer resizer = {0};
    uint32_t *wanted = NULL;
    size_t size = g->width * g->height * g->channels, used = 0;
    NEW_ARRAY(wanted, g->count);
    for (size_t i = 0; i < count; i++)
        if (g->place[i] >= 0) wanted[used++] = row[i];
    if (rows->from_files) {
        TRY(decant__items_pictures(data, wanted, used, g->width, g->height, g->tiles));
        goto done;
    }
    for (size_t i = 0; i < used; i++)
        TRY(paint_row(data, rows, wanted[i], g, &whole, &resizer, &small, g->tiles + i * size));
done:
    decant__free(wanted);
    decant__image_free(&whole);
    decant__image_free(&small);
    decant__resizer_free(&resizer);
    return status;
}

/* ---- the sheet ---- */

const uint8_t *decant__gallery_tile(const decant__gallery *gallery, size_t item) {
    size_t size = gallery->width * gallery->height * gallery->channels;
    return gallery->tile[item] >= 0 ? gallery->tiles + (size_t)gallery->tile[item] * size : NULL;
}

static void copy_tile(const decant__gallery *g, const uint8_t *tile, size_t place,
                      decant__image *sheet) {
    size_t width = g->width * g->channels, line = sheet->width * g->channels;
    uint8_t *corner =
        sheet->pixels + place / g->columns * g->height * line + place % g->columns * width;
    for (size_t y = 0; y < g->height; y++)
        for (size_t x = 0; x < width; x++) {
            unsigned value = tile[y * width + x];
            if (g->channels == 1) value = (value * GREYS + 127) / 255 * 255 / GREYS;
            corner[y * line + x] = (uint8_t)value;
        }
}

/* Copies the chosen tiles to their places in the sheet, and encodes it. */
static decant_status make_sheet(decant__gallery *g, size_t count) {
    decant_status status = DECANT_OK;
    decant__image sheet = {0};
    size_t lines = (g->count + g->columns - 1) / g->columns;
    TRY(decant__image_allocate(&sheet, g->columns * g->width, lines * g->height, g->channels));
    memset(sheet.pixels, 0, sheet.width * sheet.height * sheet.channels);
    for (size_t i = 0; i < count; i++)
        if (g->place[i] >= 0) copy_tile(g, decant__gallery_tile(g, i), (size_t)g->place[i], &sheet);
    decant__free(g->bytes);
    g->bytes = NULL;
    TRY(decant__image_encode(&sheet, &g->type, &g->bytes, &g->size));
done:
    decant__image_free(&sheet);
    return status;
}

static decant_status fill_gallery(decant__gallery *g, const decant_dataset *data, const shape *rows,
                                  const uint32_t *row, size_t count, const uint8_t *marked) {
    decant_status status = DECANT_OK;
    size_t step = rows->from_files ? count / MAX_FILES + 1 : 1;
    NEW_ARRAY(g->place, count);
    NEW_ARRAY(g->tile, count);
    choose_items(g, row, count, marked, step);
    memcpy(g->tile, g->place, count * sizeof *g->tile);
    NEW_ARRAY(g->tiles, g->count * g->width * g->height * g->channels);
    TRY(paint_tiles(g, data, rows, row, count));
    TRY(make_sheet(g, count));
    while (g->size > MAX_BYTES && step < count) {
        choose_items(g, row, count, marked, step *= 2);
        TRY(make_sheet(g, count));
    }
done:
    return status;
}

decant_status decant__gallery_make(decant__gallery *gallery, const decant__study *study,
                                   const uint32_t *row, size_t count, const uint8_t *marked,
                                   size_t width, size_t height) {
    decant_status status = DECANT_OK;
    shape rows = {.buffer = study->buffer};
    *gallery = (decant__gallery){0};
    TRY(find_shape(study->data, width, height, &rows));
    if (rows.width == 0) return DECANT_OK;
    if (rows.from_files && !decant__origin_exists(&study->data->origin)) return DECANT_OK;
    choose_size(gallery, &rows);
    status = fill_gallery(gallery, study->data, &rows, row, count, marked);
done:
    if (status == DECANT_OK) return status;
    decant__gallery_free(gallery);
    /* The report is useful without pictures. It fails only if their size was given explicitly, or
     * if memory ran out. */
    return status == DECANT_ENOMEM || width > 0 ? status : DECANT_OK;
}

void decant__gallery_free(decant__gallery *gallery) {
    decant__free(gallery->place);
    decant__free(gallery->bytes);
    decant__free(gallery->tiles);
    decant__free(gallery->tile);
    *gallery = (decant__gallery){0};
}
