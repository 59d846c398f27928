/* Each connected component of a graph adds an eigenvalue 0, whose eigenvector is known: the kernel
 * on that component and 0 elsewhere. A Lanczos method finds one vector of a multiple eigenvalue,
 * and the others only by rounding errors. So the known vectors are written down and projected out
 * of the matrix (deflation), and Lanczos finds the rest. If there are more components than vectors,
 * any choice is optimal: the largest components stay separate, and the others are taken as one. */
#include "cluster/cut.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "cluster/discretise.h"
#include "linalg/eigen.h"

/* Nine digits are reached quickly if clusters are well separated; if not, seven are accepted after
 * PATIENCE products, and the result has their residual. */
static const double TOLERANCE = 1e-9, LOOSE = 1e-7;
enum { PATIENCE = 5000, MAX_PRODUCTS = 200000 };

typedef struct cut {
    const decant__cut_problem *problem;
    size_t n, parts, groups; /* parts: components; groups: after merging the smallest */
    int threads;
    uint32_t *part;  /* n: number of the group */
    double *length;  /* groups: norm of the kernel on the group */
    double *sum;     /* groups */
    double *outside; /* n: a vector after the known ones were projected out */
} cut;

static void cut_free(cut *c) {
    decant__free(c->part);
    decant__free(c->length);
    decant__free(c->sum);
    decant__free(c->outside);
}

/* Renumbers components: the groups - 1 largest (ties: the first) have a number each, the others
 * share one. */
static decant_status merge_parts(cut *c, size_t groups) {
    decant_status status = DECANT_OK;
    size_t *size = NULL;
    uint32_t *number = NULL;
    NEW_ZEROED(size, c->parts);
    NEW_ARRAY(number, c->parts);
    for (size_t i = 0; i < c->n; i++) size[c->part[i]]++;
    for (size_t p = 0; p < c->parts; p++) number[p] = (uint32_t)(groups - 1);
    for (uint32_t g = 0; g + 1 < groups; g++) {
        size_t largest = 0;
        for (size_t p = 1; p < c->parts; p++)
            if (size[p] > size[largest]) largest = p;
        number[largest] = g;
        size[largest] = 0;
    }
    for (size_t i = 0; i < c->n; i++) c->part[i] = number[c->part[i]];
done:
    decant__free(size);
    decant__free(number);
    return status;
}

static decant_status find_groups(cut *c, size_t wanted) {
    decant_status status = DECANT_OK;
    uint32_t *stack = NULL;
    NEW_ARRAY(c->part, c->n);
    NEW_ARRAY(stack, c->n);
    c->parts = decant__csr_parts(c->problem->matrix, c->part, stack);
    c->groups = c->parts < wanted ? c->parts : wanted;
    if (c->parts > wanted) TRY(merge_parts(c, wanted));
    NEW_ZEROED(c->length, c->groups);
    NEW_ZEROED(c->sum, c->groups);
    NEW_ARRAY(c->outside, c->n);
    for (size_t i = 0; i < c->n; i++)
        c->length[c->part[i]] += c->problem->kernel[i] * c->problem->kernel[i];
    for (size_t g = 0; g < c->groups; g++) c->length[g] = sqrt(c->length[g]);
done:
    decant__free(stack);
    return status;
}

/* Entry i of the known vector of its group. */
static double known_entry(const cut *c, size_t i) {
    double length = c->length[c->part[i]];
    return length > 0 ? c->problem->kernel[i] / length : 0;
}

/* out = x without its projection on the known vectors. */
static void project_out(cut *c, const double *x, double *out) {
    memset(c->sum, 0, c->groups * sizeof *c->sum);
    for (size_t i = 0; i < c->n; i++) c->sum[c->part[i]] += known_entry(c, i) * x[i];
    for (size_t i = 0; i < c->n; i++) out[i] = x[i] - c->sum[c->part[i]] * known_entry(c, i);
}

/* y = (bound I - Laplacian) outside */
typedef struct cut_product {
    const cut *c;
    double *y;
} cut_product;

static void apply_laplacian(void *context) {
    const cut_product *product = context;
    const cut *c = product->c;
    const decant__cut_problem *p = c->problem;
    double *y = product->y;
    decant__csr_multiply(p->matrix, c->outside, 1, y);
    TEAM_FOR (i, c->n) y[i] = (p->bound - p->shift) * c->outside[i] - p->sign * y[i];
}

/* y = P (bound I - Laplacian) P x: the wanted eigenvalues are now the largest, the known are 0. */
static void apply_cut(void *matrix, const double *x, double *y) {
    cut *c = matrix;
    cut_product product = {c, y};
    project_out(c, x, c->outside);
    decant__team_run(c->threads, apply_laplacian, &product);
    memcpy(c->outside, y, c->n * sizeof *y);
    project_out(c, c->outside, y);
}

/* The known vectors, one a row. skip: an orthonormal basis of them whose first is the whole kernel
 * is made by a Householder reflection, and the others are taken. */
static void write_known(const cut *c, int skip, double *vectors) {
    double whole = 0;
    for (size_t g = 0; g < c->groups; g++) whole += c->length[g] * c->length[g];
    whole = sqrt(whole);
    double first = c->length[0] / whole, scale = 1 - first; /* |e1 - a|^2 / 2 */
    for (size_t j = (size_t)skip; j < c->groups; j++) {
        double *row = vectors + (j - (size_t)skip) * c->n, own = c->length[j] / whole;
        for (size_t i = 0; i < c->n; i++) {
            size_t g = c->part[i];
            double entry = g == j;
            double u = (g == 0) - c->length[g] / whole;
            if (skip && scale > 0) entry += u * own / scale;
            row[i] = entry * known_entry(c, i);
        }
    }
}

decant_status decant__cut_graph(const decant__task *task, const decant__cut_problem *problem,
                                decant__clustering *found) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k;
    int skip = task->options->skip_constant;
    size_t wanted = k + (size_t)skip;
    cut c = {.problem = problem, .n = n, .threads = task->threads};
    decant__eigen_info info = {0};
    double *vectors = NULL, *values = NULL;
    if (wanted > n)
        return decant__fail(
            DECANT_EINVAL,
            "%zu eigenvectors are needed, but %zu rows have only %zu: use a smaller k", wanted, n,
            n);
    TRY(find_groups(&c, wanted));
    NEW_ARRAY(vectors, wanted * n);
    NEW_ZEROED(values, wanted);
    write_known(&c, skip, vectors);
    size_t from = c.groups - (size_t)skip, rest = wanted - c.groups;
    decant__eigen eigen = {.n = n,
                           .k = rest,
                           .end = DECANT__END_LARGEST,
                           .apply = apply_cut,
                           .matrix = &c,
                           .tol = TOLERANCE,
                           .basis = problem->basis,
                           .loose = LOOSE,
                           .patience = PATIENCE,
                           .max = MAX_PRODUCTS,
                           .seed = task->options->seed};
    if (rest > 0)
        TRY(decant__eigen_solve(&eigen, task->watch, values + c.groups, vectors + from * n, &info));
    for (size_t j = c.groups; j < wanted; j++) values[j] = problem->bound - values[j];
    memcpy(found->eigenvalues, values, wanted * sizeof *values);
    found->eigenvalue_count = wanted;
    found->parts = c.parts;
    found->iterations = info.products;
    found->residual = info.loose;
    TRY(decant__discretise(task, vectors, problem->unit, found, NULL));
done:
    cut_free(&c);
    decant__free(vectors);
    decant__free(values);
    return status;
}
