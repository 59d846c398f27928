#include "dec/whiten.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "linalg/symmetric.h"

/* A variance below this share of the largest counts as that share: avoids huge factors. */
static const double FLOOR = 1e-6;

static void mean_and_covariance(const float *z, size_t n, size_t l, double *mean, double *c) {
    memset(mean, 0, l * sizeof *mean);
    memset(c, 0, l * l * sizeof *c);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < l; a++) mean[a] += (double)z[i * l + a] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const float *row = z + i * l;
        for (size_t a = 0; a < l; a++) {
            double centred = ((double)row[a] - mean[a]) / (double)n;
            for (size_t b = 0; b <= a; b++) c[a * l + b] += centred * ((double)row[b] - mean[b]);
        }
    }
    for (size_t a = 0; a < l; a++)
        for (size_t b = 0; b < a; b++) c[b * l + a] = c[a * l + b];
}

/* out = U diag(factor) U^T; vectors has the eigenvectors as rows. */
static void compose(const double *vectors, const double *factor, size_t l, double *out) {
    for (size_t a = 0; a < l; a++)
        for (size_t b = 0; b < l; b++) {
            double sum = 0;
            for (size_t e = 0; e < l; e++)
                sum += factor[e] * vectors[e * l + a] * vectors[e * l + b];
            out[a * l + b] = sum;
        }
}

/* Scale factors of the eigenvectors, and their inverses. All are 1 if there is no variance. */
static void choose_factors(const double *variance, size_t l, double strength, double *factor,
                           double *inverse) {
    double largest = variance[l - 1], mean = 0;
    for (size_t e = 0; e < l; e++) {
        double v = fmax(variance[e], FLOOR * largest);
        factor[e] = largest > 0 ? decant__pow(v, -strength / 2) : 1;
        mean += factor[e] * factor[e] * fmax(variance[e], 0) / (double)l;
    }
    double scale = mean > 0 ? 1 / sqrt(mean) : 1;
    for (size_t e = 0; e < l; e++) {
        factor[e] *= scale;
        inverse[e] = 1 / factor[e];
    }
}

/* The encoder's last layer: W <- W A, b <- (b - m) A. */
static void change_encoder(const decant__layer *layer, const double *mean, const double *a,
                           double *row, float *params) {
    size_t l = layer->out;
    for (size_t i = 0; i <= layer->in; i++) {
        float *weights = params + (i < layer->in ? layer->weight + i * l : layer->bias);
        for (size_t c = 0; c < l; c++) row[c] = (double)weights[c] - (i == layer->in ? mean[c] : 0);
        for (size_t c = 0; c < l; c++) {
            double sum = 0;
            for (size_t e = 0; e < l; e++) sum += row[e] * a[e * l + c];
            weights[c] = (float)sum;
        }
    }
}

/* The decoder's first layer: b <- b + m W, W <- A^-1 W. It may be its last, stored by column. */
static void change_decoder(const decant__layer *layer, const double *mean, const double *inverse,
                           double *column, float *params) {
    size_t l = layer->in, step = layer->sample > 0 ? 1 : layer->out;
    for (size_t j = 0; j < layer->out; j++) {
        float *weights = params + layer->weight + j * (layer->sample > 0 ? l : 1);
        double shift = 0;
        for (size_t c = 0; c < l; c++) {
            column[c] = (double)weights[c * step];
            shift += mean[c] * column[c];
        }
        params[layer->bias + j] += (float)shift;
        for (size_t c = 0; c < l; c++) {
            double sum = 0;
            for (size_t e = 0; e < l; e++) sum += inverse[c * l + e] * column[e];
            weights[c * step] = (float)sum;
        }
    }
}

decant_status decant__whiten(const decant__autoencoder *plan, const float *z, size_t n,
                             double strength, float *params) {
    decant_status status = DECANT_OK;
    const decant__layer *encoder = &plan->net.layer[plan->depth - 1];
    size_t l = encoder->out;
    double *mean = NULL, *vectors = NULL, *matrix = NULL;
    NEW_ARRAY(mean, 5 * l);
    NEW_ARRAY(vectors, l * l);
    NEW_ARRAY(matrix, l * l);
    double *variance = mean + l, *factor = mean + 2 * l, *inverse = mean + 3 * l;
    double *row = mean + 4 * l;
    mean_and_covariance(z, n, l, mean, vectors);
    TRY(decant__symmetric_eigen(vectors, l, variance));
    choose_factors(variance, l, strength, factor, inverse);
    compose(vectors, factor, l, matrix);
    change_encoder(encoder, mean, matrix, row, params);
    compose(vectors, inverse, l, matrix);
    change_decoder(&plan->net.layer[plan->depth], mean, matrix, row, params);
done:
    decant__free(mean);
    decant__free(vectors);
    decant__free(matrix);
    return status;
}
