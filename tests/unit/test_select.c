#include "blobs.h"

#include "base/watch.h"
#include "dec/select_k.h"
#include "experiments/sweep.h"

enum { N = 120, MIN = 2, MAX = 5, COUNT = MAX - MIN + 1 };

static decant_options small_options(void) {
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    o.k = MIN;
    o.k_max = MAX;
    o.finetune_iterations = 60;
    o.max_iterations = 20;
    o.restarts = 2;
    return o;
}

/* Clocks are left out. */
static void assert_same_selection(const decant_selection *a, const decant_selection *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->k, b->k);
    assert_string_equal(a->reason, b->reason);
    for (size_t t = 0; t < a->count; t++) {
        const decant_k_trial *x = &a->trial[t], *y = &b->trial[t];
        assert_int_equal(x->k, y->k);
        assert_memory_equal(&x->stability, &y->stability, sizeof x->stability);
        assert_memory_equal(&x->generalizability, &y->generalizability, sizeof x->stability);
        assert_memory_equal(&x->own_generalizability, &y->own_generalizability,
                            sizeof x->stability);
        assert_memory_equal(&x->silhouette, &y->silhouette, sizeof x->stability);
        assert_int_equal(x->labels == NULL, y->labels == NULL);
        if (x->labels != NULL) assert_memory_equal(x->labels, y->labels, a->n * sizeof *x->labels);
    }
}

/* Index of the k, from 2 on, that is taken. */
static size_t best_of(const double *stability, size_t count) {
    decant_k_trial trials[8] = {{0}};
    for (size_t t = 0; t < count; t++)
        trials[t] = (decant_k_trial){.k = 2 + t, .stability = stability[t]};
    return decant__select_best(trials, count);
}

static void test_select_best_is_most_stable(void **state) {
    (void)state;
    assert_int_equal(best_of((double[]){0.5}, 1), 0);
    assert_int_equal(best_of((double[]){0.5, 0.9, 0.8, 0.7}, 4), 1);
    assert_int_equal(best_of((double[]){0.9, 0.5, 0.5, 0.85}, 4), 3); /* two halves say little */
    assert_int_equal(best_of((double[]){0.9, 0.5, 0.5, 0.6}, 4), 0);
    assert_int_equal(best_of((double[]){-0.1, 0.2, 0.24}, 3), 0); /* nothing is stable */
    assert_int_equal(best_of((double[]){-0.1, 0.2, 0.3}, 3), 2);
    assert_int_equal(best_of((double[]){0.1, 0.6, 0.6 * 0.9}, 3), 1);
    /* more clusters must be clear ones */
    assert_int_equal(best_of((double[]){0.5, 0.45, 0.45, 0.47}, 4), 0);
    assert_int_equal(best_of((double[]){0.7, 0.5, 0.5, 0.59}, 4), 0);
    assert_int_equal(best_of((double[]){0.7, 0.5, 0.5, 0.61}, 4), 3);
}

/* A number that two halves hardly agree on is told as such. */
static void test_reason_has_doubts(void **state) {
    (void)state;
    static const struct {
        double stability[2];
        size_t count;
        const char *reason;
    } cases[] = {{{0.9, 0.4}, 2, "the most stable number of those tried; stability 0.90 "},
                 {{0.3, 0.4}, 2, "the most stable number of those tried, but none is clear; "},
                 {{0.1, 0.0}, 2, "shows no clusters beyond chance; stability 0.10"},
                 {{0.4, 0.0}, 1, "the only number that was tried; stability 0.40"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decant_selection *s = NULL;
        decant__state given = {.n = 100, .trial_count = cases[i].count};
        given.trials = decant__alloc_zeroed(2, sizeof *given.trials);
        assert_non_null(given.trials);
        for (size_t t = 0; t < cases[i].count; t++)
            given.trials[t] = (decant_k_trial){.k = 2 + t, .stability = cases[i].stability[t]};
        assert_ok(decant__selection_take(&given, &s));
        if (strstr(s->reason, cases[i].reason) == NULL) fail_msg("%s", s->reason);
        decant_selection_free(s);
    }
}

/* One row in 250 is far from two large groups. Halves of 2500 rows have about ten of these rows,
 * and find three groups again; of a few hundred rows many have none. */
static void test_stability_finds_a_small_group(void **state) {
    (void)state;
    enum { ROWS = 6000, L = 2 };
    float *z = sample_new(5, 1, (size_t)ROWS * L);
    for (size_t i = 0; i < ROWS; i++) z[i * L] += i % 250 == 0 ? 400 : i % 2 ? 10 : 0;
    decant__source source = decant__source_dense(z, ROWS, L);
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    decant__job job = {.requested = &o,
                       .options = &o,
                       .source = &source,
                       .threads = 2,
                       .comm = decant__comm_alone()};
    decant__points points = {.z = z, .n = ROWS, .l = L};
    double stability = 0;
    o.neighbours = 0; /* k-means alone */
    job.range = (decant__range){3, 3};
    assert_ok(decant__stability(&job, &points, 3, &stability));
    assert_near(stability, 1, 0.02);
    free(z);
}

/* Few rows of yes and no: the clusters are those of k-means on the data, and stability is theirs,
 * whatever the network learned. Three kinds of rows, each with a column of its own, and ten columns
 * by chance, whose combinations are no clusters. */
static void test_few_values_are_judged_in_the_data(void **state) {
    (void)state;
    enum { ROWS = 240, D = 13, KINDS = 3 };
    float *x = sample_new(8, 1, (size_t)ROWS * D);
    decant_dataset *data = NULL;
    decant_selection *s = NULL, *other = NULL;
    for (size_t i = 0; i < (size_t)ROWS * D; i++) {
        size_t column = i % D;
        x[i] = column < KINDS ? (i / D % KINDS == column ? 3.0f : 0.0f) : x[i] > 0 ? 0.5f : 0.0f;
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, D, 0, &data));
    decant_options o = small_options();
    o.k_max = 8;
    assert_ok(decant_select_k(data, &o, NULL, &s));
    assert_int_equal(s->k, KINDS);
    assert_near(s->trial[KINDS - MIN].stability, 1, 1e-6);
    o.finetune_iterations = 1; /* a network that learned nothing */
    assert_ok(decant_select_k(data, &o, NULL, &other));
    for (size_t t = 0; t < s->count; t++)
        assert_true(s->trial[t].stability == other->trial[t].stability);
    decant_selection_free(s);
    decant_selection_free(other);
    decant_dataset_free(data);
    free(x);
}

/* Three groups are found in both kinds of rows, without labels; everything is measured. */
static void test_select_k_finds_groups(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, N);
    decant_dataset *both[] = {b.dense, b.sparse};
    for (int sparse = 0; sparse < 2; sparse++) {
        decant_options o = small_options();
        decant_selection *s = NULL;
        assert_ok(decant_select_k(both[sparse], &o, NULL, &s));
        assert_int_equal(s->k, BLOBS_K);
        assert_int_equal(s->n, N);
        assert_int_equal(s->count, COUNT);
        assert_non_null(strstr(s->reason, "the most stable number of those tried"));
        for (size_t t = 0; t < COUNT; t++) {
            const decant_k_trial *trial = &s->trial[t];
            assert_int_equal(trial->k, MIN + t);
            assert_true(trial->stability <= 1 && trial->silhouette <= 1);
            assert_true(trial->train_loss > 0 && trial->validation_loss > 0);
            double ratio = trial->train_loss / trial->validation_loss;
            assert_true(fabs(trial->generalizability - ratio) < 1e-12);
            /* f of 24 rows is near that of 96, and not the same */
            assert_true(fabs(trial->own_generalizability / ratio - 1) < 0.5);
            assert_true(fabs(trial->own_generalizability / ratio - 1) > 1e-9);
            for (size_t i = 0; i < N; i++) assert_in_range(trial->labels[i], 0, trial->k - 1);
        }
        const decant_k_trial *right = &s->trial[BLOBS_K - MIN];
        assert_true(same_partition(right->labels, b.classes, N));
        assert_true(right->stability > 0.99);
        assert_true(right->silhouette > s->trial[0].silhouette);
        decant_selection_free(s);
    }
    blobs_free(&b);
}

static void test_select_k_same_bytes_for_any_threads(void **state) {
    (void)state;
    blobs b;
    decant_options o = small_options();
    decant_selection *one = NULL, *many = NULL;
    blobs_new(&b, N);
    assert_ok(decant_select_k(b.dense, &o, NULL, &one));
    for (o.threads = 2; o.threads <= 8; o.threads *= 4) {
        assert_ok(decant_select_k(b.dense, &o, NULL, &many));
        assert_same_selection(one, many);
        decant_selection_free(many);
    }
    decant_selection_free(one);
    blobs_free(&b);
}

/* Cancelled anywhere and resumed: the same result, and nothing is done twice. */
static void test_select_k_resumes(void **state) {
    (void)state;
    blobs b;
    char path[SAMPLE_PATH];
    decant_options o = small_options();
    blobs_stopper s = {0};
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = blobs_stop, .user = &s, .checkpoint = path};
    decant_selection *whole = NULL, *again = NULL;
    blobs_new(&b, N);
    sample_path("select", path);
    remove(path);
    assert_ok(decant_select_k(b.dense, &o, &monitor, &whole));
    size_t calls = s.calls;
    for (size_t at = 3; at <= calls; at += calls / 7) {
        remove(path);
        s = (blobs_stopper){.stop_at = at};
        monitor.resume = 0;
        assert_int_equal(decant_select_k(b.dense, &o, &monitor, &again), DECANT_ECANCELLED);
        assert_null(again);
        monitor.resume = 1;
        s = (blobs_stopper){0};
        assert_ok(decant_select_k(b.dense, &o, &monitor, &again));
        assert_same_selection(whole, again);
        /* At most the pretraining's last steps and one k are repeated. */
        assert_true(s.calls <= calls - at + 60);
        decant_selection_free(again);
        again = NULL;
    }
    decant_selection_free(whole);
    remove(path);
    blobs_free(&b);
}

/* A fit that chooses k is the fit with that k, interrupted or not. */
static void test_fit_with_chosen_k(void **state) {
    (void)state;
    blobs b;
    char path[SAMPLE_PATH];
    decant_options o = small_options(), given = o;
    blobs_stopper s = {0};
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = blobs_stop, .user = &s, .checkpoint = path};
    decant_result *chosen = NULL, *again = NULL, *plain = NULL;
    blobs_new(&b, N);
    sample_path("select_fit", path);
    remove(path);
    given.k = BLOBS_K;
    given.k_max = 0;
    assert_ok(decant_fit(b.dense, &given, NULL, &plain));
    assert_null(plain->selection);
    assert_ok(decant_fit(b.dense, &o, &monitor, &chosen));
    assert_int_equal(chosen->k, BLOBS_K);
    assert_same_result(plain, chosen);
    assert_int_equal(chosen->selection->k, BLOBS_K);
    assert_null(chosen->selection->trial[0].labels);
    assert_true(isnan(chosen->selection->trial[0].generalizability));
    size_t calls = s.calls;
    for (size_t at = 3; at <= calls; at += calls / 9) {
        remove(path);
        s = (blobs_stopper){.stop_at = at};
        monitor.resume = 0;
        assert_int_equal(decant_fit(b.dense, &o, &monitor, &again), DECANT_ECANCELLED);
        monitor.resume = 1;
        assert_ok(decant_fit(b.dense, &o, &monitor, &again));
        assert_same_result(plain, again);
        assert_same_selection(chosen->selection, again->selection);
        decant_result_free(again);
        again = NULL;
    }
    decant_result_free(plain);
    decant_result_free(chosen);
    remove(path);
    blobs_free(&b);
}

/* select-k and fit agree, and auto limits the range to what the rows allow. */
static void test_fit_auto(void **state) {
    (void)state;
    blobs b;
    decant_options o = small_options();
    decant_result *result = NULL;
    blobs_new(&b, 30);
    assert_ok(decant_options_set(&o, "k", "auto"));
    assert_ok(decant_fit(b.dense, &o, NULL, &result));
    assert_int_equal(result->selection->trial[0].k, 2);
    assert_int_equal(result->selection->count, 2); /* 2 .. 30 / 8 */
    decant_result_free(result);
    blobs_free(&b);
}

static void test_select_k_refuses(void **state) {
    (void)state;
    blobs b;
    decant_options o = small_options();
    decant_selection *s = NULL;
    decant_sweep sweep;
    decant_result *result = NULL;
    blobs_new(&b, 30);
    assert_fails(decant_sweep_run("sweep", b.dense, &o, NULL, NULL, &sweep), DECANT_EINVAL,
                 "not a range");
    o.k_max = 40;
    assert_fails(decant_select_k(b.dense, &o, NULL, &s), DECANT_EINVAL, "only 30 rows");
    o.k_max = 8;
    assert_fails(decant_select_k(b.dense, &o, NULL, &s), DECANT_EINVAL, "32 different rows");
    o.k_max = 0;
    assert_fails(decant_select_k(b.dense, &o, NULL, &s), DECANT_EINVAL, "a range like 5..15");
    o = small_options();
    o.k_max = 1;
    assert_fails(decant_select_k(b.dense, &o, NULL, &s), DECANT_EINVAL, "2..1");
    o = small_options();
    o.method = DECANT_METHOD_KMEANS;
    assert_fails(decant_fit(b.dense, &o, NULL, &result), DECANT_EINVAL, "give a number");
    o.method = DECANT_METHOD_AE_GMM;
    assert_fails(decant_fit(b.dense, &o, NULL, &result), DECANT_EINVAL, "give a number");
    assert_null(s);
    blobs_free(&b);
    blobs_new(&b, 7);
    o = small_options();
    assert_ok(decant_options_set(&o, "k", "auto"));
    assert_fails(decant_fit(b.dense, &o, NULL, &result), DECANT_EINVAL, "has only 7");
    blobs_free(&b);
}

static void test_select_k_allocation_failures(void **state) {
    (void)state;
    blobs b;
    decant_options o = small_options();
    decant_selection *s = NULL;
    o.k_max = 3;
    o.finetune_iterations = 5;
    o.max_iterations = 5;
    blobs_new(&b, 40);
    decant__alloc_fail_at(0);
    assert_ok(decant_select_k(b.dense, &o, NULL, &s));
    size_t total = decant__alloc_fail_at(0);
    decant_selection_free(s);
    s = NULL;
    for (size_t n = 1; n <= total; n += 1 + total / 80) {
        decant__alloc_fail_at(n);
        decant_status status = decant_select_k(b.dense, &o, NULL, &s);
        decant__alloc_fail_at(0);
        assert_int_equal(status, DECANT_ENOMEM);
        assert_null(s);
    }
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_select_best_is_most_stable),
        cmocka_unit_test(test_reason_has_doubts),
        cmocka_unit_test(test_stability_finds_a_small_group),
        cmocka_unit_test(test_few_values_are_judged_in_the_data),
        cmocka_unit_test(test_select_k_finds_groups),
        cmocka_unit_test(test_select_k_same_bytes_for_any_threads),
        cmocka_unit_test(test_select_k_resumes),
        cmocka_unit_test(test_fit_with_chosen_k),
        cmocka_unit_test(test_fit_auto),
        cmocka_unit_test(test_select_k_refuses),
        cmocka_unit_test(test_select_k_allocation_failures),
    };
    decant__cancel_every(HUGE_VAL); /* calls of the callback are counted */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
