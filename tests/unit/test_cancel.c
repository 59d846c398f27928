/* Every long call hears its watcher often enough to be cancelled within half a second. */
#include <time.h>

#include "base/watch.h"
#include "blobs.h"
#include "decant/report.h"

typedef struct long_call {
    const char *name;    /* of a method, or map, select, predict */
    const char *options; /* name=value, separated by blanks */
    int pieces;          /* 1: its loops ask between pieces that are small beside the whole */
} long_call;

static const long_call calls[] = {{"kmeans", "restarts=20", 1},
                                  {"gmm", "restarts=1", 1},
                                  {"gmm", "restarts=1 covariance=full", 1},
                                  {"spectral", "knn=exact", 1},
                                  {"spectral", "knn=approximate", 1},
                                  {"sec", "mu=0.001", 0}, /* most of it is ARPACK's */
                                  {"sec", "mu=1000", 1},
                                  {"ldmgi", "neighbours=12", 1},
                                  {"dec", "finetune-iterations=20 max-iterations=20", 1},
                                  {"ae+kmeans", "finetune-iterations=20", 1},
                                  {"select", "finetune-iterations=20 max-iterations=20", 0},
                                  {"predict", "", 0}, /* by blocks of rows */
                                  {"map", "", 1}};
enum { CALLS = sizeof calls / sizeof calls[0] };

static decant_options options_of(const long_call *call) {
    decant_options o;
    char text[128], *rest = text;
    int chooses = strcmp(call->name, "select") == 0;
    decant_options_init(&o, sizeof o);
    assert_ok(decant_options_set(&o, "method", chooses ? "dec" : call->name));
    assert_ok(decant_options_set(&o, "layers", "32,8"));
    o.k = BLOBS_K;
    if (chooses) o.k_max = BLOBS_K + 1;
    snprintf(text, sizeof text, "%s", call->options);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_ok(decant_options_set(&o, word, value));
    }
    return o;
}

/* A model for predict; the other calls need none. */
static decant_model *model_for(const long_call *call, const decant_dataset *data) {
    if (strcmp(call->name, "predict") != 0) return NULL;
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    o.finetune_iterations = o.max_iterations = 2;
    assert_ok(decant_fit(data, &o, NULL, &r));
    decant_model *model = decant_result_take_model(r);
    decant_result_free(r);
    return model;
}

static decant_status map_rows(const decant_dataset *data, int threads,
                              const decant_monitor *monitor) {
    decant_map_options how;
    float *map = malloc(2 * decant_dataset_rows(data) * sizeof *map);
    decant_map_options_init(&how, sizeof how);
    how.threads = threads;
    how.iterations = 10;
    decant_status status = decant_map_rows(data, &how, monitor, map, NULL);
    free(map);
    return status;
}

static decant_status run_call(const long_call *call, const decant_dataset *data,
                              const decant_model *model, int threads,
                              const decant_monitor *monitor) {
    decant_result *r = NULL;
    decant_selection *s = NULL;
    decant_status status;
    if (strcmp(call->name, "map") == 0) return map_rows(data, threads, monitor);
    if (model != NULL) {
        int32_t *labels = malloc(decant_dataset_rows(data) * sizeof *labels);
        status = decant_model_predict(model, data, threads, monitor, labels, NULL);
        free(labels);
        return status;
    }
    decant_options o = options_of(call);
    o.threads = threads;
    if (o.k_max > 0)
        status = decant_select_k(data, &o, monitor, &s);
    else
        status = decant_fit(data, &o, monitor, &r);
    assert_true(status == DECANT_OK || (r == NULL && s == NULL));
    decant_result_free(r);
    decant_selection_free(s);
    return status;
}

/* ---- how long the watcher waits ---- */

/* Time of the processor, with one thread: however busy the machine is, this is the work between two
 * calls of the callback. */
static double work_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct listener {
    double heard, longest;
    char phase[64], after[64]; /* the last one, and the one before the longest wait */
} listener;

static void hear(listener *l, const char *phase, size_t step) {
    double waited = work_seconds() - l->heard;
    if (waited > l->longest) {
        l->longest = waited;
        memcpy(l->after, l->phase, sizeof l->after);
    }
    snprintf(l->phase, sizeof l->phase, "%s %zu", phase, step);
    l->heard = work_seconds();
}

static int listen_to(const decant_progress *progress, void *user) {
    hear(user, progress->phase, progress->step);
    return 0;
}

/* The longest wait of a call, and *whole, how long it took in all. */
static double longest_wait(const long_call *call, const decant_dataset *data, double *whole) {
    listener l = {.phase = "the beginning"};
    const decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = listen_to, .user = &l};
    decant_model *model = model_for(call, data);
    double began = l.heard = work_seconds();
    assert_ok(run_call(call, data, model, 1, &monitor));
    hear(&l, "the end", 0);
    *whole = work_seconds() - began;
    print_message("%-10s %-42s at most %.3f s of %.2f, after %s\n", call->name, call->options,
                  l.longest, *whole, l.after);
    decant_model_free(model);
    return l.longest;
}

static void test_watcher_is_heard_in_time(void **state) {
    (void)state;
    enum { N = 24000 };
    blobs b;
    double longest = 0, whole;
#ifdef DECANT_SANITIZED
    skip(); /* their checks take longer than the work that is timed */
#endif
    blobs_new(&b, N);
    for (size_t c = 0; c < CALLS; c++)
        longest = fmax(longest, longest_wait(&calls[c], b.dense, &whole));
    assert_true(longest < 0.4);
    blobs_free(&b);
}

/* A silent piece is there every time; a pause that the machine made in a call of milliseconds is
 * not. */
static int is_silent(const long_call *call, const decant_dataset *data) {
    for (int attempt = 0; attempt < 4; attempt++) {
        double whole, longest = longest_wait(call, data, &whole);
        if (longest <= 0.2 * whole) return 0;
    }
    return 1;
}

/* The same without a clock: if every question is passed on to the watcher, no part of the work that
 * grows with the rows is without one. A loop that does not ask is a quarter of its call or more. */
static void test_no_long_piece_without_a_question(void **state) {
    (void)state;
    enum { N = 8000 };
    blobs b;
    size_t silent = 0;
    blobs_new(&b, N);
    decant__cancel_every(0);
    for (size_t c = 0; c < CALLS; c++) {
        if (calls[c].pieces && is_silent(&calls[c], b.dense)) silent++;
    }
    decant__cancel_every(0.1);
    assert_int_equal(silent, 0);
    blobs_free(&b);
}

/* ---- wherever it is cancelled ---- */

/* Every member that asks is heard: stops inside of all loops, with two threads. Nothing is left
 * behind, which AddressSanitizer checks, and nobody waits for ever. */
static void test_cancel_anywhere(void **state) {
    (void)state;
    enum { N = 90, PLACES = 40 };
    blobs b;
    blobs_new(&b, N);
    decant__cancel_every(0);
    for (size_t c = 0; c < CALLS; c++) {
        blobs_stopper s = {0};
        const decant_monitor monitor = {
            .struct_size = sizeof monitor, .progress = blobs_stop, .user = &s};
        decant_model *model = model_for(&calls[c], b.dense);
        size_t stopped = 0;
        assert_ok(run_call(&calls[c], b.dense, model, 2, &monitor));
        size_t all = s.calls;
        for (size_t place = 0; place < PLACES; place++) {
            s = (blobs_stopper){.stop_at = 1 + place * all / PLACES};
            decant_status status = run_call(&calls[c], b.dense, model, 2, &monitor);
            if (status == DECANT_OK && s.calls < s.stop_at) continue; /* fewer calls this time */
            assert_int_equal(status, DECANT_ECANCELLED);
            stopped++;
        }
        assert_true(stopped > 0);
        decant_model_free(model);
    }
    decant__cancel_every(0.1);
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watcher_is_heard_in_time),
        cmocka_unit_test(test_no_long_piece_without_a_question),
        cmocka_unit_test(test_cancel_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
