#include "blobs.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/watch.h"
#include "experiments/sweep.h"

enum { N = 120 };

static void clear(const char *folder) {
    char command[SAMPLE_PATH + 16];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* The clusters of a run, n of them. */
static decant_dataset *labels_of(const char *folder, const char *option, const char *value) {
    char path[2 * SAMPLE_PATH];
    decant_dataset *labels = NULL;
    snprintf(path, sizeof path, "%s/%s-%s/labels.csv", folder, option, value);
    assert_ok(decant_labels_read(path, "cluster", NULL, &labels));
    return labels;
}

static decant_options quick(decant_method method) {
    decant_options o = blobs_options(method);
    if (o.neighbours > 5) o.neighbours = 5;
    o.restarts = 2;
    o.finetune_iterations = 20;
    o.max_iterations = 30;
    return o;
}

/* Every value of a sweep is the fit with that value alone. */
static void check(const decant_dataset *data, decant_method method, const char *first,
                  const char *last) {
    decant_options o = quick(method);
    decant_sweep sweep;
    char folder[SAMPLE_PATH];
    sample_path("sweep", folder);
    clear(folder);
    assert_ok(decant_sweep_run(folder, data, &o, NULL, NULL, &sweep));
    assert_string_equal(sweep.option, decant__sweep_option(method));
    assert_string_equal(sweep.entry[0].value, first);
    assert_string_equal(sweep.entry[DECANT_SWEEP_VALUES - 1].value, last);
    for (int i = 0; i < DECANT_SWEEP_VALUES; i += 4) {
        decant_options one = o;
        decant_result *r = NULL;
        assert_ok(decant_options_set(&one, sweep.option, sweep.entry[i].value));
        if (strcmp(sweep.option, "seed") == 0 && i > 0) continue; /* has the network of the first */
        assert_ok(decant_fit(data, &one, NULL, &r));
        decant_dataset *labels = labels_of(folder, sweep.option, sweep.entry[i].value);
        assert_int_equal(decant_dataset_rows(labels), r->n);
        for (size_t row = 0; row < r->n; row++)
            assert_int_equal(
                atoi(decant_dataset_class_name(labels, (size_t)decant_dataset_labels(labels)[row])),
                r->labels[row]);
        assert_int_equal(sweep.entry[i].iterations, r->iterations);
        decant_dataset_free(labels);
        decant_result_free(r);
    }
    clear(folder);
}

static void test_sweep_is_nine_fits(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, N);
    check(b.dense, DECANT_METHOD_DEC, "10", "2560");
    check(b.dense, DECANT_METHOD_LDMGI, "1e-8", "1e8");
    check(b.sparse, DECANT_METHOD_SEC, "1e-8", "1e8");
    check(b.dense, DECANT_METHOD_AE_LDMGI, "1e-8", "1e8");
    check(b.dense, DECANT_METHOD_KMEANS, "1", "9");
    check(b.dense, DECANT_METHOD_AE_GMM, "1", "9");
    blobs_free(&b);
}

/* Cancelled anywhere and resumed: the same numbers, and nothing is done twice.
 */
static void test_sweep_resumes(void **state) {
    (void)state;
    blobs b;
    char folder[SAMPLE_PATH];
    decant_options o = quick(DECANT_METHOD_DEC);
    blobs_stopper s = {0};
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = blobs_stop, .user = &s};
    decant_sweep whole, again;
    blobs_new(&b, N);
    sample_path("sweep", folder);
    clear(folder);
    assert_ok(decant_sweep_run(folder, b.dense, &o, &monitor, NULL, &whole));
    size_t calls = s.calls;
    for (size_t at = 3; at <= calls; at += calls / 4) {
        clear(folder);
        s = (blobs_stopper){.stop_at = at};
        monitor.resume = 0;
        assert_int_equal(decant_sweep_run(folder, b.dense, &o, &monitor, NULL, &again),
                         DECANT_ECANCELLED);
        s = (blobs_stopper){0};
        monitor.resume = 1;
        assert_ok(decant_sweep_run(folder, b.dense, &o, &monitor, NULL, &again));
        assert_true(s.calls <= calls - at + 10);
        for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
            assert_int_equal(whole.entry[i].iterations, again.entry[i].iterations);
            assert_true(!(whole.entry[i].loss < again.entry[i].loss) &&
                        !(whole.entry[i].loss > again.entry[i].loss));
        }
    }
    clear(folder);
    blobs_free(&b);
}

static void test_sweep_allocation_failures(void **state) {
    (void)state;
    blobs b;
    char folder[SAMPLE_PATH];
    decant_options o = quick(DECANT_METHOD_LDMGI);
    decant_sweep sweep;
    o.restarts = 1;
    blobs_new(&b, 30);
    sample_path("sweep", folder);
    clear(folder);
    decant__alloc_fail_at(0);
    assert_ok(decant_sweep_run(folder, b.dense, &o, NULL, NULL, &sweep));
    size_t total = decant__alloc_fail_at(0);
    for (size_t n = 1; n <= total; n += 1 + total / 60) {
        clear(folder);
        decant__alloc_fail_at(n);
        assert_int_equal(decant_sweep_run(folder, b.dense, &o, NULL, NULL, &sweep), DECANT_ENOMEM);
        decant__alloc_fail_at(0);
    }
    clear(folder);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep_is_nine_fits),
        cmocka_unit_test(test_sweep_resumes),
        cmocka_unit_test(test_sweep_allocation_failures),
    };
    decant__cancel_every(HUGE_VAL); /* calls of the callback are counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
