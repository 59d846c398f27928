#include "blobs.h"

#include "dec/job.h"

/* ---- A job of its own: z = x by an identity layer, points on a line ----------------------------
 */

enum { N = 30, K = 3, L = 2 };

typedef struct fixture {
    decant_options options;
    float x[N * L];
    decant__source source;
    decant__job job;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    static const size_t sizes[1] = {L};
    decant_options_init(&f->options, sizeof f->options);
    f->options.k = K;
    f->options.batch = 8;
    f->options.update_interval = 10;
    f->options.max_iterations = 30;
    f->options.tol = 0.01;
    f->options.refine_rate = 0.01;
    sample_normal(1, 0.2, (size_t)N * L, f->x);
    for (size_t i = 0; i < N; i++) f->x[i * L] += i % 2 ? 5 : -5;
    f->source = decant__source_dense(f->x, N, L);
    f->job = (decant__job){
        .options = &f->options, .source = &f->source, .threads = 2, .comm = decant__comm_alone()};
    assert_ok(decant__autoencoder_plan(&f->job.plan, L, sizes, 1));
    assert_ok(decant__state_new(&f->job.state, N, K, f->job.plan.parameters + K * L, 0));
    float *w = f->job.state.params + f->job.plan.net.layer[0].weight;
    w[0] = w[3] = 1;
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    decant__state_free(&f->job.state);
    free(f);
    return 0;
}

static void place_centroids(fixture *f, const float mu[K * L]) {
    memcpy(decant__job_centroids(&f->job), mu, K * L * sizeof *mu);
    decant__state_enter(&f->job.state, DECANT__PHASE_REFINE, 0);
}

static size_t members(const decant__state *s, int32_t cluster) {
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) count += s->labels[i] == cluster;
    return count;
}

/* The third centroid is far away from all points: at the first update it gets half of a cluster. */
static void test_refine_revives_a_dead_cluster(void **state) {
    fixture *f = *state;
    static const float mu[K * L] = {-5, 0, 5, 0, 1000, 1000};
    static const decant_method methods[] = {DECANT_METHOD_DEC, DECANT_METHOD_IDEC,
                                            DECANT_METHOD_DEC_NOBACKPROP};
    float start[64];
    decant__state *s = &f->job.state;
    memcpy(start, s->params, s->parameters * sizeof *start);
    for (size_t m = 0; m < 3; m++) {
        f->options.method = methods[m];
        memcpy(s->params, start, s->parameters * sizeof *start);
        s->reseeded = s->history_count = 0;
        place_centroids(f, mu);
        assert_ok(decant__refine(&f->job));
        assert_true(s->reseeded >= 1 && s->reseeded <= 4 * K);
        assert_int_equal(s->rollbacks, 0);
        for (int32_t j = 0; j < K; j++) assert_true(members(s, j) > 0);
        assert_true(all_finite(s->params, s->parameters));
        assert_true(isfinite(s->last_loss));
        for (size_t i = 0; i < s->history_count; i++) assert_true(s->history[i].smallest > 0);
    }
}

static void test_revive_splits_the_widest(void **state) {
    fixture *f = *state;
    static const float mu[K * L] = {-5, 0, 5, 0, 1000, 1000};
    int32_t labels[N];
    size_t revived;
    for (size_t i = 0; i < N; i++) {
        labels[i] = i % 2 ? 1 : 0;
        if (i % 2 && i % 4 == 1) f->x[i * L + 1] += 3; /* cluster 1 is two */
    }
    place_centroids(f, mu);
    assert_ok(decant__guard_revive(&f->job, f->x, labels, &revived));
    assert_int_equal(revived, 1);
    const float *found = decant__job_centroids(&f->job);
    assert_true(found[0] == -5 && found[1] == 0); /* left alone */
    assert_near(found[2], 5, 0.3);
    assert_near(found[4], 5, 0.3);
    assert_near(fabs((double)found[3] - (double)found[5]), 3, 0.4);
}

/* Clusters of one point or of equal points cannot be split. */
static void test_revive_without_a_donor(void **state) {
    fixture *f = *state;
    static const float mu[K * L] = {-5, 0, 5, 0, 1000, 1000};
    int32_t labels[N];
    size_t revived = 99;
    for (size_t i = 0; i < N; i++) {
        labels[i] = i == 0 ? 0 : 1;
        f->x[i * L] = i == 0 ? -4 : 6;
        f->x[i * L + 1] = 0;
    }
    place_centroids(f, mu);
    assert_ok(decant__guard_revive(&f->job, f->x, labels, &revived));
    assert_int_equal(revived, 0);
    assert_memory_equal(decant__job_centroids(&f->job), mu, sizeof mu);
}

static void test_revive_two_of_three(void **state) {
    fixture *f = *state;
    static const float mu[K * L] = {0, 0, 1000, 1000, -1000, 1000};
    int32_t labels[N] = {0};
    size_t revived;
    place_centroids(f, mu);
    assert_ok(decant__guard_revive(&f->job, f->x, labels, &revived));
    assert_int_equal(revived, 1); /* a cluster is split at most once in an update */
    place_centroids(f, mu);
    assert_ok(decant__refine(&f->job));
    for (int32_t j = 0; j < K; j++) assert_true(members(&f->job.state, j) > 0);
    assert_true(f->job.state.reseeded >= 2);
}

static void test_diverged_judgement(void **state) {
    fixture *f = *state;
    f->job.state.rollback_loss = 0.5;
    assert_false(decant__guard_diverged(&f->job, 0.4, 100));
    assert_false(decant__guard_diverged(&f->job, 40, 100));
    assert_true(decant__guard_diverged(&f->job, 51, 100));
    assert_true(decant__guard_diverged(&f->job, NAN, 100));
    assert_true(decant__guard_diverged(&f->job, INFINITY, 100));
    f->job.state.rollback_loss = 0; /* a loss that was perfect may rise a little */
    assert_false(decant__guard_diverged(&f->job, 0.05, 100));
    f->job.state.rollback_loss = INFINITY;
    assert_false(decant__guard_diverged(&f->job, 1e30, 100));
}

static void test_rollback_restores_and_gives_up(void **state) {
    fixture *f = *state;
    decant__state *s = &f->job.state;
    s->step = 100;
    decant__guard_keep(&f->job, 0.25);
    float *good = sample_new(0, 0, s->parameters);
    memcpy(good, s->params, s->parameters * sizeof *good);
    for (int time = 1; time <= 8; time++) {
        for (size_t i = 0; i < s->parameters; i++) s->params[i] = NAN;
        s->moment1[0] = NAN;
        s->moment_steps = 5;
        s->step = 150;
        s->target_step = 140;
        s->loss_sum = NAN;
        s->loss_count = 50;
        assert_ok(decant__guard_rollback(&f->job));
        assert_memory_equal(s->params, good, s->parameters * sizeof *good);
        assert_true(s->moment1[0] == 0 && s->moment_steps == 0);
        assert_int_equal(s->step, 100);
        assert_true(s->target_step == DECANT__NO_STEP); /* it came from discarded parameters */
        assert_true(s->loss_sum == 0 && s->loss_count == 0);
        assert_int_equal(s->rollbacks, time);
        assert_near(s->rate_factor / pow(0.1, time), 1, 1e-9);
    }
    assert_fails(decant__guard_rollback(&f->job), DECANT_EDIVERGED, "smaller learning rate");
    free(good);
}

/* The parameters become NaN just before an update: roll back to the last good ones and continue.
 * Labels that are unchanged because nothing was trained do not count as converged. */
static void test_refine_goes_on_after_a_rollback(void **state) {
    fixture *f = *state;
    static const float mu[K * L] = {-5, -1, -5, 1, 5, 0};
    decant__state *s = &f->job.state;
    f->options.tol = 0.5;
    f->options.max_iterations = 25;
    place_centroids(f, mu);
    s->step = 10;
    decant__guard_keep(&f->job, INFINITY);
    for (size_t i = 0; i < N; i++) /* as the good network sees them */
        s->labels[i] = i % 2 ? 2 : f->x[i * L + 1] < 0 ? 0 : 1;
    s->target_step = 0;
    s->params[0] = NAN;
    assert_ok(decant__refine(&f->job));
    assert_int_equal(s->rollbacks, 1);
    assert_true(s->iterations > 10);
    assert_true(all_finite(s->params, s->parameters));
}

/* The kept state reconstructs x; the present one is all 0, and its loss is the mean of x^2, 12.5.
 */
static void test_pretraining_goes_back_when_its_loss_doubles(void **state) {
    fixture *f = *state;
    decant__state *s = &f->job.state;
    const decant__layer *layer = f->job.plan.net.layer;
    f->options.finetune_iterations = 100;
    f->options.pretrain_epochs = 0;
    f->options.pretrain_rate = 1e-9;
    f->job.pretraining = &f->source;
    for (int doubled = 0; doubled < 2; doubled++) {
        for (size_t e = 0; e < 2; e++)
            for (size_t i = 0; i < L; i++) s->params[layer[e].weight + i * L + i] = 1;
        decant__state_enter(s, DECANT__PHASE_FINETUNE, 0);
        memset(s->params, 0, s->parameters * sizeof *s->params);
        s->rollback_loss = doubled ? 6 : 7;
        assert_ok(decant__pretrain(&f->job));
        assert_int_equal(s->rollbacks, doubled);
        assert_near(s->params[layer[1].weight], doubled, 1e-3);
    }
}

/* ---- Whole fits -------------------------------------------------------------------------------
 */

/* A fit with too large a rate rolls back until the rate is small enough, and then its clusters are
 * the groups of the data. */
static void check_recovers(const blobs *b, const decant_dataset *data, const decant_options *o) {
    decant_result *r = NULL;
    assert_ok(decant_fit(data, o, NULL, &r));
    assert_true(r->rollbacks > 0);
    assert_true(isfinite(r->loss));
    assert_true(all_finite(r->embedding, b->n * r->latent));
    assert_true(all_finite(r->confidence, b->n));
    for (size_t i = 0; i < r->history_count; i++) assert_true(!isinf(r->history[i].loss));
    assert_true(same_partition(r->labels, b->classes, b->n));
    decant_result_free(r);
}

/* Or it fails: no result, and a message with what to do. */
static void check_gives_up(const decant_dataset *data, const decant_options *o) {
    decant_result *r = NULL;
    assert_fails(decant_fit(data, o, NULL, &r), DECANT_EDIVERGED, "smaller learning rate");
    assert_null(r);
}

/* At a rate of 100, sgd leaves the finite numbers and recovers with a thousandth of it; Adam stays
 * finite, but all of its features become the same, and only another network could help. */
static void test_fit_with_a_large_pretrain_rate(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, 90);
    for (int sparse = 0; sparse < 2; sparse++) {
        decant_dataset *data = sparse ? b.sparse : b.dense;
        decant_options o = blobs_options(DECANT_METHOD_DEC);
        o.pretrain_rate = 100;
        o.finetune_iterations = 250;
        o.optimizer = DECANT_OPTIMIZER_SGD;
        check_recovers(&b, data, &o);
        o.optimizer = DECANT_OPTIMIZER_ADAM;
        o.init_std = 0.5;
        o.networks = 1;
        check_gives_up(data, &o);
        o.greedy_iterations = 120;
        check_gives_up(data, &o);
    }
    blobs_free(&b);
}

static void test_fit_with_a_large_refine_rate(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, 90);
    for (int variant = 0; variant < 4; variant++) {
        decant_options o = blobs_options(variant & 1 ? DECANT_METHOD_IDEC : DECANT_METHOD_DEC);
        o.refine_rate = 100;
        o.seed = 2;
        o.max_iterations = 200;
        check_recovers(&b, variant & 2 ? b.sparse : b.dense, &o);
    }
    blobs_free(&b);
}

/* Numbers in the hundreds without scaling: a large loss is not a growing one. */
static void test_fit_large_unscaled_data(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, 90);
    for (size_t i = 0; i < (size_t)90 * BLOBS_D; i++) b.x[i] *= 100;
    for (size_t i = 0; i < b.csr.start[90]; i++) b.csr.value[i] *= 100;
    for (int variant = 0; variant < 4; variant++) {
        decant_options o = blobs_options(DECANT_METHOD_AE_KMEANS);
        decant_result *r = NULL;
        o.scaling = DECANT_SCALING_NONE;
        o.greedy_iterations = variant & 1 ? 110 : 0;
        assert_ok(decant_fit(variant & 2 ? b.sparse : b.dense, &o, NULL, &r));
        assert_int_equal(r->rollbacks, 0);
        decant_result_free(r);
    }
    blobs_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refine_revives_a_dead_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(test_revive_splits_the_widest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_revive_without_a_donor, setup, teardown),
        cmocka_unit_test_setup_teardown(test_revive_two_of_three, setup, teardown),
        cmocka_unit_test_setup_teardown(test_diverged_judgement, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rollback_restores_and_gives_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pretraining_goes_back_when_its_loss_doubles, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_refine_goes_on_after_a_rollback, setup, teardown),
        cmocka_unit_test(test_fit_with_a_large_pretrain_rate),
        cmocka_unit_test(test_fit_with_a_large_refine_rate),
        cmocka_unit_test(test_fit_large_unscaled_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
