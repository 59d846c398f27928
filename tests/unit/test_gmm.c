#include "blobs.h"

#include "cluster/method.h"
#include "gmm_reference.h"

static decant_options options_for(decant_covariance covariance) {
    decant_options o;
    decant_options_init(&o, sizeof o);
    o.k = GMM_K;
    o.method = DECANT_METHOD_GMM;
    o.covariance = covariance;
    return o;
}

static void fit(const decant__source *x, const decant_options *o, int threads,
                decant__clustering *found) {
    decant__task task = {.x = x, .options = o, .threads = threads};
    assert_ok(decant__found_new(found, o, x->n, x->d));
    assert_ok(decant__gmm_fit(&task, found));
}

/* The start is the k-means partition for both. */
static void check_likelihood(decant_covariance covariance, double likelihood, size_t iterations) {
    decant_options o = options_for(covariance);
    decant__source x = decant__source_dense(gmm_rows, GMM_N, GMM_D);
    decant__clustering found;
    o.restarts = 1;
    o.seed = 3;
    fit(&x, &o, 2, &found);
    assert_near(-found.objective, likelihood, 1e-6);
    assert_int_equal(found.iterations, iterations);
    assert_true(found.converged);
    decant__found_free(&found);
}

static void test_fit_as_scikit_learn(void **state) {
    (void)state;
    check_likelihood(DECANT_COVARIANCE_DIAG, gmm_diag_likelihood, (size_t)gmm_diag_iterations);
    check_likelihood(DECANT_COVARIANCE_FULL, gmm_full_likelihood, (size_t)gmm_full_iterations);
}

static void test_fit_more_starts_are_no_worse(void **state) {
    (void)state;
    decant_options o = options_for(DECANT_COVARIANCE_FULL);
    decant__source x = decant__source_dense(gmm_rows, GMM_N, GMM_D);
    decant__clustering one, many;
    o.restarts = 1;
    fit(&x, &o, 1, &one);
    o.restarts = 8;
    fit(&x, &o, 1, &many);
    assert_true(many.objective <= one.objective);
    decant__found_free(&one);
    decant__found_free(&many);
}

/* The densities written out. */
static double log_density(const decant__rule *rule, const float *row, size_t c, int full) {
    const double *mean = rule->matrix + c * GMM_D;
    const double *factor =
        rule->matrix + GMM_K * GMM_D + c * (size_t)(full ? GMM_D * GMM_D : GMM_D);
    double square = 0;
    for (size_t i = 0; i < GMM_D; i++) {
        double t = 0;
        if (!full) t = factor[i] * ((double)row[i] - mean[i]);
        for (size_t j = 0; full && j <= i; j++)
            t += factor[i * GMM_D + j] * ((double)row[j] - mean[j]);
        square += t * t;
    }
    return rule->offset[c] - square / 2;
}

static void check_shares(decant_covariance covariance) {
    decant_options o = options_for(covariance);
    decant__source x = decant__source_dense(gmm_rows, GMM_N, GMM_D);
    decant__clustering found;
    fit(&x, &o, 2, &found);
    double whole = 0;
    for (size_t i = 0; i < GMM_N; i++) {
        double sum = 0, best = 0;
        for (size_t c = 0; c < GMM_K; c++) {
            double p = exp(log_density(&found.rule, gmm_rows + i * GMM_D, c,
                                       covariance == DECANT_COVARIANCE_FULL));
            sum += p;
            if ((size_t)found.labels[i] == c) best = p;
        }
        assert_near(found.confidence[i], best / sum, 1e-6);
        whole += log(sum) / GMM_N;
    }
    /* The rule is one step later than the reported likelihood. */
    assert_true(whole >= -found.objective - 1e-9 && whole < -found.objective + 1e-2);
    decant__found_free(&found);
}

static void test_assign_is_the_posterior(void **state) {
    (void)state;
    check_shares(DECANT_COVARIANCE_DIAG);
    check_shares(DECANT_COVARIANCE_FULL);
}

static void test_fit_same_for_any_threads_and_sparse(void **state) {
    (void)state;
    enum { N = 900, D = 9 };
    float *x = sample_new(1, 1, N * D);
    for (size_t i = 0; i < N; i++) x[i * D + i % 3] += 4;
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source dense = decant__source_dense(x, N, D), sparse = sample_csr_source(&csr);
    for (int full = 0; full < 2; full++) {
        decant_options o = options_for((decant_covariance)full);
        decant__clustering first, other;
        o.restarts = 2;
        fit(&dense, &o, 1, &first);
        for (int threads = 2; threads <= 8; threads *= 4) {
            fit(&dense, &o, threads, &other);
            assert_memory_equal(other.labels, first.labels, N * sizeof *first.labels);
            assert_memory_equal(other.rule.matrix, first.rule.matrix,
                                first.rule.numbers * sizeof *first.rule.matrix);
            decant__found_free(&other);
        }
        fit(&sparse, &o, 2, &other);
        assert_true(same_partition(first.labels, other.labels, N));
        decant__found_free(&first);
        decant__found_free(&other);
    }
    sample_csr_free(&csr);
    free(x);
}

/* Constant columns, and clusters of equal rows: variances stay above 0. */
static void test_fit_without_variance(void **state) {
    (void)state;
    enum { N = 60, D = 4 };
    float x[N * D];
    for (size_t i = 0; i < N * D; i++) x[i] = i % D == 3 ? 5 : (float)(i / D % GMM_K);
    decant__source source = decant__source_dense(x, N, D);
    for (int full = 0; full < 2; full++) {
        decant_options o = options_for((decant_covariance)full);
        decant__clustering found;
        fit(&source, &o, 2, &found);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(found.labels[i], found.labels[i % GMM_K]);
            assert_near(found.confidence[i], 1, 1e-6);
        }
        assert_true(isfinite(found.objective));
        decant__found_free(&found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_as_scikit_learn),
        cmocka_unit_test(test_fit_more_starts_are_no_worse),
        cmocka_unit_test(test_assign_is_the_posterior),
        cmocka_unit_test(test_fit_same_for_any_threads_and_sparse),
        cmocka_unit_test(test_fit_without_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
