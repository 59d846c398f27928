#include "features/gradients.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "linalg/neighbours.h"

enum { CELLS = DECANT__GRADIENT_CELLS, BINS = DECANT__ORIENTATIONS };

const float decant__gradients_cosine[BINS] = {1.0f,  0.93969262f,  0.76604444f,
                                              0.5f,  0.17364818f,  -0.17364818f,
                                              -0.5f, -0.76604444f, -0.93969262f};
const float decant__gradients_sine[BINS] = {0.0f,        0.34202014f, 0.64278761f,
                                            0.86602540f, 0.98480775f, 0.98480775f,
                                            0.86602540f, 0.64278761f, 0.34202014f};

static const float LIMIT = DECANT__GRADIENT_LIMIT;

/* ---- from pixels to numbers ---- */

int decant__gradients_valid(const decant__gradients *gradients) {
    size_t w = gradients->width, h = gradients->height;
    return w >= DECANT__MIN_SIDE && w <= DECANT__MAX_SIDE && h >= DECANT__MIN_SIDE &&
           h <= DECANT__MAX_SIDE && isfinite(gradients->unit) && gradients->unit > 0;
}

/* Where pixel i of a side lies between the centers of two cells: `first` and the next one, which
 * get 1 - share and share of it. Beyond the outer centers a part goes to no cell. */
typedef struct place {
    int first;
    float share;
} place;

static place place_of(size_t i, size_t side) {
    float at = ((float)i + 0.5f) * CELLS / (float)side - 0.5f;
    int first = at < 0 ? -1 : (int)at;
    return (place){first, at - (float)first};
}

void decant__gradients_shares(size_t side, float *out) {
    memset(out, 0, side * CELLS * sizeof *out);
    for (size_t i = 0; i < side; i++) {
        place at = place_of(i, side);
        if (at.first >= 0) out[i * CELLS + (size_t)at.first] = 1 - at.share;
        if (at.first + 1 < CELLS) out[i * CELLS + (size_t)(at.first + 1)] = at.share;
    }
}

float decant__gradients_factor(const decant__gradients *g) {
    float area = (float)(g->width * g->height) / (CELLS * CELLS);
    return 16 / (area * (1 - LIMIT));
}

/* The differences of the neighbours of each pixel of row y, and their lengths; at the border a
 * pixel is its own neighbour. */
static void find_edges(const decant__gradients *g, const float *pixel, size_t y, float *dx,
                       float *dy, float *length) {
    size_t w = g->width, h = g->height;
    const float *row = pixel + y * w, *above = y > 0 ? row - w : row;
    const float *below = y + 1 < h ? row + w : row;
    for (size_t x = 0; x < w; x++) {
        dx[x] = (row[x + 1 < w ? x + 1 : x] - row[x > 0 ? x - 1 : x]) * g->unit;
        dy[x] = (below[x] - above[x]) * g->unit;
    }
    for (size_t x = 0; x < w; x++) length[x] = sqrtf(dx[x] * dx[x] + dy[x] * dy[x]);
}

/* One orientation of one row of pixels, added to the cells above and below it. */
DECANT_CLONES
static void add_orientation(const float *restrict dx, const float *restrict dy,
                            const float *restrict length, size_t width, int b, float share,
                            float *restrict upper, float *restrict lower) {
    float c = decant__gradients_cosine[b], s = decant__gradients_sine[b];
    for (size_t x = 0; x < width; x++) {
        float along = fabsf(dx[x] * c + dy[x] * s) - LIMIT * length[x];
        along = along > 0 ? along : 0;
        upper[x] += (1 - share) * along;
        lower[x] += share * along;
    }
}

/* Adds row y to sum[cell][orientation][x]. */
static void add_row(const decant__gradients *g, const float *pixel, size_t y,
                    float sum[CELLS][BINS][DECANT__MAX_SIDE]) {
    float dx[DECANT__MAX_SIDE], dy[DECANT__MAX_SIDE], length[DECANT__MAX_SIDE];
    float above[DECANT__MAX_SIDE] = {0}, below[DECANT__MAX_SIDE] = {0}; /* of the outer cells */
    place at = place_of(y, g->height);
    find_edges(g, pixel, y, dx, dy, length);
    for (int b = 0; b < BINS; b++) {
        float *upper = at.first >= 0 ? sum[at.first][b] : above;
        float *lower = at.first + 1 < CELLS ? sum[at.first + 1][b] : below;
        add_orientation(dx, dy, length, g->width, b, at.share, upper, lower);
    }
}

static void add_columns(const decant__gradients *g, float sum[CELLS][BINS][DECANT__MAX_SIDE],
                        float *out) {
    float factor = decant__gradients_factor(g);
    memset(out, 0, DECANT__GRADIENT_NUMBERS * sizeof *out);
    for (size_t x = 0; x < g->width; x++) {
        place at = place_of(x, g->width);
        for (int side = 0; side < 2; side++) {
            int cell = at.first + side;
            float share = (side == 0 ? 1 - at.share : at.share) * factor;
            if (cell < 0 || cell >= CELLS) continue;
            for (int c = 0; c < CELLS; c++)
                for (int b = 0; b < BINS; b++)
                    out[(c * CELLS + cell) * BINS + b] += share * sum[c][b][x];
        }
    }
}

static void normalise(float *out) {
    float energy[CELLS + 2][CELLS + 2] = {{0}};
    for (int c = 0; c < CELLS * CELLS; c++)
        for (int b = 0; b < BINS; b++)
            energy[c / CELLS + 1][c % CELLS + 1] += out[c * BINS + b] * out[c * BINS + b];
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) {
            float sum = 0, *cell = out + (y * CELLS + x) * BINS;
            for (int i = 0; i < 9; i++) sum += energy[y + i / 3][x + i % 3];
            float scale = 1 / sqrtf(sum * 4 / 9 + DECANT__GRADIENT_FLOOR);
            for (int b = 0; b < BINS; b++) {
                cell[b] *= scale;
                if (cell[b] > DECANT__GRADIENT_CLIP) cell[b] = DECANT__GRADIENT_CLIP;
            }
        }
}

void decant__gradients_make(const void *context, const float *pixel, float *out) {
    const decant__gradients *g = context;
    float sum[CELLS][BINS][DECANT__MAX_SIDE];
    for (int c = 0; c < CELLS; c++)
        for (int b = 0; b < BINS; b++) memset(sum[c][b], 0, g->width * sizeof(float));
    for (size_t y = 0; y < g->height; y++) add_row(g, pixel, y, sum);
    add_columns(g, sum, out);
    normalise(out);
}

/* ---- are these images? ---- */

/* Neighbours in an image are correlated at least so much, and unlike each other at most this share
 * of what columns half a side apart are. MNIST and Fashion-MNIST have 0.72 to 0.87, images of 16 x
 * 16 pixels 0.50. */
static const double MIN_CORRELATION = 0.4, MAX_UNLIKE = 0.6;
/* If the nearest of a thousand images is nearer than this share of the mean distance, they are
 * views of things that move little from one to the next, and pixels say which thing it is; edges
 * would forget its brightness. 0.15 for photographs of turning fruits, 0.41 for clothes, 0.55 for
 * digits. */
static const double MIN_NEAREST = 0.25;
enum { MIN_ROWS = 64, MAX_ROWS = 1024, MAX_ASPECT = 2 };

/* The correlation of columns j and j + lag, over all rows and j. x: n x d, columns of mean 0. */
static double correlation(const float *x, size_t n, size_t d, size_t lag) {
    double product = 0, left = 0, right = 0;
    for (size_t i = 0; i < n; i++) {
        const float *row = x + i * d;
        for (size_t j = 0; j + lag < d; j++) {
            double a = (double)row[j], b = (double)row[j + lag];
            product += a * b;
            left += a * a;
            right += b * b;
        }
    }
    return left > 0 && right > 0 ? product / sqrt(left * right) : 0;
}

static int may_be(size_t width, size_t height) {
    return height >= DECANT__MIN_SIDE && height <= DECANT__MAX_SIDE &&
           height <= MAX_ASPECT * width && width <= MAX_ASPECT * height;
}

/* The width of the images, of all that divide d and are likely the one with the most similar rows;
 * 0: these are no images. */
static size_t find_width(const float *x, size_t n, size_t d) {
    size_t best = 0;
    double best_rows = 0, columns = correlation(x, n, d, 1);
    for (size_t w = DECANT__MIN_SIDE; w <= DECANT__MAX_SIDE && w <= d; w++) {
        if (d % w != 0 || !may_be(w, d / w)) continue;
        double rows = correlation(x, n, d, w), apart = correlation(x, n, d, w / 2);
        double least = rows < columns ? rows : columns;
        if (least < MIN_CORRELATION || 1 - least > MAX_UNLIKE * (1 - apart)) continue;
        if (rows > best_rows) {
            best_rows = rows;
            best = w;
        }
    }
    return best;
}

/* The mean distance of a row to its nearest, as a share of the mean distance of all pairs. nearest:
 * n, scratch. */
static double nearest_share(const decant__source *x, double *nearest) {
    double all = 0, near = 0, n = (double)x->n;
    for (size_t i = 0; i < x->n; i++) nearest[i] = INFINITY;
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < i; j++) {
            double distance = sqrt(decant__neighbours_distance(x, i, j));
            all += distance;
            if (distance < nearest[i]) nearest[i] = distance;
            if (distance < nearest[j]) nearest[j] = distance;
        }
    for (size_t i = 0; i < x->n; i++) near += nearest[i];
    return all > 0 ? near / n / (2 * all / (n * (n - 1))) : 0;
}

static void center_columns(const float *x, size_t n, size_t d, double *mean, float *out) {
    for (size_t j = 0; j < d; j++) mean[j] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) mean[j] += (double)x[i * d + j] / (double)n;
    for (size_t i = 0; i < n * d; i++) out[i] = (float)((double)x[i] - mean[i % d]);
}

static float range_of(const float *x, size_t count) {
    float least = x[0], most = x[0];
    for (size_t i = 0; i < count; i++) {
        if (x[i] < least) least = x[i];
        if (x[i] > most) most = x[i];
    }
    return most - least;
}

int decant__gradients_possible(size_t d) {
    for (size_t w = DECANT__MIN_SIDE; w <= DECANT__MAX_SIDE && w <= d; w++)
        if (d % w == 0 && may_be(w, d / w)) return 1;
    return 0;
}

decant_status decant__gradients_recognise(const float *x, size_t n, size_t d, int asked,
                                          decant__gradients *found) {
    decant_status status = DECANT_OK;
    float *centered = NULL;
    double *scratch = NULL;
    *found = (decant__gradients){0};
    if (n < MIN_ROWS || !decant__gradients_possible(d)) return DECANT_OK;
    if (n > MAX_ROWS) n = MAX_ROWS;
    NEW_ARRAY(centered, n * d);
    NEW_ARRAY(scratch, n > d ? n : d);
    center_columns(x, n, d, scratch, centered);
    size_t width = find_width(centered, n, d);
    const decant__source rows = decant__source_dense(x, n, d);
    float range = range_of(x, n * d);
    if (width > 0 && range > 0 && (asked || nearest_share(&rows, scratch) >= MIN_NEAREST))
        *found = (decant__gradients){width, d / width, 1 / range};
done:
    decant__free(centered);
    decant__free(scratch);
    return status;
}
