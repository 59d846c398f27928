#include "features/hog.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { HALF = 9, RANGE = 255, SIDE = 2 * RANGE + 1, TEXTURES = 4 };

/* Unit vectors of the nine orientations, with the four digits of the original. */
static const double uu[HALF] = {1, .9397, .7660, .5, .1736, -.1736, -.5, -.7660, -.9397};
static const double vv[HALF] = {0, .3420, .6428, .8660, .9848, .9848, .8660, .6428, .3420};

static const double CLIP = 0.2, TEXTURE = 0.2357, NORM_FLOOR = 0.0001;

/* The first orientation that the gradient is longest along; with a sign, o + 9 points back. */
static uint8_t find_orientation(int is_signed, double dx, double dy) {
    double best = 0;
    int found = 0;
    for (int o = 0; o < HALF; o++) {
        double dot = uu[o] * dx + vv[o] * dy;
        if (!is_signed) dot = fabs(dot);
        if (dot > best) {
            best = dot;
            found = o;
        } else if (-dot > best) {
            best = -dot;
            found = o + HALF;
        }
    }
    return (uint8_t)found;
}

decant_status decant__hog_new(decant__hog *hog, int is_signed, size_t width, size_t height) {
    decant_status status = DECANT_OK;
    *hog = (decant__hog){.is_signed = is_signed,
                         .cells_x = (width + DECANT__HOG_CELL / 2) / DECANT__HOG_CELL,
                         .cells_y = (height + DECANT__HOG_CELL / 2) / DECANT__HOG_CELL};
    if (hog->cells_x < 3 || hog->cells_y < 3)
        return decant__fail(DECANT_EINVAL,
                            "images of %zu x %zu pixels are too small for hog, which needs 20 x 20",
                            width, height);
    NEW_ARRAY(hog->orientation, (size_t)SIDE * SIDE);
    for (int dy = -RANGE; dy <= RANGE; dy++)
        for (int dx = -RANGE; dx <= RANGE; dx++)
            hog->orientation[(dy + RANGE) * SIDE + dx + RANGE] =
                find_orientation(is_signed, dx, dy);
done:
    return status;
}

void decant__hog_free(decant__hog *hog) {
    decant__free(hog->orientation);
    *hog = (decant__hog){0};
}

static size_t orientations(const decant__hog *hog) { return hog->is_signed ? 2 * HALF : HALF; }

static size_t numbers(const decant__hog *hog) {
    return hog->is_signed ? 3 * HALF + TEXTURES : HALF + TEXTURES;
}

size_t decant__hog_columns(const decant__hog *hog) {
    return (hog->cells_y - 2) * (hog->cells_x - 2) * numbers(hog);
}

size_t decant__hog_scratch_size(const decant__hog *hog) {
    return hog->cells_y * hog->cells_x * (orientations(hog) + 2);
}

/* The gradient at a pixel: of the channel where it is largest, the first of equal ones. */
static int find_gradient(const decant__image *image, const uint8_t *pixel, int *dx, int *dy) {
    size_t channels = image->channels, stride = image->width * channels;
    int best = -1;
    for (size_t c = 0; c < channels; c++) {
        int x = pixel[c + channels] - *(pixel + c - channels);
        int y = pixel[c + stride] - *(pixel + c - stride);
        if (x * x + y * y <= best) continue;
        best = x * x + y * y;
        *dx = x;
        *dy = y;
    }
    return best;
}

/* Which two cells a pixel is between, and how near it is to the second: (x + 1/2)/8 - 1/2. */
typedef struct share {
    ptrdiff_t cell;
    double second;
} share;

static share find_share(size_t x) {
    double at = ((double)x + 0.5) / DECANT__HOG_CELL - 0.5;
    ptrdiff_t cell = (ptrdiff_t)floor(at);
    return (share){cell, at - (double)cell};
}

static void add(const decant__hog *hog, double *histogram, ptrdiff_t y, ptrdiff_t x, size_t o,
                double value) {
    if (x < 0 || y < 0 || x >= (ptrdiff_t)hog->cells_x || y >= (ptrdiff_t)hog->cells_y) return;
    histogram[((size_t)y * hog->cells_x + (size_t)x) * orientations(hog) + o] += value;
}

/* Every gradient goes to its four nearest cells. Pixels that rounding to whole cells puts outside
 * the picture are those at its border. */
static void fill_histogram(const decant__hog *hog, const decant__image *image, double *histogram) {
    size_t width = hog->cells_x * DECANT__HOG_CELL, height = hog->cells_y * DECANT__HOG_CELL;
    size_t stride = image->width * image->channels;
    for (size_t y = 1; y < height - 1; y++) {
        share row = find_share(y);
        size_t inside_y = y < image->height - 2 ? y : image->height - 2;
        for (size_t x = 1; x < width - 1; x++) {
            share column = find_share(x);
            size_t inside_x = x < image->width - 2 ? x : image->width - 2;
            int dx = 0, dy = 0;
            double value = sqrt((double)find_gradient(
                image, image->pixels + inside_y * stride + inside_x * image->channels, &dx, &dy));
            size_t o = hog->orientation[(dy + RANGE) * SIDE + dx + RANGE];
            double first_x = 1 - column.second, first_y = 1 - row.second;
            add(hog, histogram, row.cell, column.cell, o, first_x * first_y * value);
            add(hog, histogram, row.cell, column.cell + 1, o, column.second * first_y * value);
            add(hog, histogram, row.cell + 1, column.cell, o, first_x * row.second * value);
            add(hog, histogram, row.cell + 1, column.cell + 1, o,
                column.second * row.second * value);
        }
    }
}

/* Energy of each cell over orientations without sign, then 1/norm of each block of 2 x 2 cells. */
static void find_norms(const decant__hog *hog, const double *histogram, double *energy,
                       double *norm) {
    size_t width = hog->cells_x, cells = hog->cells_y * width, step = orientations(hog);
    for (size_t i = 0; i < cells; i++) {
        energy[i] = 0;
        for (size_t o = 0; o < HALF; o++) {
            double sum = histogram[i * step + o];
            if (hog->is_signed) sum += histogram[i * step + o + HALF];
            energy[i] += sum * sum;
        }
    }
    for (size_t y = 0; y + 1 < hog->cells_y; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            const double *e = energy + y * width + x;
            norm[y * width + x] = 1 / sqrt(e[0] + e[width] + e[1] + e[width + 1] + NORM_FLOOR);
        }
}

/* Half the sum of a value under the four norms, each clipped; the clipped ones are added to t. */
static float normalise(double value, const double n[TEXTURES], double t[TEXTURES]) {
    double sum = 0;
    for (size_t q = 0; q < TEXTURES; q++) {
        double h = fmin(value * n[q], CLIP);
        t[q] += h;
        sum += h;
    }
    return (float)(0.5 * sum);
}

static void describe_cell(const decant__hog *hog, const double *cell, const double n[TEXTURES],
                          float *out) {
    double t[TEXTURES] = {0}, ignored[TEXTURES] = {0};
    size_t count = orientations(hog);
    for (size_t o = 0; o < count; o++) *out++ = normalise(cell[o], n, t);
    for (size_t o = 0; hog->is_signed && o < HALF; o++)
        *out++ = normalise(cell[o] + cell[o + HALF], n, ignored);
    for (size_t q = 0; q < TEXTURES; q++) *out++ = (float)(TEXTURE * t[q]);
}

void decant__hog_compute(const decant__hog *hog, const decant__image *image, double *scratch,
                         float *out) {
    size_t width = hog->cells_x, cells = hog->cells_y * width, step = orientations(hog);
    double *histogram = scratch, *energy = scratch + cells * step, *norm = energy + cells;
    memset(histogram, 0, cells * step * sizeof *histogram);
    fill_histogram(hog, image, histogram);
    find_norms(hog, histogram, energy, norm);
    for (size_t y = 0; y + 2 < hog->cells_y; y++)
        for (size_t x = 0; x + 2 < width; x++) {
            const double *b = norm + y * width + x;
            const double n[TEXTURES] = {b[width + 1], b[1], b[width], b[0]};
            describe_cell(hog, histogram + ((y + 1) * width + x + 1) * step, n, out);
            out += numbers(hog);
        }
}
