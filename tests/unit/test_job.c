/* The times at which checkpoints are written. This file replaces the clock: tests advance it, and
 * set how long a sync of a file takes. */
#include "blobs.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double seconds = 1000, sync_seconds;

/* Takes the place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
    double whole = floor(seconds);
    time->tv_sec = (time_t)whole;
    time->tv_nsec = (long)(1e9 * (seconds - whole));
    return 0;
}

int fsync(int descriptor) {
    (void)descriptor;
    seconds += sync_seconds;
    return 0;
}

/* A fit of 40 iterations. At each call the clock moves on; the calls after which a checkpoint was
 * there are noted, and it is removed. */
enum { CALLS = 40 };

typedef struct observer {
    const char *checkpoint;
    double seconds_each;
    size_t step, calls, found[CALLS], found_count;
} observer;

static int observe(const decant_progress *progress, void *user) {
    observer *o = user;
    if (strcmp(progress->phase, "finetune") != 0 || progress->step == o->step) return 0;
    o->step = progress->step;
    if (access(o->checkpoint, F_OK) == 0) {
        assert_int_equal(remove(o->checkpoint), 0);
        assert_true(o->found_count < CALLS);
        o->found[o->found_count++] = o->calls;
    }
    o->calls++;
    seconds += o->seconds_each;
    return 0;
}

static void fit_observed(observer *o, double checkpoint_seconds) {
    blobs b;
    char path[SAMPLE_PATH];
    decant_options options = blobs_options(DECANT_METHOD_AE_KMEANS);
    decant_monitor monitor;
    decant_result *result = NULL;
    sample_path("job_checkpoint", path);
    remove(path);
    o->checkpoint = path;
    options.finetune_iterations = CALLS;
    decant_monitor_init(&monitor, sizeof monitor);
    monitor.progress = observe;
    monitor.user = o;
    monitor.checkpoint = path;
    monitor.checkpoint_seconds = checkpoint_seconds;
    blobs_new(&b, 60);
    assert_ok(decant_fit(b.dense, &options, &monitor, &result));
    assert_int_equal(o->calls, CALLS);
    decant_result_free(result);
    blobs_free(&b);
    remove(path);
}

/* The first after 30 s: with 4 s a call that is after the eighth. */
static void test_tick_saves_every_30_seconds(void **state) {
    (void)state;
    observer o = {.seconds_each = 4};
    sync_seconds = 0;
    fit_observed(&o, 0);
    assert_int_equal(o.found_count, (CALLS - 1) / 8);
    for (size_t i = 0; i < o.found_count; i++) assert_int_equal(o.found[i], 8 * (i + 1));
}

/* Where one takes 4 s (file and folder are synced), the next comes 200 s later. */
static void test_tick_saves_less_often_where_it_is_slow(void **state) {
    (void)state;
    observer o = {.seconds_each = 10};
    sync_seconds = 2;
    fit_observed(&o, 0);
    sync_seconds = 0;
    assert_int_equal(o.found_count, 2);
    assert_int_equal(o.found[0], 3);
    assert_int_equal(o.found[1], 3 + 20);
}

/* An interval set by the caller is kept, however long writing takes. */
static void test_tick_saves_when_asked(void **state) {
    (void)state;
    observer o = {.seconds_each = 1};
    sync_seconds = 2;
    fit_observed(&o, 10);
    sync_seconds = 0;
    assert_int_equal(o.found_count, (CALLS - 1) / 10);
    for (size_t i = 0; i < o.found_count; i++) assert_int_equal(o.found[i], 10 * (i + 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tick_saves_every_30_seconds),
        cmocka_unit_test(test_tick_saves_less_often_where_it_is_slow),
        cmocka_unit_test(test_tick_saves_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
