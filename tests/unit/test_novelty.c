/* Novelty, names of clusters, and fits that start from a model. */
#include "files.h"

#include <math.h>

#include "decant/model.h"
#include "dec/novelty.h"

enum { N = 120, D = 4, K = 3 };

/* Three groups; the random numbers are those of a generator that every machine has. */
static void make_rows(float *x, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++) {
            seed = seed * 1664525u + 1013904223u;
            x[i * D + j] = (i % K == j ? 4.0f : 0.0f) + (float)(seed >> 8) * 0x1p-24f;
        }
}

static decant_options short_options(void) {
    decant_options options;
    decant_options_init(&options, sizeof options);
    options.k = K;
    options.threads = 1;
    options.layer_count = 2;
    options.layers[0] = 8;
    options.layers[1] = 2;
    options.finetune_iterations = 200;
    options.max_iterations = 200;
    options.update_interval = 50;
    return options;
}

/* Medians 2 and 20: a row at twice its cluster's median is as new in the one as in the other. */
static void test_novelty_is_relative_to_the_cluster(void **state) {
    (void)state;
    const int32_t labels[] = {0, 0, 0, 1, 1, 1, 0, 1};
    const float distance[] = {1, 2, 4, 10, 20, 40, 2, 20};
    decant_model model = {.options = {.k = 2, .outliers = 0}};
    assert_ok(decant__novelty_learn(&model, labels, distance, 8));
    assert_true(model.far[0] == 4 && model.far[1] == 40); /* the farthest row has novelty 1 */
    decant_bytes_free(model.far);
    model.options.outliers = 0.25; /* two of eight rows are beyond it */
    assert_ok(decant__novelty_learn(&model, labels, distance, 8));
    assert_true(model.far[0] == 2 && model.far[1] == 20);
    decant_bytes_free(model.far);
}

/* Rows without distance, and clusters without rows. */
static void test_novelty_of_equal_rows(void **state) {
    (void)state;
    const int32_t labels[] = {0, 0, 2};
    const float distance[] = {0, 0, 0};
    decant_model model = {.options = {.k = 3, .outliers = 0.01}};
    assert_ok(decant__novelty_learn(&model, labels, distance, 3));
    for (size_t c = 0; c < 3; c++) assert_true(model.far[c] > 0 && isfinite(model.far[c]));
    decant_bytes_free(model.far);
}

static void test_share_of_outliers(void **state) {
    (void)state;
    float x[N * D], novelty[N], far[D] = {1e6f, 0, 0, 0};
    int32_t labels[N];
    decant_dataset *data = NULL, *other = NULL;
    decant_result *result = NULL;
    decant_options options = short_options();
    decant_rows_wanted wanted;
    decant_rows_wanted_init(&wanted, sizeof wanted);
    options.outliers = 0.05;
    make_rows(x, N, 1);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant_fit(data, &options, NULL, &result));
    assert_true(decant_model_has_novelty(result->model));
    wanted.labels = labels;
    wanted.novelty = novelty;
    assert_ok(decant_model_apply(result->model, data, 1, NULL, &wanted));
    assert_memory_equal(labels, result->labels, sizeof labels);
    size_t beyond = 0;
    for (size_t i = 0; i < N; i++) beyond += novelty[i] > 1;
    assert_int_equal(beyond, 6);
    assert_ok(decant_dataset_from_dense(far, DECANT_FLOAT32, 1, D, 0, &other));
    wanted.labels = NULL;
    assert_ok(decant_model_apply(result->model, other, 1, NULL, &wanted));
    assert_true(novelty[0] > 100);
    decant_dataset_free(other);
    decant_result_free(result);
    decant_dataset_free(data);
}

/* Names and what is far survive the file; so do bytes that would end a line. */
static void test_names_are_kept(void **state) {
    (void)state;
    float x[N * D];
    decant_dataset *data = NULL;
    decant_result *result = NULL;
    decant_model *again = NULL;
    decant_options options = short_options();
    options.method = DECANT_METHOD_KMEANS;
    make_rows(x, N, 1);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant_fit(data, &options, NULL, &result));
    assert_null(decant_model_cluster_name(result->model, 1));
    assert_ok(decant_model_set_cluster_name(result->model, 1, "two\nlines \\ \xc3\xa9"));
    assert_ok(decant_model_set_cluster_name(result->model, 2, "x"));
    assert_ok(decant_model_set_cluster_name(result->model, 2, ""));
    assert_fails(decant_model_set_cluster_name(result->model, K, "x"), DECANT_EINVAL,
                 "there is no cluster 3: they are 0 to 2");
    assert_fails(decant_model_set_cluster_name(result->model, 0, "\xff"), DECANT_EINVAL, "UTF-8");
    assert_ok(decant_model_save(result->model, in_folder("m")));
    assert_ok(decant_model_load(in_folder("m"), &again));
    assert_string_equal(decant_model_cluster_name(again, 1), "two\nlines \\ \xc3\xa9");
    assert_null(decant_model_cluster_name(again, 0));
    assert_null(decant_model_cluster_name(again, 2));
    assert_true(decant_model_has_novelty(again));
    decant_model_free(again);
    decant_result_free(result);
    decant_dataset_free(data);
}

/* The same rows again: nothing moves. Other rows: clusters keep their numbers and names. */
static void test_fit_like(void **state) {
    (void)state;
    float x[N * D], y[N * D];
    decant_dataset *data = NULL, *other = NULL;
    decant_result *first = NULL, *second = NULL;
    decant_options options = short_options();
    decant_monitor monitor;
    decant_monitor_init(&monitor, sizeof monitor);
    make_rows(x, N, 1);
    make_rows(y, N, 2);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant_dataset_from_dense(y, DECANT_FLOAT32, N, D, 0, &other));
    assert_ok(decant_fit(data, &options, NULL, &first));
    assert_ok(decant_model_set_cluster_name(first->model, 0, "zero"));
    monitor.like = first->model;
    options.seed = 99;
    assert_ok(decant_fit(data, &options, &monitor, &second));
    assert_memory_equal(first->labels, second->labels, N * sizeof *first->labels);
    assert_string_equal(decant_model_cluster_name(second->model, 0), "zero");
    decant_result_free(second);
    assert_ok(decant_fit(other, &options, &monitor, &second));
    for (size_t i = 0; i < N; i++) /* row i is in group i % 3 in both */
        assert_int_equal(second->labels[i], first->labels[i % K]);
    decant_result_free(second);
    second = NULL;
    options.k = 2;
    assert_fails(decant_fit(data, &options, &monitor, &second), DECANT_EINVAL, "k must be 3");
    options.k = K;
    options.method = DECANT_METHOD_IDEC;
    assert_fails(decant_fit(data, &options, &monitor, &second), DECANT_EINVAL, "only dec");
    options.method = DECANT_METHOD_DEC;
    options.layers[0] = 9;
    assert_fails(decant_fit(data, &options, &monitor, &second), DECANT_EINVAL, "other layers");
    decant_result_free(first);
    decant_dataset_free(data);
    decant_dataset_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_novelty_is_relative_to_the_cluster),
        cmocka_unit_test(test_novelty_of_equal_rows),
        cmocka_unit_test(test_share_of_outliers),
        cmocka_unit_test(test_names_are_kept),
        cmocka_unit_test(test_fit_like),
    };
    return run_with_folder(tests);
}
