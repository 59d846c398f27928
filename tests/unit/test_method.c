/* The methods other than dec, from a dataset to a result. */
#include "blobs.h"
#include "base/watch.h"

static const decant_method methods[] = {
    DECANT_METHOD_GMM,    DECANT_METHOD_SPECTRAL,    DECANT_METHOD_SEC,    DECANT_METHOD_LDMGI,
    DECANT_METHOD_AE_GMM, DECANT_METHOD_AE_SPECTRAL, DECANT_METHOD_AE_SEC, DECANT_METHOD_AE_LDMGI};
enum { METHODS = sizeof methods / sizeof methods[0], N = 150 };

static int has_network(decant_method method) { return method >= DECANT_METHOD_AE_GMM; }
static int has_graph(size_t m) { return m % 4 != 0; }
static int can_assign(size_t m) { return m % 4 == 0 || m % 4 == 2; }

static decant_options options_for(decant_method method) {
    decant_options o = blobs_options(method);
    o.neighbours = 5;
    o.gamma = 1;
    o.threads = 2;
    return o;
}

static int setup(void **state) {
    blobs *b = malloc(sizeof *b);
    blobs_new(b, N);
    *state = b;
    return 0;
}

static int teardown(void **state) {
    blobs_free(*state);
    free(*state);
    return 0;
}

static void test_fit_finds_separated_clusters(void **state) {
    blobs *b = *state;
    for (size_t m = 0; m < METHODS; m++)
        for (int sparse = 0; sparse < 2; sparse++) {
            decant_options o = options_for(methods[m]);
            decant_result *r = NULL;
            assert_ok(decant_fit(sparse ? b->sparse : b->dense, &o, NULL, &r));
            assert_true(same_partition(r->labels, b->classes, N));
            assert_int_equal(r->embedding != NULL, has_network(methods[m]));
            assert_null(r->initial_labels);
            assert_true(isfinite(r->loss));
            assert_int_equal(r->eigenvalue_count, has_graph(m) ? BLOBS_K : 0);
            if (has_graph(m)) assert_true(r->graph_recall == 1);
            if (!has_graph(m)) assert_true(isnan(r->graph_recall));
            for (size_t i = 0; i < N; i++)
                assert_true(r->confidence[i] >= 0.33F && r->confidence[i] <= 1);
            decant_result_free(r);
        }
}

/* Through the file, too. */
static void test_predict_or_refuse(void **state) {
    blobs *b = *state;
    char path[SAMPLE_PATH];
    sample_path("method_model", path);
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = options_for(methods[m]);
        decant_result *r = NULL;
        decant_model *loaded = NULL;
        int32_t labels[N], again[N];
        float confidence[N], z[N * 2];
        assert_ok(decant_fit(b->dense, &o, NULL, &r));
        assert_ok(decant_model_save(r->model, path));
        assert_ok(decant_model_load(path, &loaded));
        assert_int_equal(decant_model_has_network(loaded), has_network(methods[m]));
        if (has_network(methods[m])) assert_ok(decant_model_embed(loaded, b->dense, 1, NULL, z));
        if (can_assign(m)) {
            assert_ok(decant_model_predict(r->model, b->dense, 2, NULL, labels, confidence));
            assert_ok(decant_model_predict(loaded, b->sparse, 1, NULL, again, NULL));
            assert_true(same_partition(labels, b->classes, N));
            assert_memory_equal(labels, again, sizeof labels);
            if (m % 4 == 0) assert_memory_equal(labels, r->labels, sizeof labels);
        } else {
            assert_fails(decant_model_predict(loaded, b->dense, 1, NULL, labels, NULL),
                         DECANT_EINVAL, "cannot assign rows that it was not fitted on");
        }
        decant_model_free(loaded);
        decant_result_free(r);
    }
    remove(path);
}

static void test_fit_same_for_any_threads(void **state) {
    blobs *b = *state;
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = options_for(methods[m]);
        decant_result *first = NULL, *other = NULL;
        assert_ok(decant_fit(b->dense, &o, NULL, &first));
        for (o.threads = 1; o.threads <= 8; o.threads += 7) {
            assert_ok(decant_fit(b->dense, &o, NULL, &other));
            assert_same_result(first, other);
            decant_result_free(other);
        }
        decant_result_free(first);
    }
}

/* Cancelled at every call of the callback, then resumed. */
static void test_resume(void **state) {
    blobs *b = *state;
    char path[SAMPLE_PATH];
    sample_path("method_resume", path);
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = options_for(methods[m]);
        decant_result *whole = NULL, *r = NULL;
        blobs_stopper s = {0};
        decant_monitor monitor = {
            .struct_size = sizeof monitor, .progress = blobs_stop, .user = &s, .checkpoint = path};
        o.finetune_iterations = 5;
        remove(path);
        assert_ok(decant_fit(b->dense, &o, &monitor, &whole));
        size_t calls = s.calls;
        for (size_t at = 1; at <= calls; at++) {
            remove(path);
            s = (blobs_stopper){.stop_at = at};
            monitor.resume = 0;
            assert_int_equal(decant_fit(b->dense, &o, &monitor, &r), DECANT_ECANCELLED);
            monitor.resume = 1;
            assert_ok(decant_fit(b->dense, &o, &monitor, &r));
            assert_same_result(whole, r);
            decant_result_free(r);
        }
        decant_result_free(whole);
    }
    remove(path);
}

static void test_graph_file_is_used_again(void **state) {
    blobs *b = *state;
    char path[SAMPLE_PATH];
    size_t size, again;
    decant_options o = options_for(DECANT_METHOD_LDMGI);
    decant_monitor monitor = {.struct_size = sizeof monitor, .graph = path};
    decant_result *made = NULL, *used = NULL;
    sample_path("method_graph", path);
    remove(path);
    assert_ok(decant_fit(b->dense, &o, &monitor, &made));
    char *bytes = sample_read(path, &size);
    assert_ok(decant_fit(b->dense, &o, &monitor, &used));
    assert_same_result(made, used);
    decant_result_free(used);
    char *same = sample_read(path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, same, size);
    o.method = DECANT_METHOD_SEC; /* for another method, and with fewer neighbours */
    o.neighbours = 3;
    assert_ok(decant_fit(b->dense, &o, &monitor, &used));
    decant_result_free(used);
    o.neighbours = 6;
    assert_fails(decant_fit(b->dense, &o, &monitor, &used), DECANT_EINVAL,
                 "has 5 neighbours for each row, but 6 are needed");
    o.neighbours = 5;
    o.scaling = DECANT_SCALING_NONE;
    assert_fails(decant_fit(b->dense, &o, &monitor, &used), DECANT_EINVAL, "other rows");
    free(bytes);
    free(same);
    decant_result_free(made);
    remove(path);
}

static void test_graph_file_refuses_damage(void **state) {
    blobs *b = *state;
    char path[SAMPLE_PATH];
    size_t size;
    decant_options o = options_for(DECANT_METHOD_SPECTRAL);
    decant_monitor monitor = {.struct_size = sizeof monitor, .graph = path};
    decant_result *r = NULL;
    sample_path("method_damage", path);
    remove(path);
    assert_ok(decant_fit(b->dense, &o, &monitor, &r));
    decant_result_free(r);
    char *bytes = sample_read(path, &size);
    for (size_t i = 0; i < size; i += 97) {
        bytes[i] ^= 8;
        sample_write(path, bytes, size);
        assert_int_equal(decant_fit(b->dense, &o, &monitor, &r), DECANT_EFORMAT);
        bytes[i] ^= 8;
        sample_write(path, bytes, i);
        assert_int_equal(decant_fit(b->dense, &o, &monitor, &r), DECANT_EFORMAT);
    }
    free(bytes);
    remove(path);
}

static void test_fit_refuses(void **state) {
    blobs *b = *state;
    float same[40];
    decant_dataset *data = NULL;
    decant_result *r = NULL;
    for (size_t i = 0; i < 40; i++) same[i] = 3;
    assert_ok(decant_dataset_from_dense(same, DECANT_FLOAT32, 20, 2, 0, &data));
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = options_for(methods[m]);
        assert_fails(decant_fit(data, &o, NULL, &r), DECANT_EINVAL, "only 1 different row,");
        if (!has_graph(m)) continue;
        o.neighbours = 1;
        assert_fails(decant_fit(b->dense, &o, NULL, &r), DECANT_EINVAL, "neighbours is 1");
        o.neighbours = N;
        assert_fails(decant_fit(b->dense, &o, NULL, &r), DECANT_EINVAL, "neighbours is 150");
    }
    decant_dataset_free(data);
}

static void test_fit_allocation_failures(void **state) {
    blobs *b = *state;
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = options_for(methods[m]);
        decant_result *r = NULL;
        o.finetune_iterations = 1;
        o.restarts = 1;
        o.threads = 1;
        decant__alloc_fail_at(0);
        assert_ok(decant_fit(b->dense, &o, NULL, &r));
        size_t total = decant__alloc_fail_at(0);
        decant_result_free(r);
        r = NULL;
        for (size_t n = 1; n <= total; n += 1 + total / 60) {
            decant__alloc_fail_at(n);
            assert_int_equal(decant_fit(b->dense, &o, NULL, &r), DECANT_ENOMEM);
            decant__alloc_fail_at(0);
            assert_null(r);
        }
    }
}

/* One column and as few rows as there can be: an answer or a sentence, for every method. */
static void test_fit_of_few_rows(void **state) {
    (void)state;
    const float x[5] = {0, 1, 3, 4, 9};
    for (size_t m = 0; m < METHODS; m++)
        for (size_t n = 1; n <= 5; n++)
            for (size_t k = 2; k <= n + 1; k++) {
                decant_options o = options_for(methods[m]);
                decant_dataset *data = NULL;
                decant_result *r = NULL;
                o.k = k;
                o.neighbours = 2;
                o.finetune_iterations = 3;
                assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, n, 1, 0, &data));
                decant_status status = decant_fit(data, &o, NULL, &r);
                if (k > n) {
                    assert_int_equal(status, DECANT_EINVAL);
                    assert_non_null(strstr(decant_last_error(),
                                           n == 1 ? "there is only 1 row" : "there are only"));
                } else if (has_graph(m) && n < 3) {
                    assert_int_equal(status, DECANT_EINVAL);
                    assert_non_null(strstr(decant_last_error(), "needs 3 rows or more"));
                } else {
                    assert_ok(status);
                    for (size_t i = 0; i < n; i++)
                        assert_true(r->labels[i] >= 0 && (size_t)r->labels[i] < k);
                }
                decant_result_free(r);
                decant_dataset_free(data);
            }
}

static void test_fit_refuses_neighbours(void **state) {
    blobs *b = *state;
    for (size_t wrong = 1; wrong <= N; wrong += N - 1) {
        decant_options o = options_for(DECANT_METHOD_SPECTRAL);
        decant_result *r = NULL;
        o.neighbours = wrong;
        assert_fails(decant_fit(b->dense, &o, NULL, &r), DECANT_EINVAL,
                     "for 150 rows it must be 2 or more, and at most 149");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fit_finds_separated_clusters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_predict_or_refuse, setup, teardown),
        cmocka_unit_test(test_fit_of_few_rows),
        cmocka_unit_test_setup_teardown(test_fit_refuses_neighbours, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_same_for_any_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
        cmocka_unit_test_setup_teardown(test_graph_file_is_used_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_graph_file_refuses_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_refuses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_allocation_failures, setup, teardown),
    };
    decant__cancel_every(HUGE_VAL); /* calls of the callback are counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
