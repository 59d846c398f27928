/* The scalings. All sums are in double and go over the rows in order, so that the factors are
 * the same bytes however many threads there are (scan.c).
 *
 * paper:    one factor s with mean_i ||s x_i||^2 / d = m, i.e. s = sqrt(m n d / sum x^2); m is 1 in
 *           the paper's text
 * standard: (x - mean) / deviation of each column;  CSR: x / deviation
 * minmax:   (x - min) / (max - min) of each column; CSR: x / max |x|
 * counts:   y = ln(1 + 10000 x / sum of the row), then one factor as for paper (counts.h)
 * auto:     counts, standard or paper. Sparse rows are counts if they look like it. One factor for
 * all columns says that they are of one kind: pixels, word counts. Where a few columns have most of
 * the variance, many have next to none in all of their range, or the variance is lost beside the
 * means, they are not, and the others would have no part in the clusters. Principal components are
 * of one kind whatever their variances. */
#include "data/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/counts.h"

_Static_assert(DECANT__GRADIENT_NUMBERS <= (int)DECANT__MAX_MADE, "rows that are made fit");

/* A scale that float cannot hold is of no use: such a column counts as constant. */
static float usable(double scale) {
    float rounded = (float)scale;
    return isfinite(rounded) && rounded > 0 ? rounded : 1.0f;
}

/* sum: of x^2 over all values. */
static void set_paper(decant__scale *scale, double mean_square, double sum, size_t n) {
    double numbers = (double)n * (double)scale->inputs;
    float factor = sum > 0 ? usable(sqrt(mean_square * numbers / sum)) : 1.0f;
    for (size_t j = 0; j < scale->inputs; j++) scale->scale[j] = factor;
}

static void set_standard(decant__scale *scale, const decant__summary *found, const double *square,
                         size_t n, int sparse) {
    for (size_t j = 0; j < scale->d; j++) {
        int constant = found->min[j] == found->max[j];
        double deviation = sqrt(square[j] / (double)n);
        scale->scale[j] = constant ? 1.0f : usable(1 / deviation);
        if (!sparse)
            scale->shift[j] = constant ? found->min[j] : (float)(found->sum[j] / (double)n);
    }
}

static void set_minmax(decant__scale *scale, const decant__summary *found, int sparse) {
    for (size_t j = 0; j < scale->d; j++) {
        double min = (double)found->min[j], max = (double)found->max[j];
        double range = sparse ? fmax(fabs(min), fabs(max)) : max - min;
        scale->scale[j] = range > 0 ? usable(1 / range) : 1.0f;
        if (!sparse) scale->shift[j] = found->min[j];
    }
}

/* ---- auto ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the columns that vary at all. square: d, sorted after this. */
static double median_square(double *square, size_t d) {
    size_t constant = 0;
    qsort(square, d, sizeof *square, by_size);
    while (constant < d && square[constant] == 0) constant++;
    return constant < d ? square[constant + (d - constant - 1) / 2] : 0;
}

static double mean_of(const decant__summary *found, size_t n, size_t j) {
    return found->sum[j] / (double)n;
}

/* Do the columns look like principal components, perhaps of other rows: means near 0, and variances
 * that fall? Each is compared with that at half its place: neighbours may be close, and a few
 * columns fall by chance. To scale each of them would make the last, which are noise, as large as
 * the first. */
static int are_components(const decant__summary *found, const double *square, size_t n, size_t d) {
    if (d < 5) return 0;
    for (size_t j = 0; j < d; j++) {
        double mean = mean_of(found, n, j);
        if ((double)n * mean * mean > 0.01 * square[j]) return 0;
        if (square[j] > 1.1 * square[j / 2]) return 0;
    }
    return 1;
}

/* Has a fifth of the columns that vary no more than half of a typical deviation between its least
 * and its largest number? A pixel at the margin spreads little, too, but now and then it is as
 * large as any other. */
static int has_narrow_columns(const decant__summary *found, const double *square, size_t n,
                              size_t d) {
    size_t varying = 0, narrow = 0;
    double all = 0;
    for (size_t j = 0; j < d; j++) {
        varying += square[j] > 0;
        all += square[j];
    }
    for (size_t j = 0; j < d; j++) {
        double range = (double)found->max[j] - (double)found->min[j];
        narrow += square[j] > 0 && 4 * range * range * (double)(n * varying) < all;
    }
    return narrow > 0 && 5 * narrow >= varying;
}

/* Do columns that spread ten times as far as the median one have most of the variance, or is the
 * variance less than a hundredth of the mean square? square: d, sorted after this. */
static int has_large_columns(const decant__summary *found, double *square, size_t n, size_t d) {
    double means = 0, all = 0, large = 0;
    for (size_t j = 0; j < d; j++) {
        double mean = mean_of(found, n, j);
        means += (double)n * mean * mean;
    }
    double median = median_square(square, d);
    for (size_t j = 0; j < d; j++) {
        all += square[j];
        if (square[j] > 100 * median) large += square[j];
    }
    return large > all / 2 || means > 99 * all;
}

/* square: d, sorted after this. */
static int has_units(const decant__summary *found, double *square, size_t n, size_t d) {
    if (are_components(found, square, n, d)) return 0;
    return has_narrow_columns(found, square, n, d) || has_large_columns(found, square, n, d);
}

/* ---- counts ---- */

static size_t row_begin(const decant_dataset *data, size_t i) {
    return data->dense != NULL ? i * data->d : data->start[i];
}

/* Row i as ln(1 + 10000 x / sum). y: as many numbers as the row has. */
static decant_status take_row_logs(const decant_dataset *data, size_t i, float *y) {
    size_t begin = row_begin(data, i), count = row_begin(data, i + 1) - begin;
    const float *x = (data->dense != NULL ? data->dense : data->value) + begin;
    if (data->dense != NULL && !decant__layout_is_plain(data->layout)) {
        decant__layout_copy(data->dense, data->layout, data->d, begin, count, y);
        x = y;
    }
    decant_status status = decant__counts_row(x, count, y);
    if (status != DECANT_OK) {
        char row[32];
        snprintf(row, sizeof row, "row %zu", data->share.first + i);
        return decant__fail_in(status, row);
    }
    return DECANT_OK;
}

/* All rows, also the extra ones. y: as many numbers as the data has. */
static decant_status take_logs(const decant_dataset *data, float *y) {
    decant_status status = DECANT_OK;
    for (size_t i = 0; i < data->n + data->extra; i++)
        TRY(take_row_logs(data, i, y + row_begin(data, i)));
    TRY(decant__row_file_check(data->layout.file));
done:
    return status;
}

/* The squares of all ranks, as one chain. */
typedef struct log_squares {
    const decant_dataset *data;
    float *row; /* d */
    double sum;
} log_squares;

static decant_status add_log_squares(void *context) {
    log_squares *s = context;
    const decant_dataset *data = s->data;
    decant_status status = DECANT_OK;
    for (size_t i = 0; i < data->n; i++) {
        size_t count = row_begin(data, i + 1) - row_begin(data, i);
        TRY(take_row_logs(data, i, s->row));
        for (size_t e = 0; e < count; e++) s->sum += (double)s->row[e] * (double)s->row[e];
    }
    TRY(decant__row_file_check(data->layout.file));
done:
    return status;
}

static decant_status set_counts(decant__scale *scale, double mean_square,
                                const decant_dataset *data) {
    decant_status status = DECANT_OK;
    log_squares s = {.data = data};
    NEW_ARRAY(s.row, data->d);
    const decant__relay relay = {
        .work = add_log_squares, .context = &s, .piece = {{&s.sum, sizeof s.sum}}};
    TRY(decant__comm_relay(decant__dataset_comm(data), &relay));
    scale->kind = DECANT_SCALING_COUNTS;
    set_paper(scale, mean_square, s.sum, decant__dataset_all(data));
done:
    decant__free(s.row);
    return decant__comm_agree(decant__dataset_comm(data), status);
}

/* ---- scale and scaled ---- */

unsigned decant__scale_needs(decant_scaling kind) {
    int columns = kind == DECANT_SCALING_AUTO || kind == DECANT_SCALING_STANDARD ||
                  kind == DECANT_SCALING_MINMAX;
    return columns ? DECANT__SCAN_COLUMNS : 0;
}

/* auto and standard: looks at the rows a second time, and decides for auto. Rows that are mostly
 * zeros are counts, words or ink: a 0 means the same in all columns. The recipe of a table has
 * weighed its columns: a rare category spreads little, and must not count as much as a number. */
static decant_status fit_by_spread(decant__scale *scale, decant__scaling wanted,
                                   const decant_dataset *data, const decant__summary *found,
                                   int threads, const decant__watch *watch) {
    decant_status status = DECANT_OK;
    double *square = NULL, *sorted = NULL;
    size_t d = data->d;
    size_t n = decant__dataset_all(data);
    int sparse = data->dense == NULL, automatic = wanted.kind == DECANT_SCALING_AUTO;
    if (automatic && sparse && decant__counts_recognise(data))
        return set_counts(scale, wanted.mean_square, data);
    int recipe = data->table != NULL && !data->table->plain;
    if (automatic && (sparse || recipe || found->zeros > n * d / 2)) {
        scale->kind = DECANT_SCALING_PAPER;
        set_paper(scale, wanted.mean_square, found->squares, n);
        return DECANT_OK;
    }
    NEW_ARRAY(square, d);
    NEW_ARRAY(sorted, d);
    TRY(decant__scan_squares(data, found, threads, watch, square));
    memcpy(sorted, square, d * sizeof *square);
    scale->kind = automatic && !has_units(found, sorted, n, d) ? DECANT_SCALING_PAPER
                                                               : DECANT_SCALING_STANDARD;
    if (scale->kind == DECANT_SCALING_PAPER)
        set_paper(scale, wanted.mean_square, found->squares, n);
    else
        set_standard(scale, found, square, n, sparse);
done:
    decant__free(square);
    decant__free(sorted);
    return status;
}

decant_status decant__scale_fit(decant__scale *scale, decant__scaling wanted,
                                const decant_dataset *data, const decant__summary *found,
                                int threads, const decant__watch *watch) {
    decant_status status = DECANT_OK;
    decant__scale fitted = {.d = data->d, .inputs = data->d, .kind = wanted.kind};
    NEW_ZEROED(fitted.shift, data->d);
    NEW_ARRAY(fitted.scale, data->d);
    for (size_t j = 0; j < data->d; j++) fitted.scale[j] = 1.0f;
    switch (wanted.kind) {
        case DECANT_SCALING_NONE:
            break;
        case DECANT_SCALING_PAPER:
            set_paper(&fitted, wanted.mean_square, found->squares, decant__dataset_all(data));
            break;
        case DECANT_SCALING_AUTO:
        case DECANT_SCALING_STANDARD:
            TRY(fit_by_spread(&fitted, wanted, data, found, threads, watch));
            break;
        case DECANT_SCALING_MINMAX:
            set_minmax(&fitted, found, data->dense == NULL);
            break;
        case DECANT_SCALING_COUNTS:
            TRY(set_counts(&fitted, wanted.mean_square, data));
            break;
        case DECANT_SCALING_GRADIENTS:
            TRY(decant__fail(DECANT_EINVAL, "scaling gradients is for methods with a network"));
            break;
        default:
            TRY(decant__fail(DECANT_EINVAL, "there is no scaling number %d", (int)wanted.kind));
    }
    *scale = fitted;
    fitted = (decant__scale){0};
done:
    decant__scale_free(&fitted);
    return status;
}

decant_status decant__scale_gradients(decant__scale *scale, const decant__gradients *gradients,
                                      double mean_square, const float *sample, size_t n) {
    decant_status status = DECANT_OK;
    float row[DECANT__GRADIENT_NUMBERS];
    double sum = 0;
    decant__scale made = {.d = scale->d,
                          .inputs = DECANT__GRADIENT_NUMBERS,
                          .kind = DECANT_SCALING_GRADIENTS,
                          .gradients = *gradients};
    NEW_ZEROED(made.shift, made.inputs);
    NEW_ARRAY(made.scale, made.inputs);
    for (size_t i = 0; i < n; i++) {
        decant__gradients_make(gradients, sample + i * scale->d, row);
        for (size_t j = 0; j < made.inputs; j++) sum += (double)row[j] * (double)row[j];
    }
    set_paper(&made, mean_square, sum, n);
    decant__scale_free(scale);
    *scale = made;
    made = (decant__scale){0};
done:
    decant__scale_free(&made);
    return status;
}

void decant__scale_free(decant__scale *scale) {
    decant__free(scale->shift);
    decant__free(scale->scale);
    *scale = (decant__scale){0};
}

/* Whether the scaling leaves everything as it is, so that rows need not be copied. */
static int is_identity(const decant__scale *scale) {
    if (scale->kind == DECANT_SCALING_COUNTS) return 0;
    for (size_t j = 0; j < scale->inputs; j++)
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
    if (sparse && scale->kind == DECANT_SCALING_GRADIENTS)
        return decant__fail(DECANT_EINVAL, "images must be dense rows, and these are sparse");
    int counts = scale->kind == DECANT_SCALING_COUNTS;
    if (counts || (sparse && !identity)) {
        size_t count = row_begin(data, data->n + data->extra);
        NEW_ARRAY(values, count);
        const float *from = counts ? values : data->value;
        if (counts) TRY(take_logs(data, values));
        for (size_t e = 0; sparse && e < count; e++)
            values[e] = from[e] * scale->scale[data->column[e]];
    }
    *scaled = (decant__scaled){.source = {.n = data->n,
                                          .d = scale->inputs,
                                          .dense = data->dense,
                                          .layout = data->layout,
                                          .start = data->start,
                                          .column = data->column,
                                          .value = values != NULL ? values : data->value},
                               .values = values};
    values = NULL;
    if (!sparse && counts) {
        scaled->source.dense = scaled->values;
        scaled->source.layout = (decant__layout){0};
    }
    if (scale->kind == DECANT_SCALING_GRADIENTS)
        scaled->source.map = (decant__row_map){decant__gradients_make, &scale->gradients, scale->d};
    if (!sparse && !identity) {
        scaled->source.shift = scale->shift;
        scaled->source.scale = scale->scale;
    }
done:
    decant__free(values);
    return status;
}

decant_status decant__scaled_compact(decant__scaled *scaled) {
    decant_status status = DECANT_OK;
    decant__source *source = &scaled->source;
    if (decant__layout_is_plain(source->layout)) return DECANT_OK;
    NEW_ARRAY(scaled->values, source->n * source->d);
    decant__layout_copy(source->dense, source->layout, source->d, 0, source->n * source->d,
                        scaled->values);
    TRY(decant__row_file_check(source->layout.file));
    source->dense = scaled->values;
    source->layout = (decant__layout){0};
done:
    return status;
}

void decant__scaled_free(decant__scaled *scaled) {
    decant__free(scaled->values);
    *scaled = (decant__scaled){0};
}
