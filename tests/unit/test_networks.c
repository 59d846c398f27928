/* Another network, where one has lost what the data shows. */
#include "dec/networks.h"

#include "blobs.h"

enum { ROWS = 1200, WIDTH = 20, GROUPS = 4, STEPS = 12 };

static int32_t truth[ROWS];

/* Groups that touch, so that no rule takes them for separate ones. */
static decant_dataset *groups_new(float *x) {
    decant_dataset *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        truth[i] = (int32_t)(i % GROUPS);
        for (size_t j = 0; j < 3; j++) x[i * WIDTH + (i % GROUPS) * 3 + j] += 2.5F;
    }
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, WIDTH, 0, &data));
    return data;
}

/* A network of two features, hardly trained, cannot show four groups. */
static decant_options weak_options(void) {
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    o.k = GROUPS;
    assert_ok(decant_options_set(&o, "layers", "16,2"));
    o.scaling = DECANT_SCALING_NONE;
    o.finetune_iterations = STEPS;
    o.pretrain_epochs = 0;
    o.diffuse_iterations = 0;
    o.max_iterations = 30;
    return o;
}

static int has_phase(const decant_result *r, const char *phase) {
    for (size_t i = 0; i < r->history_count; i++)
        if (strcmp(r->history[i].phase, phase) == 0) return 1;
    return 0;
}

static void test_unsuitable_network_is_not_the_last(void **state) {
    (void)state;
    float *x = sample_new(5, 1, (size_t)ROWS * WIDTH);
    decant_dataset *data = groups_new(x);
    decant_options o = weak_options();
    decant_scores scores;
    decant_result *r = NULL;
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_ok(decant_score(r->labels, truth, ROWS, &scores));
    print_message("start %d, ACC %.4f\n", r->start, scores.acc);
    assert_int_equal(r->networks, 3);
    assert_true(has_phase(r, "finetune"));
    assert_int_equal(
        has_phase(r, "network 1") + has_phase(r, "network 2") + has_phase(r, "network 3"), 2);
    decant_result_free(r);
    o.networks = 1;
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_int_equal(r->networks, 1);
    assert_false(has_phase(r, "network 2"));
    decant_result_free(r);
    decant_dataset_free(data);
    free(x);
}

typedef struct stopper {
    size_t calls, stop_at;
} stopper;

static int stop(const decant_progress *progress, void *user) {
    stopper *s = user;
    (void)progress;
    return ++s->calls == s->stop_at;
}

/* Between networks, and in them. */
static void test_stopped_and_resumed(void **state) {
    (void)state;
    float *x = sample_new(5, 1, (size_t)ROWS * WIDTH);
    decant_dataset *data = groups_new(x);
    const decant_options o = weak_options();
    decant_result *whole = NULL, *r = NULL;
    char path[SAMPLE_PATH];
    stopper s = {0};
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = stop, .user = &s, .resume = 1};
    assert_ok(decant_fit(data, &o, &monitor, &whole));
    size_t calls = s.calls;
    sample_path("networks", path);
    monitor.checkpoint = path;
    for (size_t at = 3; at < calls; at += calls / 12 + 1) {
        remove(path);
        s = (stopper){.stop_at = at};
        assert_fails(decant_fit(data, &o, &monitor, &r), DECANT_ECANCELLED, "stopped");
        s = (stopper){0};
        assert_ok(decant_fit(data, &o, &monitor, &r));
        assert_int_equal(r->networks, 3);
        assert_same_result(whole, r);
        decant_result_free(r);
    }
    remove(path);
    decant_result_free(whole);
    decant_dataset_free(data);
    free(x);
}

/* The file of the pretrained network holds the one that was taken, and no other is tried then. */
static void test_pretrained_is_the_one_that_was_taken(void **state) {
    (void)state;
    float *x = sample_new(5, 1, (size_t)ROWS * WIDTH);
    decant_dataset *data = groups_new(x);
    decant_options o = weak_options();
    decant_result *first = NULL, *second = NULL;
    char path[SAMPLE_PATH];
    sample_path("networks_pretrained", path);
    remove(path);
    const decant_monitor monitor = {.struct_size = sizeof monitor, .pretrained = path};
    assert_ok(decant_fit(data, &o, &monitor, &first));
    o.networks = 2;
    assert_ok(decant_fit(data, &o, &monitor, &second));
    assert_int_equal(first->networks, 3);
    assert_int_equal(second->networks, 1);
    assert_memory_equal(first->labels, second->labels, ROWS * sizeof *first->labels);
    assert_memory_equal(first->embedding, second->embedding,
                        ROWS * first->latent * sizeof *first->embedding);
    remove(path);
    decant_result_free(first);
    decant_result_free(second);
    decant_dataset_free(data);
    free(x);
}

/* ---- which one is next ---- */

static void open_job(decant__job *job, const decant_dataset *data, const decant_options *o) {
    *job = (decant__job){0};
    assert_ok(decant__job_read(job, o, NULL));
    assert_ok(decant__job_open(job, data));
}

/* A network without training: first weights, and a score. */
static void next(decant__job *job, double score, int unsuitable) {
    const decant__verdict verdict = {unsuitable, score};
    assert_ok(decant__networks_next(job, &verdict));
}

static void test_best_score_is_taken(void **state) {
    blobs *b = *state;
    static const double score[][3] = {{0.5, 0.7, 0.6}, {0.7, 0.5, 0.6}, {0.1, 0.2, 0.3}};
    static const uint64_t best[] = {1, 0, 2};
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    for (size_t c = 0; c < 3; c++) {
        decant__job job;
        float first[3];
        open_job(&job, b->dense, &o);
        for (size_t i = 0; i < 3; i++) {
            first[i] = job.state.params[0];
            next(&job, score[c][i], 1);
            if (i == 2) break;
            assert_int_equal(job.state.phase, DECANT__PHASE_FINETUNE);
            assert_int_equal(job.state.tried.network, i + 1);
        }
        assert_true(first[0] != first[1] && first[1] != first[2]);
        assert_int_equal(job.state.tried.network, best[c]);
        assert_int_equal(job.state.tried.count, 3);
        assert_memory_equal(&job.state.params[0], &first[best[c]], sizeof first[0]);
        if (best[c] < 2) { /* its clusters are found again, and then taken as they are */
            assert_int_equal(job.state.phase, DECANT__PHASE_CLUSTER);
            next(&job, score[c][best[c]], 1);
        }
        assert_int_equal(job.state.phase, DECANT__PHASE_REFINE);
        decant__job_close(&job);
    }
}

/* A suitable network is the last one, and the only one that the options allow. */
static void test_how_many_are_tried(void **state) {
    blobs *b = *state;
    static const struct {
        size_t networks, greedy;
        double whiten;
        int unsuitable, more;
    } cases[] = {
        {3, 0, 0, 1, 1}, {3, 0, 0, 0, 0}, {1, 0, 0, 1, 0}, {3, 5, 0, 1, 0}, {3, 0, 1, 1, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        decant__job job;
        decant_options o = blobs_options(DECANT_METHOD_DEC);
        o.networks = cases[c].networks;
        o.greedy_iterations = cases[c].greedy;
        o.whiten = cases[c].whiten;
        open_job(&job, b->dense, &o);
        next(&job, 0.5, cases[c].unsuitable);
        assert_int_equal(job.state.phase,
                         cases[c].more ? DECANT__PHASE_FINETUNE : DECANT__PHASE_REFINE);
        decant__job_close(&job);
    }
}

/* Weights of 0 map all rows to one point. */
static void test_collapsed_network_is_replaced(void **state) {
    blobs *b = *state;
    decant__job job;
    const decant_options o = blobs_options(DECANT_METHOD_DEC);
    open_job(&job, b->dense, &o);
    for (uint64_t i = 1; i <= 3; i++) {
        decant__state_enter(&job.state, DECANT__PHASE_CLUSTER, 0);
        memset(job.state.params, 0, job.state.parameters * sizeof *job.state.params);
        if (i == 3) break;
        assert_ok(decant__cluster(&job));
        assert_int_equal(job.state.phase, DECANT__PHASE_FINETUNE);
        assert_int_equal(job.state.tried.network, i);
    }
    assert_fails(decant__cluster(&job), DECANT_EDIVERGED, "training collapsed");
    decant__job_close(&job);
}

/* Weights that no rate makes good are given up, and the next network begins at the full rate. */
static void test_diverged_network_is_replaced(void **state) {
    blobs *b = *state;
    decant__job job;
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    o.finetune_iterations = 200;
    o.pretrain_epochs = 0;
    open_job(&job, b->dense, &o);
    decant__state_enter(&job.state, DECANT__PHASE_FINETUNE, 0);
    for (size_t i = 0; i < job.state.parameters; i++) job.state.params[i] = 3;
    memcpy(job.state.rollback_params, job.state.params,
           job.state.parameters * sizeof *job.state.params);
    job.state.rollback_loss = 1; /* of weights that no rate makes good */
    assert_ok(decant__pretrain(&job));
    print_message("networks %d, rollbacks %d\n", (int)job.state.tried.count,
                  (int)job.state.rollbacks);
    assert_int_equal(job.state.tried.network, 1);
    assert_true(job.state.rollbacks > 8);
    assert_int_equal(job.state.phase, decant__job_clustering(&job));
    decant__job_close(&job);
}

static int set_up(void **state) {
    static blobs b;
    blobs_new(&b, 90);
    *state = &b;
    return 0;
}

static int tear_down(void **state) {
    blobs_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsuitable_network_is_not_the_last),
        cmocka_unit_test(test_stopped_and_resumed),
        cmocka_unit_test(test_pretrained_is_the_one_that_was_taken),
        cmocka_unit_test(test_best_score_is_taken),
        cmocka_unit_test(test_how_many_are_tried),
        cmocka_unit_test(test_collapsed_network_is_replaced),
        cmocka_unit_test(test_diverged_network_is_replaced),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
