#include "sample.h"

#include "base/team.h"
#include "base/memory.h"
#include "cluster/graph.h"

enum { N = 600, L = 4, K = 7 };

static void test_build_weighs_by_distance(void **state) {
    (void)state;
    decant__graph graph;
    float *z = sample_new(1, 1, N * L);
    assert_ok(decant__graph_new(&graph, N, K));
    assert_ok(decant__graph_build(&graph, z, L, 2, NULL));
    for (size_t i = 0; i < N; i++) {
        double sum = 0, expected[K], total = 0;
        double own = 0, scale[K];
        for (size_t m = 0; m <= K; m++) { /* m == K: the scale of i itself */
            size_t j = m < K ? graph.index[i * K + m] : i;
            size_t far = graph.index[j * K + K - 1];
            double square = 0;
            for (size_t c = 0; c < L; c++)
                square += pow((double)z[j * L + c] - (double)z[far * L + c], 2);
            if (m < K)
                scale[m] = sqrt(square);
            else
                own = sqrt(square);
        }
        for (size_t m = 0; m < K; m++) {
            size_t j = graph.index[i * K + m];
            double square = 0;
            for (size_t c = 0; c < L; c++)
                square += pow((double)z[j * L + c] - (double)z[i * L + c], 2);
            expected[m] = exp(-square / (own * scale[m]));
            total += expected[m];
        }
        for (size_t m = 0; m < K; m++) {
            assert_near(graph.weight[i * K + m], expected[m] / total, 1e-5);
            sum += (double)graph.weight[i * K + m];
        }
        assert_near(sum, 1, 1e-5);
    }
    decant__graph_free(&graph);
    free(z);
}

/* Points that are all the same have no scale, but they have neighbours. */
static void test_build_duplicates(void **state) {
    (void)state;
    decant__graph graph;
    float *z = calloc(N * L, sizeof *z);
    assert_ok(decant__graph_new(&graph, N, K));
    assert_ok(decant__graph_build(&graph, z, L, 1, NULL));
    for (size_t i = 0; i < N * K; i++) assert_near(graph.weight[i], 1.0 / K, 1e-6);
    decant__graph_free(&graph);
    free(z);
}

typedef struct smoothing {
    const decant__graph *graph;
    float *x, *scratch;
    size_t width, steps;
} smoothing;

static void smooth_in_team(void *context) {
    const smoothing *s = context;
    decant__graph_smooth(s->graph, s->x, s->width, s->steps, s->scratch);
}

static void smooth(const decant__graph *graph, float *x, size_t width, size_t steps, int threads) {
    smoothing s = {graph, x, calloc(N * width, sizeof *x), width, steps};
    decant__team_run(threads, smooth_in_team, &s);
    free(s.scratch);
}

static void test_smooth_is_the_lazy_mean(void **state) {
    (void)state;
    enum { WIDTH = 3 };
    decant__graph graph;
    float *z = sample_new(1, 1, N * L), *x = sample_new(2, 1, N * WIDTH);
    float *once = calloc(N * WIDTH, sizeof *once), *thrice = calloc(N * WIDTH, sizeof *thrice);
    assert_ok(decant__graph_new(&graph, N, K));
    assert_ok(decant__graph_build(&graph, z, L, 2, NULL));
    memcpy(once, x, N * WIDTH * sizeof *x);
    memcpy(thrice, x, N * WIDTH * sizeof *x);
    smooth(&graph, once, WIDTH, 1, 2);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < WIDTH; c++) {
            double mean = 0;
            for (size_t m = 0; m < K; m++)
                mean +=
                    (double)graph.weight[i * K + m] * (double)x[graph.index[i * K + m] * WIDTH + c];
            assert_near(once[i * WIDTH + c], ((double)x[i * WIDTH + c] + mean) / 2, 1e-5);
        }
    }
    smooth(&graph, once, WIDTH, 1, 1);
    smooth(&graph, once, WIDTH, 1, 4);
    smooth(&graph, thrice, WIDTH, 3, 2);
    assert_memory_equal(once, thrice, N * WIDTH * sizeof *x);
    decant__graph_free(&graph);
    free(z);
    free(x);
    free(once);
    free(thrice);
}

/* A constant stays constant: rows of q keep their sum of 1. */
static void test_smooth_keeps_row_sums(void **state) {
    (void)state;
    decant__graph graph;
    float *z = sample_new(3, 1, N * L), *q = calloc(N * 2, sizeof *q);
    assert_ok(decant__graph_new(&graph, N, K));
    assert_ok(decant__graph_build(&graph, z, L, 2, NULL));
    for (size_t i = 0; i < N; i++) {
        q[2 * i] = (float)(i % 10) / 10;
        q[2 * i + 1] = 1 - q[2 * i];
    }
    smooth(&graph, q, 2, 30, 2);
    for (size_t i = 0; i < N; i++) assert_near(q[2 * i] + q[2 * i + 1], 1, 1e-4);
    decant__graph_free(&graph);
    free(z);
    free(q);
}

/* The first row has one neighbour in both, the second none, the third the same two. */
static void test_join_takes_the_heaviest(void **state) {
    (void)state;
    uint32_t index[] = {1, 2, 0, 2, 0, 1}, other_index[] = {3, 2, 3, 4, 1, 0};
    float weight[] = {0.75F, 0.25F, 0.5F, 0.5F, 0.9F, 0.1F};
    float other_weight[] = {0.4F, 0.6F, 0.75F, 0.25F, 0.5F, 0.5F};
    const uint32_t joined[] = {2, 1, 3, 0, 0, 1};
    const double share[] = {0.85 / 1.6, 0.75 / 1.6, 0.6, 0.4, 0.7, 0.3};
    decant__graph graph = {.n = 3, .count = 2, .index = index, .weight = weight};
    const decant__graph other = {.n = 3, .count = 2, .index = other_index, .weight = other_weight};
    assert_ok(decant__graph_join(&graph, &other));
    for (size_t e = 0; e < 6; e++) {
        assert_int_equal(index[e], joined[e]);
        assert_near(weight[e], share[e], 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build_weighs_by_distance),
        cmocka_unit_test(test_build_duplicates),
        cmocka_unit_test(test_join_takes_the_heaviest),
        cmocka_unit_test(test_smooth_is_the_lazy_mean),
        cmocka_unit_test(test_smooth_keeps_row_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
