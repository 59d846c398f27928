#include "sample.h"

#include "store/settings.h"
#include "store/state.h"

enum { N = 11, K = 3, PARAMETERS = 50 };
static const uint64_t digest[2] = {0xfedcba9876543210U, 42};

typedef struct fixture {
    decant_options options;
    decant__state state;
    char path[SAMPLE_PATH];
} fixture;

/* A state in which no number is the default, with rows of history of every phase. */
static void fill(decant__state *s) {
    sample_normal(1, 1, PARAMETERS, s->params);
    sample_normal(2, 1, PARAMETERS, s->moment1);
    sample_normal(3, 1, PARAMETERS, s->moment2);
    sample_normal(4, 1, PARAMETERS, s->rollback_params);
    for (int i = 0; i < N * K; i++) s->target[i] = (float)i / (N * K);
    s->params[3] = -0.0F;
    for (size_t i = 0; i < N * s->graph.count; i++) {
        s->graph.index[i] = (uint32_t)(i % N);
        s->graph.weight[i] = (float)i / 7;
    }
    for (int32_t i = 0; i < N; i++) s->labels[i] = i % K, s->initial_labels[i] = (i + 1) % K;
    s->phase = DECANT__PHASE_REFINE;
    s->stage = 2;
    s->step = UINT64_C(12345678901);
    s->moment_steps = 17;
    s->rollback_step = 12;
    s->rollback_loss = 1.0 / 3;
    s->rate_factor = 0.1;
    s->target_step = 140;
    s->loss_sum = 2.0 / 7;
    s->loss_count = 9;
    s->last_loss = 1e-300;
    s->converged = 1;
    s->reseeded = 2;
    s->rollbacks = 3;
    s->iterations = 4;
    for (int p = 0; p < DECANT__PHASES; p++) s->seconds[p] = 0.1 + p;
    static const char *const phases[] = {"greedy 1/4", "greedy 16/16",    "finetune",
                                         "refine",     "fifteen letters", ""};
    for (size_t i = 0; i < 6; i++) {
        s->step = 100 * i;
        s->loss_sum = (double)i / 3;
        s->loss_count = i;
        assert_ok(decant__state_record(s, phases[i], 0.5 + (double)i, (double)i / 11, i));
        assert_int_equal(s->loss_count, 0);
    }
    s->step = UINT64_C(12345678901);
    s->loss_sum = 2.0 / 7;
    s->loss_count = 9;
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    decant_options_init(&f->options, sizeof f->options);
    f->options.k = K;
    sample_path("checkpoint", f->path);
    assert_ok(decant__state_new(&f->state, N, K, PARAMETERS, 3));
    fill(&f->state);
    assert_ok(decant__state_save(&f->state, f->path, &f->options, digest));
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    decant__state_free(&f->state);
    remove(f->path);
    free(f);
    return 0;
}

/* A state that is loaded and saved again is the same file to the byte. */
static void test_save_load_save_same_bytes(void **state) {
    fixture *f = *state;
    decant__state back;
    char second_path[SAMPLE_PATH];
    size_t size, again;
    assert_ok(decant__state_new(&back, N, K, PARAMETERS, 3));
    assert_ok(decant__state_load(&back, f->path, &f->options, digest));
    assert_int_equal(back.resumed_step, f->state.step);
    back.resumed_step = f->state.resumed_step;
    sample_path("checkpoint2", second_path);
    assert_ok(decant__state_save(&back, second_path, &f->options, digest));
    char *first = sample_read(f->path, &size), *second = sample_read(second_path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    remove(second_path);
    decant__state_free(&back);
}

static void test_load_gives_everything_back(void **state) {
    fixture *f = *state;
    decant__state back, *s = &f->state;
    assert_ok(decant__state_new(&back, N, K, PARAMETERS, 3));
    assert_ok(decant__state_load(&back, f->path, &f->options, digest));
    assert_memory_equal(back.params, s->params, PARAMETERS * sizeof(float));
    assert_memory_equal(back.moment1, s->moment1, PARAMETERS * sizeof(float));
    assert_memory_equal(back.moment2, s->moment2, PARAMETERS * sizeof(float));
    assert_memory_equal(back.rollback_params, s->rollback_params, PARAMETERS * sizeof(float));
    assert_memory_equal(back.target, s->target, N * K * sizeof(float));
    assert_memory_equal(back.graph.index, s->graph.index, N * 3 * sizeof(uint32_t));
    assert_memory_equal(back.graph.weight, s->graph.weight, N * 3 * sizeof(float));
    assert_memory_equal(back.labels, s->labels, N * sizeof(int32_t));
    assert_memory_equal(back.initial_labels, s->initial_labels, N * sizeof(int32_t));
    assert_int_equal(back.phase, s->phase);
    assert_int_equal(back.stage, s->stage);
    assert_int_equal(back.step, s->step);
    assert_int_equal(back.moment_steps, s->moment_steps);
    assert_int_equal(back.rollback_step, s->rollback_step);
    assert_int_equal(back.target_step, s->target_step);
    assert_int_equal(back.loss_count, s->loss_count);
    assert_true(back.rollback_loss == s->rollback_loss && back.rate_factor == s->rate_factor);
    assert_true(back.loss_sum == s->loss_sum && back.last_loss == s->last_loss);
    assert_memory_equal(back.seconds, s->seconds, sizeof s->seconds);
    assert_int_equal(back.history_count, s->history_count);
    for (size_t i = 0; i < s->history_count; i++) {
        const decant_history_row *was = &s->history[i], *is = &back.history[i];
        assert_string_equal(was->phase, is->phase);
        assert_int_equal(was->step, is->step);
        assert_int_equal(was->smallest, is->smallest);
        assert_true(was->seconds == is->seconds && was->changed == is->changed);
        assert_true(was->loss == is->loss || (isnan(was->loss) && isnan(is->loss)));
    }
    /* History can grow after a load. */
    assert_ok(decant__state_record(&back, "refine", 1, 0.5, 1));
    decant__state_free(&back);
}

/* Fresh states have an infinite loss and no target: both must survive. */
static void test_load_infinite_loss_and_no_step(void **state) {
    fixture *f = *state;
    decant__state back;
    decant__state_enter(&f->state, DECANT__PHASE_FINETUNE, 0);
    assert_true(isinf(f->state.rollback_loss));
    assert_memory_equal(f->state.rollback_params, f->state.params, PARAMETERS * sizeof(float));
    assert_ok(decant__state_save(&f->state, f->path, &f->options, digest));
    assert_ok(decant__state_new(&back, N, K, PARAMETERS, 3));
    assert_ok(decant__state_load(&back, f->path, &f->options, digest));
    assert_true(isinf(back.rollback_loss) && back.rollback_loss > 0);
    assert_true(back.target_step == DECANT__NO_STEP);
    decant__state_free(&back);
}

static void check_refused(fixture *f, const decant_options *options, const uint64_t sum[2],
                          size_t n, decant_status expected, const char *text) {
    decant__state back;
    assert_ok(decant__state_new(&back, n, K, PARAMETERS, 3));
    assert_fails(decant__state_load(&back, f->path, options, sum), expected, text);
    assert_non_null(strstr(decant_last_error(), f->path));
    decant__state_free(&back);
}

static void test_load_refuses_other_options(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        decant_options other = f->options;
        if (info->machine) continue;
        if (strcmp(info->name, "preset") == 0)
            other.preset = DECANT_PRESET_PAPER;
        else if (strcmp(info->name, "method") == 0)
            other.method = DECANT_METHOD_IDEC;
        else if (strcmp(info->name, "scaling") == 0)
            other.scaling = DECANT_SCALING_NONE;
        else if (strcmp(info->name, "dropout-on") == 0)
            other.dropout_on = DECANT_DROPOUT_ON_HIDDEN;
        else if (strcmp(info->name, "optimizer") == 0)
            other.optimizer = DECANT_OPTIMIZER_SGD;
        else if (strcmp(info->name, "seeding") == 0)
            other.seeding = DECANT_SEEDING_RANDOM;
        else if (strcmp(info->name, "start") == 0)
            other.start = DECANT_START_RULE_FEATURES;
        else if (strcmp(info->name, "shuffle") == 0)
            other.shuffle = 0;
        else if (strcmp(info->name, "anneal") == 0)
            other.anneal = 0;
        else if (strcmp(info->name, "covariance") == 0)
            other.covariance = DECANT_COVARIANCE_FULL;
        else if (strcmp(info->name, "laplacian") == 0)
            other.laplacian = DECANT_LAPLACIAN_LOCAL;
        else if (strcmp(info->name, "discretise") == 0)
            other.discretise = DECANT_DISCRETISE_KMEANS;
        else if (strcmp(info->name, "skip-constant") == 0)
            other.skip_constant = 1;
        else if (strcmp(info->name, "knn") == 0)
            other.knn = DECANT_KNN_APPROXIMATE;
        else if (strcmp(info->name, "features") == 0)
            other.features = DECANT_FEATURES_TFIDF;
        else if (strcmp(info->name, "resize") == 0)
            assert_ok(decant_options_set(&other, "resize", "8x9"));
        else if (strcmp(info->name, "vocabulary-by") == 0)
            other.vocabulary_by = DECANT_VOCABULARY_BY_DOCUMENTS;
        else if (strcmp(info->name, "language") == 0)
            assert_ok(decant_options_set(&other, "language", "none"));
        else if (strcmp(info->name, "stop-words") == 0)
            other.stop_words = 0;
        else if (strcmp(info->name, "memory") == 0)
            other.memory = 1 << 20;
        else if (decant_options_set(&other, info->name, "0.0625") != DECANT_OK)
            assert_ok(decant_options_set(&other, info->name, "9"));
        check_refused(f, &other, digest, N, DECANT_EINVAL, info->name);
        assert_non_null(strstr(decant_last_error(), "resume with the same options"));
    }
    decant_options machine = f->options;
    decant__state back;
    machine.threads = 5;
    assert_ok(decant__state_new(&back, N, K, PARAMETERS, 3));
    assert_ok(decant__state_load(&back, f->path, &machine, digest));
    decant__state_free(&back);
}

static void test_load_refuses_other_data(void **state) {
    fixture *f = *state;
    static const uint64_t high[2] = {1, 42}, low[2] = {0xfedcba9876543210U, 43};
    check_refused(f, &f->options, high, N, DECANT_EINVAL, "was made from other data");
    check_refused(f, &f->options, low, N, DECANT_EINVAL, "was made from other data");
    check_refused(f, &f->options, digest, N + 1, DECANT_EFORMAT, "labels");
}

static void test_load_refuses_damage(void **state) {
    fixture *f = *state;
    size_t size;
    char *bytes = sample_read(f->path, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 4;
        sample_write(f->path, bytes, size);
        check_refused(f, &f->options, digest, N, DECANT_EFORMAT, "");
        bytes[i] ^= 4;
        if (i % 7 != 0) continue;
        sample_write(f->path, bytes, i);
        check_refused(f, &f->options, digest, N, DECANT_EFORMAT, "");
    }
    free(bytes);
}

/* A file with a right checksum, but numbers that index nothing or cannot be cast. */
static void test_load_refuses_senseless_numbers(void **state) {
    fixture *f = *state;
    decant__state *s = &f->state;
#define REFUSED(place, value, text)                                       \
    do {                                                                  \
        __typeof__(place) kept = (place);                                 \
        (place) = (value);                                                \
        assert_ok(decant__state_save(s, f->path, &f->options, digest));   \
        (place) = kept;                                                   \
        check_refused(f, &f->options, digest, N, DECANT_EFORMAT, (text)); \
    } while (0)
    REFUSED(s->phase, (decant__phase)77, "'phase' is 77");
    REFUSED(s->phase, DECANT__PHASE_DONE + 1, "'phase'");
    REFUSED(s->stage, DECANT_MAX_LAYERS, "counts");
    REFUSED(s->step, UINT64_MAX, "counts");
    REFUSED(s->rollback_step, s->step + 1, "counts");
    REFUSED(s->target_step, s->step + 1, "counts");
    REFUSED(s->target_step, UINT64_MAX - 1, "counts");
    REFUSED(s->converged, 2, "counts");
    REFUSED(s->trials_fitted, 2, "counts");
    REFUSED(s->rate_factor, 0, "numbers");
    REFUSED(s->rate_factor, NAN, "numbers");
    REFUSED(s->graph_recall, 1.5, "numbers");
    REFUSED(s->seconds[3], -1, "seconds");
    REFUSED(s->seconds[3], INFINITY, "seconds");
    REFUSED(s->labels[3], K, "labels");
    REFUSED(s->labels[N - 1], -1, "labels");
    REFUSED(s->labels[0], INT32_MAX, "labels");
    REFUSED(s->initial_labels[1], INT32_MIN, "labels");
    REFUSED(s->graph.index[5], N, "neighbours"); /* one that is not there */
    REFUSED(s->graph.weight[5], NAN, "weights");
    REFUSED(s->target[7], -1, "targets");
    REFUSED(s->trace.stride, 0, "trace");
    REFUSED(s->trace.stride, 3, "trace");
    REFUSED(s->trace.stride, (uint64_t)1 << 40, "trace");
    REFUSED(s->trace.frames, 1, "trace"); /* it has no rows */
    REFUSED(s->history[2].step, (size_t)1 << 60, "history");
    REFUSED(s->history[2].smallest, N + 1, "history");
    REFUSED(s->history[2].phase[1], ',', "phases");
    REFUSED(s->history[2].phase[1], 27, "phases");
#undef REFUSED
    assert_ok(decant__state_save(s, f->path, &f->options, digest));
    decant__state back;
    assert_ok(decant__state_new(&back, N, K, PARAMETERS, 3));
    assert_ok(decant__state_load(&back, f->path, &f->options, digest));
    decant__state_free(&back);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_save_load_save_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_gives_everything_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_infinite_loss_and_no_step, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_refuses_other_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_refuses_other_data, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_refuses_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_refuses_senseless_numbers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
