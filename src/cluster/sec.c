/* SEC, spectral embedded clustering (Nie, Zeng, Tsang, Xu and Zhang, IEEE TNN 22, 2011): clusters
 * that fit a graph and can be predicted by a linear map,
 *
 *   min tr(F^T L F) + mu (||X W + 1 b^T - F||^2 + gamma ||W||^2),   F^T F = I
 *
 * With X centred, W = (X^T X + gamma I)^-1 X^T F, and what is left is the k smallest eigenvectors
 * of
 *
 *   L + mu L_g,   L_g = H - X (X^T X + gamma I)^-1 X^T,   H = I - 1 1^T / n.
 *
 * L is that of normalised cuts, or lambda times LDMGI's (laplacian.h). The
 * eigenvectors come from
 *
 *  - Lanczos on the whole matrix, a product costing O(n d + links);
 *  - if mu is large compared to |L|, a problem of d + 1 dimensions (sec_reduced.c).
 *
 * With skip-constant there is one condition more, F^T 1 = 0: with P = I - 1 1^T / n the matrix is
 * that of P (...) P. With the local Laplacian, for which the constant vector is the first one, that
 * leaves it out.
 *
 * A new row is assigned to the largest entry of the linear map after the rotation: docs/format.md.
 */
#include "cluster/sec.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "cluster/discretise.h"
#include "cluster/laplacian.h"
#include "linalg/dense_matrix.h"
#include "linalg/eigen.h"

/* A graph with many components has as many eigenvalues that are almost equal if mu is small: then
 * the vectors are nearly arbitrary, and after PATIENCE products the tolerance is LOOSE. */
static const double TOLERANCE = 1e-8, LOOSE = 1e-6, LARGE_MU = 10;
enum { PATIENCE = 5000, MAX_PRODUCTS = 100000, BASIS = 60 };

static void sec_free(decant__sec *s) {
    decant__csr_free(&s->matrix);
    decant__tall_free(&s->tall);
    decant__free(s->mean);
    decant__free(s->gram);
    decant__free(s->factor);
    decant__free(s->u);
    decant__free(s->t);
    decant__free(s->centred);
}

static decant_status make_laplacian(decant__sec *s) {
    const decant_options *options = s->task->options;
    if (options->laplacian == DECANT_LAPLACIAN_GAUSSIAN) {
        s->shift = 1;
        s->sign = -1;
        s->bound = 2;
        s->typical = 1;
        return decant__laplacian_gaussian(s->task->graph, &s->matrix, s->t);
    }
    decant_status status =
        decant__laplacian_local(s->task, s->task->graph->count, options->lambda, &s->matrix);
    if (status != DECANT_OK) return status;
    double scale = options->lambda / (1 + options->lambda);
    for (size_t e = 0; e < s->matrix.start[s->n]; e++) s->matrix.value[e] *= scale;
    s->shift = 0;
    s->sign = 1;
    s->bound = decant__csr_bound(&s->matrix);
    s->typical = decant__csr_trace(&s->matrix) / (double)s->n;
    return DECANT_OK;
}

static decant_status make_map(decant__sec *s) {
    decant_status status = DECANT_OK;
    size_t d = s->d;
    double n = (double)s->n, gamma = s->task->options->gamma;
    for (size_t i = 0; i < s->n; i++) s->t[i] = 1 / n;
    decant__tall_transposed_times(&s->tall, s->t, 1, s->mean);
    TRY(s->cancel.status);
    TRY(decant__tall_gram(&s->tall, s->gram));
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) s->gram[i * d + j] -= n * s->mean[i] * s->mean[j];
    memcpy(s->factor, s->gram, d * d * sizeof *s->factor);
    for (size_t j = 0; j < d; j++) s->factor[j * d + j] += gamma;
    if (decant__dense_cholesky(s->factor, d) != DECANT_OK)
        return decant__fail(DECANT_EINVAL,
                            "sec: columns depend on each other, so gamma must be larger than %g",
                            gamma);
done:
    return status;
}

static decant_status sec_new(decant__sec *s, const decant__task *task) {
    decant_status status = DECANT_OK;
    *s = (decant__sec){.task = task, .n = task->x->n, .d = task->x->d, .k = task->options->k};
    NEW_ARRAY(s->mean, s->d);
    NEW_ARRAY(s->gram, s->d * s->d);
    NEW_ARRAY(s->factor, s->d * s->d);
    NEW_ARRAY(s->u, s->d);
    NEW_ARRAY(s->t, s->n);
    if (task->options->skip_constant) NEW_ARRAY(s->centred, s->n);
    decant__cancel_init(&s->cancel, task->watch);
    TRY(decant__tall_new(&s->tall, task->x, DECANT__SEC_BLOCK, task->threads));
    s->tall.cancel = &s->cancel;
    TRY(make_laplacian(s));
    TRY(make_map(s));
done:
    return status;
}

static double sum_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* Operands of add_terms, which is a part of apply_sec. */
typedef struct sec_product {
    const decant__sec *s;
    const double *x;
    double *y;
    double mu, mean, lift; /* mean: of x */
} sec_product;

static void add_terms(void *context) {
    const sec_product *p = context;
    const decant__sec *s = p->s;
    const double *x = p->x;
    double *y = p->y;
    decant__csr_multiply(&s->matrix, x, 1, y);
    TEAM_FOR (i, s->n)
        y[i] = ((s->bound - s->shift) * x[i] - s->sign * y[i] +
                p->mu * (p->mean + s->t[i] - p->lift)) /
               (s->bound + p->mu);
}

/* out = x - mean(x); out may be x. */
static void centre(const double *x, size_t n, double *out) {
    double mean = sum_of(x, n) / (double)n;
    for (size_t i = 0; i < n; i++) out[i] = x[i] - mean;
}

/* y = ((bound - L) + mu (I - L_g)) x / (bound + mu): the small end of L + mu L_g becomes the large
 * end, at most 1. I - L_g = 1 1^T / n + X (X^T X + gamma I)^-1 X^T. With P on both sides constant
 * vectors are at 0, the far end. */
static void apply_sec(void *matrix, const double *x, double *y) {
    decant__sec *s = matrix;
    if (s->centred != NULL) {
        centre(x, s->n, s->centred);
        x = s->centred;
    }
    double mu = s->task->options->mu, sum = sum_of(x, s->n), n = (double)s->n, lift = 0;
    decant__tall_transposed_times(&s->tall, x, 1, s->u);
    for (size_t j = 0; j < s->d; j++) s->u[j] -= sum * s->mean[j];
    decant__dense_solve(s->factor, s->d, s->u);
    for (size_t j = 0; j < s->d; j++) lift += s->mean[j] * s->u[j];
    decant__tall_times(&s->tall, s->u, 1, s->t);
    sec_product product = {s, x, y, mu, sum / n, lift};
    decant__team_run(s->task->threads, add_terms, &product);
    if (s->centred != NULL) centre(y, s->n, y);
}

static decant_status solve_whole(decant__sec *s, double *values, double *vectors,
                                 decant__clustering *found) {
    decant_status status = DECANT_OK;
    decant__eigen_info info;
    decant__eigen eigen = {.n = s->n,
                           .k = s->k,
                           .end = DECANT__END_LARGEST,
                           .apply = apply_sec,
                           .matrix = s,
                           .tol = TOLERANCE,
                           .basis = BASIS,
                           .loose = LOOSE,
                           .patience = PATIENCE,
                           .max = MAX_PRODUCTS,
                           .seed = s->task->options->seed};
    s->tall.cancel = NULL; /* ARPACK has a thread of its own; the watcher is heard meanwhile */
    status = decant__eigen_solve(&eigen, s->task->watch, values, vectors, &info);
    s->tall.cancel = &s->cancel;
    TRY(status);
    for (size_t j = 0; j < s->k; j++)
        values[j] = (s->bound + s->task->options->mu) * (1 - values[j]);
    found->iterations = info.products;
    found->residual = info.loose;
done:
    return status;
}

/* ---- fit and assignment ---- */

void decant__sec_size(const decant_options *options, size_t d, decant__rule *rule) {
    rule->offsets = options->k;
    rule->numbers = d * options->k;
}

/* W = (X^T X + gamma I)^-1 X^T F and b = F^T 1 / n - W^T mean, then the linear step from a row of F
 * to the scores of the clusters. */
static decant_status fit_rule(decant__sec *s, const double *vectors, const double *linear,
                              decant__rule *rule) {
    decant_status status = DECANT_OK;
    size_t d = s->d, k = s->k, n = s->n;
    double *map = NULL, *offset = NULL;
    NEW_ARRAY(map, d * k);
    NEW_ARRAY(offset, k);
    for (size_t c = 0; c < k; c++) {
        double sum = sum_of(vectors + c * n, n);
        decant__tall_transposed_times(&s->tall, vectors + c * n, 1, s->u);
        TRY(s->cancel.status);
        for (size_t j = 0; j < d; j++) s->u[j] -= sum * s->mean[j];
        decant__dense_solve(s->factor, d, s->u);
        offset[c] = sum / (double)n;
        for (size_t j = 0; j < d; j++) {
            map[j * k + c] = s->u[j];
            offset[c] -= s->u[j] * s->mean[j];
        }
    }
    decant__dense_view step = {linear, k, 0};
    memcpy(rule->offset, linear + k * k, k * sizeof *rule->offset);
    decant__dense_product(d, k, k, 1, (decant__dense_view){map, k, 0}, step, 0, rule->matrix);
    decant__dense_product(1, k, k, 1, (decant__dense_view){offset, k, 0}, step, 1, rule->offset);
done:
    decant__free(map);
    decant__free(offset);
    return status;
}

decant_status decant__sec_fit(const decant__task *task, decant__clustering *found) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k;
    decant__sec s = {0};
    double *vectors = NULL, *linear = NULL;
    if (task->options->skip_constant && k >= n)
        return decant__fail(DECANT_EINVAL,
                            "%zu eigenvectors are needed beside the constant one, but there are "
                            "only %zu rows: use a smaller k",
                            k, n);
    TRY(sec_new(&s, task));
    NEW_ARRAY(vectors, k * n);
    NEW_ARRAY(linear, k * k + k);
    int large = task->options->mu >= LARGE_MU * s.bound / 2 && k <= s.d && n > s.d;
    if (large)
        TRY(decant__sec_solve_reduced(&s, found->eigenvalues, vectors));
    else
        TRY(solve_whole(&s, found->eigenvalues, vectors, found));
    found->eigenvalue_count = k;
    TRY(decant__discretise(task, vectors, 0, found, linear));
    TRY(fit_rule(&s, vectors, linear, &found->rule));
    TRY(decant__found_average(task, found));
done:
    sec_free(&s);
    decant__free(vectors);
    decant__free(linear);
    return status;
}

/* Label: the largest score. Soft: squares of the positive scores, scaled to sum 1; all the same
 * where no score is positive. */
static void label_by_score(const double *score, size_t k, const decant__assigned *out) {
    size_t best = 0;
    double sum = 0;
    for (size_t c = 0; c < k; c++) {
        double positive = fmax(score[c], 0);
        sum += positive * positive;
        if (score[c] > score[best]) best = c;
    }
    if (out->labels != NULL) *out->labels = (int32_t)best;
    if (out->confidence != NULL)
        *out->confidence =
            (float)(score[best] > 0 ? score[best] * score[best] / sum : 1 / (double)k);
    for (size_t c = 0; out->soft != NULL && c < k; c++) {
        double positive = fmax(score[c], 0);
        out->soft[c] = (float)(score[best] > 0 ? positive * positive / sum : 1 / (double)k);
    }
}

decant_status decant__sec_assign(const decant__task *task, const decant__rule *rule,
                                 const decant__assigned *out) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k;
    decant__tall tall = {0};
    decant__cancel cancel;
    double *score = NULL;
    decant__cancel_init(&cancel, task->watch);
    NEW_ARRAY(score, n * k);
    TRY(decant__tall_new(&tall, task->x, 1, task->threads));
    tall.cancel = &cancel;
    decant__tall_times(&tall, rule->matrix, k, score);
    TRY(cancel.status);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < k; c++) score[i * k + c] += rule->offset[c];
        decant__assigned row = decant__assigned_from(out, i, k);
        label_by_score(score + i * k, k, &row);
    }
done:
    decant__tall_free(&tall);
    decant__free(score);
    return status;
}
