/* SEC if mu is large compared to |L|. Then F is almost in the span of Q = [1/sqrt(n), V], V the
 * left singular vectors of X, and second-order perturbation reduces the problem to d + 1
 * dimensions:
 *
 *   T = Q^T L Q,  R = L Q - Q T,   T + mu diag(1 - f) - R^T R / (mu + t)   gives Y,
 *   F = orth(Q Y - R Y / (mu + t)),   f = 1 and l / (l + gamma),
 *
 * l the eigenvalues of X^T X, t the mean eigenvalue of L. Q is never formed: with V = X U l^-1/2
 * all of it follows from X^T L X and X^T L^2 X. If F^T 1 = 0, Y has nothing of Q's first vector;
 * R is orthogonal to Q anyway. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "cluster/sec.h"
#include "linalg/dense_matrix.h"
#include "linalg/symmetric.h"

static const double NO_VARIANCE = 1e-12; /* of a direction, relative to the largest */

typedef struct reduced {
    size_t r;         /* d + 1: the constant vector first */
    double *small;    /* r x r: X~^T L X~, X~ = [1, centred X]; then T */
    double *square;   /* r x r: X~^T L^2 X~; then Q^T L^2 Q */
    double *basis;    /* r x r: Q = X~ basis^T, one vector a row; rows of no variance are 0 */
    double *ff;       /* r */
    double *scratch;  /* r x r */
    double *block[3]; /* n x DECANT__SEC_BLOCK each */
    double *wide;     /* d x DECANT__SEC_BLOCK */
} reduced;

static void reduced_free(reduced *q) {
    decant__free(q->small);
    decant__free(q->square);
    decant__free(q->basis);
    decant__free(q->ff);
    decant__free(q->scratch);
    for (int b = 0; b < 3; b++) decant__free(q->block[b]);
    decant__free(q->wide);
}

static decant_status reduced_new(reduced *q, const decant__sec *s) {
    decant_status status = DECANT_OK;
    *q = (reduced){.r = s->d + 1};
    NEW_ZEROED(q->small, q->r * q->r);
    NEW_ZEROED(q->square, q->r * q->r);
    NEW_ZEROED(q->basis, q->r * q->r);
    NEW_ZEROED(q->ff, q->r);
    NEW_ARRAY(q->scratch, q->r * q->r);
    for (int b = 0; b < 3; b++) NEW_ARRAY(q->block[b], s->n * DECANT__SEC_BLOCK);
    NEW_ARRAY(q->wide, s->d * DECANT__SEC_BLOCK);
done:
    return status;
}

/* w columns of a matrix of n rows. */
typedef struct block_product {
    const decant__sec *s;
    size_t c, w; /* the first column, and how many */
    const double *in;
    double *out;
} block_product;

static void laplace_rows(void *context) {
    const block_product *p = context;
    const decant__sec *s = p->s;
    decant__csr_multiply(&s->matrix, p->in, p->w, p->out);
    TEAM_FOR (e, s->n * p->w) p->out[e] = s->shift * p->in[e] + s->sign * p->out[e];
}

/* out = L in, w columns. */
static void laplace(const decant__sec *s, const double *in, size_t w, double *out) {
    block_product p = {.s = s, .w = w, .in = in, .out = out};
    decant__team_run(s->task->threads, laplace_rows, &p);
}

/* Rows of out (r x r) from column c on: X~^T v for w vectors v. */
static void project_rows(decant__sec *s, reduced *q, const double *v, size_t w, size_t c,
                         double *out) {
    decant__tall_transposed_times(&s->tall, v, w, q->wide);
    for (size_t l = 0; l < w; l++) {
        double sum = 0;
        for (size_t i = 0; i < s->n; i++) sum += v[i * w + l];
        out[c + l] = sum;
        for (size_t j = 0; j < s->d; j++)
            out[(j + 1) * q->r + c + l] = q->wide[j * w + l] - sum * s->mean[j];
    }
}

static void column_rows(void *context) {
    const block_product *p = context;
    const decant__sec *s = p->s;
    const decant__source *x = s->task->x;
    size_t c = p->c, w = p->w;
    TEAM_FOR (i, s->n) {
        double *row = p->out + i * w;
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
            row[l] += (double)decant__source_scaled(x, j, x->dense[i * s->d + j]);
        }
    }
}

/* Columns c .. c+w-1 of X~, densely. */
static void dense_columns(const decant__sec *s, size_t c, size_t w, double *out) {
    block_product p = {.s = s, .c = c, .w = w, .out = out};
    decant__team_run(s->task->threads, column_rows, &p);
}

/* The eigenvectors of the Gram matrix, scaled, are the coordinates of Q in X~. */
static decant_status find_basis(const decant__sec *s, reduced *q) {
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
    decant__dense_view basis = {q->basis, r, 0}, transposed = {q->basis, r, 1};
    decant__dense_product(r, r, r, 1, basis, (decant__dense_view){a, r, 0}, 0, q->scratch);
    decant__dense_product(r, r, r, 1, (decant__dense_view){q->scratch, r, 0}, transposed, 0, a);
}

static decant_status fill_reduced(decant__sec *s, reduced *q) {
    decant_status status = DECANT_OK;
    for (size_t c = 0; c < q->r; c += DECANT__SEC_BLOCK) {
        size_t w = q->r - c < DECANT__SEC_BLOCK ? q->r - c : DECANT__SEC_BLOCK;
        TRY(decant__watch_tick(s->task->watch, c, q->r, (double)NAN, (double)NAN));
        dense_columns(s, c, w, q->block[0]);
        laplace(s, q->block[0], w, q->block[1]);
        project_rows(s, q, q->block[1], w, c, q->small);
        laplace(s, q->block[1], w, q->block[2]);
        project_rows(s, q, q->block[2], w, c, q->square);
        TRY(s->cancel.status);
    }
    TRY(find_basis(s, q));
    change_basis(q, q->small);
    change_basis(q, q->square);
done:
    return status;
}

/* out (n x k) = Q y, y: r x k. */
static void expand_basis(decant__sec *s, reduced *q, const double *y, double *out) {
    size_t r = q->r, k = s->k;
    double *u = q->scratch; /* r x k: coordinates in X~ */
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
static decant_status orthonormalise_rows(const decant__sec *s, const double *f, double *vectors) {
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

/* Coordinate c, which is no direction, gets a large eigenvalue, which is not used. */
static void take_out(const decant__sec *s, reduced *q, size_t c) {
    for (size_t i = 0; i < q->r; i++) q->square[i * q->r + c] = q->square[c * q->r + i] = 0;
    q->square[c * q->r + c] = 2 * (s->task->options->mu + s->bound);
}

static decant_status solve_small(decant__sec *s, reduced *q, double *values, double *y,
                                 double *ty) {
    decant_status status = DECANT_OK;
    size_t r = q->r, k = s->k;
    double mu = s->task->options->mu, far = mu + s->typical, *all = NULL;
    decant__dense_view t = {q->small, r, 0};
    NEW_ARRAY(all, r);
    /* R^T R = Q^T L^2 Q - T^2 */
    memcpy(q->scratch, q->square, r * r * sizeof *q->scratch);
    decant__dense_product(r, r, r, -1, t, t, 1, q->scratch);
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++)
            q->square[i * r + j] = q->small[i * r + j] - q->scratch[i * r + j] / far;
        q->square[i * r + i] += mu * (1 - q->ff[i]);
    }
    for (size_t i = 0; i < r; i++)
        if (!(q->ff[i] > 0) || (i == 0 && s->centred != NULL)) take_out(s, q, i);
    TRY(decant__symmetric_eigen(q->square, r, all));
    memcpy(values, all, k * sizeof *values);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < r; i++) y[i * k + c] = q->square[c * r + i];
    decant__dense_product(r, k, r, 1, t, (decant__dense_view){y, k, 0}, 0, ty);
done:
    decant__free(all);
    return status;
}

decant_status decant__sec_solve_reduced(decant__sec *s, double *values, double *vectors) {
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
    expand_basis(s, &q, y, f[0]);
    expand_basis(s, &q, ty, f[1]);
    TRY(s->cancel.status);
    laplace(s, f[0], k, f[2]);
    for (size_t e = 0; e < n * k; e++) f[0][e] -= (f[2][e] - f[1][e]) / far;
    TRY(orthonormalise_rows(s, f[0], vectors));
done:
    reduced_free(&q);
    decant__free(y);
    decant__free(ty);
    for (int b = 0; b < 3; b++) decant__free(f[b]);
    return status;
}
