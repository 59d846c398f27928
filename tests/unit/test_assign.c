#include "sample.h"

#include "base/team.h"
#include "dec/assign.h"

#include "../data/assign_reference.h"

enum { N = REFERENCE_N, L = REFERENCE_L, K = REFERENCE_K, CASES = 3 };

static void compare(const float *found, const double *expected, size_t count, double tolerance) {
    for (size_t i = 0; i < count; i++) assert_near(found[i], expected[i], tolerance);
}

static void test_soft_assign_reference(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        float q[N * K];
        decant__soft_assign(reference_z, N, L, reference_mu, K, reference[c].alpha, q);
        compare(q, reference[c].q, (size_t)N * K, 3e-7);
    }
}

static void test_target_reference(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        float q[N * K];
        double f[K], *partial = malloc(decant__frequency_partials(N, K) * sizeof *partial);
        decant__soft_assign(reference_z, N, L, reference_mu, K, reference[c].alpha, q);
        decant__frequencies(q, N, K, partial, f);
        for (size_t j = 0; j < K; j++) assert_near(f[j], reference[c].f[j], 1e-6);
        decant__target(q, N, K, f);
        compare(q, reference[c].p, (size_t)N * K, 1e-6);
        free(partial);
    }
}

static decant__sum_tree tree_of(size_t n) {
    decant__shards shards = decant__shards_even(n);
    return decant__shards_tree(&shards);
}

static void reference_target(size_t c, float *p) {
    for (size_t i = 0; i < (size_t)N * K; i++) p[i] = (float)reference[c].p[i];
}

static void test_kl_gradients_reference(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        for (float weight = 1; weight > 0.2F; weight /= 4) {
            float p[N * K], q[N * K], kernel[N * K], dz[N * L], dmu[K * L];
            double row_loss[N], alpha = reference[c].alpha;
            reference_target(c, p);
            decant__soft_assign(reference_z, N, L, reference_mu, K, alpha, q);
            decant__sum_tree tree = tree_of(N);
            decant__kl_gradients(reference_z, N, L, reference_mu, K, alpha, p, q, weight, &tree,
                                 kernel, dz, dmu, row_loss);
            for (size_t i = 0; i < (size_t)N * L; i++)
                assert_near(dz[i], (double)weight * reference[c].dz[i], 1e-6);
            for (size_t i = 0; i < (size_t)K * L; i++)
                assert_near(dmu[i], (double)weight * reference[c].dmu[i], 1e-6);
            for (size_t i = 0; i < N; i++) /* without weight */
                assert_near(row_loss[i], reference[c].loss[i], 1e-6);
        }
    }
}

/* ---- Larger random cases ----------------------------------------------------------------------
 */

enum { BIG_N = 1500, BIG_L = 6, BIG_K = 9 };

static double naive_loss(const double *z, const double *mu, size_t n, size_t l, size_t k,
                         double alpha, const float *p) {
    double loss = 0;
    for (size_t i = 0; i < n; i++) {
        double kernel[BIG_K], sum = 0;
        for (size_t j = 0; j < k; j++) {
            double squares = 0;
            for (size_t c = 0; c < l; c++) squares += pow(z[i * l + c] - mu[j * l + c], 2);
            kernel[j] = pow(1 + squares / alpha, -(alpha + 1) / 2);
            sum += kernel[j];
        }
        for (size_t j = 0; j < k; j++)
            if (p[i * k + j] > 0)
                loss += (double)p[i * k + j] * log((double)p[i * k + j] * sum / kernel[j]);
    }
    return loss;
}

/* Eq. 4 and 5 by central differences in double, for a target that is not q's own. */
static void test_kl_gradients_finite_differences(void **state) {
    (void)state;
    enum { ROWS = 20 };
    static const double alphas[] = {1, 0.5, 3};
    for (size_t a = 0; a < 3; a++) {
        float z[ROWS * BIG_L], mu[BIG_K * BIG_L], p[ROWS * BIG_K], q[ROWS * BIG_K];
        float kernel[ROWS * BIG_K], dz[ROWS * BIG_L], dmu[BIG_K * BIG_L];
        double wide_z[ROWS * BIG_L], wide_mu[BIG_K * BIG_L], row_loss[ROWS], loss = 0;
        sample_normal(1, 1, ROWS * BIG_L, z);
        sample_normal(2, 1, BIG_K * BIG_L, mu);
        sample_normal(3, 1, ROWS * BIG_K, p);
        for (size_t i = 0; i < ROWS; i++) {
            float sum = 0;
            p[i * BIG_K] = 0; /* a target of exactly 0 */
            for (size_t j = 0; j < BIG_K; j++) sum += p[i * BIG_K + j] = fabsf(p[i * BIG_K + j]);
            for (size_t j = 0; j < BIG_K; j++) p[i * BIG_K + j] /= sum;
        }
        for (size_t i = 0; i < ROWS * BIG_L; i++) wide_z[i] = (double)z[i];
        for (size_t i = 0; i < BIG_K * BIG_L; i++) wide_mu[i] = (double)mu[i];
        decant__soft_assign(z, ROWS, BIG_L, mu, BIG_K, alphas[a], q);
        decant__sum_tree tree = tree_of(ROWS);
        decant__kl_gradients(z, ROWS, BIG_L, mu, BIG_K, alphas[a], p, q, 1, &tree, kernel, dz, dmu,
                             row_loss);
        for (size_t i = 0; i < ROWS; i++) loss += row_loss[i];
        assert_near(loss, naive_loss(wide_z, wide_mu, ROWS, BIG_L, BIG_K, alphas[a], p), 1e-5);
        for (size_t i = 0; i < (ROWS + BIG_K) * BIG_L; i++) {
            double *value = i < ROWS * BIG_L ? &wide_z[i] : &wide_mu[i - ROWS * BIG_L];
            float found = i < ROWS * BIG_L ? dz[i] : dmu[i - ROWS * BIG_L];
            double kept = *value, step = 1e-6;
            *value = kept + step;
            double up = naive_loss(wide_z, wide_mu, ROWS, BIG_L, BIG_K, alphas[a], p);
            *value = kept - step;
            double down = naive_loss(wide_z, wide_mu, ROWS, BIG_L, BIG_K, alphas[a], p);
            *value = kept;
            assert_near(found, (up - down) / (2 * step), 1e-5);
        }
    }
}

static void check_rows_sum_to_one(const float *q, size_t n, size_t k) {
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++) {
            assert_true(q[i * k + j] >= 0 && q[i * k + j] <= 1);
            sum += (double)q[i * k + j];
        }
        assert_near(sum, 1, 1e-6);
    }
}

typedef struct assigning {
    float *z, *mu, *q, *p, *kernel, *dz, *dmu;
    double *partial, *f, *row_loss;
} assigning;

static void assign_in_team(void *context) {
    const assigning *a = context;
    decant__soft_assign(a->z, BIG_N, BIG_L, a->mu, BIG_K, 1, a->q);
    decant__frequencies(a->q, BIG_N, BIG_K, a->partial, a->f);
}

static void target_in_team(void *context) {
    const assigning *a = context;
    decant__target(a->q, BIG_N, BIG_K, a->f);
}

static void gradients_in_team(void *context) {
    const assigning *a = context;
    decant__sum_tree tree = tree_of(BIG_N);
    decant__kl_gradients(a->z, BIG_N, BIG_L, a->mu, BIG_K, 1, a->p, a->q, 1, &tree, a->kernel,
                         a->dz, a->dmu, a->row_loss);
}

/* Rows of q and p sum to 1, frequencies to n; p sharpens q; the same bytes for any threads. */
static void test_assignment_invariants(void **state) {
    (void)state;
    float *z = sample_new(1, 2, BIG_N * BIG_L), *mu = sample_new(2, 2, BIG_K * BIG_L);
    float *q = sample_new(3, 1, BIG_N * BIG_K), *first = sample_new(3, 1, BIG_N * BIG_K);
    double f[BIG_K], *partial = malloc(decant__frequency_partials(BIG_N, BIG_K) * sizeof *partial);
    assigning a = {.z = z, .mu = mu, .q = q, .partial = partial, .f = f};
    for (int threads = 1; threads <= 4; threads++) {
        decant__team_run(threads, assign_in_team, &a);
        check_rows_sum_to_one(q, BIG_N, BIG_K);
        double total = 0;
        for (size_t j = 0; j < BIG_K; j++) {
            double sum = 0;
            for (size_t i = 0; i < BIG_N; i++) sum += (double)q[i * BIG_K + j];
            assert_near(f[j], sum, 1e-9);
            total += f[j];
        }
        assert_near(total, BIG_N, 1e-3);
        decant__team_run(threads, target_in_team, &a);
        check_rows_sum_to_one(q, BIG_N, BIG_K);
        if (threads == 1) memcpy(first, q, BIG_N * BIG_K * sizeof *q);
        assert_memory_equal(first, q, BIG_N * BIG_K * sizeof *q);
    }
    free(z);
    free(mu);
    free(q);
    free(first);
    free(partial);
}

static void test_kl_gradients_same_bytes_for_any_threads(void **state) {
    (void)state;
    float *z = sample_new(1, 2, BIG_N * BIG_L), *mu = sample_new(2, 2, BIG_K * BIG_L);
    float *q = sample_new(3, 1, BIG_N * BIG_K), *p = sample_new(3, 1, BIG_N * BIG_K);
    float *kernel = sample_new(3, 1, BIG_N * BIG_K), *dz = sample_new(3, 1, BIG_N * BIG_L);
    float *dz_one = sample_new(3, 1, BIG_N * BIG_L), dmu[BIG_K * BIG_L], dmu_one[BIG_K * BIG_L];
    double *row_loss = malloc(BIG_N * sizeof *row_loss);
    decant__soft_assign(z, BIG_N, BIG_L, mu, BIG_K, 1, q);
    for (size_t i = 0; i < BIG_N * BIG_K; i++) p[i] = q[BIG_N * BIG_K - 1 - i];
    assigning a = {z, mu, q, p, kernel, dz, dmu, NULL, NULL, row_loss};
    for (int threads = 1; threads <= 4; threads++) {
        decant__team_run(threads, gradients_in_team, &a);
        if (threads == 1) memcpy(dz_one, dz, BIG_N * BIG_L * sizeof *dz);
        if (threads == 1) memcpy(dmu_one, dmu, sizeof dmu);
        assert_memory_equal(dz_one, dz, BIG_N * BIG_L * sizeof *dz);
        assert_memory_equal(dmu_one, dmu, sizeof dmu);
    }
    free(z);
    free(mu);
    free(q);
    free(p);
    free(kernel);
    free(dz);
    free(dz_one);
    free(row_loss);
}

/* ---- Edges ------------------------------------------------------------------------------------
 */

/* A cluster that nobody belongs to: its column of p is 0 and the others still sum to 1. */
static void test_target_dead_cluster(void **state) {
    (void)state;
    float q[6] = {0.75F, 0, 0.25F, 0.5F, 0, 0.5F};
    const double f[3] = {1.25, 0, 0.75};
    decant__target(q, 2, 3, f);
    check_rows_sum_to_one(q, 2, 3);
    assert_true(q[1] == 0 && q[4] == 0);
    assert_near(q[0], 0.45 / (0.45 + 0.0625 / 0.75), 1e-6);
}

static void test_far_points_stay_finite(void **state) {
    (void)state;
    static const double alphas[] = {0.01, 0.5, 1, 3, 1000};
    static const float places[] = {1e3F, 1e6F, 1e18F, 1e25F};
    for (size_t a = 0; a < 5; a++) {
        for (size_t at = 0; at < 4; at++) {
            float z[4] = {places[at], -places[at], 0, 0}, mu[6] = {0, 0, 1, 1, 2, -1};
            float q[6], p[6], kernel[6], dz[4], dmu[6];
            double f[3], partial[3], row_loss[2];
            assert_int_equal(decant__frequency_partials(2, 3), 3);
            decant__soft_assign(z, 2, 2, mu, 3, alphas[a], q);
            check_rows_sum_to_one(q, 2, 3);
            memcpy(p, q, sizeof p);
            decant__frequencies(q, 2, 3, partial, f);
            decant__target(p, 2, 3, f);
            check_rows_sum_to_one(p, 2, 3);
            decant__sum_tree tree = tree_of(2);
            decant__kl_gradients(z, 2, 2, mu, 3, alphas[a], p, q, 1, &tree, kernel, dz, dmu,
                                 row_loss);
            for (size_t i = 0; i < 4; i++) assert_true(isfinite(dz[i]));
            for (size_t i = 0; i < 6; i++) assert_true(isfinite(dmu[i]));
            for (size_t i = 0; i < 2; i++) assert_true(isfinite(row_loss[i]));
        }
    }
}

/* A point on its centroid, others far away. */
static void test_soft_assign_on_the_centroid(void **state) {
    (void)state;
    float z[2] = {1, 1}, mu[4] = {1, 1, 1e4F, 0}, q[2];
    decant__soft_assign(z, 1, 2, mu, 2, 1, q);
    assert_near(q[0], 1, 1e-6);
    assert_true(q[1] > 0 && q[1] < 1e-7F);
}

static void test_hard_assign_ties_to_the_lower(void **state) {
    (void)state;
    const float q[9] = {0.4F, 0.4F, 0.2F, 0.2F, 0.4F, 0.4F, 0.1F, 0.2F, 0.7F};
    int32_t labels[3];
    float confidence[3];
    decant__hard_assign(q, 3, 3, labels, confidence);
    for (int i = 0; i < 3; i++) assert_int_equal(labels[i], i);
    assert_true(confidence[0] == 0.4F && confidence[2] == 0.7F);
    decant__hard_assign(q, 3, 3, NULL, confidence);
    decant__hard_assign(q, 3, 3, labels, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft_assign_reference),
        cmocka_unit_test(test_target_reference),
        cmocka_unit_test(test_kl_gradients_reference),
        cmocka_unit_test(test_kl_gradients_finite_differences),
        cmocka_unit_test(test_assignment_invariants),
        cmocka_unit_test(test_kl_gradients_same_bytes_for_any_threads),
        cmocka_unit_test(test_target_dead_cluster),
        cmocka_unit_test(test_far_points_stay_finite),
        cmocka_unit_test(test_soft_assign_on_the_centroid),
        cmocka_unit_test(test_hard_assign_ties_to_the_lower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
