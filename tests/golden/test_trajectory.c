/* Whole fits compared with a second implementation (gen_trajectory.py: numpy, double precision, the
 * same random numbers): the loss of every iteration of every phase, k-means' inertia, the labels
 * that change at each update of the target, and the last labels.
 *
 * Tolerance: a float has a relative error of 6e-8, a loss is a mean over hundreds of terms, and
 * every iteration starts from the weights of the one before; the largest error measured is 3.3e-6,
 * and 30 times that is allowed. A wrong momentum, rate, bias, scale or target changes some loss by
 * 1e-3 or more. Labels are compared as partitions, because clusters have no order; the generator
 * refuses data where a label depends on rounding. So the test holds on every processor. */
#include "sample.h"

#include "trajectory.h"

/* Of single beside double precision: the first steps of Adam divide gradients near 0 by their size,
 * because the last layer begins with 0. */
static const double MAX_ERROR = 5e-4;

/* What the progress callback sees. */
typedef struct recorder {
    const struct trajectory *expected;
    size_t greedy, finetune, refine; /* iterations seen */
    double worst;                    /* relative error */
} recorder;

static void compare_loss(recorder *r, const decant_progress *progress, const double *expected,
                         size_t at) {
    double error = fabs(progress->loss - expected[at]) / fabs(expected[at]);
    if (!(error <= MAX_ERROR)) {
        print_error("%s: %s, step %zu: loss %.9g, expected %.9g\n", r->expected->name,
                    progress->phase, progress->step, progress->loss, expected[at]);
        fail();
    }
    if (error > r->worst) r->worst = error;
}

/* A report may be repeated while a long step is under way; a step that is new is the next one. */
static void record_step(recorder *r, const decant_progress *progress, const double *expected,
                        size_t *seen) {
    assert_non_null(expected);
    size_t last = *seen > 0 ? (*seen - 1) % TRAJECTORY_STEPS + 1 : 0;
    if (progress->step == last || progress->step == 0) return;
    assert_int_equal(progress->step, *seen % TRAJECTORY_STEPS + 1);
    compare_loss(r, progress, expected, (*seen)++);
}

static int record(const decant_progress *progress, void *user) {
    recorder *r = user;
    const struct trajectory *t = r->expected;
    if (strncmp(progress->phase, "greedy", 6) == 0)
        record_step(r, progress, t->greedy, &r->greedy);
    else if (strcmp(progress->phase, "finetune") == 0)
        record_step(r, progress, t->finetune, &r->finetune);
    else if (strcmp(progress->phase, "refine") == 0)
        record_step(r, progress, t->refine, &r->refine);
    return 0;
}

static void set_options(const struct trajectory *t, int threads, decant_options *o) {
    decant_options_init(o, sizeof *o);
    for (size_t i = 0; i < t->setting_count; i++)
        assert_ok(decant_options_set(o, t->settings[i][0], t->settings[i][1]));
    o->threads = threads;
}

static int same_partition(const int32_t *a, const int32_t *b) {
    for (size_t i = 0; i < TRAJECTORY_N; i++)
        for (size_t j = 0; j < i; j++)
            if ((a[i] == a[j]) != (b[i] == b[j])) return 0;
    return 1;
}

static void check_updates(const struct trajectory *t, const decant_result *r) {
    size_t updates = 0;
    for (size_t i = 0; i < r->history_count; i++) {
        if (strcmp(r->history[i].phase, "refine") != 0) continue;
        assert_true(updates < TRAJECTORY_UPDATES);
        double changed = r->history[i].changed, expected = t->changed[updates++];
        if (isnan(expected))
            assert_true(isnan(changed));
        else
            assert_near(changed, expected, 1e-9);
    }
    assert_int_equal(updates, TRAJECTORY_UPDATES);
}

static void check_case(const decant_dataset *data, const struct trajectory *t, int threads) {
    decant_options o;
    decant_result *r = NULL;
    recorder seen = {.expected = t};
    decant_monitor monitor;
    decant_monitor_init(&monitor, sizeof monitor);
    monitor.progress = record;
    monitor.user = &seen;
    set_options(t, threads, &o);
    assert_ok(decant_fit(data, &o, &monitor, &r));
    assert_int_equal(seen.greedy, t->greedy != NULL ? TRAJECTORY_STAGES * TRAJECTORY_STEPS : 0);
    assert_int_equal(seen.finetune, TRAJECTORY_STEPS);
    assert_int_equal(seen.refine, TRAJECTORY_STEPS);
    assert_int_equal(r->rollbacks, 0);
    assert_int_equal(r->reseeded, 0);
    check_updates(t, r);
    assert_true(same_partition(r->initial_labels, t->start));
    /* The second implementation does not judge refinement, and always keeps it. */
    if (r->returned == 0) assert_true(same_partition(r->labels, t->labels));
    print_message("%s, %d threads: largest relative error of a loss %.1e\n", t->name, threads,
                  seen.worst);
    decant_result_free(r);
}

/* The same pretraining, then k-means alone: its objective is the result's loss. */
static void check_inertia(const decant_dataset *data, const struct trajectory *t) {
    decant_options o;
    decant_result *r = NULL;
    set_options(t, 1, &o);
    o.method = DECANT_METHOD_AE_KMEANS;
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_near(r->loss / t->inertia, 1, MAX_ERROR);
    assert_true(same_partition(r->labels, t->start));
    decant_result_free(r);
}

static void test_trajectory(void **state) {
    (void)state;
    decant_dataset *dense = NULL, *sparse = NULL;
    sample_csr csr = sample_csr_of(trajectory_x, TRAJECTORY_N, TRAJECTORY_D);
    assert_ok(decant_dataset_from_dense(trajectory_x, DECANT_FLOAT32, TRAJECTORY_N, TRAJECTORY_D, 0,
                                        &dense));
    assert_ok(csr_dataset(csr.start, csr.column, csr.value, TRAJECTORY_N, TRAJECTORY_D, &sparse));
    for (size_t i = 0; i < sizeof trajectories / sizeof trajectories[0]; i++) {
        const struct trajectory *t = &trajectories[i];
        const decant_dataset *data = t->sparse ? sparse : dense;
        check_inertia(data, t);
        for (int threads = 1; threads <= 2; threads++) check_case(data, t, threads);
    }
    decant_dataset_free(dense);
    decant_dataset_free(sparse);
    sample_csr_free(&csr);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trajectory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
