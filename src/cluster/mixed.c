/* Within a component the kinds are independent of each other, and so are categories (a latent class
 * model: Hunt and Jorgensen, Australian & New Zealand Journal of Statistics 1999):
 *
 *   p(row) = sum_c w_c N(x; m_c, C_c) prod_j N(y_j; u_cj, v_j) prod_a s_ca(value of a)
 *
 * Smooth columns x have covariances C_c with RIDGE added to each variance. A lumpy column, whose
 * frequent value would make a component without any variance of its own, has one variance v_j for
 * all components. Shares begin as if one row had been seen that is as all rows are,
 *
 *   s_ca(v) = (sum_i r_ic [row i has v] + share of v) / (n_c + 1)
 *
 * so that no value is impossible. EM as in gmm.c, with logarithms; but rows are few, and a mixture
 * can be fitted to some of them and assign the others. */
#include "cluster/mixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "linalg/small_matrix.h"

enum { MAX_ITERATIONS = 200, MAX_VALUES = 10 };

static const double MAX_COMMON = 0.25; /* share of the rows with the same value in a column */
static const double RIDGE = 0.01, TOLERANCE = 1e-5, LOG_TWO_PI = 1.8378770664093454836;

/* ---- columns ---- */

void decant__mixed_free(decant__mixed *m) {
    decant__free(m->x);
    decant__free(m->y);
    decant__free(m->code);
    decant__free(m->first);
    decant__free(m->share);
    *m = (decant__mixed){0};
}

/* The different values of some columns. */
typedef struct value_list {
    uint16_t *code; /* n */
    size_t *row;    /* of each value, where it is first */
    size_t *count;
    size_t values, most; /* most: rows that have the commonest */
} value_list;

static void find_values(const float *x, size_t n, size_t d, size_t first, size_t width,
                        value_list *list) {
    list->values = list->most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t v = 0;
        while (v < list->values &&
               memcmp(x + i * d + first, x + list->row[v] * d + first, width * sizeof *x) != 0)
            v++;
        if (v == list->values) {
            list->row[v] = i;
            list->count[v] = 0;
            list->values++;
        }
        list->code[i] = (uint16_t)v;
        if (++list->count[v] > list->most) list->most = list->count[v];
    }
}

static void add_class(decant__mixed *m, const value_list *list, size_t d) {
    size_t a = m->classes++, begin = m->first[a];
    for (size_t i = 0; i < m->n; i++) m->code[i * d + a] = list->code[i];
    for (size_t v = 0; v < list->values; v++)
        m->share[begin + v] = (double)list->count[v] / (double)m->n;
    m->first[a + 1] = begin + list->values;
}

/* Columns are put at the places that they would have if all were of their kind. */
static void add_columns(decant__mixed *m, const float *x, size_t d, size_t first, size_t width,
                        value_list *list) {
    find_values(x, m->n, d, first, width, list);
    int common = (double)list->most > MAX_COMMON * (double)m->n;
    if (list->values < 2) return;
    if (width > 1 || (common && list->values <= MAX_VALUES)) {
        add_class(m, list, d);
        return;
    }
    double *to = common ? m->y : m->x;
    size_t at = common ? m->lumpy++ : m->smooth++;
    for (size_t i = 0; i < m->n; i++) to[i * d + at] = (double)x[i * d + first];
}

/* From rows of d places to rows of `width`. */
static void pack(double *x, size_t n, size_t d, size_t width) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < width; j++) x[i * width + j] = x[i * d + j];
}

decant_status decant__mixed_new(decant__mixed *m, const float *x, size_t n, size_t d,
                                const size_t *group) {
    decant_status status = DECANT_OK;
    value_list list = {0};
    *m = (decant__mixed){.n = n};
    NEW_ARRAY(m->x, n * d);
    NEW_ARRAY(m->y, n * d);
    NEW_ARRAY(m->code, n * d);
    NEW_ZEROED(m->first, d + 1);
    NEW_ARRAY(m->share, n * d);
    NEW_ARRAY(list.code, n);
    NEW_ARRAY(list.row, n);
    NEW_ARRAY(list.count, n);
    for (size_t j = 0, end; j < d; j = end) {
        for (end = j + 1; group != NULL && end < d && group[end] == group[j]; end++) continue;
        add_columns(m, x, d, j, end - j, &list);
    }
    pack(m->x, n, d, m->smooth);
    pack(m->y, n, d, m->lumpy);
    for (size_t i = 0; i < n; i++)
        memmove(m->code + i * m->classes, m->code + i * d, m->classes * sizeof *m->code);
done:
    decant__free(list.code);
    decant__free(list.row);
    decant__free(list.count);
    if (status != DECANT_OK) decant__mixed_free(m);
    return status;
}

/* ---- the mixture ---- */

typedef struct mixture {
    const decant__mixed *rows;
    size_t k, square; /* square: numbers of a covariance */
    decant__mixed_shape shape;
    double *count;    /* k */
    double *mean;     /* k x smooth */
    double *factor;   /* k x square: C, then F with C^-1 = F^T F; diagonal: 1 / deviation */
    double *offset;   /* k: log w + log det F + what is the same for all rows */
    double *centre;   /* k x lumpy */
    double *variance; /* lumpy */
    double *chance;   /* k x values: log s */
    double *part;     /* n x k: responsibilities */
    double *row;      /* smooth: scratch */
} mixture;

/* The next `count` numbers of a block. */
static double *take(double **at, size_t count) {
    double *from = *at;
    *at += count;
    return from;
}

/* All arrays are in one block, which begins with count. */
static decant_status mixture_new(mixture *m, const decant__mixed_request *request) {
    decant_status status = DECANT_OK;
    const decant__mixed *rows = request->rows;
    size_t k = request->k, d = rows->smooth, l = rows->lumpy;
    size_t square = request->shape.full ? d * d : d, values = rows->first[rows->classes];
    double *block = NULL;
    NEW_ARRAY(block, k * (2 + d + square + l + values + rows->n) + l + d);
    *m = (mixture){.rows = rows, .k = k, .square = square, .shape = request->shape};
    m->count = take(&block, k);
    m->offset = take(&block, k);
    m->mean = take(&block, k * d);
    m->factor = take(&block, k * square);
    m->centre = take(&block, k * l);
    m->variance = take(&block, l);
    m->chance = take(&block, k * values);
    m->part = take(&block, k * rows->n);
    m->row = take(&block, d);
done:
    return status;
}

/* ---- M ---- */

/* mean (width): of component c's rows. */
static void find_mean(const mixture *m, size_t c, const double *x, size_t width, double *mean) {
    memset(mean, 0, width * sizeof *mean);
    for (size_t i = 0; i < m->rows->n; i++) {
        double r = m->part[i * m->k + c];
        if (r == 0) continue;
        for (size_t j = 0; j < width; j++) mean[j] += r * x[i * width + j];
    }
    for (size_t j = 0; j < width; j++) mean[j] /= m->count[c];
}

/* Adds sum_i r_ic (x_i - m_c)(x_i - m_c)^T to what is there, its diagonal or its lower triangle. */
static void add_scatter(const mixture *m, size_t c, double *sum) {
    size_t d = m->rows->smooth;
    const double *mean = m->mean + c * d;
    double *t = m->row;
    for (size_t i = 0; i < m->rows->n; i++) {
        double r = m->part[i * m->k + c];
        if (r == 0) continue;
        for (size_t j = 0; j < d; j++) t[j] = m->rows->x[i * d + j] - mean[j];
        for (size_t j = 0; j < d; j++) {
            if (!m->shape.full) sum[j] += r * t[j] * t[j];
            for (size_t l = 0; m->shape.full && l <= j; l++) sum[j * d + l] += r * t[j] * t[l];
        }
    }
}

/* C becomes F; returns log det F. */
static decant_status invert(const mixture *m, double *factor, double *logarithm) {
    decant_status status = DECANT_OK;
    size_t d = m->rows->smooth;
    *logarithm = 0;
    if (m->shape.full) {
        TRY(decant__small_cholesky(factor, d));
        decant__small_invert_lower(factor, d);
    }
    for (size_t j = 0; j < d; j++) {
        double *diagonal = &factor[m->shape.full ? j * d + j : j];
        if (!m->shape.full) *diagonal = 1 / sqrt(*diagonal);
        *logarithm += decant__log(*diagonal);
    }
done:
    return status;
}

/* The covariances of all components, as factors; offset: their logarithms. */
static decant_status find_factors(mixture *m, double used) {
    decant_status status = DECANT_OK;
    size_t d = m->rows->smooth;
    memset(m->factor, 0, m->k * m->square * sizeof *m->factor);
    for (size_t c = 0; c < m->k; c++) {
        double *own = m->factor + (m->shape.tied ? 0 : c * m->square);
        find_mean(m, c, m->rows->x, d, m->mean + c * d);
        add_scatter(m, c, own);
    }
    for (size_t c = 0; c < m->k; c++) {
        double *own = m->factor + c * m->square, rows = m->shape.tied ? used : m->count[c];
        if (m->shape.tied && c > 0) {
            memcpy(own, m->factor, m->square * sizeof *own);
            m->offset[c] = m->offset[0];
            continue;
        }
        for (size_t e = 0; e < m->square; e++) own[e] /= rows;
        for (size_t j = 0; j < d; j++) own[m->shape.full ? j * d + j : j] += RIDGE;
        TRY(invert(m, own, &m->offset[c]));
    }
done:
    return status;
}

static void find_variances(mixture *m, double used) {
    const decant__mixed *rows = m->rows;
    size_t d = rows->lumpy;
    memset(m->variance, 0, d * sizeof *m->variance);
    for (size_t c = 0; c < m->k; c++) {
        const double *centre = m->centre + c * d;
        find_mean(m, c, rows->y, d, m->centre + c * d);
        for (size_t i = 0; i < rows->n; i++)
            for (size_t j = 0; j < d; j++) {
                double t = rows->y[i * d + j] - centre[j];
                m->variance[j] += m->part[i * m->k + c] * t * t;
            }
    }
    for (size_t j = 0; j < d; j++) m->variance[j] = m->variance[j] / used + RIDGE;
}

static void find_chances(mixture *m) {
    const decant__mixed *rows = m->rows;
    size_t values = rows->first[rows->classes];
    for (size_t c = 0; c < m->k; c++) {
        double *chance = m->chance + c * values;
        memcpy(chance, rows->share, values * sizeof *chance);
        for (size_t i = 0; i < rows->n; i++)
            for (size_t a = 0; a < rows->classes; a++)
                chance[rows->first[a] + rows->code[i * rows->classes + a]] += m->part[i * m->k + c];
        for (size_t v = 0; v < values; v++) chance[v] = decant__log(chance[v] / (m->count[c] + 1));
    }
}

/* From the responsibilities to the components. used: how many rows have any. */
static decant_status maximise(mixture *m, double used) {
    decant_status status = DECANT_OK;
    for (size_t c = 0; c < m->k; c++) {
        m->count[c] = 10 * DBL_EPSILON;
        for (size_t i = 0; i < m->rows->n; i++) m->count[c] += m->part[i * m->k + c];
    }
    TRY(find_factors(m, used));
    find_variances(m, used);
    find_chances(m);
    for (size_t c = 0; c < m->k; c++) {
        double same = decant__log(m->count[c] / used);
        for (size_t j = 0; j < m->rows->lumpy; j++) same -= 0.5 * decant__log(m->variance[j]);
        m->offset[c] += same - 0.5 * LOG_TWO_PI * (double)(m->rows->smooth + m->rows->lumpy);
    }
done:
    return status;
}

/* ---- E ---- */

static double log_density(const mixture *m, size_t i, size_t c) {
    const decant__mixed *rows = m->rows;
    size_t d = rows->smooth, l = rows->lumpy, values = rows->first[rows->classes];
    double sum = 0, likelihood = m->offset[c], *t = m->row;
    const double *factor = m->factor + c * m->square;
    for (size_t j = 0; j < d; j++) t[j] = rows->x[i * d + j] - m->mean[c * d + j];
    if (m->shape.full) decant__small_times_lower_transposed(t, 1, factor, d);
    for (size_t j = 0; j < d; j++) {
        double image = m->shape.full ? t[j] : t[j] * factor[j];
        sum += image * image;
    }
    for (size_t j = 0; j < l; j++) {
        double difference = rows->y[i * l + j] - m->centre[c * l + j];
        sum += difference * difference / m->variance[j];
    }
    for (size_t a = 0; a < rows->classes; a++)
        likelihood += m->chance[c * values + rows->first[a] + rows->code[i * rows->classes + a]];
    return likelihood - 0.5 * sum;
}

/* Logarithms become responsibilities that sum to 1; returns log-sum-exp. */
static double softmax(double *share, size_t k) {
    double largest = share[0], sum = 0;
    for (size_t c = 1; c < k; c++) largest = fmax(largest, share[c]);
    for (size_t c = 0; c < k; c++) share[c] -= largest;
    decant__exp_each(share, k);
    for (size_t c = 0; c < k; c++) sum += share[c];
    for (size_t c = 0; c < k; c++) share[c] /= sum;
    return largest + decant__log(sum);
}

/* The labels of all rows; responsibilities of those that are not used are 0. Returns the log
 * likelihood of those that are. */
static double expect(mixture *m, const unsigned char *used, int32_t *labels) {
    double likelihood = 0;
    for (size_t i = 0; i < m->rows->n; i++) {
        double *part = m->part + i * m->k;
        size_t best = 0;
        for (size_t c = 0; c < m->k; c++) part[c] = log_density(m, i, c);
        for (size_t c = 1; c < m->k; c++)
            if (part[c] > part[best]) best = c;
        labels[i] = (int32_t)best;
        if (used == NULL || used[i])
            likelihood += softmax(part, m->k);
        else
            memset(part, 0, m->k * sizeof *part);
    }
    return likelihood;
}

double decant__mixed_numbers(const decant__mixed *m, size_t k, decant__mixed_shape shape) {
    double d = (double)m->smooth;
    return (shape.full ? d * (d + 1) / 2 : d) * (shape.tied ? 1 : (double)k);
}

static double parameters_of(const mixture *m) {
    const decant__mixed *rows = m->rows;
    double k = (double)m->k, l = (double)rows->lumpy, d = (double)rows->smooth;
    return k - 1 + k * d + decant__mixed_numbers(rows, m->k, m->shape) + (k + 1) * l +
           k * (double)(rows->first[rows->classes] - rows->classes);
}

decant_status decant__mixed_fit(const decant__mixed_request *request, int32_t *labels,
                                double *bic) {
    decant_status status = DECANT_OK;
    mixture m = {0};
    size_t n = request->rows->n;
    double used = 0, last = -(double)INFINITY, likelihood = last;
    TRY(mixture_new(&m, request));
    memset(m.part, 0, n * m.k * sizeof *m.part);
    for (size_t i = 0; i < n; i++) {
        if (request->used != NULL && !request->used[i]) continue;
        m.part[i * m.k + (size_t)labels[i]] = 1;
        used++;
    }
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        TRY(decant__watch_poll(request->watch));
        TRY(maximise(&m, used));
        likelihood = expect(&m, request->used, labels);
        if (fabs(likelihood - last) < TOLERANCE * used) break;
        last = likelihood;
    }
    *bic = -2 * likelihood + parameters_of(&m) * decant__log(used);
done:
    decant__free(m.count);
    return status;
}
