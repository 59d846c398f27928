#include "dec/landmarks.h"

#include "blobs.h"
#include "linalg/neighbours.h"

enum { N = 600, MANY = 400, COUNT = 100, K = 4 };

/* The first landmark at or after a row, by looking at all. */
static void test_rows_and_landmarks(void **state) {
    static const size_t sizes[][2] = {{600, 100}, {601, 100}, {17, 16}, {1000001, 200000}};
    (void)state;
    for (size_t e = 0; e < sizeof sizes / sizeof *sizes; e++) {
        size_t n = sizes[e][0], count = sizes[e][1];
        assert_int_equal(decant__landmarks_row(n, count, count), n);
        for (size_t row = 0, s = 0; row <= n; row++) {
            while (s < count && decant__landmarks_row(n, count, s) < row) s++;
            assert_int_equal(decant__landmarks_at(n, count, row), s);
        }
    }
}

static void test_only_for_many_rows_of_few_features(void **state) {
    (void)state;
    assert_int_equal(decant__landmarks_count(200000, 10), 0);
    assert_int_equal(decant__landmarks_count(200001, 10), 50000);
    assert_int_equal(decant__landmarks_count(10000000, DECANT__TREE_COLUMNS + 1), 0);
}

/* Beside all distances; a landmark is not its own neighbour, but a copy of it is. */
static void test_nearest_among_landmarks(void **state) {
    enum { D = 3 };
    uint32_t self[N], index[N * K];
    float distance[N * K], *x = sample_new(9, 1, N * D), chosen[COUNT * D];
    (void)state;
    memcpy(x + 12 * D, x + 6 * D, D * sizeof *x); /* two landmarks, and a row that is none */
    memcpy(x + 13 * D, x + 6 * D, D * sizeof *x);
    for (size_t i = 0; i < N; i++) self[i] = i % 6 == 0 ? (uint32_t)(i / 6) : UINT32_MAX;
    for (size_t s = 0; s < COUNT; s++) memcpy(chosen + s * D, x + 6 * s * D, D * sizeof *x);
    const decant__source points = decant__source_dense(chosen, COUNT, D);
    const decant__points others = {x, N, self, 0};
    for (int threads = 1; threads <= 3; threads += 2) {
        const decant__search wanted = {.x = &points, .count = K, .threads = threads};
        assert_ok(decant__neighbours_among(&wanted, &others, index, distance));
        for (size_t i = 0; i < N; i++) {
            float all[COUNT];
            for (size_t s = 0; s < COUNT; s++)
                all[s] = (float)decant__neighbours_dense(x + i * D, chosen + s * D, D);
            for (size_t m = 0; m < K; m++) {
                size_t nearer = 0;
                assert_int_not_equal(index[i * K + m], self[i]);
                assert_float_equal(distance[i * K + m], all[index[i * K + m]], 1e-5);
                for (size_t s = 0; s < COUNT; s++)
                    nearer += s != self[i] && all[s] < distance[i * K + m] * (1 - 1e-5F);
                assert_true(nearer <= m);
            }
        }
    }
    assert_int_equal(index[6 * K], 2); /* its copy */
    assert_int_equal(index[13 * K], 1);
    assert_int_equal(index[13 * K + 1], 2);
    free(x);
}

/* Few leaves of the tree: most of the true neighbours, in ten round columns. */
static void test_nearest_of_some_leaves(void **state) {
    enum { D = 10, POINTS = 20000, QUERIES = 1000 };
    static uint32_t self[QUERIES], index[2][QUERIES * K];
    static float distance[2][QUERIES * K];
    float *x = sample_new(4, 1, POINTS * D), *query = sample_new(5, 1, QUERIES * D);
    const decant__source points = decant__source_dense(x, POINTS, D);
    const decant__search wanted = {.x = &points, .count = K, .threads = 2};
    size_t found = 0;
    (void)state;
    memset(self, 0xff, sizeof self);
    for (int some = 0; some < 2; some++) {
        const decant__points others = {query, QUERIES, self, some ? 32 : 0};
        assert_ok(decant__neighbours_among(&wanted, &others, index[some], distance[some]));
    }
    for (size_t i = 0; i < QUERIES; i++)
        for (size_t m = 0; m < K; m++) {
            found += distance[1][i * K + m] <= distance[0][i * K + K - 1];
            assert_true(distance[1][i * K + m] >= distance[0][i * K + m]);
        }
    print_message("recall %.3f\n", (double)found / (QUERIES * K));
    assert_true(found > QUERIES * K * 7 / 10);
    free(x);
    free(query);
}

static void test_labels_follow_the_largest_weight(void **state) {
    /* landmarks 0, 3, 6 of nine rows */
    uint32_t index[18];
    float weight[18];
    int32_t labels[9], taken[3], given[3] = {2, 0, 1};
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        index[2 * i] = i / 3 == 0 ? 3 : 0;
        index[2 * i + 1] = i / 3 == 2 ? 3 : 6;
        weight[2 * i] = i % 3 == 1 ? 0.75F : 0.25F;
        weight[2 * i + 1] = 1 - weight[2 * i];
    }
    weight[2 * 8] = weight[2 * 8 + 1] = 0.5F; /* a tie of clusters 2 and 0 */
    const decant__graph graph = {.n = 9, .count = 2, .index = index, .weight = weight};
    decant__graph thin = {0};
    assert_ok(decant__landmarks_thin(&graph, 3, &thin));
    static const uint32_t expected[] = {1, 2, 0, 2, 0, 1};
    assert_int_equal(thin.n, 3);
    assert_memory_equal(thin.index, expected, sizeof expected);
    assert_memory_equal(thin.weight + 2, weight + 6, 2 * sizeof *weight);
    decant__graph_free(&thin);
    assert_ok(decant__landmarks_give(&graph, 3, 3, given, labels));
    static const int32_t wanted[] = {2, 0, 1, 0, 2, 1, 1, 2, 0};
    assert_memory_equal(labels, wanted, sizeof wanted);
    decant__landmarks_take(labels, 9, 3, taken);
    assert_memory_equal(taken, given, sizeof given);
}

static void test_graph_of_landmarks(void **state) {
    enum { D = 3 };
    float *x = sample_new(9, 1, N * D);
    decant__job job = {.comm = decant__comm_alone(), .begin = {0, N}, .threads = 2};
    decant__graph graph = {0};
    (void)state;
    assert_ok(decant__graph_new(&graph, N, K));
    assert_ok(decant__landmarks_build(&job, COUNT, &graph, x, D, NULL));
    for (size_t i = 0; i < N; i++) {
        float sum = 0;
        for (size_t m = i * K; m < (i + 1) * K; m++) {
            assert_int_equal(graph.index[m] % (N / COUNT), 0);
            assert_int_not_equal(graph.index[m], i);
            sum += graph.weight[m];
        }
        assert_float_equal(sum, 1, 1e-5);
    }
    decant__graph_free(&graph);
    free(x);
}

/* A whole fit whose graphs are of landmarks: all rows are in their clusters, and the bytes are the
 * same for any number of threads. */
static void test_fit_with_landmarks(void **state) {
    blobs b;
    decant_result *r[2] = {NULL};
    (void)state;
    blobs_new(&b, N);
    decant__landmarks_set(MANY, COUNT);
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int t = 0; t < 2; t++) {
            decant_options o = blobs_options(DECANT_METHOD_DEC);
            o.neighbours = K;
            o.smooth_steps = 3;
            o.threads = 1 + 2 * t;
            assert_ok(decant_fit(sparse ? b.sparse : b.dense, &o, NULL, &r[t]));
            assert_true(same_partition(r[t]->labels, b.classes, N));
            assert_true(same_partition(r[t]->initial_labels, b.classes, N));
        }
        assert_memory_equal(r[0]->embedding, r[1]->embedding, N * r[0]->latent * sizeof(float));
        decant_result_free(r[0]);
        decant_result_free(r[1]);
    }
    decant__landmarks_set(0, 0);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_landmarks),
        cmocka_unit_test(test_only_for_many_rows_of_few_features),
        cmocka_unit_test(test_nearest_among_landmarks),
        cmocka_unit_test(test_nearest_of_some_leaves),
        cmocka_unit_test(test_labels_follow_the_largest_weight),
        cmocka_unit_test(test_graph_of_landmarks),
        cmocka_unit_test(test_fit_with_landmarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
