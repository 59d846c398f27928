#include "sample.h"

#include "linalg/tall.h"

enum { N = 300, D = 17, W = 3 };

static void check(const decant__source *x, const double *dense) {
    double u[D * W], *out = malloc(N * W * sizeof *out), *v = malloc(N * W * sizeof *v);
    double back[D * W], gram[D * D], *again = malloc(N * W * sizeof *again);
    for (size_t i = 0; i < D * W; i++) u[i] = sin((double)i);
    for (size_t i = 0; i < N * W; i++) v[i] = cos((double)i);
    for (size_t w = 1; w <= W; w += W - 1) {
        for (int threads = 1; threads <= 4; threads *= 2) {
            decant__tall tall;
            double sums[D * W];
            assert_ok(decant__tall_new(&tall, x, W, threads));
            decant__tall_times(&tall, u, w, threads == 1 ? out : again);
            decant__tall_transposed_times(&tall, v, w, threads == 1 ? back : sums);
            if (threads > 1) assert_memory_equal(again, out, N * w * sizeof *out);
            if (threads > 1) assert_memory_equal(sums, back, D * w * sizeof *back);
            assert_ok(decant__tall_gram(&tall, gram));
            decant__tall_free(&tall);
        }
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < w; c++) {
                double sum = 0;
                for (size_t j = 0; j < D; j++) sum += dense[i * D + j] * u[j * w + c];
                assert_near(out[i * w + c], sum, 1e-12);
            }
        for (size_t j = 0; j < D; j++)
            for (size_t c = 0; c < w; c++) {
                double sum = 0;
                for (size_t i = 0; i < N; i++) sum += dense[i * D + j] * v[i * w + c];
                assert_near(back[j * w + c], sum, 1e-11);
            }
    }
    for (size_t a = 0; a < D; a++)
        for (size_t b = 0; b < D; b++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++) sum += dense[i * D + a] * dense[i * D + b];
            assert_near(gram[a * D + b], sum, 1e-10);
        }
    free(out);
    free(v);
    free(again);
}

static void test_tall(void **state) {
    (void)state;
    float *x = sample_new(1, 1, N * D), *shift = sample_new(2, 1, D), *scale = sample_new(3, 1, D);
    double *dense = malloc(N * D * sizeof *dense);
    sample_thin(1, 0.5, N * D, x);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source plain = decant__source_dense(x, N, D), sparse = sample_csr_source(&csr);
    for (size_t i = 0; i < N * D; i++) dense[i] = (double)x[i];
    check(&plain, dense);
    check(&sparse, dense);
    plain.shift = shift;
    plain.scale = scale;
    for (size_t i = 0; i < N * D; i++) dense[i] = (double)((x[i] - shift[i % D]) * scale[i % D]);
    check(&plain, dense);
    sample_csr_free(&csr);
    free(x);
    free(shift);
    free(scale);
    free(dense);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
