#include "sample.h"

#include "nn/loss.h"

enum { N = 9, D = 13 };

/* L = weight sum (y - x)^2 / (2 N D), and y = relu(a) where the layer has one. */
static double naive_loss(const float *x, const float *y, double weight) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)N * D; i++)
        sum += ((double)y[i] - (double)x[i]) * ((double)y[i] - (double)x[i]);
    return weight * sum / (2.0 * N * D);
}

static void check_loss(const decant__rows *rows, const float *x, const decant__layer *last,
                       const float *y, double weight) {
    float delta[N * D], moved[N * D], given[N * D];
    double row_loss[N], total = 0;
    decant__net net = {.depth = 1, .layer = {*last}};
    decant__pass pass = {.output = {given}, .delta = {delta}};
    memcpy(given, y, sizeof given);
    decant__reconstruction_loss(&net, NULL, rows, (float)weight, &pass, row_loss);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < D; j++) sum += pow((double)y[i * D + j] - (double)x[i * D + j], 2);
        assert_near(row_loss[i], sum, 1e-5);
        total += row_loss[i];
    }
    /* What is reported is 2 L for weight 1. */
    assert_near(total / (N * D), 2 * naive_loss(x, y, 1), 1e-6);
    memcpy(moved, y, sizeof moved);
    for (size_t i = 0; i < (size_t)N * D; i++) {
        float step = 1.0F / 64;
        moved[i] = y[i] + step;
        double up = naive_loss(x, moved, weight);
        moved[i] = y[i] - step;
        double down = naive_loss(x, moved, weight);
        moved[i] = y[i];
        double expected = (up - down) / (2 * (double)step);
        if (last->relu && !(y[i] > 0)) expected = 0;
        assert_near(delta[i], expected, 1e-6);
    }
}

static void test_reconstruction_loss_dense_and_sparse(void **state) {
    (void)state;
    float x[N * D], y[N * D];
    sample_normal(1, 1, (size_t)N * D, x);
    sample_thin(2, 0.4, (size_t)N * D, x);
    memset(x + 4 * D, 0, D * sizeof *x);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__rows dense = sample_rows(x, N, D), sparse = sample_csr_rows(&csr);
    for (int relu = 0; relu <= 1; relu++) {
        decant__layer last = {.in = 1, .out = D, .relu = relu};
        sample_normal(3, 1, (size_t)N * D, y);
        for (size_t i = 0; relu && i < (size_t)N * D; i++) y[i] = y[i] > 0 ? y[i] : 0;
        for (double weight = 0.5; weight < 3; weight += 1.5) {
            check_loss(&dense, x, &last, y, weight);
            check_loss(&sparse, x, &last, y, weight);
        }
    }
    sample_csr_free(&csr);
}

static void test_reconstruction_loss_zero_for_a_perfect_copy(void **state) {
    (void)state;
    float x[N * D], delta[N * D];
    double row_loss[N];
    sample_normal(1, 1, (size_t)N * D, x);
    decant__net net = {.depth = 1, .layer = {{.in = 1, .out = D}}};
    decant__pass pass = {.output = {x}, .delta = {delta}};
    decant__rows rows = sample_rows(x, N, D);
    decant__reconstruction_loss(&net, NULL, &rows, 1, &pass, row_loss);
    for (size_t i = 0; i < N; i++) assert_true(row_loss[i] == 0);
    for (size_t i = 0; i < (size_t)N * D; i++) assert_true(delta[i] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reconstruction_loss_dense_and_sparse),
        cmocka_unit_test(test_reconstruction_loss_zero_for_a_perfect_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
