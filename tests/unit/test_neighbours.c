#include "sample.h"

#include "linalg/neighbours.h"

static float distance_between(const float *x, size_t d, size_t a, size_t b) {
    float sum = 0;
    for (size_t c = 0; c < d; c++) {
        float difference = x[b * d + c] - x[a * d + c];
        sum += difference * difference;
    }
    return sum;
}

/* By looking at all the others and sorting. */
static void check_against_all(const float *x, size_t n, size_t d, size_t count) {
    uint32_t *index = calloc(n * count, sizeof *index);
    float *distance = calloc(n * count, sizeof *distance);
    assert_ok(decant__neighbours_find(x, n, d, count, 2, index, distance));
    for (size_t i = 0; i < n; i++) {
        for (size_t m = 0; m < count; m++) {
            uint32_t found = index[i * count + m];
            float at = distance_between(x, d, i, found);
            size_t nearer = 0;
            assert_true(found < n && found != i);
            assert_true(at == distance[i * count + m]);
            for (size_t j = 0; j < n; j++) {
                float other = distance_between(x, d, i, j);
                nearer += j != i && (other < at || (other == at && j < found));
            }
            assert_int_equal(nearer, m);
        }
    }
    free(index);
    free(distance);
}

static void test_find_random(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{2, 1, 1},     {3, 2, 2},   {33, 1, 5},
                                       {500, 10, 10}, {700, 3, 7}, {200, 40, 10}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        float *x = sample_new(s, 1, shapes[s][0] * shapes[s][1]);
        check_against_all(x, shapes[s][0], shapes[s][1], shapes[s][2]);
        free(x);
    }
}

/* Whole numbers from a small range: many rows are equal, and many distances too. */
static void test_find_duplicates(void **state) {
    (void)state;
    enum { N = 400, D = 2 };
    float *x = sample_new(5, 1, N * D);
    for (size_t i = 0; i < N * D; i++) x[i] = (float)(int)(2 * x[i]);
    check_against_all(x, N, D, 12);
    for (size_t i = 0; i < N * D; i++) x[i] = 1;
    check_against_all(x, N, D, 4);
    free(x);
}

static void test_find_same_for_any_threads(void **state) {
    (void)state;
    enum { N = 3000, D = 6, K = 8 };
    float *x = sample_new(9, 1, N * D);
    uint32_t *index[3];
    float *distance[3];
    for (int t = 0; t < 3; t++) {
        index[t] = calloc(N * K, sizeof **index);
        distance[t] = calloc(N * K, sizeof **distance);
        assert_ok(decant__neighbours_find(x, N, D, K, 1 << t, index[t], distance[t]));
        assert_memory_equal(index[t], index[0], N * K * sizeof **index);
        assert_memory_equal(distance[t], distance[0], N * K * sizeof **distance);
    }
    for (int t = 0; t < 3; t++) {
        free(index[t]);
        free(distance[t]);
    }
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_random),
        cmocka_unit_test(test_find_duplicates),
        cmocka_unit_test(test_find_same_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
