#include "nn/batch_norm.h"

#include <math.h>

#include "base/simd.h"
#include "base/team.h"

/* A piece of work is some columns of all rows of a group: sums over rows are then taken in order,
 * for any number of threads. */
enum { COLUMNS = 64 };
static const float EPSILON = 1e-5F;

static size_t pieces_of(size_t width) { return (width + COLUMNS - 1) / COLUMNS; }

static size_t piece_width(size_t width, size_t piece) {
    size_t left = width - piece * COLUMNS;
    return left < COLUMNS ? left : COLUMNS;
}

/* Mean and variance of the columns, the variance as a mean of squared differences. */
DECANT_CLONES
static void find_moments(size_t n, size_t stride, size_t count, const float *restrict a,
                         float *restrict mean, float *restrict variance) {
    for (size_t j = 0; j < count; j++) mean[j] = variance[j] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++) mean[j] += a[i * stride + j];
    for (size_t j = 0; j < count; j++) mean[j] /= (float)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++) {
            float difference = a[i * stride + j] - mean[j];
            variance[j] += difference * difference;
        }
    for (size_t j = 0; j < count; j++) variance[j] /= (float)n;
}

DECANT_CLONES
static void normalise(size_t count, const float *restrict mean, const float *restrict inverse,
                      const float *restrict gain, const float *restrict offset, float *restrict a,
                      float *restrict y) {
    for (size_t j = 0; j < count; j++) {
        a[j] = (a[j] - mean[j]) * inverse[j];
        float value = gain[j] * a[j] + offset[j];
        y[j] = value > 0 ? value : 0;
    }
}

void decant__batch_norm_forward(const decant__batch_norm *norm, size_t n, float *a, float *y,
                                float *inverse) {
    size_t width = norm->width;
    TEAM_FOR_DYNAMIC (p, pieces_of(width), 1) {
        size_t from = p * COLUMNS, count = piece_width(width, p);
        float mean[COLUMNS], variance[COLUMNS];
        find_moments(n, width, count, a + from, mean, variance);
        for (size_t j = 0; j < count; j++) inverse[from + j] = 1 / sqrtf(variance[j] + EPSILON);
        for (size_t i = 0; i < n; i++)
            normalise(count, mean, inverse + from, norm->gain + from, norm->offset + from,
                      a + i * width + from, y + i * width + from);
    }
}

/* Through the ReLU, and the sums over the rows that the gradient needs. */
DECANT_CLONES
static void sum_gradients(size_t n, size_t stride, size_t count, const float *restrict normal,
                          const float *restrict y, float *restrict dy, float *restrict sum,
                          float *restrict product) {
    for (size_t j = 0; j < count; j++) sum[j] = product[j] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < count; j++) {
            size_t at = i * stride + j;
            float passed = y[at] > 0 ? dy[at] : 0;
            dy[at] = passed;
            sum[j] += passed;
            product[j] += passed * normal[at];
        }
}

/* da = g / sqrt(v + e) (dy - mean dy - x^ mean (dy x^)). */
DECANT_CLONES
static void input_gradients(size_t count, float share, const float *restrict scale,
                            const float *restrict sum, const float *restrict product,
                            const float *restrict normal, float *restrict dy) {
    for (size_t j = 0; j < count; j++)
        dy[j] = scale[j] * (dy[j] - share * (sum[j] + normal[j] * product[j]));
}

static void backward_piece(const decant__batch_norm *norm, const decant__norm_backward *pass,
                           size_t piece) {
    size_t width = norm->width, from = piece * COLUMNS, count = piece_width(width, piece);
    float sum[COLUMNS], product[COLUMNS], scale[COLUMNS];
    for (size_t g = 0; g < pass->groups; g++) {
        size_t at = g * pass->n * width + from;
        sum_gradients(pass->n, width, count, pass->normal + at, pass->y + at, pass->dy + at, sum,
                      product);
        for (size_t j = 0; j < count; j++)
            scale[j] = norm->gain[from + j] * pass->inverse[g * width + from + j];
        for (size_t i = 0; i < pass->n; i++)
            input_gradients(count, 1 / (float)pass->n, scale, sum, product,
                            pass->normal + at + i * width, pass->dy + at + i * width);
        if (pass->gain_gradient == NULL) continue;
        for (size_t j = 0; j < count; j++) {
            pass->gain_gradient[from + j] =
                product[j] + (g > 0 ? pass->gain_gradient[from + j] : 0);
            pass->offset_gradient[from + j] =
                sum[j] + (g > 0 ? pass->offset_gradient[from + j] : 0);
        }
    }
}

void decant__batch_norm_backward(const decant__batch_norm *norm,
                                 const decant__norm_backward *pass) {
    TEAM_FOR_DYNAMIC (p, pieces_of(norm->width), 1) backward_piece(norm, pass, p);
}

void decant__batch_norm_count(size_t n, size_t width, const float *a, double *sum, double *square) {
    TEAM_FOR_DYNAMIC (p, pieces_of(width), 1) {
        size_t from = p * COLUMNS, end = from + piece_width(width, p);
        for (size_t i = 0; i < n; i++)
            for (size_t j = from; j < end; j++) {
                double value = (double)a[i * width + j];
                sum[j] += value;
                square[j] += value * value;
            }
    }
}

void decant__batch_norm_fold(const decant__batch_norm *norm, size_t n, const double *sum,
                             const double *square, float *factor, float *summand) {
    for (size_t j = 0; j < norm->width; j++) {
        double mean = sum[j] / (double)n;
        double variance = fmax(0, square[j] / (double)n - mean * mean);
        double scale = (double)norm->gain[j] / sqrt(variance + (double)EPSILON);
        factor[j] = (float)scale;
        summand[j] = (float)((double)norm->offset[j] - mean * scale);
    }
}
