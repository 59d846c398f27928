#include "dec/assign.h"

#include <math.h>

#include "base/elementary.h"
#include "base/simd.h"
#include "base/team.h"

/* Rows whose frequencies are summed together before the chunks are. */
enum { CHUNK_ROWS = 1024 };

static float squared_distance(const float *restrict a, const float *restrict b, size_t l) {
    float sum = 0;
    for (size_t c = 0; c < l; c++) {
        float difference = a[c] - b[c];
        sum += difference * difference;
    }
    return sum;
}

static void soft_assign_row(const float *z, size_t l, const float *mu, size_t k, double alpha,
                            float *q) {
    double sum = 0;
    for (size_t j = 0; j < k; j++) {
        double base = 1 + (double)squared_distance(z, mu + j * l, l) / alpha;
        double weight = alpha == 1 ? 1 / base : decant__pow(base, -(alpha + 1) / 2);
        q[j] = (float)weight;
        sum += weight;
    }
    /* With a large alpha all kernels of a far-away point can underflow: then it is undecided. */
    if (!(sum > 1e-30)) {
        for (size_t j = 0; j < k; j++) q[j] = 1 / (float)k;
        return;
    }
    float scale = (float)(1 / sum);
    for (size_t j = 0; j < k; j++) q[j] *= scale;
}

void decant__soft_assign(const float *z, size_t n, size_t l, const float *mu, size_t k,
                         double alpha, float *q) {
    TEAM_FOR (i, n) soft_assign_row(z + i * l, l, mu, k, alpha, q + i * k);
}

void decant__hard_assign(const float *q, size_t n, size_t k, int32_t *labels, float *confidence) {
    TEAM_FOR (i, n) {
        size_t best = 0;
        for (size_t j = 1; j < k; j++)
            if (q[i * k + j] > q[i * k + best]) best = j;
        if (labels != NULL) labels[i] = (int32_t)best;
        if (confidence != NULL) confidence[i] = q[i * k + best];
    }
}

static size_t chunk_count(size_t n) { return (n + CHUNK_ROWS - 1) / CHUNK_ROWS; }

size_t decant__frequency_partials(size_t n, size_t k) { return chunk_count(n) * k; }

void decant__frequencies(const float *q, size_t n, size_t k, double *partial, double *f) {
    size_t chunks = chunk_count(n);
    TEAM_FOR (c, chunks) {
        double *sum = partial + c * k;
        size_t end = (c + 1) * CHUNK_ROWS < n ? (c + 1) * CHUNK_ROWS : n;
        for (size_t j = 0; j < k; j++) sum[j] = 0;
        for (size_t i = c * CHUNK_ROWS; i < end; i++)
            for (size_t j = 0; j < k; j++) sum[j] += (double)q[i * k + j];
    }
    TEAM_FOR (j, k) {
        f[j] = 0;
        for (size_t c = 0; c < chunks; c++) f[j] += partial[c * k + j];
    }
}

void decant__target(float *q, size_t n, size_t k, const double *f) {
    TEAM_FOR (i, n) {
        float *row = q + i * k;
        double sum = 0;
        for (size_t j = 0; j < k; j++) sum += f[j] > 0 ? (double)row[j] * (double)row[j] / f[j] : 0;
        for (size_t j = 0; j < k; j++)
            row[j] = f[j] > 0 ? (float)((double)row[j] * (double)row[j] / f[j] / sum) : 0;
    }
}

/* kernel_ij = weight (a+1)/a (1 + d_ij^2/a)^-1 (p_ij - q_ij), then dz_i from eq. 4. */
static double gradient_row(const float *z, size_t l, const float *mu, size_t k, double alpha,
                           const float *p, const float *q, float weight, float *kernel, float *dz) {
    double loss = 0;
    double factor = (double)weight * (alpha + 1) / alpha;
    for (size_t c = 0; c < l; c++) dz[c] = 0;
    for (size_t j = 0; j < k; j++) {
        double base = 1 + (double)squared_distance(z, mu + j * l, l) / alpha;
        kernel[j] = (float)(factor / base * ((double)p[j] - (double)q[j]));
        for (size_t c = 0; c < l; c++) dz[c] += kernel[j] * (z[c] - mu[j * l + c]);
        if (p[j] > 0) loss += (double)p[j] * decant__log((double)p[j] / fmax((double)q[j], 1e-30));
    }
    return loss;
}

/* One number of eq. 5: -sum_i kernel_i (z_i - mu). */
static float centroid_gradient(const decant__sum_tree *tree, const float *kernel, size_t k,
                               const float *z, size_t l, float mu) {
    float sum = 0, left[DECANT__SHARD_LEVELS];
    size_t depth = 0, i = 0;
    for (size_t r = 0; r < tree->runs; r++) {
        if (r > 0) left[depth++] = sum;
        for (sum = 0; i < tree->end[r]; i++) sum -= kernel[i * k] * (z[i * l] - mu);
        for (int m = 0; m < tree->merges[r]; m++) sum = left[--depth] + sum;
    }
    return sum;
}

void decant__kl_gradients(const float *z, size_t n, size_t l, const float *mu, size_t k,
                          double alpha, const float *p, const float *q, float weight,
                          const decant__sum_tree *tree, float *kernel, float *dz, float *dmu,
                          double *row_loss) {
    TEAM_FOR (i, n)
        row_loss[i] = gradient_row(z + i * l, l, mu, k, alpha, p + i * k, q + i * k, weight,
                                   kernel + i * k, dz + i * l);
    TEAM_FOR (j, k)
        for (size_t c = 0; c < l; c++)
            dmu[j * l + c] = centroid_gradient(tree, kernel + j, k, z + c, l, mu[j * l + c]);
}
