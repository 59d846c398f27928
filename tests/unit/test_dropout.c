#include "sample.h"

#include "base/team.h"
#include "nn/dropout.h"

enum { WIDTH = 8000 };

static void ones(size_t count, float *x) {
    for (size_t i = 0; i < count; i++) x[i] = 1;
}

static void mask_of(decant__dropout dropout, size_t layer, size_t row, float *mask) {
    ones(WIDTH, mask);
    decant__dropout_apply(&dropout, layer, row, 0, WIDTH, mask);
}

static void test_apply_rate_and_mean(void **state) {
    (void)state;
    static const double rates[] = {0.05, 0.2, 0.5, 0.95};
    for (size_t r = 0; r < 4; r++) {
        double rate = rates[r], sum = 0;
        size_t dropped = 0, rows = 50;
        float mask[WIDTH];
        for (size_t row = 0; row < rows; row++) {
            mask_of((decant__dropout){rate, 3, 9, 0}, 1, row, mask);
            for (size_t j = 0; j < WIDTH; j++) {
                assert_true(mask[j] == 0 || mask[j] == (float)(1 / (1 - rate)));
                dropped += mask[j] == 0;
                sum += (double)mask[j];
            }
        }
        double count = (double)rows * WIDTH, deviation = sqrt(rate * (1 - rate) / count);
        assert_near((double)dropped / count, rate, 5 * deviation + 1e-4);
        assert_near(sum / count, 1, 5 * deviation / (1 - rate) + 2e-4 / (1 - rate));
    }
}

static void test_apply_same_mask_asked_twice(void **state) {
    (void)state;
    float first[WIDTH], second[WIDTH];
    mask_of((decant__dropout){0.3, 3, 9, 0}, 2, 5, first);
    mask_of((decant__dropout){0.3, 3, 9, 0}, 2, 5, second);
    assert_memory_equal(first, second, sizeof first);
    /* a rank whose rows come behind three others */
    mask_of((decant__dropout){0.3, 3, 9, 3}, 2, 2, second);
    assert_memory_equal(first, second, sizeof first);
    /* and in pieces, as for tiles */
    ones(WIDTH, second);
    decant__dropout dropout = {0.3, 3, 9, 0};
    for (size_t column = 0; column < WIDTH; column += 104) {
        size_t count = WIDTH - column < 104 ? WIDTH - column : 104;
        decant__dropout_apply(&dropout, 2, 5, column, count, second + column);
    }
    assert_memory_equal(first, second, sizeof first);
}

/* Two independent masks of rate 0.3 agree at 0.58 of the places. */
static void check_independent(decant__dropout dropout, size_t layer, size_t row) {
    float base[WIDTH], other[WIDTH];
    mask_of((decant__dropout){0.3, 3, 9, 0}, 2, 5, base);
    mask_of(dropout, layer, row, other);
    size_t same = 0;
    for (size_t j = 0; j < WIDTH; j++) same += base[j] == other[j];
    assert_near((double)same / WIDTH, 0.58, 0.03);
}

static void test_apply_differs_by_seed_step_layer_and_row(void **state) {
    (void)state;
    check_independent((decant__dropout){0.3, 4, 9, 0}, 2, 5);
    check_independent((decant__dropout){0.3, 3, 10, 0}, 2, 5);
    check_independent((decant__dropout){0.3, 3, (uint64_t)1 << 48 | 9, 0}, 2, 5);
    check_independent((decant__dropout){0.3, 3, 9, 0}, 1, 5);
    check_independent((decant__dropout){0.3, 3, 9, 0}, 2, 6);
}

enum { N = 40, D = 30 };

typedef struct corruption {
    const decant__rows *x;
    const decant__dropout *dropout;
    decant__corrupted *corrupted;
    decant__rows *out;
} corruption;

static void corrupt(void *context) {
    const corruption *c = context;
    decant__rows mine = decant__corrupt(c->x, c->dropout, c->corrupted);
    TEAM_SINGLE *c->out = mine;
}

static void corrupt_in_team(const decant__rows *x, const decant__dropout *dropout, int threads,
                            decant__corrupted *corrupted, decant__rows *out) {
    corruption c = {x, dropout, corrupted, out};
    decant__team_run(threads, corrupt, &c);
}

static void test_corrupt_dense(void **state) {
    (void)state;
    float *x = sample_new(1, 1, (size_t)N * D), *first = sample_new(1, 0, (size_t)N * D);
    decant__source source = decant__source_dense(x, N, D);
    decant__rows rows = sample_rows(x, N, D), out;
    decant__dropout dropout = {0.25, 1, 1, 0};
    decant__corrupted corrupted;
    assert_ok(decant__corrupted_new(&corrupted, &source, N));
    for (int threads = 1; threads <= 4; threads *= 2) {
        corrupt_in_team(&rows, &dropout, threads, &corrupted, &out);
        assert_int_equal(out.n, N);
        assert_int_equal(out.d, D);
        size_t dropped = 0;
        for (size_t i = 0; i < (size_t)N * D; i++) {
            if (out.dense[i] != 0) assert_near(out.dense[i], x[i] / 0.75F, 1e-6);
            dropped += out.dense[i] == 0;
        }
        assert_near(dropped, 0.25 * N * D, 80);
        if (threads == 1) memcpy(first, out.dense, N * D * sizeof *first);
        assert_memory_equal(first, out.dense, N * D * sizeof *first);
    }
    decant__corrupted_free(&corrupted);
    free(first);
    free(x);
}

static void test_corrupt_sparse(void **state) {
    (void)state;
    float *x = sample_new(1, 1, (size_t)N * D);
    sample_thin(2, 0.4, (size_t)N * D, x);
    memset(x + 3 * D, 0, D * sizeof *x);
    sample_csr csr = sample_csr_of(x, N, D);
    decant__source source = sample_csr_source(&csr);
    decant__rows_buffer buffer;
    decant__corrupted corrupted;
    decant__dropout dropout = {0.25, 1, 1, 0};
    uint32_t index[N];
    for (uint32_t i = 0; i < N; i++) index[i] = N - 1 - i;
    assert_ok(decant__rows_buffer_new(&buffer, &source, N));
    assert_ok(decant__corrupted_new(&corrupted, &source, N));
    decant__rows rows = decant__source_fetch(&source, index, 0, N, &buffer), out;
    for (int threads = 1; threads <= 4; threads *= 2) {
        size_t dropped = 0, total = 0;
        corrupt_in_team(&rows, &dropout, threads, &corrupted, &out);
        assert_null(out.dense);
        for (size_t i = 0; i < N; i++) {
            size_t count = rows.end[i] - rows.begin[i];
            assert_int_equal(out.end[i] - out.begin[i], count);
            for (size_t e = 0; e < count; e++) {
                float was = rows.value[rows.begin[i] + e], is = out.value[out.begin[i] + e];
                assert_int_equal(out.column[out.begin[i] + e], rows.column[rows.begin[i] + e]);
                if (is != 0) assert_near(is, was / 0.75F, 1e-6);
                dropped += is == 0;
                total++;
            }
        }
        assert_near((double)dropped / (double)total, 0.25, 0.1);
    }
    decant__corrupted_free(&corrupted);
    decant__rows_buffer_free(&buffer);
    sample_csr_free(&csr);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apply_rate_and_mean),
        cmocka_unit_test(test_apply_same_mask_asked_twice),
        cmocka_unit_test(test_apply_differs_by_seed_step_layer_and_row),
        cmocka_unit_test(test_corrupt_dense),
        cmocka_unit_test(test_corrupt_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
