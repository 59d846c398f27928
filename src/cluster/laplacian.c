#include "cluster/laplacian.h"

#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/team.h"
#include "linalg/neighbours.h"

/* ---- weights of links ---- */

/* Duplicates are at distance 0 and may have scale 0. */
static double link_weight(double square, double scales) {
    if (scales > 0) return decant__exp(-square / scales);
    return square > 0 ? 0 : 1;
}

decant_status decant__laplacian_gaussian(const decant__graph *graph, decant__csr *s, double *root) {
    decant_status status = DECANT_OK;
    size_t n = graph->n, k = graph->count;
    decant__entries links = {0};
    TRY(decant__entries_new(&links, 2 * n * k));
    for (size_t i = 0; i < n; i++) {
        double own = sqrt((double)graph->weight[i * k + k - 1]);
        for (size_t m = 0; m < k; m++) {
            size_t at = 2 * (i * k + m), j = graph->index[i * k + m];
            double other = sqrt((double)graph->weight[j * k + k - 1]);
            double weight = link_weight((double)graph->weight[i * k + m], own * other);
            links.row[at] = links.column[at + 1] = (uint32_t)i;
            links.column[at] = links.row[at + 1] = (uint32_t)j;
            links.value[at] = links.value[at + 1] = weight;
        }
    }
    TRY(decant__csr_new(s, n, &links, DECANT__DUPLICATES_DROP));
    for (size_t i = 0; i < n; i++) {
        double degree = 0;
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) degree += s->value[e];
        root[i] = sqrt(degree);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            double roots = root[i] * root[s->column[e]];
            s->value[e] = roots > 0 ? s->value[e] / roots : 0;
        }
done:
    decant__entries_free(&links);
    return status;
}

/* ---- local models ---- */

enum { MAX_CLIQUE = 64 };

/* A clique's numbers, for one thread. */
typedef struct clique {
    size_t size;
    uint32_t row[MAX_CLIQUE];
    double gram[MAX_CLIQUE * MAX_CLIQUE];  /* about the first row */
    double basis[MAX_CLIQUE * MAX_CLIQUE]; /* size x (size - 1) */
    double small[MAX_CLIQUE * MAX_CLIQUE]; /* (size - 1) x (size - 1), then its Cholesky factor */
    double half[MAX_CLIQUE * MAX_CLIQUE];  /* (size - 1) x size */
} clique;

/* Helmert's basis Q of the vectors that sum to 0, one a column: with it H (G + lambda I)^-1 H is
 * Q (Q^T G Q + lambda I)^-1 Q^T, which keeps its digits for any lambda. */
static void helmert(size_t size, double *basis) {
    for (size_t j = 1; j < size; j++) {
        double length = sqrt((double)(j * (j + 1)));
        for (size_t a = 0; a < size; a++)
            basis[a * (size - 1) + j - 1] = a < j ? 1 / length : a == j ? -(double)j / length : 0;
    }
}

/* (x_a - x_0).(x_b - x_0) = (|a-0|^2 + |b-0|^2 - |a-b|^2) / 2. */
static void fill_gram(const decant__source *x, clique *c) {
    double from_first[MAX_CLIQUE];
    for (size_t a = 0; a < c->size; a++)
        from_first[a] = a == 0 ? 0 : decant__neighbours_distance(x, c->row[0], c->row[a]);
    for (size_t a = 0; a < c->size; a++) {
        for (size_t b = 0; b <= a; b++) {
            double between = a == b   ? 0
                             : b == 0 ? from_first[a]
                                      : decant__neighbours_distance(x, c->row[a], c->row[b]);
            c->gram[a * c->size + b] = c->gram[b * c->size + a] =
                0.5 * (from_first[a] + from_first[b] - between);
        }
    }
}

/* small = Q^T G Q + lambda I */
static void reduce(clique *c, double lambda) {
    size_t size = c->size, m = size - 1;
    for (size_t p = 0; p < m; p++)
        for (size_t b = 0; b < size; b++) {
            double sum = 0;
            for (size_t a = 0; a < size; a++) sum += c->basis[a * m + p] * c->gram[a * size + b];
            c->half[p * size + b] = sum;
        }
    for (size_t p = 0; p < m; p++)
        for (size_t q = 0; q < m; q++) {
            double sum = p == q ? lambda : 0;
            for (size_t b = 0; b < size; b++) sum += c->half[p * size + b] * c->basis[b * m + q];
            c->small[p * m + q] = sum;
        }
}

/* In place, lower triangle; a pivot that rounding made too small becomes lambda. */
static void cholesky(double *a, size_t m, double lambda) {
    for (size_t j = 0; j < m; j++) {
        double pivot = a[j * m + j];
        for (size_t p = 0; p < j; p++) pivot -= a[j * m + p] * a[j * m + p];
        a[j * m + j] = sqrt(fmax(pivot, lambda));
        for (size_t i = j + 1; i < m; i++) {
            double sum = a[i * m + j];
            for (size_t p = 0; p < j; p++) sum -= a[i * m + p] * a[j * m + p];
            a[i * m + j] = sum / a[j * m + j];
        }
    }
}

/* half = R^-1 Q^T with small = R R^T; then L_i = half^T half, exactly symmetric. */
static void solve(clique *c) {
    size_t size = c->size, m = size - 1;
    for (size_t b = 0; b < size; b++)
        for (size_t p = 0; p < m; p++) {
            double sum = c->basis[b * m + p];
            for (size_t q = 0; q < p; q++) sum -= c->small[p * m + q] * c->half[q * size + b];
            c->half[p * size + b] = sum / c->small[p * m + p];
        }
}

static void local_model(const decant__task *task, size_t i, double lambda, clique *c,
                        decant__entries *entries) {
    const decant__graph *graph = task->graph;
    size_t size = c->size, m = size - 1, at = i * size * size;
    c->row[0] = (uint32_t)i;
    for (size_t a = 1; a < size; a++) c->row[a] = graph->index[i * graph->count + a - 1];
    fill_gram(task->x, c);
    reduce(c, lambda);
    cholesky(c->small, m, lambda);
    solve(c);
    for (size_t a = 0; a < size; a++)
        for (size_t b = 0; b < size; b++, at++) {
            double sum = 0;
            for (size_t p = 0; p < m; p++) sum += c->half[p * size + a] * c->half[p * size + b];
            entries->row[at] = c->row[a];
            entries->column[at] = c->row[b];
            entries->value[at] = (1 + lambda) * sum;
        }
}

typedef struct local_models {
    const decant__task *task;
    size_t size;
    double lambda;
    clique *clique; /* threads */
    decant__entries entries;
} local_models;

static void make_local_models(void *context) {
    local_models *m = context;
    clique *own = &m->clique[decant__team_member()];
    own->size = m->size;
    helmert(m->size, own->basis);
    TEAM_FOR (i, m->task->graph->n) local_model(m->task, i, m->lambda, own, &m->entries);
}

decant_status decant__laplacian_local(const decant__task *task, size_t size, double lambda,
                                      decant__csr *l) {
    decant_status status = DECANT_OK;
    size_t n = task->graph->n;
    local_models m = {.task = task, .size = size, .lambda = lambda};
    if (size < 2 || size > MAX_CLIQUE)
        return decant__fail(DECANT_EINVAL,
                            "neighbours is %zu; for local models (ldmgi) it must be 2 to %d", size,
                            MAX_CLIQUE);
    NEW_ARRAY(m.clique, (size_t)task->threads);
    TRY(decant__entries_new(&m.entries, n * size * size));
    decant__team_run(task->threads, make_local_models, &m);
    TRY(decant__csr_new(l, n, &m.entries, DECANT__DUPLICATES_SUM));
done:
    decant__entries_free(&m.entries);
    decant__free(m.clique);
    return status;
}
