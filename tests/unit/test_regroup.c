/* Clusters that are merged, renumbered or dissolved: the model, the trace, min-size, and clusters
 * that are added to those of an earlier model. */
#include "blobs.h"
#include "dec/like.h"
#include "dec/min_size.h"
#include "store/model.h"
#include "store/trace.h"

enum { N = 90, K = 5 };

static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS, DECANT_METHOD_GMM,
                                        DECANT_METHOD_SEC, DECANT_METHOD_AE_KMEANS};

typedef struct applied {
    int32_t labels[N];
    float confidence[N], soft[N * K], novelty[N];
} applied;

static void apply(const decant_model *model, const decant_dataset *data, applied *out) {
    decant_rows_wanted wanted;
    decant_rows_wanted_init(&wanted, sizeof wanted);
    wanted.labels = out->labels;
    wanted.confidence = out->confidence;
    wanted.soft = out->soft;
    if (decant_model_has_novelty(model)) wanted.novelty = out->novelty;
    assert_ok(decant_model_apply(model, data, 1, NULL, &wanted));
}

static decant_model *fitted(const blobs *b, decant_method method) {
    decant_options o = blobs_options(method);
    decant_result *r = NULL;
    o.k = K;
    assert_ok(decant_fit(b->dense, &o, NULL, &r));
    decant_model *model = decant_result_take_model(r);
    decant_result_free(r);
    return model;
}

/* The rows of a merged cluster are those of its parts, its soft assignment is the largest of
 * theirs after scaling, and a row's confidence is its largest soft assignment. */
static void test_regroup_merges(void **state) {
    (void)state;
    static const int32_t to[K] = {0, 1, 2, 1, 3};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        applied before, after;
        decant_model *model = fitted(&b, methods[m]);
        apply(model, b.dense, &before);
        assert_ok(decant_model_regroup(model, to, 4));
        assert_int_equal(decant_model_clusters(model), 4);
        apply(model, b.dense, &after);
        for (size_t i = 0; i < N; i++) {
            const float *q = before.soft + i * K, *p = after.soft + i * 4;
            double sum = (double)q[0] + (double)fmaxf(q[1], q[3]) + (double)q[2] + (double)q[4];
            assert_int_equal(after.labels[i], to[before.labels[i]]);
            assert_near(p[1], (double)fmaxf(q[1], q[3]) / sum, 1e-6);
            assert_near(p[0] + p[1] + p[2] + p[3], 1, 1e-5);
            assert_near(after.confidence[i], p[after.labels[i]], 1e-6);
            if (decant_model_has_novelty(model)) assert_true(after.novelty[i] <= before.novelty[i]);
        }
        decant_model_free(model);
    }
    blobs_free(&b);
}

/* To bytes and back, and merged once more: as if all had been merged at once. */
static void test_regroup_again_after_loading(void **state) {
    (void)state;
    static const int32_t first[K] = {0, 1, 2, 1, 3}, second[4] = {0, 1, 0, 2};
    static const int32_t at_once[K] = {0, 1, 0, 1, 2};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        applied one, two;
        decant_model *model = fitted(&b, methods[m]), *loaded = NULL;
        void *bytes = NULL, *onnx = NULL;
        size_t count, onnx_count;
        assert_ok(decant_model_to_bytes(model, &bytes, &count));
        assert_ok(decant_model_from_bytes(bytes, count, &loaded));
        assert_ok(decant_model_regroup(loaded, at_once, 3));
        apply(loaded, b.dense, &one);
        decant_model_free(loaded);
        decant_bytes_free(bytes);
        assert_ok(decant_model_regroup(model, first, 4));
        assert_ok(decant_model_to_bytes(model, &bytes, &count));
        assert_ok(decant_model_from_bytes(bytes, count, &loaded));
        assert_ok(decant_model_regroup(loaded, second, 3));
        apply(loaded, b.dense, &two);
        assert_memory_equal(one.labels, two.labels, sizeof one.labels);
        assert_memory_equal(one.confidence, two.confidence, sizeof one.confidence);
        assert_memory_equal(one.soft, two.soft, N * 3 * sizeof *one.soft);
        assert_ok(decant_model_to_onnx(loaded, &onnx, &onnx_count));
        decant_bytes_free(onnx);
        decant_bytes_free(bytes);
        decant_model_free(loaded);
        decant_model_free(model);
    }
    blobs_free(&b);
}

/* Another order changes numbers and nothing else, and the file stays of the first version. */
static void test_regroup_renumbers(void **state) {
    (void)state;
    static const int32_t to[K] = {3, 0, 4, 1, 2};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        applied before, after;
        decant_model *model = fitted(&b, methods[m]);
        apply(model, b.dense, &before);
        assert_ok(decant_model_set_cluster_name(model, 2, "two"));
        assert_ok(decant_model_regroup(model, to, K));
        apply(model, b.dense, &after);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(after.labels[i], to[before.labels[i]]);
            assert_near(after.confidence[i], before.confidence[i], 1e-6);
            for (size_t c = 0; c < K; c++)
                assert_near(after.soft[i * K + (size_t)to[c]], before.soft[i * K + c], 1e-6);
            if (decant_model_has_novelty(model))
                assert_near(after.novelty[i], before.novelty[i], 1e-6);
        }
        assert_string_equal(decant_model_cluster_name(model, 4), "two");
        assert_null(decant_model_cluster_name(model, 2));
        assert_null(model->cluster_of);
        decant_model_free(model);
    }
    blobs_free(&b);
}

/* Rows of a dissolved cluster go to the next likely one; all others stay. */
static void test_regroup_dissolves(void **state) {
    (void)state;
    static const int32_t to[K] = {0, 1, -1, 2, 3};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        applied before, after;
        decant_model *model = fitted(&b, methods[m]);
        apply(model, b.dense, &before);
        assert_ok(decant_model_regroup(model, to, 4));
        apply(model, b.dense, &after);
        for (size_t i = 0; i < N; i++)
            if (before.labels[i] != 2) assert_int_equal(after.labels[i], to[before.labels[i]]);
        decant_model_free(model);
    }
    blobs_free(&b);
}

static void test_regroup_joins_names(void **state) {
    (void)state;
    static const int32_t to[K] = {0, 0, 0, 1, 2};
    blobs b;
    blobs_new(&b, N);
    decant_model *model = fitted(&b, DECANT_METHOD_KMEANS);
    assert_ok(decant_model_set_cluster_name(model, 0, "a"));
    assert_ok(decant_model_set_cluster_name(model, 1, "b"));
    assert_ok(decant_model_set_cluster_name(model, 2, "a"));
    assert_ok(decant_model_set_cluster_name(model, 4, "last"));
    assert_ok(decant_model_regroup(model, to, 3));
    assert_string_equal(decant_model_cluster_name(model, 0), "a + b");
    assert_null(decant_model_cluster_name(model, 1));
    assert_string_equal(decant_model_cluster_name(model, 2), "last");
    decant_model_free(model);
    blobs_free(&b);
}

static void test_regroup_refuses(void **state) {
    (void)state;
    static const int32_t none[K] = {-1, -1, -1, -1, -1}, gap[K] = {0, 0, 0, 0, 2},
                         high[K] = {0, 1, 2, 3, 4}, low[K] = {0, 1, 2, -2, 3};
    blobs b;
    blobs_new(&b, N);
    decant_model *model = fitted(&b, DECANT_METHOD_KMEANS);
    assert_fails(decant_model_regroup(model, none, 0), DECANT_EINVAL, "one cluster or more");
    assert_fails(decant_model_regroup(model, gap, 3), DECANT_EINVAL, "would become cluster 1");
    assert_fails(decant_model_regroup(model, high, 4), DECANT_EINVAL, "a number below 4");
    assert_fails(decant_model_regroup(model, low, 4), DECANT_EINVAL, "would become -2");
    assert_int_equal(decant_model_clusters(model), K);
    decant_model_free(model);
    blobs_free(&b);
}

/* Whichever allocation fails, the model stays as it was. */
static void test_regroup_out_of_memory(void **state) {
    (void)state;
    static const int32_t to[K] = {0, 0, -1, 1, 2};
    blobs b;
    blobs_new(&b, N);
    decant_model *model = fitted(&b, DECANT_METHOD_GMM);
    decant_status status = DECANT_ENOMEM;
    assert_ok(decant_model_set_cluster_name(model, 1, "one"));
    for (size_t at = 1; status != DECANT_OK; at++) {
        assert_int_equal(decant_model_clusters(model), K);
        assert_string_equal(decant_model_cluster_name(model, 1), "one");
        decant__alloc_fail_at(at);
        status = decant_model_regroup(model, to, 3);
        decant__alloc_fail_at(0);
        assert_true(status == DECANT_OK || status == DECANT_ENOMEM);
        assert_true(at < 1000);
    }
    assert_int_equal(decant_model_clusters(model), 3);
    assert_string_equal(decant_model_cluster_name(model, 0), "one");
    decant_model_free(model);
    blobs_free(&b);
}

/* The model of preset best: its student has an output for each part. */
static void test_regroup_student(void **state) {
    (void)state;
    static const int32_t to[K] = {1, -1, 0, 0, 2};
    blobs b;
    blobs_new(&b, N);
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    applied before, after;
    o.k = K;
    o.student_iterations = 200;
    o.student_width = 16;
    assert_ok(decant_fit(b.dense, &o, NULL, &r));
    if (r->model->student.parameters == 0) { /* not kept: put one in by hand */
        decant__classifier plan;
        float params[4096];
        assert_ok(decant__classifier_plan(&plan, r->d, 16, K, 0));
        assert_true(plan.parameters <= 4096);
        for (size_t i = 0; i < plan.parameters; i++)
            params[i] = (float)((i * 2654435761u) % 997) / 997.0F - 0.5F;
        assert_ok(decant__model_set_student(r->model, &plan, params));
        r->model->options.student_width = 16;
    }
    apply(r->model, b.dense, &before);
    assert_ok(decant_model_regroup(r->model, to, 3));
    apply(r->model, b.dense, &after);
    for (size_t i = 0; i < N; i++) {
        const float *q = before.soft + i * K;
        double rest = (double)fmaxf(q[2], q[3]) + (double)q[0] + (double)q[4];
        if (before.labels[i] != 1) assert_int_equal(after.labels[i], to[before.labels[i]]);
        assert_near(after.soft[i * 3], (double)fmaxf(q[2], q[3]) / rest, 1e-5);
    }
    decant_result_free(r);
    blobs_free(&b);
}

static void test_trace_regroup(void **state) {
    (void)state;
    decant__trace trace;
    static const int32_t to[3] = {0, -1, 0}, labels[4] = {0, 1, 2, 1};
    static const float centroids[6] = {0, 0, 1, 1, 4, 2};
    assert_ok(decant__trace_new(&trace, 4, 3, 2, 1));
    float *z = decant__trace_next(&trace, 0, labels, centroids);
    for (size_t i = 0; i < 8; i++) z[i] = (float)i;
    trace.kept.frames = 1;
    assert_ok(decant__trace_regroup(&trace.kept, to, 1));
    assert_int_equal(trace.kept.k, 1);
    assert_near(trace.kept.centroids[0], 2, 0);
    assert_near(trace.kept.centroids[1], 1, 0);
    for (size_t i = 0; i < 4; i++) assert_int_equal(trace.kept.labels[i], 0);
    decant__trace_free(&trace);
}

/* ---- min-size ---- */

static void test_min_size_choose_dissolves_the_smallest_first(void **state) {
    (void)state;
    /* Sizes 3, 1, 2, 2. The row of cluster 1 goes to 2, which is then large enough. */
    int32_t labels[8] = {0, 0, 0, 1, 2, 2, 3, 3}, to[4];
    static const float soft[8 * 4] = {.7F, .1F, .1F, .1F, .7F, .1F, .1F, .1F, .7F, .1F, .1F,
                                      .1F, .1F, .4F, .3F, .2F, .1F, .1F, .7F, .1F, .1F, .1F,
                                      .7F, .1F, .3F, .1F, .2F, .4F, .1F, .2F, .3F, .4F};
    static const int32_t expected[8] = {0, 0, 0, 2, 2, 2, 0, 2}, targets[4] = {0, -1, 1, -1};
    size_t left;
    assert_ok(decant__min_size_choose(8, 4, soft, 3, labels, to, &left));
    assert_int_equal(left, 2);
    assert_memory_equal(labels, expected, sizeof labels);
    assert_memory_equal(to, targets, sizeof to);
    assert_ok(decant__min_size_choose(8, 4, soft, 8, labels, to, &left));
    assert_int_equal(left, 1);
}

/* No cluster is smaller, and predict agrees with the labels. */
static void test_fit_min_size(void **state) {
    (void)state;
    static const decant_method able[] = {DECANT_METHOD_DEC, DECANT_METHOD_KMEANS,
                                         DECANT_METHOD_GMM};
    blobs b;
    blobs_new(&b, N);
    for (size_t m = 0; m < sizeof able / sizeof *able; m++) {
        decant_options o = blobs_options(able[m]);
        decant_result *r = NULL;
        int32_t again[N];
        float confidence[N];
        size_t size[10] = {0};
        o.k = 10;
        o.min_size = 12;
        assert_ok(decant_fit(b.dense, &o, NULL, &r));
        assert_true(r->k >= 1 && r->k < 10);
        assert_int_equal(r->k + r->dissolved, 10);
        assert_int_equal(decant_model_clusters(r->model), r->k);
        if (r->trace.rows > 0) assert_int_equal(r->trace.k, r->k);
        for (size_t i = 0; i < N; i++) size[r->labels[i]]++;
        for (size_t c = 0; c < r->k; c++) assert_true(size[c] >= 12);
        assert_ok(decant_model_predict(r->model, b.dense, 1, NULL, again, confidence));
        assert_memory_equal(again, r->labels, sizeof again);
        assert_memory_equal(confidence, r->confidence, sizeof confidence);
        decant_result_free(r);
    }
    decant_options o = blobs_options(DECANT_METHOD_SPECTRAL);
    decant_result *r = NULL;
    o.min_size = 2;
    assert_fails(decant_fit(b.dense, &o, NULL, &r), DECANT_EINVAL, "min-size needs a method");
    o = blobs_options(DECANT_METHOD_DEC);
    o.min_size = N + 1;
    assert_fails(decant_fit(b.dense, &o, NULL, &r), DECANT_EINVAL, "min-size is 91");
    blobs_free(&b);
}

/* ---- more clusters than the earlier model has ---- */

/* Ten points near 0, six near (9, 9), four near (9, -9): the new centroids are the means of the two
 * groups that are far, whichever row was drawn, and the old one stays. */
static void test_like_add_moves_to_the_mean(void **state) {
    (void)state;
    float z[20 * 2], mu[3 * 2] = {0.25F, 0.25F};
    for (size_t i = 0; i < 20; i++) {
        float shift = (float)(i % 2) / 2;
        z[2 * i] = (i < 10 ? 0 : 9) + shift;
        z[2 * i + 1] = (i < 10 ? 0.0F : i < 16 ? 9.0F : -9.0F) + shift;
    }
    const decant__source points = decant__source_dense(z, 20, 2);
    for (uint64_t seed = 1; seed < 6; seed++) {
        assert_ok(decant__like_add(&points, 1, 3, seed, NULL, mu));
        size_t up = mu[3] > mu[5] ? 1 : 2, down = 3 - up;
        assert_near(mu[0], 0.25, 0);
        assert_near(mu[2 * up], 9.25, 1e-6);
        assert_near(mu[2 * up + 1], 9.25, 1e-6);
        assert_near(mu[2 * down], 9.25, 1e-6);
        assert_near(mu[2 * down + 1], -8.75, 1e-6);
    }
}

/* Two of three groups are fitted; then all three with k 3: the old ones keep their numbers, and the
 * new one is the third group. */
static void test_like_adds_clusters(void **state) {
    (void)state;
    blobs b;
    decant_dataset *old = NULL;
    decant_result *first = NULL, *second = NULL;
    decant_monitor monitor;
    float x[N * BLOBS_D];
    size_t n = 0;
    blobs_new(&b, N);
    for (size_t i = 0; i < N; i++)
        if (b.classes[i] < 2) memcpy(x + n++ * BLOBS_D, b.x + i * BLOBS_D, BLOBS_D * sizeof *x);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, n, BLOBS_D, 0, &old));
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    o.k = 2;
    assert_ok(decant_fit(old, &o, NULL, &first));
    assert_ok(decant_model_set_cluster_name(first->model, 1, "one"));
    decant_monitor_init(&monitor, sizeof monitor);
    monitor.like = first->model;
    o.k = 3;
    assert_ok(decant_fit(b.dense, &o, &monitor, &second));
    assert_true(same_partition(second->labels, b.classes, N));
    for (size_t i = 0, at = 0; i < N; i++)
        if (b.classes[i] < 2)
            assert_int_equal(second->labels[i], first->labels[at++]);
        else
            assert_int_equal(second->labels[i], 2);
    assert_string_equal(decant_model_cluster_name(second->model, 1), "one");
    decant_result_free(second);
    second = NULL;
    o.k = 1;
    assert_fails(decant_fit(b.dense, &o, &monitor, &second), DECANT_EINVAL, "or more");
    /* From a merged model: its cluster starts where its rows are. */
    static const int32_t to[3] = {0, 0, 1};
    decant_result_free(first);
    first = NULL;
    o.k = 3;
    o.max_iterations = 300; /* until the target of few rows is learnt */
    assert_ok(decant_fit(b.dense, &o, NULL, &first));
    assert_ok(decant_model_regroup(first->model, to, 2));
    monitor.like = first->model;
    o.k = 2;
    assert_ok(decant_fit(b.dense, &o, &monitor, &second));
    for (size_t i = 0; i < N; i++) assert_int_equal(second->labels[i], to[first->labels[i]]);
    decant_result_free(second);
    decant_result_free(first);
    decant_dataset_free(old);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regroup_merges),
        cmocka_unit_test(test_regroup_again_after_loading),
        cmocka_unit_test(test_regroup_renumbers),
        cmocka_unit_test(test_regroup_dissolves),
        cmocka_unit_test(test_regroup_joins_names),
        cmocka_unit_test(test_regroup_refuses),
        cmocka_unit_test(test_regroup_out_of_memory),
        cmocka_unit_test(test_regroup_student),
        cmocka_unit_test(test_trace_regroup),
        cmocka_unit_test(test_min_size_choose_dissolves_the_smallest_first),
        cmocka_unit_test(test_fit_min_size),
        cmocka_unit_test(test_like_add_moves_to_the_mean),
        cmocka_unit_test(test_like_adds_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
