#include "sample.h"

#include "dec/encode.h"
#include "dec/whiten.h"

enum { N = 900, D = 6, L = 3 };

typedef struct fixture {
    decant__autoencoder plan;
    float *x, *params, *z, *before, *after;
} fixture;

/* A net whose features have very different variances. */
static void fixture_new(fixture *f) {
    static const size_t sizes[] = {12, L};
    assert_ok(decant__autoencoder_plan(&f->plan, D, sizes, 2));
    f->x = sample_new(1, 1, N * D);
    f->params = calloc(f->plan.parameters, sizeof *f->params);
    decant__autoencoder_init(&f->plan, 0, 7, 0, f->params);
    const decant__layer *last = &f->plan.net.layer[1];
    for (size_t i = 0; i < last->in; i++) {
        f->params[last->weight + i * L] *= 5;
        f->params[last->weight + i * L + 2] *= 0.02F;
    }
    f->params[last->bias] = 3;
    f->z = calloc(N * L, sizeof *f->z);
    f->before = calloc(N * D, sizeof *f->before);
    f->after = calloc(N * D, sizeof *f->after);
}

static void fixture_free(fixture *f) {
    free(f->x);
    free(f->params);
    free(f->z);
    free(f->before);
    free(f->after);
}

static void embed(const fixture *f) {
    decant__net encoder = decant__autoencoder_encoder(&f->plan);
    decant__source source = decant__source_dense(f->x, N, D);
    assert_ok(decant__encode(&encoder, f->params, &source, 1, NULL, f->z));
}

static void reconstruct(const fixture *f, float *out) {
    decant__source source = decant__source_dense(f->x, N, D);
    assert_ok(decant__encode(&f->plan.net, f->params, &source, 1, NULL, out));
}

static void covariance(const fixture *f, double mean[L], double c[L][L]) {
    for (size_t a = 0; a < L; a++) {
        mean[a] = 0;
        for (size_t i = 0; i < N; i++) mean[a] += (double)f->z[i * L + a] / N;
    }
    for (size_t a = 0; a < L; a++)
        for (size_t b = 0; b < L; b++) {
            c[a][b] = 0;
            for (size_t i = 0; i < N; i++)
                c[a][b] +=
                    ((double)f->z[i * L + a] - mean[a]) * ((double)f->z[i * L + b] - mean[b]) / N;
        }
}

static void test_full_strength_gives_unit_covariance(void **state) {
    (void)state;
    fixture f;
    double mean[L], c[L][L];
    fixture_new(&f);
    embed(&f);
    reconstruct(&f, f.before);
    assert_ok(decant__whiten(&f.plan, f.z, N, 1, f.params));
    embed(&f);
    reconstruct(&f, f.after);
    covariance(&f, mean, c);
    for (size_t a = 0; a < L; a++) {
        assert_near(mean[a], 0, 1e-3);
        for (size_t b = 0; b < L; b++) assert_near(c[a][b], a == b, 2e-3);
    }
    assert_true(largest_difference(f.before, f.after, N * D) < 2e-3);
    fixture_free(&f);
}

/* Variances v become s^2 v^(1-w) with mean 1: checked by determinant and trace. */
static void test_half_strength(void **state) {
    (void)state;
    fixture f;
    double mean[L], before[L][L], after[L][L];
    fixture_new(&f);
    embed(&f);
    covariance(&f, mean, before);
    assert_ok(decant__whiten(&f.plan, f.z, N, 0.5, f.params));
    embed(&f);
    covariance(&f, mean, after);
    assert_near(after[0][0] + after[1][1] + after[2][2], L, 1e-2);
    /* The square of the new covariance is proportional to the old one. */
    double ratio = 0;
    for (size_t a = 0; a < L; a++) {
        double square = 0;
        for (size_t e = 0; e < L; e++) square += after[a][e] * after[e][a];
        if (a == 0) ratio = square / before[a][a];
        assert_near(square / before[a][a] / ratio, 1, 2e-2);
    }
    fixture_free(&f);
}

/* Features without any variance stay finite. */
static void test_constant_features(void **state) {
    (void)state;
    fixture f;
    fixture_new(&f);
    memset(f.x, 0, N * D * sizeof *f.x);
    embed(&f);
    assert_ok(decant__whiten(&f.plan, f.z, N, 1, f.params));
    embed(&f);
    for (size_t i = 0; i < N * L; i++) assert_true(isfinite(f.z[i]));
    fixture_free(&f);
}

/* A decoder of one layer that is stored by column is changed like any other. */
static void test_decoder_by_column(void **state) {
    (void)state;
    static const size_t sizes[] = {L};
    decant__autoencoder plain, sampled;
    assert_ok(decant__autoencoder_plan(&plain, D, sizes, 1));
    sampled = plain;
    decant__autoencoder_sample(&sampled, 2);
    float *a = sample_new(1, 1, plain.parameters), *b = sample_new(1, 1, plain.parameters);
    float *z = sample_new(2, 1, N * L);
    const decant__layer *last = &plain.net.layer[1];
    for (size_t c = 0; c < L; c++)
        for (size_t j = 0; j < D; j++) b[last->weight + j * L + c] = a[last->weight + c * D + j];
    assert_ok(decant__whiten(&plain, z, N, 1, a));
    assert_ok(decant__whiten(&sampled, z, N, 1, b));
    assert_memory_equal(a, b, last->weight * sizeof *a);
    assert_memory_equal(a + last->bias, b + last->bias, D * sizeof *a);
    for (size_t c = 0; c < L; c++)
        for (size_t j = 0; j < D; j++)
            assert_true(b[last->weight + j * L + c] == a[last->weight + c * D + j]);
    free(a);
    free(b);
    free(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_strength_gives_unit_covariance),
        cmocka_unit_test(test_half_strength),
        cmocka_unit_test(test_constant_features),
        cmocka_unit_test(test_decoder_by_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
