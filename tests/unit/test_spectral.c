/* spectral, ldmgi and sec: what they share, and each on data with a known answer. */
#include "blobs.h"

#include "cluster/laplacian.h"
#include "cluster/method.h"
#include "linalg/neighbours.h"

typedef struct fixture {
    size_t n, d;
    float *x;
    decant__source source;
    decant__graph graph;
    decant_options options;
} fixture;

static void fixture_new(fixture *f, float *x, size_t n, size_t d, size_t k, decant_method method) {
    *f = (fixture){.n = n, .d = d, .x = x, .source = decant__source_dense(x, n, d)};
    decant_options_init(&f->options, sizeof f->options);
    f->options.k = k;
    f->options.method = method;
    f->options.neighbours = 5;
    f->options.gamma = 1;
    assert_ok(decant__graph_new(&f->graph, n, 5));
    assert_ok(decant__neighbours_find(&f->source, 5, 2, NULL, f->graph.index, f->graph.weight));
}

static void fixture_free(fixture *f) {
    decant__graph_free(&f->graph);
    free(f->x);
}

static void fit(const fixture *f, int threads, decant__clustering *found) {
    decant__task task = {
        .x = &f->source, .graph = &f->graph, .options = &f->options, .threads = threads};
    assert_ok(decant__found_new(found, &f->options, f->n, f->d));
    assert_ok(decant__method_of(f->options.method)->fit(&task, found));
}

/* Two rings, one inside the other, n points in all: no ball holds one and not the other. */
static float *rings(size_t n, double noise) {
    float *x = sample_new(21, noise, 2 * n);
    for (size_t i = 0; i < n; i++) {
        double angle = 6.283185307179586 * (double)i / (double)n * 2;
        double radius = i % 2 ? 1 : 3;
        x[2 * i] += (float)(radius * cos(angle));
        x[2 * i + 1] += (float)(radius * sin(angle));
    }
    return x;
}

static const decant_method methods[] = {DECANT_METHOD_SPECTRAL, DECANT_METHOD_LDMGI,
                                        DECANT_METHOD_SEC};

static void test_rings(void **state) {
    (void)state;
    enum { N = 600 };
    int32_t classes[N];
    for (int32_t i = 0; i < N; i++) classes[i] = i % 2;
    for (size_t m = 0; m < 3; m++)
        for (int kmeans = 0; kmeans < 2; kmeans++) {
            fixture f;
            decant__clustering found;
            fixture_new(&f, rings(N, 0.01), N, 2, 2, methods[m]);
            f.options.discretise = (decant_discretise)kmeans;
            f.options.mu = 1e-6; /* a linear map cannot tell rings apart */
            fit(&f, 2, &found);
            assert_true(same_partition(found.labels, classes, N));
            if (m < 2) assert_int_equal(found.parts, 2);
            for (size_t i = 0; i < N; i++)
                assert_true(found.confidence[i] >= 0.499F && found.confidence[i] <= 1);
            decant__found_free(&found);
            fixture_free(&f);
        }
}

/* Blobs far apart: as many connected parts as blobs, so that many eigenvalues are 0. */
static float *far_blobs(size_t n, size_t count, double noise) {
    float *x = sample_new(5, noise, 3 * n);
    for (size_t i = 0; i < n; i++) {
        x[3 * i] += 100 * (float)(i % count);
        x[3 * i + 1] += 100 * (float)(i % count % 2);
    }
    return x;
}

static void test_parts_up_to_k(void **state) {
    (void)state;
    enum { N = 900, BLOBS = 6 };
    int32_t classes[N];
    for (int32_t i = 0; i < N; i++) classes[i] = i % BLOBS;
    for (size_t m = 0; m < 2; m++)
        for (int skip = 0; skip < 2; skip++) {
            fixture f;
            decant__clustering found;
            fixture_new(&f, far_blobs(N, BLOBS, 1), N, 3, BLOBS, methods[m]);
            f.options.skip_constant = skip;
            fit(&f, 2, &found);
            assert_int_equal(found.parts, BLOBS);
            assert_int_equal(found.eigenvalue_count, BLOBS + (size_t)skip);
            for (size_t j = 0; j < BLOBS; j++) assert_true(found.eigenvalues[j] == 0);
            if (skip) assert_true(found.eigenvalues[BLOBS] > 1e-4);
            if (!skip) assert_true(same_partition(found.labels, classes, N));
            assert_true(found.converged);
            decant__found_free(&found);
            fixture_free(&f);
        }
}

/* More parts than clusters: the largest stay whole and by themselves. */
static void test_more_parts_than_k(void **state) {
    (void)state;
    enum { N = 600, BLOBS = 6 };
    for (size_t m = 0; m < 2; m++) {
        fixture f;
        decant__clustering found;
        fixture_new(&f, far_blobs(N, BLOBS, 1), N, 3, 2, methods[m]);
        fit(&f, 2, &found);
        assert_int_equal(found.parts, BLOBS);
        for (size_t i = 0; i < N; i++) assert_int_equal(found.labels[i], found.labels[i % BLOBS]);
        decant__found_free(&found);
        fixture_free(&f);
    }
}

static void test_duplicates(void **state) {
    (void)state;
    enum { N = 600, COPIES = 4 };
    for (size_t m = 0; m < 3; m++) {
        fixture f;
        decant__clustering found;
        float *x = far_blobs(N, 3, 1);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < 3; j++) x[3 * i + j] = x[3 * (i % (N / COPIES)) + j];
        fixture_new(&f, x, N, 3, 3, methods[m]);
        f.options.lambda = 1e-8;
        f.options.mu = 1e-4;
        fit(&f, 2, &found);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(found.labels[i], found.labels[i % (N / COPIES)]);
        decant__found_free(&found);
        fixture_free(&f);
    }
}

/* Every other row a cluster: nearly all eigenvectors. */
static void test_k_is_half_of_n(void **state) {
    (void)state;
    enum { N = 60 };
    for (size_t m = 0; m < 3; m++) {
        fixture f;
        decant__clustering found;
        fixture_new(&f, sample_new(2, 1, N * 3), N, 3, N / 2, methods[m]);
        fit(&f, 2, &found);
        for (size_t i = 0; i < N; i++) assert_true(found.labels[i] >= 0 && found.labels[i] < N / 2);
        decant__found_free(&found);
        fixture_free(&f);
    }
}

/* Three rows by themselves among many. */
static void test_tiny_class(void **state) {
    (void)state;
    enum { N = 3003 };
    for (size_t m = 0; m < 3; m++) {
        fixture f;
        decant__clustering found;
        float *x = sample_new(3, 1, N * 2);
        for (size_t i = 0; i < N; i++) x[2 * i] += i < 3 ? 50 : (float)(i % 2) * 8;
        fixture_new(&f, x, N, 2, 3, methods[m]);
        fit(&f, 2, &found);
        assert_true(found.labels[0] == found.labels[1] && found.labels[1] == found.labels[2]);
        decant__found_free(&found);
        fixture_free(&f);
    }
}

/* L of LDMGI by its definition: sum_i S_i H (X_i^T X_i + lambda I)^-1 H S_i^T. */
static void dense_local(const fixture *f, size_t size, double lambda, double *l) {
    enum { MAX = 5 };
    memset(l, 0, f->n * f->n * sizeof *l);
    for (size_t i = 0; i < f->n; i++) {
        size_t row[MAX] = {i};
        double a[MAX * 2 * MAX], mean[16] = {0};
        for (size_t p = 1; p < size; p++) row[p] = f->graph.index[i * 5 + p - 1];
        for (size_t j = 0; j < f->d; j++)
            for (size_t p = 0; p < size; p++)
                mean[j] += (double)f->x[row[p] * f->d + j] / (double)size;
        for (size_t p = 0; p < size; p++)
            for (size_t q = 0; q < size; q++) {
                double sum = p == q ? lambda : 0;
                for (size_t j = 0; j < f->d; j++)
                    sum += ((double)f->x[row[p] * f->d + j] - mean[j]) *
                           ((double)f->x[row[q] * f->d + j] - mean[j]);
                a[p * 2 * size + q] = sum;
                a[p * 2 * size + size + q] = p == q;
            }
        for (size_t p = 0; p < size; p++) { /* Gauss and Jordan */
            double pivot = a[p * 2 * size + p];
            for (size_t c = 0; c < 2 * size; c++) a[p * 2 * size + c] /= pivot;
            for (size_t r = 0; r < size; r++) {
                double factor = a[r * 2 * size + p];
                for (size_t c = 0; c < 2 * size && r != p; c++)
                    a[r * 2 * size + c] -= factor * a[p * 2 * size + c];
            }
        }
        for (size_t p = 0; p < size; p++)
            for (size_t q = 0; q < size; q++) {
                double sum = 0;
                for (size_t b = 0; b < size; b++)
                    for (size_t c = 0; c < size; c++)
                        sum += ((p == b) - 1.0 / (double)size) * a[b * 2 * size + size + c] *
                               ((c == q) - 1.0 / (double)size);
                l[row[p] * f->n + row[q]] += (1 + lambda) * sum;
            }
    }
}

static void test_laplacian_local_by_definition(void **state) {
    (void)state;
    enum { N = 50, D = 6 };
    static const double lambdas[] = {1e-3, 1, 1e4};
    fixture f;
    fixture_new(&f, sample_new(6, 1, N * D), N, D, 2, DECANT_METHOD_LDMGI);
    double *dense = malloc(N * N * sizeof *dense);
    for (size_t t = 0; t < 3; t++) {
        decant__task task = {
            .x = &f.source, .graph = &f.graph, .options = &f.options, .threads = 2};
        decant__csr l;
        dense_local(&f, 5, lambdas[t], dense);
        assert_ok(decant__laplacian_local(&task, 5, lambdas[t], &l));
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t e = l.start[i]; e < l.start[i + 1]; e++) {
                assert_near(l.value[e], dense[i * N + l.column[e]], 1e-9 * (1 + fabs(l.value[e])));
                dense[i * N + l.column[e]] = 0;
                sum += l.value[e];
            }
            assert_near(sum, 0, 1e-9);
        }
        for (size_t e = 0; e < N * N; e++) assert_near(dense[e], 0, 1e-9);
        decant__csr_free(&l);
    }
    free(dense);
    fixture_free(&f);
}

static void test_laplacian_gaussian_is_normalised(void **state) {
    (void)state;
    enum { N = 200, D = 4 };
    fixture f;
    decant__csr s;
    double root[N], image[N];
    fixture_new(&f, sample_new(6, 1, N * D), N, D, 2, DECANT_METHOD_SPECTRAL);
    assert_ok(decant__laplacian_gaussian(&f.graph, &s, root));
    decant__csr_multiply(&s, root, 1, image);
    for (size_t i = 0; i < N; i++) {
        assert_near(image[i], root[i], 1e-12);
        for (size_t e = s.start[i]; e < s.start[i + 1]; e++) {
            size_t j = s.column[e], back = s.start[j];
            while (s.column[back] != i) back++;
            assert_true(s.value[back] == s.value[e]);
        }
    }
    decant__csr_free(&s);
    fixture_free(&f);
}

/* The two ways of sec meet where one takes over from the other. */
static void sec_both_ways(int skip) {
    enum { N = 700, D = 8, K = 3 };
    fixture f;
    decant__clustering whole, reduced;
    float *x = sample_new(8, 1, N * D);
    for (size_t i = 0; i < N; i++) x[i * D + i % (K + (size_t)skip)] += 5;
    fixture_new(&f, x, N, D, K, DECANT_METHOD_SEC);
    f.options.skip_constant = skip;
    f.options.mu = 9.999999;
    fit(&f, 2, &whole);
    f.options.mu = 10;
    fit(&f, 2, &reduced);
    assert_true(whole.iterations > 0);
    assert_int_equal(reduced.iterations, 0);
    for (size_t j = 0; j < K; j++)
        assert_near(whole.eigenvalues[j], reduced.eigenvalues[j], 0.01 * whole.eigenvalues[K - 1]);
    assert_true(same_partition(whole.labels, reduced.labels, N));
    for (size_t j = 0; j < whole.rule.numbers; j++) assert_true(isfinite(reduced.rule.matrix[j]));
    decant__found_free(&whole);
    decant__found_free(&reduced);
    fixture_free(&f);
}

static void test_sec_reduced_problem(void **state) {
    (void)state;
    for (int skip = 0; skip < 2; skip++) sec_both_ways(skip);
}

/* Without the constant vector the eigenvalues lie between those with it; with the local Laplacian,
 * whose first one is the constant vector's, they are the others. */
static void test_sec_skips_constant(void **state) {
    (void)state;
    enum { N = 700, D = 8, K = 4 };
    static const double mus[] = {1e-4, 1, 1e6};
    float *x = sample_new(8, 1, N * D);
    for (size_t i = 0; i < N; i++) x[i * D + i % K] += 5;
    fixture f;
    fixture_new(&f, x, N, D, K, DECANT_METHOD_SEC);
    for (int local = 0; local < 2; local++)
        for (size_t m = 0; m < 3; m++) {
            decant__clustering with, without;
            f.options.laplacian = (decant_laplacian)local;
            f.options.mu = mus[m];
            f.options.skip_constant = 0;
            f.options.k = K + 1;
            fit(&f, 2, &with);
            f.options.skip_constant = 1;
            f.options.k = K;
            fit(&f, 2, &without);
            for (size_t j = 0; j < K; j++) {
                double own = without.eigenvalues[j], next = with.eigenvalues[j + 1],
                       near = 1e-6 * with.eigenvalues[K];
                assert_true(own >= with.eigenvalues[j] - near && own <= next + near);
                if (local) assert_near(own, next, near);
            }
            decant__found_free(&with);
            decant__found_free(&without);
        }
    fixture_free(&f);
}

static void test_sec_skips_constant_only_if_there_is_more(void **state) {
    (void)state;
    enum { N = 12, D = 3 };
    fixture f;
    decant__clustering found;
    fixture_new(&f, sample_new(8, 1, N * D), N, D, N, DECANT_METHOD_SEC);
    f.options.skip_constant = 1;
    decant__task task = {.x = &f.source, .graph = &f.graph, .options = &f.options, .threads = 1};
    assert_ok(decant__found_new(&found, &f.options, N, D));
    assert_int_equal(decant__sec_fit(&task, &found), DECANT_EINVAL);
    decant__found_free(&found);
    fixture_free(&f);
}

/* New rows, and the old ones, by the linear map; the same through k-means in the eigenvectors. */
static void test_sec_assigns(void **state) {
    (void)state;
    enum { N = 600, D = 6, K = 3 };
    for (int kmeans = 0; kmeans < 2; kmeans++)
        for (int local = 0; local < 2; local++) {
            fixture f;
            decant__clustering found;
            int32_t labels[N], classes[N];
            float confidence[N], *x = sample_new(8, 1, N * D);
            for (size_t i = 0; i < N; i++) {
                x[i * D + i % K] += 7;
                classes[i] = (int32_t)(i % K);
            }
            fixture_new(&f, x, N, D, K, DECANT_METHOD_SEC);
            f.options.laplacian = (decant_laplacian)local;
            f.options.discretise = (decant_discretise)kmeans;
            fit(&f, 2, &found);
            assert_true(same_partition(found.labels, classes, N));
            float *fresh = sample_new(88, 1, N * D);
            for (size_t i = 0; i < N; i++) fresh[i * D + i % K] += 7;
            decant__source rows = decant__source_dense(fresh, N, D);
            decant__task task = {.x = &rows, .options = &f.options, .threads = 2};
            decant__assigned out = {.labels = labels, .confidence = confidence};
            assert_ok(decant__sec_assign(&task, &found.rule, &out));
            for (size_t i = 0; i < N; i++) {
                assert_int_equal(labels[i], found.labels[i % K]);
                assert_true(confidence[i] > 0.3F && confidence[i] <= 1);
            }
            free(fresh);
            decant__found_free(&found);
            fixture_free(&f);
        }
}

static void test_same_for_any_threads(void **state) {
    (void)state;
    enum { N = 700 };
    for (size_t m = 0; m < 3; m++) {
        fixture f;
        decant__clustering first, other;
        fixture_new(&f, sample_new(31, 1, N * 4), N, 4, 4, methods[m]);
        fit(&f, 1, &first);
        for (int threads = 2; threads <= 8; threads *= 4) {
            fit(&f, threads, &other);
            assert_memory_equal(other.labels, first.labels, N * sizeof *first.labels);
            assert_memory_equal(other.confidence, first.confidence, N * sizeof *first.confidence);
            assert_memory_equal(other.eigenvalues, first.eigenvalues,
                                first.eigenvalue_count * sizeof *first.eigenvalues);
            assert_memory_equal(other.rule.matrix, first.rule.matrix,
                                first.rule.numbers * sizeof *first.rule.matrix);
            decant__found_free(&other);
        }
        decant__found_free(&first);
        fixture_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_parts_up_to_k),
        cmocka_unit_test(test_more_parts_than_k),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_k_is_half_of_n),
        cmocka_unit_test(test_tiny_class),
        cmocka_unit_test(test_laplacian_local_by_definition),
        cmocka_unit_test(test_laplacian_gaussian_is_normalised),
        cmocka_unit_test(test_sec_reduced_problem),
        cmocka_unit_test(test_sec_skips_constant),
        cmocka_unit_test(test_sec_skips_constant_only_if_there_is_more),
        cmocka_unit_test(test_sec_assigns),
        cmocka_unit_test(test_same_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
