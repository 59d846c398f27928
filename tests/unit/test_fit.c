#include "blobs.h"
#include "base/watch.h"

static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_IDEC,
                                        DECANT_METHOD_DEC_NOBACKPROP, DECANT_METHOD_AE_KMEANS,
                                        DECANT_METHOD_KMEANS};
enum { METHODS = sizeof methods / sizeof methods[0], N = 120 };

static int setup_rows(void **state, size_t n) {
    blobs *b = malloc(sizeof *b);
    blobs_new(b, n);
    *state = b;
    return 0;
}

static int setup(void **state) { return setup_rows(state, N); }

/* For the tests that fit once for each allocation. */
static int setup_few(void **state) { return setup_rows(state, 40); }

static int teardown(void **state) {
    blobs_free(*state);
    free(*state);
    return 0;
}

/* ---- It finds the clusters --------------------------------------------------------------------
 */

static void check_result(const decant_result *r, const blobs *b, const decant_options *o) {
    int network = o->method != DECANT_METHOD_KMEANS;
    assert_int_equal(r->n, b->n);
    assert_int_equal(r->d, BLOBS_D);
    assert_int_equal(r->k, BLOBS_K);
    assert_int_equal(r->latent, network ? 2 : BLOBS_D);
    assert_true(same_partition(r->labels, b->classes, b->n));
    for (size_t i = 0; i < r->n; i++) {
        assert_in_range(r->labels[i], 0, BLOBS_K - 1);
        assert_true(r->confidence[i] > 1.0F / BLOBS_K && r->confidence[i] <= 1);
    }
    assert_int_equal(r->embedding != NULL, network);
    assert_int_equal(r->initial_labels != NULL, network);
    if (network) assert_true(all_finite(r->embedding, r->n * r->latent));
    if (network) assert_true(same_partition(r->initial_labels, b->classes, b->n));
    assert_true(isfinite(r->loss));
    assert_int_equal(r->resumed_step, 0);
    assert_int_equal(r->rollbacks, 0);
    assert_true(r->phase_count > 0);
    for (size_t i = 0; i < r->phase_count; i++) assert_true(r->phases[i].seconds > 0);
    assert_int_equal(decant_model_clusters(r->model), BLOBS_K);
    assert_int_equal(decant_model_columns(r->model), BLOBS_D);
    assert_int_equal(decant_model_latent(r->model), r->latent);
}

static void test_fit_finds_separated_clusters(void **state) {
    blobs *b = *state;
    for (size_t m = 0; m < METHODS; m++) {
        for (int variant = 0; variant < 4; variant++) {
            decant_options o = blobs_options(methods[m]);
            decant_result *r = NULL;
            o.greedy_iterations = variant & 1 ? 60 : 0;
            assert_ok(decant_fit(variant & 2 ? b->sparse : b->dense, &o, NULL, &r));
            check_result(r, b, &o);
            decant_result_free(r);
        }
    }
}

static void test_fit_paper_preset_and_all_scalings(void **state) {
    blobs *b = *state;
    static const char *const scalings[] = {"paper", "none", "standard", "minmax"};
    for (int variant = 0; variant < 8; variant++) {
        decant_options o = blobs_options(DECANT_METHOD_DEC);
        decant_result *r = NULL;
        assert_ok(decant_options_set(&o, "preset", "paper"));
        assert_ok(decant_options_set(&o, "layers", "16,8,2"));
        assert_ok(decant_options_set(&o, "scaling", scalings[variant / 2]));
        o.init_std = 0.4;
        o.greedy_iterations = 300;
        o.finetune_iterations = 600;
        o.update_interval = 10;
        assert_ok(decant_fit(variant & 1 ? b->sparse : b->dense, &o, NULL, &r));
        check_result(r, b, &o);
        decant_result_free(r);
    }
}

/* ---- The same bytes ---------------------------------------------------------------------------
 */

static void test_fit_same_bytes_for_any_threads(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, 300);
    for (size_t m = 0; m < METHODS; m++) {
        for (int sparse = 0; sparse <= 1; sparse++) {
            decant_options o = blobs_options(methods[m]);
            decant_result *one = NULL, *more = NULL;
            assert_ok(decant_options_set(&o, "layers", "140,30,3"));
            o.batch = 128;
            o.greedy_iterations = 8;
            o.finetune_iterations = 12;
            o.max_iterations = 20;
            o.tol = 0;
            assert_ok(decant_fit(sparse ? b.sparse : b.dense, &o, NULL, &one));
            for (o.threads = 2; o.threads <= 4; o.threads += 2) {
                assert_ok(decant_fit(sparse ? b.sparse : b.dense, &o, NULL, &more));
                assert_same_result(one, more);
                decant_result_free(more);
            }
            decant_result_free(one);
        }
    }
    blobs_free(&b);
}

/* Whether a greedy stage's input fits into the memory or not: the same but for rounding, as sgemm
 * rounds a row by its place in a block. */
static void test_fit_same_for_any_memory(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, 1500);
    for (int sparse = 0; sparse <= 1; sparse++) {
        decant_options o = blobs_options(DECANT_METHOD_AE_KMEANS);
        decant_result *cached = NULL, *streamed = NULL;
        assert_ok(decant_options_set(&o, "layers", "200,150,2"));
        o.batch = 256;
        o.greedy_iterations = 5;
        o.finetune_iterations = 5;
        assert_ok(decant_fit(sparse ? b.sparse : b.dense, &o, NULL, &cached));
        o.memory = 1 << 20; /* 1500 x 200 floats are more */
        assert_ok(decant_fit(sparse ? b.sparse : b.dense, &o, NULL, &streamed));
        assert_near(largest_difference(cached->embedding, streamed->embedding, 1500 * 2), 0, 1e-4);
        assert_true(same_partition(cached->labels, streamed->labels, 1500));
        decant_result_free(cached);
        decant_result_free(streamed);
    }
    blobs_free(&b);
}

static void test_fit_depends_on_the_seed(void **state) {
    blobs *b = *state;
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *first = NULL, *second = NULL;
    assert_ok(decant_fit(b->dense, &o, NULL, &first));
    o.seed = 2;
    assert_ok(decant_fit(b->dense, &o, NULL, &second));
    assert_memory_not_equal(first->embedding, second->embedding, N * 2 * sizeof(float));
    assert_memory_equal(first->data_digest, second->data_digest, sizeof first->data_digest);
    decant_result_free(first);
    decant_result_free(second);
}

/* ---- Stopping and going on --------------------------------------------------------------------
 */

typedef struct watcher {
    size_t calls, stop_at; /* stop_at 0: never */
    char seen[512];        /* the phases, once each */
} watcher;

static int watch(const decant_progress *progress, void *user) {
    watcher *w = user;
    if (strstr(w->seen, progress->phase) == NULL) {
        strncat(w->seen, progress->phase, sizeof w->seen - strlen(w->seen) - 2);
        strcat(w->seen, ";");
    }
    return ++w->calls == w->stop_at;
}

static int exists(const char *path) { return access(path, F_OK) == 0; }

/* Cancels at one call of the callback, resumes with another number of threads, and compares. */
static void check_stop_and_resume(const decant_dataset *data, const decant_options *options,
                                  const char *path, size_t stop_at, const decant_result *whole) {
    decant_result *r = NULL;
    decant_options o = *options;
    watcher w = {.stop_at = stop_at};
    decant_monitor monitor = {.struct_size = sizeof monitor,
                              .progress = watch,
                              .user = &w,
                              .checkpoint = path,
                              .resume = 1};
    remove(path);
    assert_fails(decant_fit(data, &o, &monitor, &r), DECANT_ECANCELLED, "stopped during");
    assert_null(r);
    assert_int_equal(w.calls, stop_at);
    assert_true(exists(path));
    w.stop_at = 0;
    o.threads = 2;
    assert_ok(decant_fit(data, &o, &monitor, &r));
    assert_same_result(whole, r);
    decant_result_free(r);
}

/* Cancels and resumes every few calls. */
static void check_many_stops(const decant_dataset *data, const decant_options *options,
                             const char *path, size_t every, const decant_result *whole) {
    decant_result *r = NULL;
    watcher w = {0};
    decant_monitor monitor = {.struct_size = sizeof monitor,
                              .progress = watch,
                              .user = &w,
                              .checkpoint = path,
                              .resume = 1};
    decant_status status;
    size_t stops = 0;
    remove(path);
    do {
        w = (watcher){.stop_at = every};
        status = decant_fit(data, options, &monitor, &r);
        assert_true(status == DECANT_OK || status == DECANT_ECANCELLED);
        assert_true(stops++ < 1000);
    } while (status != DECANT_OK);
    assert_true(stops > 3);
    assert_same_result(whole, r);
    decant_result_free(r);
}

static void check_method(const decant_dataset *data, const decant_options *options,
                         const char *phases) {
    decant_result *whole = NULL;
    char path[SAMPLE_PATH];
    watcher w = {0};
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = watch, .user = &w};
    assert_ok(decant_fit(data, options, &monitor, &whole));
    assert_string_equal(w.seen, phases);
    sample_path("resume", path);
    size_t stride = w.calls / 30 + 1;
    for (size_t at = 1; at <= w.calls; at += stride)
        check_stop_and_resume(data, options, path, at, whole);
    check_stop_and_resume(data, options, path, w.calls, whole);
    if (w.calls > 4 * 23) check_many_stops(data, options, path, 23, whole);
    remove(path);
    decant_result_free(whole);
}

static decant_options short_options(decant_method method) {
    decant_options o = blobs_options(method);
    o.greedy_iterations = 11;
    o.finetune_iterations = 21;
    o.max_iterations = 27;
    o.update_interval = 10;
    o.restarts = 2;
    o.tol = 0;
    return o;
}

static const char ALL_PHASES[] =
    "greedy 1/3;greedy 2/3;greedy 3/3;finetune;kmeans;start;refine;labels;";

static void test_resume_dec(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_DEC);
    check_method(b->dense, &o, ALL_PHASES);
    check_method(b->sparse, &o, ALL_PHASES);
}

static void test_resume_idec_sgd_file_order(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_IDEC);
    o.optimizer = DECANT_OPTIMIZER_SGD;
    o.shuffle = 0;
    check_method(b->dense, &o, ALL_PHASES);
}

static void test_resume_frozen_network(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_DEC_NOBACKPROP);
    o.greedy_iterations = 0;
    check_method(b->dense, &o, "finetune;kmeans;start;refine;labels;");
}

static void test_resume_without_refinement(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_AE_KMEANS);
    o.greedy_iterations = 0;
    check_method(b->dense, &o, "finetune;kmeans;labels;");
    o = short_options(DECANT_METHOD_KMEANS);
    check_method(b->sparse, &o, "kmeans;labels;");
}

/* Checkpoints are also written during a run: one that is killed resumes from the last. */
static void test_resume_from_a_checkpoint_on_the_way(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_DEC);
    decant_result *whole = NULL, *again = NULL;
    char path[SAMPLE_PATH];
    sample_path("on_the_way", path);
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .checkpoint = path, .checkpoint_seconds = 1e-9, .resume = 1};
    remove(path);
    assert_ok(decant_fit(b->dense, &o, &monitor, &whole));
    assert_int_equal(whole->resumed_step, 0);
    assert_true(exists(path));
    assert_ok(decant_fit(b->dense, &o, &monitor, &again));
    assert_true(again->resumed_step > 0);
    assert_same_result(whole, again);
    decant_result_free(again);
    monitor.resume = 0; /* from the beginning */
    assert_ok(decant_fit(b->dense, &o, &monitor, &again));
    assert_int_equal(again->resumed_step, 0);
    assert_same_result(whole, again);
    decant_result_free(again);
    decant_result_free(whole);
    remove(path);
}

static void test_resume_refused(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_DEC), other = o;
    decant_result *r = NULL;
    char path[SAMPLE_PATH];
    size_t size;
    watcher w = {.stop_at = 50};
    decant_monitor monitor = {.struct_size = sizeof monitor,
                              .progress = watch,
                              .user = &w,
                              .checkpoint = path,
                              .resume = 1};
    sample_path("refused", path);
    remove(path);
    assert_int_equal(decant_fit(b->dense, &o, &monitor, &r), DECANT_ECANCELLED);
    other.alpha = 2;
    assert_fails(decant_fit(b->dense, &other, &monitor, &r), DECANT_EINVAL,
                 "was made with alpha = 1, not 2");
    b->x[5] += 1;
    assert_fails(decant_fit(b->dense, &o, &monitor, &r), DECANT_EINVAL, "other data");
    b->x[5] -= 1;
    assert_fails(decant_fit(b->sparse, &o, &monitor, &r), DECANT_EINVAL, "other data");
    char *bytes = sample_read(path, &size);
    bytes[size - 5] ^= 1;
    sample_write(path, bytes, size);
    assert_fails(decant_fit(b->dense, &o, &monitor, &r), DECANT_EFORMAT, "damaged");
    sample_write(path, bytes, size / 2);
    assert_fails(decant_fit(b->dense, &o, &monitor, &r), DECANT_EFORMAT, path);
    sample_write(path, "", 0);
    assert_fails(decant_fit(b->dense, &o, &monitor, &r), DECANT_EFORMAT, path);
    assert_null(r);
    free(bytes);
    remove(path);
}

/* A checkpoint that cannot be written is an error, not ignored. */
static void test_checkpoint_that_cannot_be_written(void **state) {
    blobs *b = *state;
    decant_options o = short_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    decant_monitor monitor = {.struct_size = sizeof monitor,
                              .checkpoint = "/no/such/folder/checkpoint",
                              .checkpoint_seconds = 1e-9};
    assert_fails(decant_fit(b->dense, &o, &monitor, &r), DECANT_EIO, "/no/such/folder/checkpoint");
    assert_null(r);
}

/* ---- Edges ------------------------------------------------------------------------------------
 */

static decant_status fit_dense(const float *x, size_t n, size_t d, const decant_options *o,
                               decant_result **r) {
    decant_dataset *data = NULL;
    *r = NULL;
    decant_status status = decant_dataset_from_dense(x, DECANT_FLOAT32, n, d, 0, &data);
    if (status == DECANT_OK) status = decant_fit(data, o, NULL, r);
    decant_dataset_free(data);
    return status;
}

static void test_fit_refuses_impossible_k(void **state) {
    blobs *b = *state;
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = blobs_options(methods[m]);
        decant_result *r = NULL;
        o.k = 0;
        assert_fails(decant_fit(b->dense, &o, NULL, &r), DECANT_EINVAL, "at least 1");
        o.k = N + 1;
        assert_fails(decant_fit(b->dense, &o, NULL, &r), DECANT_EINVAL,
                     "k is 121, but there are only 120 rows");
        assert_null(r);
    }
}

static void test_fit_refuses_too_few_distinct_rows(void **state) {
    (void)state;
    float x[10 * 2];
    for (size_t i = 0; i < 10; i++) x[2 * i] = (float)(i % 2), x[2 * i + 1] = 5;
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = blobs_options(methods[m]);
        decant_result *r;
        assert_fails(fit_dense(x, 10, 2, &o, &r), DECANT_EINVAL, "only 2 different rows");
        o.k = 2;
        assert_ok(fit_dense(x, 10, 2, &o, &r));
        for (size_t i = 2; i < 10; i++) assert_int_equal(r->labels[i], r->labels[i % 2]);
        assert_int_not_equal(r->labels[0], r->labels[1]);
        decant_result_free(r);
    }
}

static void test_fit_refuses_what_is_not_finite(void **state) {
    blobs *b = *state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    for (size_t i = 0; i < 3; i++) {
        float kept = b->x[7 * BLOBS_D + 3];
        b->x[7 * BLOBS_D + 3] = bad[i];
        assert_int_equal(decant_fit(b->dense, &o, NULL, &r), DECANT_EINVAL);
        assert_true(strlen(decant_last_error()) > 0);
        b->x[7 * BLOBS_D + 3] = kept;
        kept = b->csr.value[9];
        b->csr.value[9] = bad[i];
        assert_int_equal(decant_fit(b->sparse, &o, NULL, &r), DECANT_EINVAL);
        b->csr.value[9] = kept;
    }
    assert_null(r);
}

static void test_fit_constant_columns(void **state) {
    blobs *b = *state;
    for (size_t i = 0; i < N; i++) { /* two constant columns, one of them 0 */
        b->x[i * BLOBS_D + 3] = 1.5F;
        b->x[i * BLOBS_D + 7] = 0;
    }
    for (int scaling = 0; scaling < 5; scaling++) {
        decant_options o = blobs_options(DECANT_METHOD_DEC);
        decant_result *r = NULL;
        o.scaling = (decant_scaling)scaling;
        assert_ok(decant_fit(b->dense, &o, NULL, &r));
        assert_true(same_partition(r->labels, b->classes, N));
        assert_true(all_finite(r->embedding, N * r->latent));
        decant_result_free(r);
    }
}

/* Steps so large that overlapping clusters are lost at once: the fit rolls back, and reports it. */
static void test_fit_recovers_lost_clusters(void **state) {
    enum { ROWS = 400, COLUMNS = 5, CLUSTERS = 6 };
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    size_t count[CLUSTERS] = {0};
    float *x = sample_new(11, 1, ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < COLUMNS; c++) x[i * COLUMNS + c] += (i % CLUSTERS) >> c & 1 ? 3 : 0;
    o.k = CLUSTERS;
    o.start = *state != NULL ? DECANT_START_RULE_FEATURES : DECANT_START_RULE_AUTO;
    o.refine_rate = 50;
    o.max_iterations = 200;
    assert_ok(fit_dense(x, ROWS, COLUMNS, &o, &r));
    assert_true(r->rollbacks > 0);
    for (size_t i = 0; i < ROWS; i++) count[r->labels[i]]++;
    for (size_t j = 0; j < CLUSTERS; j++) assert_true(count[j] > 0);
    decant_result_free(r);
    free(x);
}

/* As many clusters as rows, one column only, a batch larger than the data. */
static void test_fit_smallest_data(void **state) {
    (void)state;
    const float x[4] = {0, 10, 20, 30};
    for (size_t m = 0; m < METHODS; m++) {
        for (size_t n = 2; n <= 4; n++) {
            decant_options o = blobs_options(methods[m]);
            decant_result *r = NULL;
            o.k = n;
            o.greedy_iterations = 5;
            assert_ok(fit_dense(x, n, 1, &o, &r));
            for (size_t i = 0; i < n; i++) {
                assert_in_range(r->labels[i], 0, n - 1);
                if (methods[m] != DECANT_METHOD_KMEANS) continue;
                for (size_t j = 0; j < i; j++) assert_int_not_equal(r->labels[i], r->labels[j]);
            }
            decant_result_free(r);
        }
    }
}

static void test_fit_no_iterations_at_all(void **state) {
    blobs *b = *state;
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    o.finetune_iterations = o.max_iterations = 0;
    o.smooth_steps = 0; /* refinement begins with k-means on the features */
    assert_ok(decant_fit(b->dense, &o, NULL, &r));
    assert_memory_equal(r->labels, r->initial_labels, N * sizeof *r->labels);
    assert_int_equal(r->iterations, 0);
    assert_false(r->converged);
    decant_result_free(r);
}

/* Stops before the cap once the labels no longer change. */
static void test_fit_converges(void **state) {
    blobs *b = *state;
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant_result *r = NULL;
    o.max_iterations = 5000, o.refine_epochs = 0;
    assert_ok(decant_fit(b->dense, &o, NULL, &r));
    assert_true(r->converged);
    assert_true(r->iterations > 0 && r->iterations < 5000);
    assert_int_equal(r->iterations % o.update_interval, 0);
    decant_result_free(r);
}

/* ---- Memory that runs out ---- */

static void check_allocation_failures(const decant_dataset *data, const decant_options *o,
                                      const decant_monitor *monitor) {
    decant_result *r = NULL;
    decant__alloc_fail_at(0);
    assert_ok(decant_fit(data, o, monitor, &r));
    size_t total = decant__alloc_fail_at(0);
    decant_result_free(r), r = NULL;
    assert_true(total > 10);
    for (size_t n = 1; n <= total; n += TRY_EVERY, r = NULL) {
        decant__alloc_fail_at(n);
        decant_status status = decant_fit(data, o, monitor, &r);
        decant__alloc_fail_at(0);
        if (status != DECANT_ENOMEM)
            fail_msg("allocation %zu of %zu: status %d, %s", n, total, (int)status,
                     decant_last_error());
        assert_null(r);
        assert_true(strlen(decant_last_error()) > 0);
    }
}

static void shortest(decant_options *o) { /* the start of few rows has many allocations: once */
    o->greedy_iterations = o->finetune_iterations = o->max_iterations = o->restarts = 1;
    if (o->method != DECANT_METHOD_DEC) o->start = DECANT_START_RULE_FEATURES;
}

static void test_fit_allocation_failures(void **state) {
    blobs *b = *state;
    for (size_t m = 0; m < METHODS; m++) {
        decant_options o = short_options(methods[m]);
        shortest(&o);
        check_allocation_failures(m % 2 ? b->sparse : b->dense, &o, NULL);
    }
}

static void test_fit_allocation_failures_with_checkpoints(void **state) {
    blobs *b = *state;
    char path[SAMPLE_PATH];
    decant_options o = short_options(DECANT_METHOD_IDEC);
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .checkpoint = path, .checkpoint_seconds = 1e-9};
    sample_path("no_memory", path);
    assert_ok(decant_options_set(&o, "layers", "4,2"));
    shortest(&o);
    check_allocation_failures(b->dense, &o, &monitor);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fit_finds_separated_clusters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_paper_preset_and_all_scalings, setup, teardown),
        cmocka_unit_test(test_fit_same_bytes_for_any_threads),
        cmocka_unit_test(test_fit_same_for_any_memory),
        cmocka_unit_test_setup_teardown(test_fit_depends_on_the_seed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_dec, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_idec_sgd_file_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_frozen_network, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_without_refinement, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_from_a_checkpoint_on_the_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_checkpoint_that_cannot_be_written, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_refuses_impossible_k, setup, teardown),
        cmocka_unit_test(test_fit_refuses_too_few_distinct_rows),
        cmocka_unit_test_setup_teardown(test_fit_refuses_what_is_not_finite, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_recovers_lost_clusters, setup, teardown),
        cmocka_unit_test(test_fit_recovers_lost_clusters), /* with a fixed target */
        cmocka_unit_test_setup_teardown(test_fit_constant_columns, setup, teardown),
        cmocka_unit_test(test_fit_smallest_data),
        cmocka_unit_test_setup_teardown(test_fit_no_iterations_at_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_converges, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fit_allocation_failures, setup_few, teardown),
        cmocka_unit_test_setup_teardown(test_fit_allocation_failures_with_checkpoints, setup_few,
                                        teardown),
    };
    decant__cancel_every(HUGE_VAL); /* calls of the callback are counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
