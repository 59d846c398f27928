#include "sample.h"

#include <pthread.h>
#include <unistd.h>

#include "linalg/dense_matrix.h"
#include "linalg/eigen.h"

/* The Laplacian of a path of n points: eigenvalues 2 - 2 cos(pi j / n), vectors cos(pi j (i + 1/2)
 * / n). */
typedef struct path {
    size_t n, products;
} path;

static void apply_path(void *matrix, const double *x, double *y) {
    path *p = matrix;
    p->products++;
    for (size_t i = 0; i < p->n; i++) {
        y[i] = 0;
        if (i > 0) y[i] += x[i] - x[i - 1];
        if (i + 1 < p->n) y[i] += x[i] - x[i + 1];
    }
}

static void check_path(size_t n, size_t k, decant__end end) {
    path p = {.n = n};
    decant__eigen problem = {.n = n,
                             .k = k,
                             .end = end,
                             .apply = apply_path,
                             .matrix = &p,
                             .tol = 1e-10,
                             .basis = 60,
                             .max = 100000,
                             .seed = 1};
    decant__eigen_info info;
    double *values = malloc(k * sizeof *values), *vectors = malloc(k * n * sizeof *vectors);
    double *image = malloc(n * sizeof *image);
    assert_ok(decant__eigen_solve(&problem, NULL, values, vectors, &info));
    assert_true(info.products > 0 && info.products <= p.products);
    for (size_t j = 0; j < k; j++) {
        size_t number = end == DECANT__END_SMALLEST ? j : n - 1 - j;
        double expected = 2 - 2 * cos(acos(-1) * (double)number / (double)n), residual = 0;
        assert_near(values[j], expected, 1e-8);
        apply_path(&p, vectors + j * n, image);
        for (size_t i = 0; i < n; i++)
            residual += pow(image[i] - values[j] * vectors[j * n + i], 2);
        assert_true(sqrt(residual) < 1e-7);
        for (size_t l = 0; l <= j; l++) {
            double dot = 0;
            for (size_t i = 0; i < n; i++) dot += vectors[j * n + i] * vectors[l * n + i];
            assert_near(dot, l == j, 1e-8);
        }
    }
    free(values);
    free(vectors);
    free(image);
}

static void test_solve_both_ends(void **state) {
    (void)state;
    check_path(30, 4, DECANT__END_SMALLEST); /* LAPACK */
    check_path(30, 30, DECANT__END_LARGEST);
    check_path(500, 5, DECANT__END_SMALLEST); /* ARPACK */
    check_path(500, 5, DECANT__END_LARGEST);
}

static decant__eigen hard_problem(path *p) {
    return (decant__eigen){.n = p->n,
                           .k = 8,
                           .end = DECANT__END_SMALLEST,
                           .apply = apply_path,
                           .matrix = p,
                           .tol = 1e-10,
                           .max = 100,
                           .seed = 1};
}

static void test_solve_says_what_was_reached(void **state) {
    (void)state;
    path p = {.n = 3000};
    decant__eigen problem = hard_problem(&p);
    decant__eigen_info info;
    double values[9] = {[0] = -7}, *vectors = calloc(9 * p.n, sizeof *vectors);
    assert_fails(decant__eigen_solve(&problem, NULL, values, vectors, &info), DECANT_EDIVERGED,
                 "of 8 eigenpairs converged to 1e-10 within 100 products");
    assert_true(values[0] == -7);
    problem.k = 3001;
    assert_fails(decant__eigen_solve(&problem, NULL, values, vectors, &info), DECANT_EINVAL,
                 "order 3000");
    free(vectors);
}

/* Eigenvalues near 4 that differ by 1e-6: ten digits take too long, three come soon. */
static void test_solve_loosens_after_patience(void **state) {
    (void)state;
    path p = {.n = 3000};
    decant__eigen problem = hard_problem(&p);
    decant__eigen_info info;
    double values[8], *vectors = calloc(8 * p.n, sizeof *vectors);
    problem.end = DECANT__END_LARGEST;
    problem.max = 1000;
    assert_int_equal(decant__eigen_solve(&problem, NULL, values, vectors, &info), DECANT_EDIVERGED);
    problem.loose = 1e-3;
    problem.patience = 200;
    assert_ok(decant__eigen_solve(&problem, NULL, values, vectors, &info));
    assert_true(info.products > 200 && info.products < 1000);
    assert_true(info.loose == 1e-3);
    for (size_t j = 0; j < 8; j++) assert_near(values[j], 4, 0.02);
    problem.loose = 0;
    problem.k = 1;
    problem.tol = 1;
    assert_ok(decant__eigen_solve(&problem, NULL, values, vectors, &info));
    assert_true(info.loose == 0);
    free(vectors);
}

static int stop(const decant_progress *progress, void *user) {
    (void)user;
    assert_int_equal(progress->steps, 0); /* the number of products is not known in advance */
    return progress->step >= 40;
}

static void test_solve_can_be_stopped(void **state) {
    (void)state;
    path p = {.n = 3000};
    decant__eigen problem = hard_problem(&p);
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = stop};
    decant__watch watch = {.monitor = &monitor, .phase = "ldmgi"};
    decant__eigen_info info;
    double values[8], *vectors = calloc(8 * p.n, sizeof *vectors);
    problem.max = 100000;
    assert_fails(decant__eigen_solve(&problem, &watch, values, vectors, &info), DECANT_ECANCELLED,
                 "ldmgi");
    assert_true(info.products >= 40);
    free(vectors);
}

/* ---- several solutions at once ---- */

enum { ORDER = 700, PAIRS = 4 };

typedef struct answer {
    double values[PAIRS], vectors[PAIRS * ORDER];
    size_t products;
} answer;

static decant_status solve_path(size_t n, const decant__watch *watch, answer *out) {
    path p = {.n = n};
    decant__eigen problem = {.n = n,
                             .k = PAIRS,
                             .end = DECANT__END_SMALLEST,
                             .apply = apply_path,
                             .matrix = &p,
                             .tol = 1e-9,
                             .basis = 30,
                             .max = 100000,
                             .seed = n};
    decant__eigen_info info;
    decant_status status = decant__eigen_solve(&problem, watch, out->values, out->vectors, &info);
    out->products = info.products;
    return status;
}

static void assert_same_answer(const answer *a, const answer *b) {
    assert_int_equal(a->products, b->products);
    assert_memory_equal(a->values, b->values, sizeof a->values);
    assert_memory_equal(a->vectors, b->vectors, sizeof a->vectors);
}

/* A callback that solves a problem of its own, once. */
typedef struct nested {
    answer inner;
    int solved;
} nested;

static int solve_inside(const decant_progress *progress, void *user) {
    nested *own = user;
    (void)progress;
    if (own->solved) return 0;
    own->solved = 1;
    return solve_path(ORDER - 100, NULL, &own->inner) != DECANT_OK;
}

static void test_solve_inside_a_callback(void **state) {
    (void)state;
    answer *alone = calloc(2, sizeof *alone), *outer = calloc(1, sizeof *outer);
    nested *own = calloc(1, sizeof *own);
    decant_monitor monitor = {.progress = solve_inside, .user = own};
    decant__watch watch = {.monitor = &monitor, .phase = "spectral"};
    alarm(60); /* a deadlock ends here */
    assert_ok(solve_path(ORDER, NULL, &alone[0]));
    assert_ok(solve_path(ORDER - 100, NULL, &alone[1]));
    assert_ok(solve_path(ORDER, &watch, outer));
    alarm(0);
    assert_true(own->solved);
    assert_same_answer(&alone[0], outer);
    assert_same_answer(&alone[1], &own->inner);
    free(alone);
    free(outer);
    free(own);
}

static int listen(const decant_progress *progress, void *user) {
    (void)progress, (void)user;
    return 0;
}

static void *solve_in_thread(void *user) {
    decant_monitor monitor = {.progress = listen};
    decant__watch watch = {.monitor = &monitor, .phase = "spectral"};
    answer *out = user;
    return solve_path(ORDER, &watch, out) == DECANT_OK ? out : NULL;
}

static void test_solve_in_two_threads(void **state) {
    (void)state;
    answer *alone = calloc(1, sizeof *alone), *both = calloc(2, sizeof *both);
    pthread_t thread[2];
    assert_ok(solve_path(ORDER, NULL, alone));
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, solve_in_thread, &both[t]), 0);
    for (int t = 0; t < 2; t++) {
        void *solved = NULL;
        pthread_join(thread[t], &solved);
        assert_non_null(solved);
        assert_same_answer(alone, &both[t]);
    }
    free(alone);
    free(both);
}

/* A callback that wants to stop, called while another solution is under way. */
static int stop_at_once(const decant_progress *progress, void *user) {
    *(size_t *)user = progress->step;
    return 1;
}

static int solve_and_stop(const decant_progress *progress, void *user) {
    nested *own = user;
    size_t reached = 1;
    decant_monitor monitor = {.progress = stop_at_once, .user = &reached};
    decant__watch watch = {.monitor = &monitor, .phase = "ldmgi"};
    (void)progress;
    own->solved = solve_path(ORDER - 100, &watch, &own->inner) == DECANT_ECANCELLED;
    return 1;
}

static void test_solve_waiting_can_be_stopped(void **state) {
    (void)state;
    answer *outer = calloc(1, sizeof *outer);
    nested *own = calloc(1, sizeof *own);
    decant_monitor monitor = {.progress = solve_and_stop, .user = own};
    decant__watch watch = {.monitor = &monitor, .phase = "spectral"};
    alarm(60);
    assert_fails(solve_path(ORDER, &watch, outer), DECANT_ECANCELLED, "spectral");
    alarm(0);
    assert_true(own->solved);
    free(outer);
    free(own);
}

/* tr(a R) is largest for that rotation, and then the sum of the singular values. */
static void test_rotation(void **state) {
    (void)state;
    enum { K = 5 };
    float *sample = sample_new(4, 1, K * K);
    double a[K * K], r[K * K], sum, trace = 0;
    for (size_t i = 0; i < K * K; i++) r[i] = a[i] = (double)sample[i];
    assert_ok(decant__dense_rotation(r, K, &sum));
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double dot = 0;
            trace += a[i * K + j] * r[j * K + i];
            for (size_t l = 0; l < K; l++) dot += r[i * K + l] * r[j * K + l];
            assert_near(dot, i == j, 1e-12);
        }
    assert_near(trace, sum, 1e-12);
    free(sample);
}

static void test_cholesky(void **state) {
    (void)state;
    enum { K = 6 };
    float *sample = sample_new(4, 1, K * K);
    double a[K * K], l[K * K], x[K], y[K];
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            a[i * K + j] = i == j;
            for (size_t m = 0; m < K; m++)
                a[i * K + j] += (double)sample[i * K + m] * (double)sample[j * K + m];
        }
    memcpy(l, a, sizeof l);
    assert_ok(decant__dense_cholesky(l, K));
    for (size_t i = 0; i < K; i++) y[i] = (double)i - 2;
    for (size_t i = 0; i < K; i++) {
        x[i] = 0;
        for (size_t j = 0; j < K; j++) x[i] += a[i * K + j] * y[j];
    }
    decant__dense_solve(l, K, x);
    for (size_t i = 0; i < K; i++) assert_near(x[i], y[i], 1e-10);
    double inverse[K * K];
    memcpy(inverse, l, sizeof l);
    assert_ok(decant__dense_invert_lower(inverse, K));
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double sum = 0;
            for (size_t m = 0; m < K; m++) sum += inverse[i * K + m] * l[m * K + j];
            assert_near(sum, i == j, 1e-10);
        }
    a[0] = -1;
    assert_fails(decant__dense_cholesky(a, K), DECANT_EDIVERGED, "positive definite");
    free(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_both_ends),
        cmocka_unit_test(test_solve_says_what_was_reached),
        cmocka_unit_test(test_solve_loosens_after_patience),
        cmocka_unit_test(test_solve_can_be_stopped),
        cmocka_unit_test(test_solve_inside_a_callback),
        cmocka_unit_test(test_solve_in_two_threads),
        cmocka_unit_test(test_solve_waiting_can_be_stopped),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_cholesky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
