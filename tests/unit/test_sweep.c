#include "blobs.h"

enum { N = 120 };

/* Every value of a sweep is the fit with that value alone. */
static void check(const decant_dataset *data, decant_method method, const char *option,
                  const char *first, const char *last) {
    decant_options o = blobs_options(method);
    decant_sweep *sweep = NULL;
    o.neighbours = 5;
    o.restarts = 2;
    o.finetune_iterations = 20;
    o.max_iterations = 30;
    assert_ok(decant_sweep_fit(data, &o, NULL, &sweep));
    assert_string_equal(sweep->option, option);
    assert_string_equal(sweep->value[0], first);
    assert_string_equal(sweep->value[DECANT_SWEEP_VALUES - 1], last);
    for (int i = 0; i < DECANT_SWEEP_VALUES; i += 4) {
        decant_options one = o;
        decant_result *r = NULL;
        assert_ok(decant_options_set(&one, option, sweep->value[i]));
        assert_ok(decant_fit(data, &one, NULL, &r));
        assert_same_result(sweep->result[i], r);
        decant_result_free(r);
    }
    decant_sweep_free(sweep);
}

static void test_sweep_is_nine_fits(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, N);
    check(b.dense, DECANT_METHOD_DEC, "update-interval", "10", "2560");
    check(b.dense, DECANT_METHOD_LDMGI, "lambda", "1e-8", "1e8");
    check(b.sparse, DECANT_METHOD_SEC, "mu", "1e-8", "1e8");
    check(b.dense, DECANT_METHOD_AE_LDMGI, "lambda", "1e-8", "1e8");
    check(b.dense, DECANT_METHOD_KMEANS, "seed", "1", "9");
    blobs_free(&b);
}

typedef struct stopper {
    size_t calls, stop_at;
} stopper;

static int stop(const decant_progress *progress, void *user) {
    stopper *s = user;
    (void)progress;
    return ++s->calls == s->stop_at;
}

/* Stopped in the shared part or in one of the fits, then gone on with. */
static void test_sweep_resumes(void **state) {
    (void)state;
    blobs b;
    char path[SAMPLE_PATH];
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    stopper s = {0};
    decant_monitor monitor = {.progress = stop, .user = &s, .checkpoint = path};
    decant_sweep *whole = NULL, *again = NULL;
    blobs_new(&b, N);
    sample_path("sweep", path);
    remove(path);
    o.finetune_iterations = 20;
    o.max_iterations = 20;
    o.restarts = 2;
    assert_ok(decant_sweep_fit(b.dense, &o, &monitor, &whole));
    size_t calls = s.calls;
    for (size_t at = 3; at <= calls; at += calls / 5) {
        remove(path);
        s = (stopper){.stop_at = at};
        monitor.resume = 0;
        assert_int_equal(decant_sweep_fit(b.dense, &o, &monitor, &again), DECANT_ECANCELLED);
        monitor.resume = 1;
        assert_ok(decant_sweep_fit(b.dense, &o, &monitor, &again));
        for (int i = 0; i < DECANT_SWEEP_VALUES; i++)
            assert_same_result(whole->result[i], again->result[i]);
        decant_sweep_free(again);
    }
    decant_sweep_free(whole);
    remove(path);
    blobs_free(&b);
}

static void test_sweep_allocation_failures(void **state) {
    (void)state;
    blobs b;
    decant_options o = blobs_options(DECANT_METHOD_LDMGI);
    decant_sweep *sweep = NULL;
    o.neighbours = 5;
    o.restarts = 1;
    blobs_new(&b, 30);
    decant__alloc_fail_at(0);
    assert_ok(decant_sweep_fit(b.dense, &o, NULL, &sweep));
    size_t total = decant__alloc_fail_at(0);
    decant_sweep_free(sweep);
    sweep = NULL;
    for (size_t n = 1; n <= total; n += 1 + total / 80) {
        decant__alloc_fail_at(n);
        assert_int_equal(decant_sweep_fit(b.dense, &o, NULL, &sweep), DECANT_ENOMEM);
        decant__alloc_fail_at(0);
        assert_null(sweep);
    }
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep_is_nine_fits),
        cmocka_unit_test(test_sweep_resumes),
        cmocka_unit_test(test_sweep_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
