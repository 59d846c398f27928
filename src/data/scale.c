/* The scalings. All sums are in double and go over the rows in order, so that the factors are
 * the same bytes however many threads there are.
 *
 * paper:    one factor s with mean_i ||s x_i||^2 / d = 1, i.e. s = sqrt(n d / sum x^2)
 * standard: (x - mean) / deviation of each column;  CSR: x / deviation
 * minmax:   (x - min) / (max - min) of each column; CSR: x / max |x|
 * auto:     standard or paper. One factor for all columns says that they are of one kind: pixels,
 *           word counts. Where a few columns have most of the variance, or the variance is lost
 *           beside the means, they are not, and the others would have no part in the clusters. */
#include "data/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CHUNK = 1 << 14, LANES = 8 };

/* What the scalings of columns need to know; a zero that CSR leaves out counts like any other. */
typedef struct columns {
    double *mean, *square; /* square: sum of the squared differences to the mean */
    float *least, *most;
    size_t *entries; /* CSR: values that are there */
} columns;

static void columns_free(columns *c) {
    decant__free(c->mean);
    decant__free(c->square);
    decant__free(c->least);
    decant__free(c->most);
    decant__free(c->entries);
}

/* A scale that float cannot hold is of no use: such a column counts as constant. */
static float usable(double scale) {
    float rounded = (float)scale;
    return isfinite(rounded) && rounded > 0 ? rounded : 1.0f;
}

/* Eight sums side by side, so that the compiler can vectorise without changing the order. */
static double sum_of_squares(const float *x, size_t count, double total) {
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t end = count - begin < CHUNK ? count : begin + CHUNK, i = begin;
        double lane[LANES] = {0};
        for (; i + LANES <= end; i += LANES)
            for (size_t l = 0; l < LANES; l++) lane[l] += (double)x[i + l] * (double)x[i + l];
        for (; i < end; i++) lane[0] += (double)x[i] * (double)x[i];
        for (size_t l = 0; l < LANES; l++) total += lane[l];
    }
    return total;
}

static void fit_paper(decant__scale *scale, const decant_dataset *data) {
    const float *values = data->dense != NULL ? data->dense : data->value;
    size_t count = decant_dataset_nonzeros(data), window;
    double sum = 0;
    for (size_t at = 0; at < count; at += window) {
        window = decant__dataset_window(data, at);
        sum = sum_of_squares(values + at, window, sum);
    }
    float factor = sum > 0 ? usable(sqrt((double)data->n * (double)data->d / sum)) : 1.0f;
    for (size_t j = 0; j < scale->d; j++) scale->scale[j] = factor;
}

/* ---- columns ---- */

/* Calls a function for each row, and gives back mapped rows on the way. */
static void each_row(columns *c, const decant_dataset *data,
                     void (*use)(columns *c, const float *x, size_t d)) {
    size_t d = data->d, end = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (i * d >= end) end = i * d + decant__dataset_window(data, i * d);
        use(c, data->dense + i * d, d);
    }
}

static void add_row(columns *c, const float *restrict x, size_t d) {
    double *restrict sum = c->mean;
    float *restrict least = c->least, *restrict most = c->most;
    for (size_t j = 0; j < d; j++) {
        sum[j] += (double)x[j];
        least[j] = x[j] < least[j] ? x[j] : least[j];
        most[j] = x[j] > most[j] ? x[j] : most[j];
    }
}

static void add_squares(columns *c, const float *restrict x, size_t d) {
    double *restrict square = c->square;
    const double *restrict mean = c->mean;
    for (size_t j = 0; j < d; j++) {
        double difference = (double)x[j] - mean[j];
        square[j] += difference * difference;
    }
}

static void scan_dense(columns *c, const decant_dataset *data) {
    size_t d = data->d;
    memcpy(c->least, data->dense, d * sizeof *c->least);
    memcpy(c->most, data->dense, d * sizeof *c->most);
    each_row(c, data, add_row);
    for (size_t j = 0; j < d; j++) c->mean[j] /= (double)data->n;
    each_row(c, data, add_squares);
}

static void scan_csr(columns *c, const decant_dataset *data) {
    size_t count = data->start[data->n];
    for (size_t e = 0; e < count; e++) {
        size_t j = data->column[e];
        float x = data->value[e];
        c->least[j] = c->entries[j] == 0 || x < c->least[j] ? x : c->least[j];
        c->most[j] = c->entries[j] == 0 || x > c->most[j] ? x : c->most[j];
        c->entries[j]++;
        c->mean[j] += (double)x;
    }
    for (size_t j = 0; j < data->d; j++) c->mean[j] /= (double)data->n;
    for (size_t e = 0; e < count; e++) {
        size_t j = data->column[e];
        double difference = (double)data->value[e] - c->mean[j];
        c->square[j] += difference * difference;
    }
    for (size_t j = 0; j < data->d; j++) {
        if (c->entries[j] == data->n) continue;
        c->square[j] += (double)(data->n - c->entries[j]) * c->mean[j] * c->mean[j];
        if (c->least[j] > 0) c->least[j] = 0;
        if (c->most[j] < 0) c->most[j] = 0;
    }
}

static void set_standard(decant__scale *scale, const columns *c, size_t n, int sparse) {
    for (size_t j = 0; j < scale->d; j++) {
        int constant = c->least[j] == c->most[j];
        double deviation = sqrt(c->square[j] / (double)n);
        scale->scale[j] = constant ? 1.0f : usable(1 / deviation);
        if (!sparse) scale->shift[j] = constant ? c->least[j] : (float)c->mean[j];
    }
}

static void set_minmax(decant__scale *scale, const columns *c, int sparse) {
    for (size_t j = 0; j < scale->d; j++) {
        double least = (double)c->least[j], most = (double)c->most[j];
        double range = sparse ? fmax(fabs(least), fabs(most)) : most - least;
        scale->scale[j] = range > 0 ? usable(1 / range) : 1.0f;
        if (!sparse) scale->shift[j] = c->least[j];
    }
}

static decant_status columns_new(columns *c, const decant_dataset *data) {
    decant_status status = DECANT_OK;
    NEW_ZEROED(c->mean, data->d);
    NEW_ZEROED(c->square, data->d);
    NEW_ZEROED(c->least, data->d);
    NEW_ZEROED(c->most, data->d);
    NEW_ZEROED(c->entries, data->d);
    if (data->dense == NULL)
        scan_csr(c, data);
    else
        scan_dense(c, data);
done:
    return status;
}

static decant_status fit_columns(decant__scale *scale, decant_scaling kind,
                                 const decant_dataset *data) {
    decant_status status = DECANT_OK;
    columns c = {0};
    int sparse = data->dense == NULL;
    TRY(columns_new(&c, data));
    if (kind == DECANT_SCALING_STANDARD)
        set_standard(scale, &c, data->n, sparse);
    else
        set_minmax(scale, &c, sparse);
done:
    columns_free(&c);
    return status;
}

/* ---- auto ---- */

static int is_mostly_zeros(const decant_dataset *data) {
    size_t count = data->n * data->d, zeros = 0, window;
    for (size_t at = 0; at < count; at += window) {
        window = decant__dataset_window(data, at);
        for (size_t i = 0; i < window; i++) zeros += data->dense[at + i] == 0;
    }
    return zeros > count / 2;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The middle one of the columns that vary at all. square: d, sorted after this. */
static double middle_square(double *square, size_t d) {
    size_t constant = 0;
    qsort(square, d, sizeof *square, by_size);
    while (constant < d && square[constant] == 0) constant++;
    return constant < d ? square[constant + (d - constant - 1) / 2] : 0;
}

/* Do columns that spread ten times as far as the middle one have most of the variance, or is the
 * variance less than a hundredth of the mean square? */
static int has_units(columns *c, size_t n, size_t d) {
    double means = 0, all = 0, large = 0;
    for (size_t j = 0; j < d; j++) means += (double)n * c->mean[j] * c->mean[j];
    double middle = middle_square(c->square, d);
    for (size_t j = 0; j < d; j++) {
        all += c->square[j];
        if (c->square[j] > 100 * middle) large += c->square[j];
    }
    return large > all / 2 || means > 99 * all;
}

/* Rows that are mostly zeros are counts, words or ink: a 0 means the same in all columns. */
static decant_status settle(decant_scaling *kind, const decant_dataset *data) {
    decant_status status = DECANT_OK;
    columns c = {0};
    *kind = DECANT_SCALING_PAPER;
    if (data->dense == NULL || is_mostly_zeros(data)) return DECANT_OK;
    TRY(columns_new(&c, data));
    if (has_units(&c, data->n, data->d)) *kind = DECANT_SCALING_STANDARD;
done:
    columns_free(&c);
    return status;
}

/* ---- scale and scaled ---- */

decant_status decant__scale_fit(decant__scale *scale, decant_scaling kind,
                                const decant_dataset *data) {
    decant_status status = DECANT_OK;
    decant__scale fitted = {.d = data->d};
    NEW_ZEROED(fitted.shift, data->d);
    NEW_ARRAY(fitted.scale, data->d);
    for (size_t j = 0; j < data->d; j++) fitted.scale[j] = 1.0f;
    if (kind == DECANT_SCALING_AUTO) TRY(settle(&kind, data));
    fitted.kind = kind;
    switch (kind) {
        case DECANT_SCALING_NONE:
            break;
        case DECANT_SCALING_PAPER:
            fit_paper(&fitted, data);
            break;
        case DECANT_SCALING_STANDARD:
        case DECANT_SCALING_MINMAX:
            TRY(fit_columns(&fitted, kind, data));
            break;
        default:
            TRY(decant__fail(DECANT_EINVAL, "there is no scaling number %d", (int)kind));
    }
    *scale = fitted;
    fitted = (decant__scale){0};
done:
    decant__scale_free(&fitted);
    return status;
}

void decant__scale_free(decant__scale *scale) {
    decant__free(scale->shift);
    decant__free(scale->scale);
    *scale = (decant__scale){0};
}

/* Whether the scaling leaves everything as it is, so that rows need not be copied. */
static int is_identity(const decant__scale *scale) {
    for (size_t j = 0; j < scale->d; j++)
        if (scale->shift[j] != 0.0f || scale->scale[j] != 1.0f) return 0;
    return 1;
}

decant_status decant__scaled_new(decant__scaled *scaled, const decant__scale *scale,
                                 const decant_dataset *data) {
    decant_status status = DECANT_OK;
    float *values = NULL;
    if (scale->d != data->d)
        return decant__fail(DECANT_EINVAL, "expected rows of %zu columns, found %zu", scale->d,
                            data->d);
    int identity = is_identity(scale), sparse = data->dense == NULL;
    if (sparse && !identity) {
        size_t count = data->start[data->n + data->extra];
        NEW_ARRAY(values, count);
        for (size_t e = 0; e < count; e++)
            values[e] = data->value[e] * scale->scale[data->column[e]];
    }
    *scaled = (decant__scaled){.source = {.n = data->n,
                                          .d = data->d,
                                          .dense = data->dense,
                                          .start = data->start,
                                          .column = data->column,
                                          .value = values != NULL ? values : data->value},
                               .values = values};
    if (!sparse && !identity) {
        scaled->source.shift = scale->shift;
        scaled->source.scale = scale->scale;
    }
done:
    return status;
}

void decant__scaled_free(decant__scaled *scaled) {
    decant__free(scaled->values);
    *scaled = (decant__scaled){0};
}
