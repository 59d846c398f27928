/* Whole fits of wide sparse rows, whose zeros are sampled. */
#include "blobs.h"

/* N rows of three classes; a row has at most OWN of its class's own D / 3 columns. */
enum { N = 150, D = 900, OWN = 36, SAMPLE = 60, LATENT = 4 };

typedef struct wide {
    float *x;
    int32_t classes[N];
    sample_csr csr;
    decant_dataset *data;
} wide;

static int setup(void **state) {
    wide *w = calloc(1, sizeof *w);
    decant__random random = decant__random_start(5, DECANT__RANDOM_TEST, 0);
    w->x = calloc((size_t)N * D, sizeof *w->x);
    for (size_t i = 0; i < N; i++) {
        size_t c = (i * i + i / 7) % BLOBS_K;
        w->classes[i] = (int32_t)c;
        for (size_t own = 0; own < OWN; own++) {
            double u = decant__random_uniform(&random); /* low numbers occur more often */
            w->x[i * D + c * D / BLOBS_K + (size_t)(u * u * D / BLOBS_K)] = 1;
        }
    }
    w->csr = sample_csr_of(w->x, N, D);
    assert_ok(csr_dataset(w->csr.start, w->csr.column, w->csr.value, N, D, &w->data));
    *state = w;
    return 0;
}

static int teardown(void **state) {
    wide *w = *state;
    decant_dataset_free(w->data);
    sample_csr_free(&w->csr);
    free(w->x);
    free(w);
    return 0;
}

static decant_options sampled_options(decant_method method) {
    decant_options o = blobs_options(method);
    assert_ok(decant_options_set(&o, "layers", "40,20,4"));
    o.finetune_iterations = 200;
    o.zeros = SAMPLE;
    return o;
}

static void test_finds_the_classes(void **state) {
    wide *w = *state;
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_IDEC};
    for (int variant = 0; variant < 4; variant++) {
        decant_options o = sampled_options(methods[variant % 2]);
        decant_result *r = NULL;
        o.greedy_iterations = variant < 2 ? 0 : 120;
        assert_ok(decant_fit(w->data, &o, NULL, &r));
        decant_scores scores;
        assert_ok(decant_score(r->labels, w->classes, N, &scores));
        assert_true(scores.acc > 0.9);
        decant_result_free(r);
    }
}

/* The sample changes the features, unless it is left out or larger than a fourth of the columns. */
static void test_when_zeros_are_sampled(void **state) {
    wide *w = *state;
    decant_options o = sampled_options(DECANT_METHOD_AE_KMEANS);
    decant_result *exact = NULL, *r = NULL;
    o.finetune_iterations = 5;
    o.zeros = 0;
    assert_ok(decant_fit(w->data, &o, NULL, &exact));
    static const size_t sizes[] = {D, D / 4 + 1, D / 4, SAMPLE};
    for (size_t i = 0; i < 4; i++) {
        o.zeros = sizes[i];
        assert_ok(decant_fit(w->data, &o, NULL, &r));
        int same = memcmp(r->embedding, exact->embedding, N * LATENT * sizeof(float)) == 0;
        assert_int_equal(same, i < 2);
        decant_result_free(r);
    }
    decant_result_free(exact);
}

static void test_same_bytes_for_any_threads(void **state) {
    wide *w = *state;
    static const int threads[] = {2, 8};
    for (int variant = 0; variant < 2; variant++) {
        decant_options o = sampled_options(variant == 0 ? DECANT_METHOD_DEC : DECANT_METHOD_IDEC);
        decant_result *one = NULL, *more = NULL;
        assert_ok(decant_options_set(&o, "layers", "140,30,3"));
        o.greedy_iterations = 8;
        o.finetune_iterations = 12;
        o.max_iterations = 20;
        o.tol = 0;
        assert_ok(decant_fit(w->data, &o, NULL, &one));
        for (size_t i = 0; i < 2; i++) {
            o.threads = threads[i];
            assert_ok(decant_fit(w->data, &o, NULL, &more));
            assert_same_result(one, more);
            decant_result_free(more);
        }
        decant_result_free(one);
    }
}

typedef struct watcher {
    size_t calls, stop_at;
} watcher;

static int watch(const decant_progress *progress, void *user) {
    watcher *w = user;
    (void)progress;
    return ++w->calls == w->stop_at;
}

/* Stopped in any phase and continued: the bytes of a fit that was not. */
static void test_resume_same_bytes(void **state) {
    wide *w = *state;
    decant_options o = sampled_options(DECANT_METHOD_IDEC);
    decant_result *whole = NULL, *again = NULL;
    char path[SAMPLE_PATH];
    sample_path("sampled", path);
    o.greedy_iterations = 5;
    o.finetune_iterations = 20;
    assert_ok(decant_fit(w->data, &o, NULL, &whole));
    for (size_t stop = 4; stop < 70; stop += 13) {
        watcher stopping = {.stop_at = stop};
        decant_monitor monitor = {.struct_size = sizeof monitor,
                                  .progress = watch,
                                  .user = &stopping,
                                  .checkpoint = path,
                                  .resume = 1};
        remove(path);
        assert_int_equal(decant_fit(w->data, &o, &monitor, &again), DECANT_ECANCELLED);
        stopping.stop_at = 0;
        assert_ok(decant_fit(w->data, &o, &monitor, &again));
        assert_same_result(whole, again);
        decant_result_free(again);
        again = NULL;
    }
    remove(path);
    decant_result_free(whole);
}

/* A network that was pretrained with a sample is not taken without one, and the other way round. */
static void test_pretrained_network(void **state) {
    wide *w = *state;
    decant_options o = sampled_options(DECANT_METHOD_AE_KMEANS);
    decant_result *first = NULL, *second = NULL;
    char path[SAMPLE_PATH];
    sample_path("sampled_network", path);
    decant_monitor monitor = {.struct_size = sizeof monitor, .pretrained = path};
    remove(path);
    o.finetune_iterations = 20;
    assert_ok(decant_fit(w->data, &o, &monitor, &first));
    assert_ok(decant_fit(w->data, &o, &monitor, &second));
    assert_memory_equal(first->embedding, second->embedding, N * LATENT * sizeof(float));
    decant_result_free(first);
    decant_result_free(second);
    second = NULL;
    o.zeros = 0;
    assert_fails(decant_fit(w->data, &o, &monitor, &second), DECANT_EINVAL, "zeros = 60, not 0");
    remove(path);
}

/* Some of them: those of the start, most of all, are the same as in test_fit, which takes each. */
static void test_allocation_failures(void **state) {
    enum { STEP = 11 };
    wide *w = *state;
    decant_options o = sampled_options(DECANT_METHOD_IDEC);
    decant_result *r = NULL;
    o.finetune_iterations = 2;
    o.max_iterations = 2;
    o.restarts = 2;
    decant__alloc_fail_at(0);
    assert_ok(decant_fit(w->data, &o, NULL, &r));
    size_t count = decant__alloc_fail_at(0);
    decant_result_free(r);
    for (size_t at = 1; at <= count; at += at < count / 4 ? 1 : STEP) {
        r = NULL;
        decant__alloc_fail_at(at);
        decant_status status = decant_fit(w->data, &o, NULL, &r);
        decant__alloc_fail_at(0);
        assert_int_equal(status, DECANT_ENOMEM);
        assert_null(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_classes),
        cmocka_unit_test(test_when_zeros_are_sampled),
        cmocka_unit_test(test_same_bytes_for_any_threads),
        cmocka_unit_test(test_resume_same_bytes),
        cmocka_unit_test(test_pretrained_network),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
