#include "cluster/merge.h"

#include <string.h>

#include "sample.h"

enum { COUNT = 60 };

/* A graph of clusters with few different weights, so that many gains are equal. */
static decant__links sample_links(uint64_t seed, double share) {
    decant__links g = {.n = COUNT};
    decant__random random = decant__random_start(seed, DECANT__RANDOM_TEST, 3);
    float weight[COUNT][COUNT] = {{0}};
    size_t at = 0;
    g.start = calloc(COUNT + 2, sizeof *g.start);
    g.to = malloc(COUNT * COUNT * sizeof *g.to);
    g.weight = malloc(COUNT * COUNT * sizeof *g.weight);
    g.degree = calloc(COUNT, sizeof *g.degree);
    for (size_t a = 0; a < COUNT; a++)
        for (size_t b = 0; b < a; b++)
            if (decant__random_uniform(&random) < share)
                weight[a][b] = weight[b][a] = 1 + (float)decant__random_below(&random, 3);
    for (size_t a = 0; a < COUNT; a++) {
        g.degree[a] = 1 + (double)decant__random_below(&random, 4); /* links inside of it */
        for (size_t b = 0; b < COUNT; b++) {
            if (weight[a][b] == 0) continue;
            g.to[at] = (uint32_t)b;
            g.weight[at++] = weight[a][b];
            g.degree[a] += (double)weight[a][b];
        }
        g.start[a + 1] = at;
    }
    return g;
}

static void free_links(decant__links *g) {
    free(g->start);
    free(g->to);
    free(g->weight);
    free(g->degree);
}

/* Compares all pairs before each merge. */
static void merge_naively(const decant__links *g, size_t k, decant__merge_by by, int32_t *labels) {
    static double between[COUNT][COUNT];
    double degree[COUNT], two_m = 0;
    memset(between, 0, sizeof between);
    for (size_t a = 0; a < COUNT; a++) {
        labels[a] = (int32_t)a;
        two_m += degree[a] = g->degree[a];
        for (size_t e = g->start[a]; e < g->start[a + 1]; e++)
            between[a][g->to[e]] = (double)g->weight[e];
    }
    for (size_t left = COUNT; left > k; left--) {
        size_t first = 0, second = 0;
        double best = 0;
        for (size_t a = 0; a < COUNT; a++)
            for (size_t b = a + 1; b < COUNT; b++) {
                double smaller = degree[a] < degree[b] ? degree[a] : degree[b], gain;
                if (labels[a] != (int32_t)a || labels[b] != (int32_t)b) continue;
                gain = by == DECANT__MERGE_BY_SHARE ? between[a][b] / smaller
                                                    : between[a][b] - degree[a] * degree[b] / two_m;
                if (second == 0 || gain > best) best = gain, first = a, second = b;
            }
        for (size_t x = 0; x < COUNT; x++) {
            between[first][x] += between[second][x];
            between[x][first] += between[x][second];
            if (labels[x] == (int32_t)second) labels[x] = (int32_t)first;
        }
        degree[first] += degree[second];
    }
}

static void compare(uint64_t seed, double share, size_t k, decant__merge_by by) {
    int32_t labels[COUNT], expected[COUNT], next = 0, number[COUNT];
    decant__links g = sample_links(seed, share);
    for (size_t a = 0; a < COUNT; a++) labels[a] = (int32_t)a;
    merge_naively(&g, k, by, expected);
    for (size_t a = 0; a < COUNT; a++)
        if (expected[a] == (int32_t)a) number[a] = next++;
    assert_ok(decant__merge_clusters(&g, k, by, COUNT, labels));
    for (size_t a = 0; a < COUNT; a++) assert_int_equal(labels[a], number[expected[a]]);
    free_links(&g);
}

static void test_merge_takes_the_pair_of_highest_gain(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++)
        for (size_t k = 1; k < COUNT; k += 13) {
            compare(seed, seed % 3 == 0 ? 0.03 : 0.3, k, DECANT__MERGE_BY_MODULARITY);
            compare(seed, seed % 3 == 0 ? 0.03 : 0.3, k, DECANT__MERGE_BY_SHARE);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_merge_takes_the_pair_of_highest_gain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
