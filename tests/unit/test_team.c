#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cores.h"
#include "base/team.h"
#include "base/watch.h"
#include "blobs.h"

enum { MAX = 1000 };
static const int sizes[] = {1, 2, 3, 8,
                            32}; /* the last has more members than most machines cores */
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- loops ---- */

typedef struct counts {
    size_t n, grain; /* 0: even */
    atomic_int item[MAX];
    atomic_int members, singles;
    atomic_int seen[64]; /* member numbers */
} counts;

static void count_items(void *context) {
    counts *c = context;
    atomic_fetch_add(&c->members, 1);
    atomic_fetch_add(&c->seen[decant__team_member()], 1);
    if (c->grain == 0)
        TEAM_FOR (i, c->n) atomic_fetch_add(&c->item[i], 1);
    else
        TEAM_FOR_DYNAMIC (i, c->n, c->grain) atomic_fetch_add(&c->item[i], 1);
    TEAM_SINGLE atomic_fetch_add(&c->singles, 1);
    TEAM_SINGLE atomic_fetch_add(&c->singles, 1);
}

static void check_counts(const counts *c, int threads) {
    for (size_t i = 0; i < MAX; i++) assert_int_equal(c->item[i], i < c->n);
    assert_int_equal(c->members, threads);
    assert_int_equal(c->singles, 2);
    for (int t = 0; t < threads; t++) assert_int_equal(c->seen[t], 1);
}

static void test_loops_do_each_item_once(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 7, MAX}, grains[] = {0, 1, 3, 256};
    for (size_t s = 0; s < SIZES; s++)
        for (size_t l = 0; l < 4; l++)
            for (size_t g = 0; g < 4; g++) {
                counts c = {.n = lengths[l], .grain = grains[g]};
                decant__team_run(sizes[s], count_items, &c);
                check_counts(&c, sizes[s]);
            }
}

static void test_loops_outside_a_team(void **state) {
    (void)state;
    counts c = {.n = MAX, .grain = 3};
    count_items(&c);
    check_counts(&c, 1);
}

/* ---- helpers ---- */

typedef struct help {
    counts loops;
    int threads, caller; /* caller: what it wrote last */
    int cores;           /* that it may use */
    double seconds;      /* a piece takes */
    atomic_int over;     /* the region is */
    atomic_int helped, wrong;
    atomic_int kept_off; /* pieces run by who may use fewer cores */
} help;

static void be_helped(void *context) {
    help *h = context;
    for (int round = 1; round <= 3; round++) {
        if (decant__team_member() == 0) h->caller = round;
        decant__team_barrier();
        TEAM_FOR_DYNAMIC (i, 5, 1)
            if (h->caller != round) atomic_fetch_add(&h->wrong, 1);
    }
    if (h->loops.grain == 0)
        TEAM_FOR (i, h->loops.n) atomic_fetch_add(&h->loops.item[i], 1);
    else
        TEAM_FOR_DYNAMIC (i, h->loops.n, h->loops.grain) atomic_fetch_add(&h->loops.item[i], 1);
    TEAM_SINGLE atomic_fetch_add(&h->loops.singles, 1);
    TEAM_FOR_DYNAMIC (i, 16, 1) {
        double until = decant__seconds() + h->seconds;
        while (decant__seconds() < until) continue;
        if (decant__team_member() > 0) atomic_fetch_add(&h->helped, 1);
        if (decant__team_member() >= (size_t)h->threads) atomic_fetch_add(&h->wrong, 1);
        if (decant__cores_allowed().count < h->cores) atomic_fetch_add(&h->kept_off, 1);
    }
    TEAM_SINGLE atomic_fetch_add(&h->loops.singles, 1);
    if (decant__team_member() == 0) return;
    sched_yield();
    if (atomic_load(&h->over)) atomic_fetch_add(&h->wrong, 1);
}

static const help *check_help(int threads, size_t n, size_t grain, double seconds) {
    static help h;
    h = (help){.threads = threads,
               .cores = decant__cores_allowed().count,
               .seconds = seconds,
               .loops = {.n = n, .grain = grain}};
    decant__team_run_helped(threads, be_helped, &h);
    atomic_store(&h.over, 1);
    usleep(10);
    for (size_t i = 0; i < MAX; i++) assert_int_equal(h.loops.item[i], i < n);
    assert_int_equal(h.loops.singles, 2);
    assert_int_equal(h.wrong, 0);
    return &h;
}

static int check_helped_loops(void) {
    static const size_t lengths[] = {0, 1, 7, MAX}, grains[] = {0, 1, 3, 256};
    int helped = 0;
    for (size_t l = 0; l < 4; l++)
        for (size_t g = 0; g < 4; g++)
            for (size_t s = SIZES; s-- > 0;) {
                helped += check_help(sizes[s], lengths[l], grains[g], 20e-6)->helped;
                if (s % 2 == 0) continue;
                /* Helpers may still be on their way when all members are wanted. */
                counts c = {.n = lengths[l], .grain = grains[g]};
                decant__team_run(sizes[s], count_items, &c);
                check_counts(&c, sizes[s]);
            }
    return helped;
}

static void test_helped_loops_do_each_item_once(void **state) {
    (void)state;
    int helped = 0;
    for (int round = 0; round < 20 && helped == 0; round++) helped = check_helped_loops();
    assert_true(helped > 0);
}

static void *take_a_core(void *user) {
    const atomic_int *stop = user;
    while (!atomic_load(stop)) continue;
    return NULL;
}

static void count_cores(void *context) {
    help *h = context;
    if (decant__cores_allowed().count != h->cores) atomic_fetch_add(&h->wrong, 1);
}

/* Helpers rest, leave and come back, on other cores than the caller's; this is over when all
 * members are wanted. */
static void test_helpers_beside_busy_threads(void **state) {
    (void)state;
    enum { BUSY = 2 };
    pthread_t thread[BUSY];
    atomic_int stop = 0;
    help h = {.cores = decant__cores_allowed().count};
    int kept_off = 0;
    for (int t = 0; t < BUSY; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, take_a_core, &stop), 0);
    /* Where there are more cores than busy threads, or other programs have them, no helper may be
     * kept off. */
    int meets = h.cores > 1 && h.cores <= BUSY;
    double began = decant__seconds();
    for (size_t i = 0; decant__seconds() - began < (meets && kept_off == 0 ? 3 : 0.3); i++)
        kept_off += check_help(i % 2 ? 2 : 4, MAX, i % 4, 500e-6)->kept_off;
    decant__team_run(4, count_cores, &h);
    atomic_store(&stop, 1);
    for (int t = 0; t < BUSY; t++) pthread_join(thread[t], NULL);
    assert_int_equal(h.wrong, 0);
}

/* They sleep while they wait, instead of spinning. */
static void test_more_helpers_than_cores(void **state) {
    (void)state;
    int threads = decant__team_size(0) + 1, helped = 0;
    for (int round = 0; round < 200 && helped == 0; round++)
        helped = check_help(threads, 7, 1, 500e-6)->helped;
    assert_true(helped > 0);
}

static void run_helped_in_child(void) {
    alarm(60); /* ends a child that hangs */
    check_help(4, MAX, 3, 20e-6);
    _exit(0);
}

static void test_helpers_after_fork(void **state) {
    (void)state;
    int outcome = 0;
    check_help(4, MAX, 3, 20e-6);
    pid_t child = fork();
    if (child == 0) run_helped_in_child();
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    check_help(4, MAX, 3, 20e-6);
}

/* ---- barrier ---- */

typedef struct phases {
    int threads;
    atomic_int arrived, early;
} phases;

static void wait_often(void *context) {
    phases *p = context;
    for (int round = 1; round <= 500; round++) {
        atomic_fetch_add(&p->arrived, 1);
        decant__team_barrier();
        if (atomic_load(&p->arrived) != round * p->threads) atomic_fetch_add(&p->early, 1);
        decant__team_barrier();
    }
}

static void test_barrier_lets_nobody_through_early(void **state) {
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        phases p = {.threads = sizes[s]};
        decant__team_run(sizes[s], wait_often, &p);
        assert_int_equal(p.early, 0);
    }
}

/* ---- regions inside regions ---- */

typedef struct nest {
    counts inner[8];
    atomic_int wrong;
} nest;

static void count_members(void *context) {
    nest *n = context;
    if (decant__team_members() != 1) atomic_fetch_add(&n->wrong, 1);
}

static void run_inner(void *context) {
    nest *n = context;
    size_t own = decant__team_member();
    decant__team_run(4, count_items, &n->inner[own]);
    if (decant__team_member() != own) atomic_fetch_add(&n->wrong, 1);
    if (decant__team_members() != 8) atomic_fetch_add(&n->wrong, 1);
    decant__team_run(4, count_members, n);
    decant__team_barrier();
}

static void test_inner_regions_run_alone(void **state) {
    (void)state;
    nest n = {0};
    for (int t = 0; t < 8; t++) n.inner[t] = (counts){.n = MAX, .grain = (size_t)t};
    decant__team_run(8, run_inner, &n);
    for (int t = 0; t < 8; t++) check_counts(&n.inner[t], 1);
    assert_int_equal(n.wrong, 0);
}

/* ---- pieces that fail ---- */

typedef struct failing {
    atomic_int begun;
    size_t first; /* this one and each third after it fail */
} failing;

static decant_status fail_some(void *context, size_t i) {
    failing *f = context;
    atomic_fetch_add(&f->begun, 1);
    if (i < f->first || (i - f->first) % 3 != 0) return DECANT_OK;
    if (i == f->first) usleep(2000); /* later ones fail before it */
    return decant__fail(DECANT_EFORMAT, "piece %zu is broken", i);
}

static void test_each_tells_of_the_first_failure(void **state) {
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        failing f = {.first = 5};
        assert_int_equal(decant__team_each(sizes[s], 100000, 2, fail_some, &f), DECANT_EFORMAT);
        assert_string_equal(decant_last_error(), "piece 5 is broken");
        assert_true(f.begun < 100000); /* no later ones are begun once it is known */
        f = (failing){.first = 1000};
        assert_ok(decant__team_each(sizes[s], 1000, 2, fail_some, &f));
        assert_int_equal(f.begun, 1000);
    }
}

/* ---- threads ---- */

static void test_without_threads_the_caller_works_alone(void **state) {
    (void)state;
    counts c = {.n = MAX, .grain = 3};
    /* In a process without threads of earlier tests. */
    pid_t child = fork();
    if (child == 0) {
        decant__team_refuse_threads(1);
        decant__team_run(8, count_items, &c);
        int alone = c.members == 1 && c.item[MAX - 1] == 1 && c.singles == 2;
        decant__team_refuse_threads(0);
        c = (counts){.n = MAX};
        decant__team_run(8, count_items, &c);
        _exit(alone && c.members == 8 ? 0 : 1);
    }
    int outcome = 0;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
}

static void look_at_signals(void *context) {
    atomic_int *open = context;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (decant__team_member() > 0 && !sigismember(&mask, SIGINT)) atomic_fetch_add(open, 1);
}

static void test_signals_are_blocked_in_workers(void **state) {
    (void)state;
    atomic_int open = 0;
    decant__team_run(4, look_at_signals, &open);
    assert_int_equal(open, 0);
}

static void *run_many(void *user) {
    atomic_int *wrong = user;
    for (int i = 0; i < 50; i++) {
        counts c = {.n = MAX, .grain = (size_t)i % 4};
        decant__team_run(3, count_items, &c);
        for (size_t j = 0; j < MAX; j++)
            if (c.item[j] != 1) atomic_fetch_add(wrong, 1);
        if (c.singles != 2) atomic_fetch_add(wrong, 1);
    }
    return NULL;
}

/* More callers at once than there are teams. */
static void test_many_callers_at_once(void **state) {
    (void)state;
    enum { CALLERS = 24 };
    pthread_t thread[CALLERS];
    atomic_int wrong = 0;
    for (int t = 0; t < CALLERS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, run_many, &wrong), 0);
    for (int t = 0; t < CALLERS; t++) pthread_join(thread[t], NULL);
    assert_int_equal(wrong, 0);
}

/* ---- fits ---- */

typedef struct fitting {
    const blobs *b;
    decant_options options;
    decant_result *result;
    decant_status status;
} fitting;

static void *fit(void *user) {
    fitting *f = user;
    f->status = decant_fit(f->b->dense, &f->options, NULL, &f->result);
    return NULL;
}

static void fit_blobs(fitting *f, const blobs *b, int threads) {
    *f = (fitting){.b = b, .options = blobs_options(DECANT_METHOD_DEC)};
    f->options.threads = threads;
}

static void test_two_fits_at_once(void **state) {
    (void)state;
    blobs b;
    fitting alone, f[2];
    pthread_t thread[2];
    blobs_new(&b, 120);
    fit_blobs(&alone, &b, 1);
    fit(&alone);
    assert_ok(alone.status);
    for (int t = 0; t < 2; t++) {
        fit_blobs(&f[t], &b, 2);
        assert_int_equal(pthread_create(&thread[t], NULL, fit, &f[t]), 0);
    }
    for (int t = 0; t < 2; t++) {
        pthread_join(thread[t], NULL);
        assert_ok(f[t].status);
        assert_same_result(alone.result, f[t].result);
        decant_result_free(f[t].result);
    }
    decant_result_free(alone.result);
    blobs_free(&b);
}

static void test_fit_after_fork(void **state) {
    (void)state;
    blobs b;
    fitting f;
    int outcome = 0;
    blobs_new(&b, 120);
    fit_blobs(&f, &b, 2);
    fit(&f);
    assert_ok(f.status);
    pid_t child = fork();
    if (child == 0) {
        fitting again;
        alarm(60); /* ends a child that hangs */
        fit_blobs(&again, &b, 2);
        fit(&again);
        _exit(again.status == DECANT_OK && memcmp(again.result->labels, f.result->labels,
                                                  b.n * sizeof *f.result->labels) == 0
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    /* And the parent's threads are still there. */
    decant_result_free(f.result);
    fit(&f);
    assert_ok(f.status);
    decant_result_free(f.result);
    blobs_free(&b);
}

typedef struct inner_fits {
    fitting first;
    const decant_result *expected;
    char phase[64]; /* where the last one was */
    size_t fits, wrong;
} inner_fits;

/* One fit in each phase. */
static int fit_inside(const decant_progress *progress, void *user) {
    inner_fits *in = user;
    if (strcmp(in->phase, progress->phase) == 0) return 0;
    snprintf(in->phase, sizeof in->phase, "%s", progress->phase);
    in->first.result = NULL;
    fit(&in->first);
    in->fits++;
    in->wrong += in->first.status != DECANT_OK ||
                 memcmp(in->first.result->labels, in->expected->labels,
                        in->expected->n * sizeof *in->expected->labels) != 0;
    decant_result_free(in->first.result);
    return 0;
}

static void test_fit_inside_a_callback(void **state) {
    (void)state;
    blobs b;
    fitting alone;
    inner_fits in = {0};
    decant_monitor monitor;
    decant_result *result = NULL;
    blobs_new(&b, 120);
    fit_blobs(&alone, &b, 1);
    fit(&alone);
    assert_ok(alone.status);
    fit_blobs(&in.first, &b, 2);
    in.expected = alone.result;
    decant_monitor_init(&monitor, sizeof monitor);
    monitor.progress = fit_inside;
    monitor.user = &in;
    assert_ok(decant_fit(b.dense, &in.first.options, &monitor, &result));
    assert_true(in.fits >= 4); /* finetune, kmeans, start, refine */
    assert_int_equal(in.wrong, 0);
    assert_same_result(alone.result, result);
    decant_result_free(result);
    decant_result_free(alone.result);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_do_each_item_once),
        cmocka_unit_test(test_loops_outside_a_team),
        cmocka_unit_test(test_helped_loops_do_each_item_once),
        cmocka_unit_test(test_helpers_beside_busy_threads),
        cmocka_unit_test(test_more_helpers_than_cores),
        cmocka_unit_test(test_helpers_after_fork),
        cmocka_unit_test(test_barrier_lets_nobody_through_early),
        cmocka_unit_test(test_inner_regions_run_alone),
        cmocka_unit_test(test_each_tells_of_the_first_failure),
        cmocka_unit_test(test_without_threads_the_caller_works_alone),
        cmocka_unit_test(test_signals_are_blocked_in_workers),
        cmocka_unit_test(test_many_callers_at_once),
        cmocka_unit_test(test_two_fits_at_once),
        cmocka_unit_test(test_fit_after_fork),
        cmocka_unit_test(test_fit_inside_a_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
