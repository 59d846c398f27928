/* SEC, spectral embedded clustering (Nie, Zeng, Tsang, Xu and Zhang, IEEE TNN 22, 2011): clusters
 * that suit a graph and that a linear map can tell apart,
 *
 *   min tr(F^T L F) + mu (||X W + 1 b^T - F||^2 + gamma ||W||^2),   F^T F = I
 *
 * With X centred, W = (X^T X + gamma I)^-1 X^T F, and what is left is the k smallest eigenvectors
 * of
 *
 *   L + mu L_g,   L_g = H - X (X^T X + gamma I)^-1 X^T,   H = I - 1 1^T / n.
 *
 * L is that of normalised cuts, or lambda times LDMGI's (laplacian.h). Two ways to the
 * eigenvectors:
 *
 *  - Lanczos on the whole matrix, a product costing O(n d + links);
 *  - where mu is large beside |L|, nearly all of F lies in the span of Q = [1/sqrt(n), V], V the
 * left singular vectors of X, and second-order perturbation reduces the problem to d + 1
 * dimensions:
 *
 *      T = Q^T L Q,  R = L Q - Q T,   T + mu diag(1 - f) - R^T R / (mu + t)   gives Y,
 *      F = orth(Q Y - R Y / (mu + t)),   f = 1 and l / (l + gamma),
 *
 *    l the eigenvalues of X^T X, t the mean eigenvalue of L.
 *
 *    Q is never formed: with V = X U l^-1/2 all of it follows from X^T L X and X^T L^2 X.
 *
 * New rows go to the largest entry of the map after the rotation: docs/format.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/discretise.h"
#include "cluster/laplacian.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/symmetric.h"
#include "linalg/tall.h"

static const double TOLERANCE = 1e-8, LARGE_MU = 10, NO_VARIANCE = 1e-12;
enum { MOST_PRODUCTS = 100000, BASIS = 60, BLOCK = 64 };

typedef struct sec {
    const decant__task *task;
    size_t n, d, k;
    decant__csr matrix;
    double shift, sign, bound; /* L is shift I + sign matrix, |L| at most bound */
    double typical;            /* mean eigenvalue of L */
    decant__tall tall;
    double *mean;   /* d */
    double *gram;   /* d x d: of the centred rows */
    double *factor; /* d x d: Cholesky of gram + gamma I */
    double *u;      /* d */
    double *t;      /* n */
} sec;

static void sec_free(sec *s) {
    decant__csr_free(&s->matrix);
    decant__tall_free(&s->tall);
    decant__free(s->mean);
    decant__free(s->gram);
    decant__free(s->factor);
    decant__free(s->u);
    decant__free(s->t);
}

static decant_status make_laplacian(sec *s) {
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

static decant_status make_map(sec *s) {
    decant_status status = DECANT_OK;
    size_t d = s->d;
    double n = (double)s->n, gamma = s->task->options->gamma;
    for (size_t i = 0; i < s->n; i++) s->t[i] = 1 / n;
    decant__tall_transposed_times(&s->tall, s->t, 1, s->mean);
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

static decant_status sec_new(sec *s, const decant__task *task) {
    decant_status status = DECANT_OK;
    *s = (sec){.task = task, .n = task->x->n, .d = task->x->d, .k = task->options->k};
    NEW_ARRAY(s->mean, s->d);
    NEW_ARRAY(s->gram, s->d * s->d);
    NEW_ARRAY(s->factor, s->d * s->d);
    NEW_ARRAY(s->u, s->d);
    NEW_ARRAY(s->t, s->n);
    TRY(decant__tall_new(&s->tall, task->x, BLOCK, task->threads));
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

/* y = ((bound - L) + mu (I - L_g)) x / (bound + mu): the small end of L + mu L_g becomes the large
 * end, at most 1. I - L_g = 1 1^T / n + X (X^T X + gamma I)^-1 X^T. */
static void apply(void *matrix, const double *x, double *y) {
    sec *s = matrix;
    double mu = s->task->options->mu, sum = sum_of(x, s->n), n = (double)s->n, lift = 0;
    decant__tall_transposed_times(&s->tall, x, 1, s->u);
    for (size_t j = 0; j < s->d; j++) s->u[j] -= sum * s->mean[j];
    decant__dense_solve(s->factor, s->d, s->u);
    for (size_t j = 0; j < s->d; j++) lift += s->mean[j] * s->u[j];
    decant__tall_times(&s->tall, s->u, 1, s->t);
#pragma omp parallel num_threads(s->task->threads)
    {
        decant__csr_multiply(&s->matrix, x, 1, y);
#pragma omp for schedule(static)
        for (size_t i = 0; i < s->n; i++)
            y[i] =
                ((s->bound - s->shift) * x[i] - s->sign * y[i] + mu * (sum / n + s->t[i] - lift)) /
                (s->bound + mu);
    }
}

static decant_status solve_whole(sec *s, double *values, double *vectors, decant__found *found) {
    decant_status status = DECANT_OK;
    decant__eigen_info info;
    decant__eigen eigen = {.n = s->n,
                           .k = s->k,
                           .end = DECANT__END_LARGEST,
                           .apply = apply,
                           .matrix = s,
                           .tol = TOLERANCE,
                           .basis = BASIS,
                           .most = MOST_PRODUCTS,
                           .seed = s->task->options->seed};
    TRY(decant__eigen_solve(&eigen, s->task->watch, values, vectors, &info));
    for (size_t j = 0; j < s->k; j++)
        values[j] = (s->bound + s->task->options->mu) * (1 - values[j]);
    found->iterations = info.products;
done:
    return status;
}

/* ---- the reduced problem ---- */

typedef struct reduced {
    size_t r;         /* d + 1: the constant vector first */
    double *small;    /* r x r: X~^T L X~, X~ = [1, centred X]; then T */
    double *square;   /* r x r: X~^T L^2 X~; then Q^T L^2 Q */
    double *basis;    /* r x r: Q = X~ basis^T, one vector a row; rows of no variance are 0 */
    double *ff;       /* r */
    double *room;     /* r x r */
    double *block[3]; /* n x BLOCK each */
    double *wide;     /* d x BLOCK */
} reduced;

static void reduced_free(reduced *q) {
    decant__free(q->small);
    decant__free(q->square);
    decant__free(q->basis);
    decant__free(q->ff);
    decant__free(q->room);
    for (int b = 0; b < 3; b++) decant__free(q->block[b]);
    decant__free(q->wide);
}

static decant_status reduced_new(reduced *q, const sec *s) {
    decant_status status = DECANT_OK;
    *q = (reduced){.r = s->d + 1};
    NEW_ZEROED(q->small, q->r * q->r);
    NEW_ZEROED(q->square, q->r * q->r);
    NEW_ZEROED(q->basis, q->r * q->r);
    NEW_ZEROED(q->ff, q->r);
    NEW_ARRAY(q->room, q->r * q->r);
    for (int b = 0; b < 3; b++) NEW_ARRAY(q->block[b], s->n * BLOCK);
    NEW_ARRAY(q->wide, s->d * BLOCK);
done:
    return status;
}

/* out = L in, w columns. */
static void laplace(const sec *s, const double *in, size_t w, double *out) {
#pragma omp parallel num_threads(s->task->threads)
    {
        decant__csr_multiply(&s->matrix, in, w, out);
#pragma omp for schedule(static)
        for (size_t e = 0; e < s->n * w; e++) out[e] = s->shift * in[e] + s->sign * out[e];
    }
}

/* Rows of out (r x r) from column c on: X~^T v for w vectors v. */
static void project(sec *s, reduced *q, const double *v, size_t w, size_t c, double *out) {
    decant__tall_transposed_times(&s->tall, v, w, q->wide);
    for (size_t l = 0; l < w; l++) {
        double sum = 0;
        for (size_t i = 0; i < s->n; i++) sum += v[i * w + l];
        out[c + l] = sum;
        for (size_t j = 0; j < s->d; j++)
            out[(j + 1) * q->r + c + l] = q->wide[j * w + l] - sum * s->mean[j];
    }
}

/* Columns c .. c+w-1 of X~, densely. */
static void columns(const sec *s, size_t c, size_t w, double *out) {
    const decant__source *x = s->task->x;
#pragma omp parallel for schedule(static) num_threads(s->task->threads)
    for (size_t i = 0; i < s->n; i++) {
        double *row = out + i * w;
        for (size_t l = 0; l < w; l++) row[l] = c + l == 0 ? 1 : -s->mean[c + l - 1];
        if (x->dense == NULL) {
            for (size_t e = x->start[i]; e < x->start[i + 1]; e++) {
                size_t at = (size_t)x->column[e] + 1;
                if (at >= c && at < c + w) row[at - c] += (double)x->value[e];
            }
            continue;
        }
        for (size_t l = c == 0; l < w; l++) {
            size_t j = c + l - 1;
            float value = x->dense[i * s->d + j];
            if (x->scale != NULL) value = (value - x->shift[j]) * x->scale[j];
            row[l] += (double)value;
        }
    }
}

/* The eigenvectors of the Gram matrix, scaled, are the coordinates of Q in X~. */
static decant_status find_basis(const sec *s, reduced *q) {
    decant_status status = DECANT_OK;
    size_t d = s->d;
    double *vectors = NULL, *values = NULL, gamma = s->task->options->gamma;
    NEW_ARRAY(vectors, d * d);
    NEW_ARRAY(values, d);
    memcpy(vectors, s->gram, d * d * sizeof *vectors);
    TRY(decant__symmetric_eigen(vectors, d, values));
    q->basis[0] = 1 / sqrt((double)s->n);
    q->ff[0] = 1;
    for (size_t p = 0; p < d; p++) {
        if (!(values[p] > NO_VARIANCE * values[d - 1])) continue;
        q->ff[p + 1] = values[p] / (values[p] + gamma);
        for (size_t j = 0; j < d; j++)
            q->basis[(p + 1) * q->r + j + 1] = vectors[p * d + j] / sqrt(values[p]);
    }
done:
    decant__free(vectors);
    decant__free(values);
    return status;
}

/* a becomes basis a basis^T. */
static void change_basis(reduced *q, double *a) {
    size_t r = q->r;
    decant__dense_view basis = {q->basis, r, 0}, turned = {q->basis, r, 1};
    decant__dense_product(r, r, r, 1, basis, (decant__dense_view){a, r, 0}, 0, q->room);
    decant__dense_product(r, r, r, 1, (decant__dense_view){q->room, r, 0}, turned, 0, a);
}

static decant_status fill_reduced(sec *s, reduced *q) {
    decant_status status = DECANT_OK;
    for (size_t c = 0; c < q->r; c += BLOCK) {
        size_t w = q->r - c < BLOCK ? q->r - c : BLOCK;
        TRY(decant__watch_tick(s->task->watch, c, q->r, (double)NAN, (double)NAN));
        columns(s, c, w, q->block[0]);
        laplace(s, q->block[0], w, q->block[1]);
        project(s, q, q->block[1], w, c, q->small);
        laplace(s, q->block[1], w, q->block[2]);
        project(s, q, q->block[2], w, c, q->square);
    }
    TRY(find_basis(s, q));
    change_basis(q, q->small);
    change_basis(q, q->square);
done:
    return status;
}

/* out (n x k) = Q y, y: r x k. */
static void expand(sec *s, reduced *q, const double *y, double *out) {
    size_t r = q->r, k = s->k;
    double *u = q->room; /* r x k: coordinates in X~ */
    decant__dense_product(r, k, r, 1, (decant__dense_view){q->basis, r, 1},
                          (decant__dense_view){y, k, 0}, 0, u);
    decant__tall_times(&s->tall, u + k, k, out);
    for (size_t c = 0; c < k; c++) {
        double lift = u[c];
        for (size_t j = 0; j < s->d; j++) lift -= s->mean[j] * u[(j + 1) * k + c];
        for (size_t i = 0; i < s->n; i++) out[i * k + c] += lift;
    }
}

/* f (n x k) gets orthonormal columns, written as the rows of vectors (k x n). */
static decant_status orthonormalise(const sec *s, const double *f, double *vectors) {
    decant_status status = DECANT_OK;
    size_t n = s->n, k = s->k;
    double *gram = NULL;
    NEW_ZEROED(gram, k * k);
    decant__dense_gram(f, n, k, 0, gram);
    TRY(decant__dense_cholesky(gram, k));
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++) vectors[c * n + i] = f[i * k + c];
    decant__dense_solve_lower(gram, k, vectors, n, 0);
done:
    decant__free(gram);
    return status;
}

static decant_status solve_small(sec *s, reduced *q, double *values, double *y, double *ty) {
    decant_status status = DECANT_OK;
    size_t r = q->r, k = s->k;
    double mu = s->task->options->mu, far = mu + s->typical, *all = NULL;
    decant__dense_view t = {q->small, r, 0};
    NEW_ARRAY(all, r);
    /* R^T R = Q^T L^2 Q - T^2 */
    memcpy(q->room, q->square, r * r * sizeof *q->room);
    decant__dense_product(r, r, r, -1, t, t, 1, q->room);
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++)
            q->square[i * r + j] = q->small[i * r + j] - q->room[i * r + j] / far;
        /* A row of no variance is no direction at all: it goes to the far end. */
        q->square[i * r + i] += q->ff[i] > 0 ? mu * (1 - q->ff[i]) : 2 * (mu + s->bound);
    }
    TRY(decant__symmetric_eigen(q->square, r, all));
    memcpy(values, all, k * sizeof *values);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < r; i++) y[i * k + c] = q->square[c * r + i];
    decant__dense_product(r, k, r, 1, t, (decant__dense_view){y, k, 0}, 0, ty);
done:
    decant__free(all);
    return status;
}

static decant_status solve_reduced(sec *s, double *values, double *vectors) {
    decant_status status = DECANT_OK;
    size_t n = s->n, k = s->k;
    double *y = NULL, *ty = NULL, *f[3] = {NULL}, far = s->task->options->mu + s->typical;
    reduced q = {0};
    TRY(reduced_new(&q, s));
    TRY(fill_reduced(s, &q));
    NEW_ARRAY(y, q.r * k);
    NEW_ARRAY(ty, q.r * k);
    TRY(solve_small(s, &q, values, y, ty));
    for (int b = 0; b < 3; b++) NEW_ARRAY(f[b], n * k);
    expand(s, &q, y, f[0]);
    expand(s, &q, ty, f[1]);
    laplace(s, f[0], k, f[2]);
    for (size_t e = 0; e < n * k; e++) f[0][e] -= (f[2][e] - f[1][e]) / far;
    TRY(orthonormalise(s, f[0], vectors));
done:
    reduced_free(&q);
    decant__free(y);
    decant__free(ty);
    for (int b = 0; b < 3; b++) decant__free(f[b]);
    return status;
}

/* ---- the whole ---- */

void decant__sec_size(const decant_options *options, size_t d, decant__rule *rule) {
    rule->offsets = options->k;
    rule->numbers = d * options->k;
}

/* W = (X^T X + gamma I)^-1 X^T F and b = F^T 1 / n - W^T mean, then the linear step from a row of F
 * to the scores of the clusters. */
static decant_status fit_rule(sec *s, const double *vectors, const double *linear,
                              decant__rule *rule) {
    decant_status status = DECANT_OK;
    size_t d = s->d, k = s->k, n = s->n;
    double *map = NULL, *offset = NULL;
    NEW_ARRAY(map, d * k);
    NEW_ARRAY(offset, k);
    for (size_t c = 0; c < k; c++) {
        double sum = sum_of(vectors + c * n, n);
        decant__tall_transposed_times(&s->tall, vectors + c * n, 1, s->u);
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

decant_status decant__sec_fit(const decant__task *task, decant__found *found) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k;
    sec s = {0};
    double *vectors = NULL, *linear = NULL;
    TRY(sec_new(&s, task));
    NEW_ARRAY(vectors, k * n);
    NEW_ARRAY(linear, k * k + k);
    int large = task->options->mu >= LARGE_MU * s.bound / 2 && k <= s.d && n > s.d;
    if (large)
        TRY(solve_reduced(&s, found->eigenvalues, vectors));
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

/* A score's share: squares of the positive scores, scaled to sum 1. */
static void choose(const double *score, size_t k, int32_t *label, float *confidence) {
    size_t best = 0;
    double sum = 0;
    for (size_t c = 0; c < k; c++) {
        double positive = fmax(score[c], 0);
        sum += positive * positive;
        if (score[c] > score[best]) best = c;
    }
    if (label != NULL) *label = (int32_t)best;
    if (confidence != NULL)
        *confidence = (float)(score[best] > 0 ? score[best] * score[best] / sum : 1 / (double)k);
}

decant_status decant__sec_assign(const decant__task *task, const decant__rule *rule,
                                 int32_t *labels, float *confidence) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k;
    decant__tall tall = {0};
    double *score = NULL;
    NEW_ARRAY(score, n * k);
    TRY(decant__tall_new(&tall, task->x, 1, task->threads));
    decant__tall_times(&tall, rule->matrix, k, score);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < k; c++) score[i * k + c] += rule->offset[c];
        choose(score + i * k, k, labels != NULL ? labels + i : NULL,
               confidence != NULL ? confidence + i : NULL);
    }
done:
    decant__tall_free(&tall);
    decant__free(score);
    return status;
}
