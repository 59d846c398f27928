/* A mixture of Gaussians by expectation and maximisation (Dempster, Laird and Rubin 1977):
 *
 *   E   r_ic = w_c N(x_i; m_c, C_c) / sum_c' w_c' N(x_i; m_c', C_c')
 *   M   w_c = n_c / n,  m_c = sum_i r_ic x_i / n_c,  C_c = sum_i r_ic (x_i - m_c)(x_i - m_c)^T /
 * n_c
 *
 * with n_c = sum_i r_ic, C diagonal or full, and RIDGE added to each variance, so that no component
 * collapses to a point. Densities underflow with many columns, so logarithms are used until a row
 * is scaled by its largest term (log-sum-exp). With C^-1 = F^T F, F lower triangular,
 *
 *   log N = log det F - (d log 2 pi + |F (x - m)|^2) / 2
 *
 * Both steps share one pass over the rows: the sums of M are centred at the old means, and shifted
 * to the new ones at the end. Rows are divided into parts that only depend on the shapes; each has
 * its own sums, which are added in order. Each start is a run of k-means; the one with the highest
 * likelihood is taken. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/lanes.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"
#include "cluster/kmeans.h"
#include "cluster/method.h"
#include "linalg/dense_matrix.h"
#include "linalg/small_matrix.h"

enum { CHUNK = 128, MIN_PARTS = 2, MAX_PARTS = 32, MAX_ITERATIONS = 200 };

static const double RIDGE = 1e-6, TOLERANCE = 1e-3, LOG_TWO_PI = 1.8378770664093454836;

/* Memory for the sums of all parts; smaller responsibilities do not change a sum in double. */
static const double SUM_BYTES = 256e6, MIN_SHARE = 1e-25;

typedef struct mixture {
    size_t k, d, square; /* square: numbers of a covariance, d or d * d */
    int full;
    double *weight;     /* k */
    double *mean;       /* k x d */
    double *covariance; /* k x square */
    double *factor;     /* k x square: F; diagonal: 1 / deviation */
    double *offset;     /* k: log w + log det F - d/2 log 2 pi */
} mixture;

/* Sums of one part of the rows, and scratch memory. */
typedef struct part {
    double *count;  /* k */
    double *first;  /* k x d: sum r (x - m) */
    double *second; /* k x square: sum r (x - m)(x - m)^T, lower triangle */
    double likelihood;
    double *rows;    /* CHUNK x d */
    double *centred; /* CHUNK x d: x - m */
    double *image;   /* CHUNK x d: F (x - m) */
    double *share;   /* CHUNK x k: log, then r */
} part;

typedef struct em {
    mixture m;
    size_t parts;
    part *part;
} em;

static void mixture_free(mixture *m) {
    decant__free(m->weight);
    decant__free(m->mean);
    decant__free(m->covariance);
    decant__free(m->factor);
    decant__free(m->offset);
    *m = (mixture){0};
}

static decant_status mixture_new(mixture *m, const decant_options *options, size_t d) {
    decant_status status = DECANT_OK;
    int full = options->covariance == DECANT_COVARIANCE_FULL;
    *m = (mixture){.k = options->k, .d = d, .square = full ? d * d : d, .full = full};
    NEW_ZEROED(m->weight, m->k);
    NEW_ZEROED(m->mean, m->k * d);
    NEW_ZEROED(m->covariance, m->k * m->square);
    NEW_ZEROED(m->factor, m->k * m->square);
    NEW_ZEROED(m->offset, m->k);
done:
    if (status != DECANT_OK) mixture_free(m);
    return status;
}

static void em_free(em *e) {
    for (size_t p = 0; e->part != NULL && p < e->parts; p++) {
        decant__free(e->part[p].count);
        decant__free(e->part[p].first);
        decant__free(e->part[p].second);
        decant__free(e->part[p].rows);
        decant__free(e->part[p].centred);
        decant__free(e->part[p].image);
        decant__free(e->part[p].share);
    }
    decant__free(e->part);
    mixture_free(&e->m);
    *e = (em){0};
}

static decant_status em_new(em *e, const decant_options *options, size_t n, size_t d) {
    decant_status status = DECANT_OK;
    *e = (em){0};
    TRY(mixture_new(&e->m, options, d));
    const mixture *m = &e->m;
    double fit = SUM_BYTES / (8.0 * (double)m->k * (double)(m->square + d));
    e->parts = fit > MAX_PARTS ? MAX_PARTS : fit < MIN_PARTS ? MIN_PARTS : (size_t)fit;
    if (e->parts > (n + CHUNK - 1) / CHUNK) e->parts = (n + CHUNK - 1) / CHUNK;
    NEW_ZEROED(e->part, e->parts);
    for (size_t p = 0; p < e->parts; p++) {
        part *s = &e->part[p];
        NEW_ARRAY(s->count, m->k);
        NEW_ARRAY(s->first, m->k * d);
        NEW_ARRAY(s->second, m->k * m->square);
        NEW_ARRAY(s->rows, CHUNK * d);
        NEW_ARRAY(s->centred, CHUNK * d);
        NEW_ARRAY(s->image, CHUNK * d);
        NEW_ARRAY(s->share, CHUNK * m->k);
    }
done:
    if (status != DECANT_OK) em_free(e);
    return status;
}

/* ---- densities ---- */

DECANT_CLONES
static double diagonal_square(const double *restrict x, const double *restrict mean,
                              const double *restrict factor, size_t d) {
    double sum[DOUBLE_LANES] = {0};
    LANES_FOR(DOUBLE_LANES, l, j, d, {
        double t = (x[j] - mean[j]) * factor[j];
        sum[l] += t * t;
    })
    return decant__lanes_sum_double(sum);
}

static void subtract(const double *rows, size_t count, const double *mean, size_t d, double *out) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < d; j++) out[i * d + j] = rows[i * d + j] - mean[j];
}

/* image (count x d) becomes image F^T. */
static void times_factor(const mixture *m, const double *factor, double *image, size_t count) {
    if (m->d <= DECANT__SMALL_COLUMNS)
        decant__small_times_lower_transposed(image, count, factor, m->d);
    else
        decant__dense_times_lower_transposed(image, count, factor, m->d);
}

/* share (count x k): the logarithms of w N. image: scratch, count x d. */
static void log_densities(const mixture *m, const double *rows, size_t count, double *image,
                          double *share) {
    size_t k = m->k, d = m->d;
    for (size_t c = 0; c < k; c++) {
        const double *factor = m->factor + c * m->square, *mean = m->mean + c * d;
        if (m->full) {
            subtract(rows, count, mean, d, image);
            times_factor(m, factor, image, count);
        }
        for (size_t i = 0; i < count; i++) {
            double square = 0;
            if (!m->full) {
                square = diagonal_square(rows + i * d, mean, factor, d);
            } else {
                for (size_t j = 0; j < d; j++) square += image[i * d + j] * image[i * d + j];
            }
            share[i * k + c] = m->offset[c] - 0.5 * square;
        }
    }
}

/* Softmax in place: logarithms become responsibilities that sum to 1; returns log-sum-exp. */
static double softmax(double *share, size_t k) {
    double largest = share[0];
    for (size_t c = 1; c < k; c++) largest = fmax(largest, share[c]);
    for (size_t c = 0; c < k; c++) share[c] -= largest;
    decant__exp_each(share, k);
    double sum = share[0];
    for (size_t c = 1; c < k; c++) sum += share[c];
    for (size_t c = 0; c < k; c++) share[c] /= sum;
    return largest + decant__log(sum);
}

/* ---- one pass ---- */

DECANT_CLONES
static void add_diagonal(double r, const double *restrict x, const double *restrict mean, size_t d,
                         double *restrict first, double *restrict second) {
    for (size_t j = 0; j < d; j++) {
        double t = x[j] - mean[j];
        first[j] += r * t;
        second[j] += r * t * t;
    }
}

/* Rows with a responsibility of about 0 are left out of the product; there are many if clusters are
 * well separated. */
static void add_full(const mixture *m, part *s, size_t c, size_t count) {
    size_t d = m->d, used = 0;
    const double *mean = m->mean + c * d;
    double *first = s->first + c * d;
    for (size_t i = 0; i < count; i++) {
        double r = s->share[i * m->k + c], root = sqrt(r);
        if (r < MIN_SHARE) continue;
        double *out = s->centred + used++ * d;
        for (size_t j = 0; j < d; j++) {
            double t = s->rows[i * d + j] - mean[j];
            first[j] += r * t;
            out[j] = root * t;
        }
    }
    if (m->d <= DECANT__SMALL_COLUMNS)
        decant__small_gram(s->centred, used, d, s->second + c * m->square);
    else if (used > 0)
        decant__dense_gram(s->centred, used, d, 1, s->second + c * m->square);
}

static void add_chunk(const mixture *m, part *s, size_t count) {
    size_t k = m->k, d = m->d;
    for (size_t c = 0; c < k; c++) {
        for (size_t i = 0; i < count; i++) {
            double r = s->share[i * k + c];
            s->count[c] += r;
            if (!m->full && r >= MIN_SHARE)
                add_diagonal(r, s->rows + i * d, m->mean + c * d, d, s->first + c * d,
                             s->second + c * m->square);
        }
        if (m->full) add_full(m, s, c, count);
    }
}

typedef struct em_pass {
    const em *e;
    const decant__source *x;
    const int32_t *labels; /* shares are 1 for these and 0 for others; NULL: as in E */
    decant__cancel *cancel;
} em_pass;

/* Rows begin .. end-1. */
static void pass_part(const mixture *m, const em_pass *pass, size_t begin, size_t end, part *s) {
    const decant__source *x = pass->x;
    const int32_t *labels = pass->labels;
    size_t k = m->k, d = m->d;
    memset(s->count, 0, k * sizeof *s->count);
    memset(s->first, 0, k * d * sizeof *s->first);
    memset(s->second, 0, k * m->square * sizeof *s->second);
    s->likelihood = 0;
    for (size_t at = begin; at < end && !decant__cancel_asked(pass->cancel); at += CHUNK) {
        size_t count = end - at < CHUNK ? end - at : CHUNK;
        for (size_t i = 0; i < count; i++) decant__source_row(x, at + i, s->rows + i * d);
        if (labels != NULL) {
            memset(s->share, 0, count * k * sizeof *s->share);
            for (size_t i = 0; i < count; i++) s->share[i * k + (size_t)labels[at + i]] = 1;
        } else {
            log_densities(m, s->rows, count, s->image, s->share);
            for (size_t i = 0; i < count; i++) s->likelihood += softmax(s->share + i * k, k);
        }
        add_chunk(m, s, count);
    }
}

/* ---- M ---- */

static void add_parts(em *e) {
    part *sum = &e->part[0];
    size_t k = e->m.k;
    for (size_t p = 1; p < e->parts; p++) {
        const part *s = &e->part[p];
        for (size_t c = 0; c < k; c++) sum->count[c] += s->count[c];
        for (size_t j = 0; j < k * e->m.d; j++) sum->first[j] += s->first[j];
        for (size_t j = 0; j < k * e->m.square; j++) sum->second[j] += s->second[j];
        sum->likelihood += s->likelihood;
    }
}

/* From sums centred at the old mean to the new mean and covariance. */
static void move_cluster(mixture *m, const part *sum, size_t c) {
    size_t d = m->d;
    double n = sum->count[c] + 10 * DBL_EPSILON;
    const double *first = sum->first + c * d, *second = sum->second + c * m->square;
    double *covariance = m->covariance + c * m->square;
    for (size_t i = 0; i < d; i++) {
        double step = first[i] / n;
        m->mean[c * d + i] += step;
        if (!m->full) {
            covariance[i] = fmax(second[i] / n - step * step, 0) + RIDGE;
            continue;
        }
        for (size_t j = 0; j <= i; j++)
            covariance[i * d + j] = second[i * d + j] / n - step * (first[j] / n);
        covariance[i * d + i] = fmax(covariance[i * d + i], 0) + RIDGE;
    }
}

/* C = L L^T becomes F = L^-1. */
static decant_status invert_covariance(double *factor, size_t d) {
    decant_status status = DECANT_OK;
    if (d <= DECANT__SMALL_COLUMNS) {
        TRY(decant__small_cholesky(factor, d));
        decant__small_invert_lower(factor, d);
    } else {
        TRY(decant__dense_cholesky(factor, d));
        TRY(decant__dense_invert_lower(factor, d));
    }
done:
    return status;
}

static decant_status factorise(mixture *m, size_t c) {
    decant_status status = DECANT_OK;
    size_t d = m->d;
    double *factor = m->factor + c * m->square, logarithm = 0;
    const double *covariance = m->covariance + c * m->square;
    if (m->full) {
        memcpy(factor, covariance, m->square * sizeof *factor);
        TRY(invert_covariance(factor, d));
        for (size_t j = 0; j < d; j++) logarithm += decant__log(factor[j * d + j]);
    } else {
        for (size_t j = 0; j < d; j++) {
            factor[j] = 1 / sqrt(covariance[j]);
            logarithm += decant__log(factor[j]);
        }
    }
    m->offset[c] = decant__log(m->weight[c]) + logarithm - 0.5 * (double)d * LOG_TWO_PI;
done:
    return status;
}

static void pass_parts(void *context) {
    const em_pass *p = context;
    const em *e = p->e;
    size_t n = p->x->n;
    TEAM_FOR_DYNAMIC (i, e->parts, 1)
        pass_part(&e->m, p, n * i / e->parts, n * (i + 1) / e->parts, &e->part[i]);
}

/* One pass and the step after it. *mean: the mean log likelihood of the mixture before the step. */
static decant_status em_step(em *e, const decant__task *task, const int32_t *labels, double *mean) {
    decant_status status = DECANT_OK;
    mixture *m = &e->m;
    size_t n = task->x->n;
    decant__cancel cancel;
    decant__cancel_init(&cancel, task->watch);
    em_pass pass = {e, task->x, labels, &cancel};
    decant__team_run(task->threads, pass_parts, &pass);
    if (cancel.status != DECANT_OK) return cancel.status;
    add_parts(e);
    *mean = e->part[0].likelihood / (double)n;
    for (size_t c = 0; c < m->k; c++) {
        m->weight[c] = (e->part[0].count[c] + 10 * DBL_EPSILON) / (double)n;
        move_cluster(m, &e->part[0], c);
    }
    for (size_t c = 0; c < m->k; c++) TRY(factorise(m, c));
done:
    if (status != DECANT_OK)
        return decant__fail(status,
                            "gmm: a covariance matrix has no inverse: try --covariance diag");
    return status;
}

/* EM from a partition; *likelihood is that of the mixture before the last step. */
static decant_status run_start(em *e, const decant__task *task, const int32_t *labels,
                               decant__clustering *found, double *likelihood) {
    decant_status status = DECANT_OK;
    double last, mean;
    memset(e->m.mean, 0, e->m.k * e->m.d * sizeof *e->m.mean);
    for (size_t i = 0; i < e->m.k * e->m.d; i++) e->m.mean[i] = (double)found->centroids[i];
    TRY(em_step(e, task, labels, &last));
    last = -INFINITY;
    found->converged = 0;
    for (found->iterations = 1; found->iterations <= MAX_ITERATIONS; found->iterations++) {
        TRY(decant__watch_poll(task->watch));
        TRY(em_step(e, task, NULL, &mean));
        if (fabs(mean - last) < TOLERANCE) {
            found->converged = 1;
            break;
        }
        last = mean;
    }
    *likelihood = mean;
done:
    return status;
}

void decant__gmm_size(const decant_options *options, size_t d, decant__rule *rule) {
    size_t square = options->covariance == DECANT_COVARIANCE_FULL ? d * d : d;
    rule->offsets = options->k;
    rule->numbers = options->k * (d + square);
}

/* offset: offsets; matrix: means, then factors. */
static void to_rule(const mixture *m, decant__rule *rule) {
    memcpy(rule->offset, m->offset, m->k * sizeof *rule->offset);
    memcpy(rule->matrix, m->mean, m->k * m->d * sizeof *rule->matrix);
    memcpy(rule->matrix + m->k * m->d, m->factor, m->k * m->square * sizeof *rule->matrix);
}

/* Start number s: one run of k-means, with a seed that no start of another seed uses. */
static decant_status start_labels(const decant__task *task, size_t s, decant__clustering *found) {
    decant__kmeans_info info;
    decant__kmeans_options options = {
        .k = task->options->k,
        .seeding = task->options->seeding,
        .restarts = 1,
        .iterations = task->options->kmeans_iterations,
        .tol = 1e-4,
        .seed = task->options->seed * UINT64_C(0x9E3779B97F4A7C15) + s,
        .threads = task->threads};
    return decant__kmeans_fit(task->x, &options, task->watch, found->centroids, found->labels,
                              &info);
}

decant_status decant__gmm_fit(const decant__task *task, decant__clustering *found) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, d = task->x->d, starts = task->options->restarts;
    em e = {0};
    decant__clustering trial = {0};
    double best = -INFINITY, likelihood = -INFINITY;
    TRY(decant__found_new(&trial, task->options, n, d));
    TRY(em_new(&e, task->options, n, d));
    for (size_t s = 0; s < starts; s++) {
        TRY(decant__watch_tick(task->watch, s, starts, s > 0 ? -best : (double)NAN, (double)NAN));
        TRY(start_labels(task, s, &trial));
        TRY(run_start(&e, task, trial.labels, &trial, &likelihood));
        if (!(likelihood > best)) continue;
        best = likelihood;
        to_rule(&e.m, &found->rule);
        found->iterations = trial.iterations;
        found->converged = trial.converged;
        for (size_t i = 0; i < e.m.k * d; i++) found->centroids[i] = (float)e.m.mean[i];
    }
    found->objective = -best;
    decant__assigned out = {.labels = found->labels, .confidence = found->confidence};
    TRY(decant__gmm_assign(task, &found->rule, &out));
done:
    em_free(&e);
    decant__found_free(&trial);
    return status;
}

/* ---- new rows ---- */

typedef struct assignment {
    mixture m; /* borrows from the rule */
    const decant__source *x;
    double *rows, *image, *share; /* threads x CHUNK x d, d, k */
    decant__assigned out;
    decant__cancel cancel;
} assignment;

static void score_chunk(const assignment *a, size_t first, size_t count) {
    size_t k = a->m.k, d = a->m.d, own = decant__team_member();
    double *rows = a->rows + own * CHUNK * d, *image = a->image + own * CHUNK * d;
    double *share = a->share + own * CHUNK * k;
    for (size_t i = 0; i < count; i++) decant__source_row(a->x, first + i, rows + i * d);
    log_densities(&a->m, rows, count, image, share);
    for (size_t i = 0; i < count; i++) {
        size_t best = 0;
        softmax(share + i * k, k);
        for (size_t c = 1; c < k; c++)
            if (share[i * k + c] > share[i * k + best]) best = c;
        decant__assigned out = decant__assigned_from(&a->out, first + i, k);
        if (out.labels != NULL) *out.labels = (int32_t)best;
        if (out.confidence != NULL) *out.confidence = (float)share[i * k + best];
        for (size_t c = 0; out.soft != NULL && c < k; c++) out.soft[c] = (float)share[i * k + c];
    }
}

static void assign_chunks(void *context) {
    assignment *a = context;
    size_t n = a->x->n;
    TEAM_FOR_DYNAMIC (c, (n + CHUNK - 1) / CHUNK, 1)
        if (!decant__cancel_asked(&a->cancel))
            score_chunk(a, c * CHUNK, n - c * CHUNK < CHUNK ? n - c * CHUNK : CHUNK);
}

decant_status decant__gmm_assign(const decant__task *task, const decant__rule *rule,
                                 const decant__assigned *out) {
    decant_status status = DECANT_OK;
    const decant__source *x = task->x;
    size_t k = task->options->k, d = x->d, threads = (size_t)task->threads;
    int full = task->options->covariance == DECANT_COVARIANCE_FULL;
    assignment a = {
        .m = {.k = k, .d = d, .square = full ? d * d : d, .full = full}, .x = x, .out = *out};
    a.m.offset = rule->offset;
    a.m.mean = rule->matrix;
    a.m.factor = rule->matrix + k * d;
    NEW_ARRAY(a.rows, threads * CHUNK * d);
    NEW_ARRAY(a.image, threads * CHUNK * d);
    NEW_ARRAY(a.share, threads * CHUNK * k);
    decant__cancel_init(&a.cancel, task->watch);
    decant__team_run(task->threads, assign_chunks, &a);
    TRY(a.cancel.status);
done:
    decant__free(a.rows);
    decant__free(a.image);
    decant__free(a.share);
    return status;
}
