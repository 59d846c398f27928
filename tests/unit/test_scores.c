#include "check.h"

#include "base/memory.h"
#include "base/random.h"

#include "metrics_cases.h"

#define CASES (sizeof metrics_cases / sizeof *metrics_cases)

static void assert_scores(const decant_scores *got, const decant_scores *expected) {
    assert_near(got->acc, expected->acc, 1e-12);
    assert_near(got->nmi, expected->nmi, 1e-12);
    assert_near(got->ari, expected->ari, 1e-12);
    assert_near(got->purity, expected->purity, 1e-12);
}

static void test_score_equals_sklearn(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        decant_scores got;
        assert_ok(decant_score(metrics_cases[c].clusters, metrics_cases[c].classes,
                               metrics_cases[c].n, &got));
        assert_scores(&got, &metrics_cases[c].scores);
    }
}

static void test_score_ignores_names_of_clusters(void **state) {
    (void)state;
    decant__random random = decant__random_start(5, DECANT__RANDOM_TEST, 0);
    int32_t clusters[300], classes[300], renamed[300];
    for (size_t i = 0; i < 300; i++) {
        classes[i] = (int32_t)decant__random_below(&random, 6);
        clusters[i] = decant__random_uniform(&random) < 0.7
                          ? classes[i]
                          : (int32_t)decant__random_below(&random, 6);
    }
    decant_scores first, second;
    assert_ok(decant_score(clusters, classes, 300, &first));
    uint32_t name[6];
    decant__random_permutation(&random, 6, name);
    for (size_t i = 0; i < 300; i++) renamed[i] = (int32_t)name[clusters[i]] * 1000003;
    assert_ok(decant_score(renamed, classes, 300, &second));
    assert_true(first.acc == second.acc);
    assert_scores(&second, &first);
}

static void test_score_refuses_bad_labels(void **state) {
    (void)state;
    int32_t good[3] = {0, 1, 1}, bad[3] = {0, -1, 1};
    decant_scores scores = {.acc = 5};
    assert_fails(decant_score(bad, good, 3, &scores), DECANT_EINVAL, "cluster label of row 2");
    assert_fails(decant_score(good, bad, 3, &scores), DECANT_EINVAL, "class label of row 2");
    assert_fails(decant_score(good, good, 0, &scores), DECANT_EINVAL, "no rows");
    assert_true(scores.acc == 5);
}

static void test_confusion_counts_and_matches(void **state) {
    (void)state;
    int32_t clusters[] = {0, 0, 0, 1, 1, 3, 3}, classes[] = {1, 1, 0, 0, 0, 0, 1}, match[4];
    size_t counts[8], expected[8] = {1, 2, 2, 0, 0, 0, 1, 1};
    assert_ok(decant_confusion(clusters, classes, 7, 4, 2, counts, match));
    assert_memory_equal(counts, expected, sizeof counts);
    int32_t expected_match[4] = {1, 0, -1, -1};
    assert_memory_equal(match, expected_match, sizeof match);
    assert_ok(decant_confusion(clusters, classes, 7, 4, 2, counts, NULL));
}

static void test_confusion_refuses_labels_out_of_range(void **state) {
    (void)state;
    int32_t clusters[] = {0, 2}, classes[] = {0, 0};
    size_t counts[2] = {7, 7};
    assert_fails(decant_confusion(clusters, classes, 2, 2, 1, counts, NULL), DECANT_EINVAL,
                 "cluster label of row 2 is 2");
    assert_fails(decant_confusion(classes, clusters, 2, 1, 2, counts, NULL), DECANT_EINVAL,
                 "class label of row 2 is 2");
    assert_fails(decant_confusion(classes, classes, 2, 0, 1, counts, NULL), DECANT_EINVAL, "needs");
    assert_int_equal(counts[0], 7);
}

static void test_score_survives_lack_of_memory(void **state) {
    (void)state;
    decant_scores scores;
    decant__alloc_fail_at(0);
    assert_ok(decant_score(metrics_cases[0].clusters, metrics_cases[0].classes, 100, &scores));
    size_t calls = decant__alloc_fail_at(0);
    assert_true(calls > 5);
    for (size_t i = 1; i <= calls; i++) {
        decant__alloc_fail_at(i);
        assert_int_equal(
            decant_score(metrics_cases[0].clusters, metrics_cases[0].classes, 100, &scores),
            DECANT_ENOMEM);
    }
    decant__alloc_fail_at(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_score_equals_sklearn),
        cmocka_unit_test(test_score_ignores_names_of_clusters),
        cmocka_unit_test(test_score_refuses_bad_labels),
        cmocka_unit_test(test_confusion_counts_and_matches),
        cmocka_unit_test(test_confusion_refuses_labels_out_of_range),
        cmocka_unit_test(test_score_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
