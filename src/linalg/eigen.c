#include "linalg/eigen.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef DECANT_ARPACK
#include <arpack.h>
#endif

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

/* ARPACK keeps variables of its own between two calls, so a process can have one solution at a time
 * under way. It never waits for a callback: where there is one, ARPACK runs on a
 * thread of its own, and the caller's thread reports how far it is and listens. So a callback may
 * take its time, fit something itself, or wait for a fit in another thread; and whoever waits for
 * ARPACK can still be cancelled. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows; held briefly */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int busy; /* ARPACK has a solution under way */

enum { ITERATION_LIMIT = 100000000, REPORT_EVERY = 20, WAIT_MILLISECONDS = 100, SENTENCE = 512 };

/* What ARPACK calls its arguments. */
typedef struct lanczos {
    a_int n, nev, ncv, lworkl, info, iparam[11], ipntr[11];
    const char *which;
    double tol, *resid, *v, *workd, *workl, *d;
    a_int *select;
} lanczos;

typedef struct solution {
    const decant__eigen *problem;
    lanczos a;
    size_t products, reported; /* made so far; known to the callback */
    double loose;
    int cancelled, done;
    decant_status status;
    char sentence[SENTENCE]; /* of a failure, which belongs to the thread */
} solution;

static decant_status lanczos_new(lanczos *a, const decant__eigen *p, size_t basis) {
    decant_status status = DECANT_OK;
    *a = (lanczos){.n = (a_int)p->n,
                   .nev = (a_int)p->k,
                   .ncv = (a_int)basis,
                   .lworkl = (a_int)(basis * (basis + 8)),
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
static void first_vector(const decant__eigen *p, double *resid, double *random_vector) {
    decant__random random = decant__random_start(p->seed, DECANT__RANDOM_EIGEN, 0);
    for (size_t i = 0; i < p->n; i++) random_vector[i] = decant__random_normal(&random);
    p->apply(p->matrix, random_vector, resid);
}

/* Counts a product; returns whether to stop. */
static int count_product(solution *s) {
    pthread_mutex_lock(&lock);
    int stop = s->cancelled;
    if (++s->products % REPORT_EVERY == 0) pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return stop;
}

static decant_status lanczos_iterations(solution *s) {
    const decant__eigen *p = s->problem;
    lanczos *a = &s->a;
    a_int ido = 0;
    for (;;) {
        dsaupd_c(&ido, "I", a->n, a->which, a->nev, a->tol, a->resid, a->ncv, a->v, a->n, a->iparam,
                 a->ipntr, a->workd, a->workl, a->lworkl, &a->info);
        if (ido != 1 && ido != -1) break;
        if (s->products == p->max)
            return decant__fail(DECANT_EDIVERGED,
                                "%d of %zu eigenpairs converged to %g within %zu products; more "
                                "neighbours make the graph easier to cut",
                                (int)(a->iparam[4] < a->nev ? a->iparam[4] : 0), p->k, p->tol,
                                p->max);
        if (s->products == p->patience && p->loose > 0) a->tol = p->loose;
        p->apply(p->matrix, a->workd + a->ipntr[0] - 1, a->workd + a->ipntr[1] - 1);
        if (count_product(s)) return DECANT_ECANCELLED;
    }
    if (a->info < 0 || a->iparam[4] < a->nev)
        return decant__fail(DECANT_EDIVERGED,
                            "%d of %zu eigenpairs converged to %g after %zu products (ARPACK %d)",
                            (int)a->iparam[4], p->k, p->tol, s->products, (int)a->info);
    if (a->tol > p->tol) s->loose = a->tol;
    return DECANT_OK;
}

/* The eigenvectors, into a->v, and the eigenvalues, into a->d. */
static decant_status extract(lanczos *a) {
    a_int info = 0;
    dseupd_c(1, "A", a->select, a->d, a->v, a->n, 0, "I", a->n, a->which, a->nev, a->tol, a->resid,
             a->ncv, a->v, a->n, a->iparam, a->ipntr, a->workd, a->workl, a->lworkl, &info);
    if (info == 0) return DECANT_OK;
    return decant__fail(DECANT_EDIVERGED, "the eigenvectors cannot be computed (ARPACK %d)",
                        (int)info);
}

/* The whole of it, as soon as ARPACK is free. */
static void *run_arpack(void *argument) {
    solution *s = argument;
    pthread_mutex_lock(&lock);
    while (busy && !s->cancelled) pthread_cond_wait(&changed, &lock);
    int mine = !s->cancelled;
    if (mine) busy = 1;
    pthread_mutex_unlock(&lock);
    decant_status status = DECANT_ECANCELLED;
    if (mine) {
        first_vector(s->problem, s->a.resid, s->a.workd);
        status = lanczos_iterations(s);
        if (status == DECANT_OK) status = extract(&s->a);
    }
    pthread_mutex_lock(&lock);
    if (mine) busy = 0;
    s->status = status;
    if (status != DECANT_OK) snprintf(s->sentence, sizeof s->sentence, "%s", decant_last_error());
    s->done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Until there is something to report, or for a while. */
static void wait_for_news(solution *s) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!s->done && s->products < s->reported + REPORT_EVERY)
        if (pthread_cond_timedwait(&changed, &lock, &until) != 0) break;
}

/* Reports, at least once, until it is done or the callback wants to stop. No lock is held in the
 * callback. */
static decant_status accompany(solution *s, const decant__watch *watch) {
    decant_status status = DECANT_OK;
    pthread_mutex_lock(&lock);
    do {
        s->reported = s->products;
        pthread_mutex_unlock(&lock);
        status = decant__watch_tick(watch, s->reported, 0, NAN, NAN);
        pthread_mutex_lock(&lock);
        if (status == DECANT_OK) wait_for_news(s);
    } while (status == DECANT_OK && !s->done);
    s->cancelled = status != DECANT_OK;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Signals are for the threads of the program. */
static int start_thread(pthread_t *thread, solution *s) {
    sigset_t all, saved;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    int failed = pthread_create(thread, NULL, run_arpack, s);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    return !failed;
}

/* ARPACK gives them in ascending order. */
static void copy_pairs(const decant__eigen *p, const lanczos *a, double *values, double *vectors) {
    for (size_t j = 0; j < p->k; j++) {
        size_t from = p->end == DECANT__END_LARGEST ? p->k - 1 - j : j;
        values[j] = a->d[from];
        memcpy(vectors + j * p->n, a->v + from * p->n, p->n * sizeof *vectors);
    }
}

static decant_status solve_lanczos(const decant__eigen *p, size_t basis, const decant__watch *watch,
                                   double *values, double *vectors, decant__eigen_info *info) {
    decant_status status = DECANT_OK;
    solution s = {.problem = p};
    pthread_t thread;
    int watched = watch != NULL && watch->monitor != NULL && watch->monitor->progress != NULL;
    TRY(lanczos_new(&s.a, p, basis));
    if (watched && start_thread(&thread, &s)) {
        status = accompany(&s, watch);
        pthread_join(thread, NULL);
    } else {
        run_arpack(
            &s); /* no callback; or no thread could be created, and then there are no reports */
    }
    *info = (decant__eigen_info){s.products, s.loose};
    if (status == DECANT_OK && s.status != DECANT_OK)
        status = decant__fail(s.status, "%s", s.sentence);
    if (status == DECANT_OK) copy_pairs(p, &s.a, values, vectors);
done:
    lanczos_free(&s.a);
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
        return decant__fail(DECANT_EINVAL,
                            "%zu eigenvectors of %zu rows are more than ARPACK can take: lower k",
                            k, n);
    return solve_lanczos(problem, basis, watch, values, vectors, info);
}
