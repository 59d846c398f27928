#include "sample.h"

#include <math.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "files.h"
#include "experiments/experiment_store.h"
#include "experiments/reproduce.h"

enum { ROWS = 80, PATH = 300 };

static const decant__fit_spec specs[] = {
    {.set = DECANT__DATA_REUTERS_10K, .method = "kmeans", .seed = 1},
    {.set = DECANT__DATA_REUTERS_10K, .method = "ldmgi", .seed = 1},
    {DECANT__DATA_REUTERS_10K, 0, "ldmgi", "lambda-100", "lambda=100", 1},
    {.set = DECANT__DATA_REUTERS_10K, .method = "sec", .seed = 1},
    {.set = DECANT__DATA_REUTERS_10K, .method = "kmeans", .seed = 2},
    {.set = DECANT__DATA_REUTERS_10K, .method = "kmeans", .seed = 3},
};
enum { SPECS = sizeof specs / sizeof specs[0] };

/* What the callbacks saw; they are called by one thread at a time. */
typedef struct diary {
    size_t begun, done, graphs_under_way;
    int stop;    /* request a stop at the first report */
    int crossed; /* two began with a graph that was not there */
    int odd;     /* a report or score that cannot be (asserting is for the main thread) */
    const char *graph;
} diary;

static void tell(const char *run, const decant_scores *scores, double seconds, void *user) {
    diary *seen = user;
    int on_graph = strstr(run, "kmeans") == NULL;
    (void)seconds;
    if (scores == NULL) {
        seen->begun++;
        if (on_graph && seen->graphs_under_way > 0 && access(seen->graph, F_OK) != 0)
            seen->crossed = 1;
        seen->graphs_under_way += (size_t)on_graph;
    } else {
        seen->done++;
        seen->graphs_under_way -= (size_t)on_graph;
        seen->odd |= !(scores->acc > 0);
    }
}

static int watch(const decant_progress *progress, void *user) {
    diary *seen = user;
    seen->odd |= strcmp(progress->phase, "runs") != 0 || progress->step > progress->steps;
    return seen->stop;
}

/* Four groups of words, as a file in the place of REUTERS-10k-like. */
static void write_data(const char *content) {
    mkdir(in_folder("reuters"), 0777);
    write_text("reuters/reuters10k_like.svm.gz", content);
}

static void write_groups(void) {
    char text[ROWS * 64], *at = text;
    for (int i = 0; i < ROWS; i++) {
        int c = i % 4;
        at += snprintf(at, 64, "%d %d:%d %d:%d 13:1\n", c, c * 3 + 1, 1 + i % 3, c * 3 + 2,
                       1 + i % 5);
    }
    write_data(text);
}

/* Plans all specs and makes them; what comes out stays in the folder OUTPUT. */
static decant_status make_all(const char *output, int threads, diary *seen) {
    char graph[PATH];
    decant__experiment_store store;
    decant__outcome outcome;
    const decant_reproduction how = {.struct_size = sizeof how,
                                     .data = test_folder,
                                     .output = output,
                                     .seeds = 1,
                                     .threads = threads,
                                     .on_run = tell,
                                     .user = seen};
    const decant_monitor monitor = {.struct_size = sizeof monitor, .progress = watch, .user = seen};
    snprintf(graph, sizeof graph, "%s/fast/graphs/reuters10k.safetensors", output);
    seen->graph = graph;
    assert_ok(decant__experiment_store_open(&store, &how, &monitor));
    store.planning = 1;
    for (size_t i = 0; i < SPECS; i++) assert_ok(decant__fit_spec_run(&store, &specs[i], &outcome));
    store.planning = 0;
    decant_status status = decant__experiment_store_run(&store);
    for (size_t i = 0; i < SPECS && status == DECANT_OK; i++) {
        assert_ok(decant__fit_spec_run(&store, &specs[i], &outcome));
        assert_true(isfinite(outcome.scores.acc));
    }
    decant__experiment_store_close(&store);
    return status;
}

static void assert_same_file(const char *a, const char *b, const char *name) {
    char path[2][PATH], *bytes[2];
    size_t size[2];
    snprintf(path[0], PATH, "%s/%s", a, name);
    snprintf(path[1], PATH, "%s/%s", b, name);
    for (int i = 0; i < 2; i++) bytes[i] = sample_read(path[i], &size[i]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* One, two or four workers: every run once, no graph twice, the same labels. */
static void test_experiment_store_run_same_for_1_2_8(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 8};
    const char *output[3] = {in_folder("one"), in_folder("two"), in_folder("eight")};
    write_groups();
    for (int i = 0; i < 3; i++) {
        diary seen = {0};
        assert_ok(make_all(output[i], threads[i], &seen));
        assert_int_equal(seen.begun, SPECS);
        assert_int_equal(seen.done, SPECS);
        assert_false(seen.crossed || seen.odd);
        assert_same_file(output[0], output[i], "fast/runs/reuters10k.kmeans.seed2/labels.csv");
        assert_same_file(output[0], output[i], "fast/runs/reuters10k.sec.seed1/labels.csv");
        assert_same_file(output[0], output[i],
                         "fast/runs/reuters10k.ldmgi.lambda-100.seed1/labels.csv");
    }
}

/* A request to stop ends every worker; the next call resumes. */
static void test_experiment_store_run_stops_and_goes_on(void **state) {
    (void)state;
    const char *output = in_folder("stopped");
    diary seen = {.stop = 1};
    write_groups();
    assert_fails(make_all(output, 2, &seen), DECANT_ECANCELLED, "stopped during");
    assert_true(seen.begun <= 2);
    assert_int_equal(seen.done, 0);
    seen = (diary){0};
    assert_ok(make_all(output, 2, &seen));
    assert_int_equal(seen.done, SPECS);
}

/* The sentence of the worker that failed reaches the caller. */
static void test_experiment_store_run_bad_data(void **state) {
    (void)state;
    diary seen = {0};
    write_data("1 3:abc\n");
    assert_fails(make_all(in_folder("bad"), 2, &seen), DECANT_EFORMAT, "svm.gz: line 1");
    assert_int_equal(seen.done, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_experiment_store_run_same_for_1_2_8),
        cmocka_unit_test(test_experiment_store_run_stops_and_goes_on),
        cmocka_unit_test(test_experiment_store_run_bad_data),
    };
    return run_with_folder(tests);
}
