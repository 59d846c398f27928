#include "linalg/eigen.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "linalg/symmetric.h"

enum { DENSE_ORDER = 400 };

/* ---- small matrices: all of it, by LAPACK ---- */

static decant_status solve_dense(const decant__eigen *p, double *values, double *vectors,
                                 decant__eigen_info *info) {
    decant_status status = DECANT_OK;
    size_t n = p->n;
    double *a = NULL, *all = NULL, *unit = NULL;
    NEW_ARRAY(a, n * n);
    NEW_ARRAY(all, n);
    NEW_ZEROED(unit, n);
    for (size_t i = 0; i < n; i++) {
        unit[i] = 1;
        p->apply(p->matrix, unit, a + i * n);
        unit[i] = 0;
    }
    /* The two halves agree up to rounding; LAPACK reads one of them. */
    TRY(decant__symmetric_eigen(a, n, all));
    for (size_t j = 0; j < p->k; j++) {
        size_t from = p->end == DECANT__END_LARGEST ? n - 1 - j : j;
        values[j] = all[from];
        memcpy(vectors + j * n, a + from * n, n * sizeof *vectors);
    }
    info->products = n;
done:
    decant__free(a);
    decant__free(all);
    decant__free(unit);
    return status;
}

#ifdef DECANT_ARPACK

/* ---- large ones: ARPACK by reverse communication ---- */

extern void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
                    const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
                    int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl,
                    int *info, size_t bmat_length, size_t which_length);
extern void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z,
                    const int *ldz, const double *sigma, const char *bmat, const int *n,
                    const char *which, const int *nev, const double *tol, double *resid,
                    const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
                    double *workd, double *workl, const int *lworkl, int *info,
                    size_t howmny_length, size_t bmat_length, size_t which_length);

/* ARPACK keeps variables of its own between two calls: one solution at a time in a process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

enum { ITERATION_LIMIT = 100000000, TICK_EVERY = 20 };

/* What ARPACK calls its arguments. */
typedef struct lanczos {
    int n, nev, ncv, lworkl, info, iparam[11], ipntr[11];
    const char *which;
    double tol, *resid, *v, *workd, *workl, *d;
    int *select;
} lanczos;

static decant_status lanczos_new(lanczos *a, const decant__eigen *p, size_t basis) {
    decant_status status = DECANT_OK;
    *a = (lanczos){.n = (int)p->n,
                   .nev = (int)p->k,
                   .ncv = (int)basis,
                   .lworkl = (int)(basis * (basis + 8)),
                   .info = 1, /* resid holds the first vector */
                   .which = p->end == DECANT__END_LARGEST ? "LA" : "SA",
                   .tol = p->tol};
    a->iparam[0] = 1;
    a->iparam[2] = ITERATION_LIMIT;
    a->iparam[3] = 1;
    a->iparam[6] = 1;
    NEW_ARRAY(a->resid, p->n);
    NEW_ARRAY(a->v, p->n * basis);
    NEW_ARRAY(a->workd, 3 * p->n);
    NEW_ARRAY(a->workl, (size_t)a->lworkl);
    NEW_ARRAY(a->d, basis);
    NEW_ARRAY(a->select, basis);
done:
    return status;
}

static void lanczos_free(lanczos *a) {
    decant__free(a->resid);
    decant__free(a->v);
    decant__free(a->workd);
    decant__free(a->workl);
    decant__free(a->d);
    decant__free(a->select);
}

/* A vector in the range of A, so that a known null space, projected out by the matrix, stays out.
 */
static void first_vector(const decant__eigen *p, double *resid, double *room) {
    decant__random random = decant__random_start(p->seed, DECANT__RANDOM_EIGEN, 0);
    for (size_t i = 0; i < p->n; i++) room[i] = decant__random_normal(&random);
    p->apply(p->matrix, room, resid);
}

static decant_status iterate(const decant__eigen *p, const decant__watch *watch, lanczos *a,
                             decant__eigen_info *info) {
    decant_status status = DECANT_OK;
    int ido = 0;
    for (;;) {
        dsaupd_(&ido, "I", &a->n, a->which, &a->nev, &a->tol, a->resid, &a->ncv, a->v, &a->n,
                a->iparam, a->ipntr, a->workd, a->workl, &a->lworkl, &a->info, 1, 2);
        if (ido != 1 && ido != -1) break;
        if (info->products == p->most) {
            return decant__fail(DECANT_EDIVERGED,
                                "%d of %zu eigenpairs converged to %g within %zu products; more "
                                "neighbours make the graph easier to cut",
                                a->iparam[4] < a->nev ? a->iparam[4] : 0, p->k, p->tol, p->most);
        }
        if (info->products == p->patience && p->loose > 0) a->tol = p->loose;
        p->apply(p->matrix, a->workd + a->ipntr[0] - 1, a->workd + a->ipntr[1] - 1);
        if (++info->products % TICK_EVERY == 0)
            TRY(decant__watch_tick(watch, info->products, 0, NAN, NAN));
    }
    if (a->info < 0 || a->iparam[4] < a->nev)
        return decant__fail(DECANT_EDIVERGED,
                            "%d of %zu eigenpairs converged to %g after %zu products (ARPACK %d)",
                            a->iparam[4], p->k, p->tol, info->products, a->info);
    if (a->tol > p->tol) info->loose = a->tol;
done:
    return status;
}

/* ARPACK gives them in ascending order. */
static decant_status extract(const decant__eigen *p, lanczos *a, double *values, double *vectors) {
    int rvec = 1, info = 0;
    double sigma = 0;
    dseupd_(&rvec, "A", a->select, a->d, a->v, &a->n, &sigma, "I", &a->n, a->which, &a->nev,
            &a->tol, a->resid, &a->ncv, a->v, &a->n, a->iparam, a->ipntr, a->workd, a->workl,
            &a->lworkl, &info, 1, 1, 2);
    if (info != 0)
        return decant__fail(DECANT_EDIVERGED, "the eigenvectors cannot be had (ARPACK %d)", info);
    for (size_t j = 0; j < p->k; j++) {
        size_t from = p->end == DECANT__END_LARGEST ? p->k - 1 - j : j;
        values[j] = a->d[from];
        memcpy(vectors + j * p->n, a->v + from * p->n, p->n * sizeof *vectors);
    }
    return DECANT_OK;
}

static decant_status solve_lanczos(const decant__eigen *p, size_t basis, const decant__watch *watch,
                                   double *values, double *vectors, decant__eigen_info *info) {
    decant_status status = DECANT_OK;
    lanczos a = {0};
    TRY(lanczos_new(&a, p, basis));
    pthread_mutex_lock(&one_at_a_time);
    first_vector(p, a.resid, a.workd);
    status = iterate(p, watch, &a, info);
    if (status == DECANT_OK) status = extract(p, &a, values, vectors);
    pthread_mutex_unlock(&one_at_a_time);
done:
    lanczos_free(&a);
    return status;
}

#else

static decant_status solve_lanczos(const decant__eigen *p, size_t basis, const decant__watch *watch,
                                   double *values, double *vectors, decant__eigen_info *info) {
    (void)basis, (void)watch, (void)values, (void)vectors, (void)info;
    return decant__fail(DECANT_EINVAL,
                        "eigenvectors of %zu rows need ARPACK, which this build of decant was "
                        "made without",
                        p->n);
}

#endif

decant_status decant__eigen_solve(const decant__eigen *problem, const decant__watch *watch,
                                  double *values, double *vectors, decant__eigen_info *info) {
    size_t n = problem->n, k = problem->k;
    size_t basis = problem->basis > 2 * k + 1 ? problem->basis : 2 * k + 20;
    *info = (decant__eigen_info){0};
    if (k > n)
        return decant__fail(DECANT_EINVAL, "a matrix of order %zu has no %zu eigenvectors", n, k);
    if (n <= DENSE_ORDER || basis >= n) return solve_dense(problem, values, vectors, info);
    if (n > INT32_MAX / 4 || basis > 30000)
        return decant__fail(DECANT_EINVAL, "%zu eigenvectors of %zu rows are too many", k, n);
    return solve_lanczos(problem, basis, watch, values, vectors, info);
}
