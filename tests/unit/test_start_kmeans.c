#include "dec/start_kmeans.h"

#include <string.h>

#include "sample.h"

/* Four groups at the corners of a rectangle, 0 and 1 on the left, 2 and 3 on the right: k-means
 * cuts it across its longer side. */
enum { EACH = 10, N = 4 * EACH, D = 2, K = 2, LINKS = 3 };

/* Each row is linked to two others of its group and to one of the group above or below it. */
static decant__graph column_graph(void) {
    decant__graph graph = {0};
    assert_ok(decant__graph_new(&graph, N, LINKS));
    for (size_t i = 0; i < N; i++) {
        size_t group = i / EACH, at = i % EACH;
        uint32_t *to = graph.index + i * LINKS;
        to[0] = (uint32_t)(group * EACH + (at + 1) % EACH);
        to[1] = (uint32_t)(group * EACH + (at + 2) % EACH);
        to[2] = (uint32_t)((group ^ 1) * EACH + at);
        for (size_t j = 0; j < LINKS; j++) graph.weight[i * LINKS + j] = 1.0F / LINKS;
    }
    return graph;
}

/* Whether groups 0 and 1 are one cluster, 2 and 3 the other. */
static int are_columns(const int32_t *labels) {
    int yes = labels[0] != labels[N - 1];
    for (size_t i = 0; i < N; i++) yes = yes && labels[i] == labels[i < N / 2 ? 0 : N - 1];
    return yes;
}

/* The chosen labels for a rectangle of height 1 + more. */
static void choose(double more, int32_t *labels) {
    float x[N * D], *noise = sample_new(5, 1e-4, (size_t)N * D);
    decant__graph graph = column_graph();
    decant_options o;
    decant__watch watch = {0};
    decant_options_init(&o, sizeof o);
    o.restarts = 1;
    const decant__job job = {
        .options = &o, .state = {.k = K}, .threads = 2, .comm = decant__comm_alone()};
    for (size_t i = 0; i < N; i++) {
        x[i * D] = noise[i * D] + (i / EACH >= 2 ? 1 : 0);
        x[i * D + 1] = noise[i * D + 1] + (float)(i / EACH % 2 ? 1 + more : 0);
    }
    const decant__start_points points = {&job, {x, D}, N, &watch};
    assert_ok(decant__start_kmeans_on_graph(&points, &graph, labels));
    decant__graph_free(&graph);
    free(noise);
}

/* A cut costs the square of the side that it does not cut: 0.4 % more height is 0.8 % more inertia,
 * 2 % more height 4 %. */
static void test_graph_decides_between_near_optima(void **state) {
    int32_t labels[N];
    (void)state;
    choose(0.004, labels);
    assert_true(are_columns(labels));
    choose(0.02, labels);
    assert_false(are_columns(labels));
    assert_int_equal(labels[0], labels[N - 1 - EACH]);
    assert_int_equal(labels[EACH], labels[N - 1]);
}

/* Labels in which the first `wrong` rows of group 0 are in the other cluster. */
static void spoil(size_t wrong, int32_t *labels) {
    for (size_t i = 0; i < N; i++) labels[i] = (i >= N / 2) != (i < wrong);
}

static void check_choice(const double *inertia, const size_t *wrong, size_t expected) {
    int32_t labels[3 * N];
    size_t best = 9;
    decant__graph graph = column_graph();
    decant__links links = {0};
    assert_ok(decant__links_of(&graph, &links));
    for (size_t r = 0; r < 3; r++) spoil(wrong[r], labels + r * N);
    const decant__optima found = {labels, inertia, 3, K};
    assert_ok(decant__optima_choose(&found, &links, &best));
    assert_int_equal(best, expected);
    decant__links_free(&links);
    decant__graph_free(&graph);
}

static void test_highest_q_of_those_near_the_lowest_inertia(void **state) {
    (void)state;
    check_choice((double[]){100.5, 100, 102}, (size_t[]){1, 4, 0}, 0);
    check_choice((double[]){100, 102, 100.9}, (size_t[]){4, 0, 1}, 2);
    check_choice((double[]){102, 100, 103}, (size_t[]){0, 4, 1}, 1);
    check_choice((double[]){100, 100.5, 100.2}, (size_t[]){2, 2, 2}, 0); /* equal ones: the first */
    check_choice((double[]){0, 0, 1}, (size_t[]){2, 1, 0}, 1);           /* no inertia at all */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_decides_between_near_optima),
        cmocka_unit_test(test_highest_q_of_those_near_the_lowest_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
