/* Fits with a student: its labels, its checkpoints, and when it is not kept. */
#include "blobs.h"

static int setup(void **state) {
    static blobs b;
    blobs_new(&b, 240);
    *state = &b;
    return 0;
}

static int teardown(void **state) {
    blobs_free(*state);
    return 0;
}

static decant_options student_options(void) {
    decant_options o = blobs_options(DECANT_METHOD_DEC);
    o.max_iterations = 27;
    o.student_iterations = 60;
    o.student_width = 20;
    return o;
}

typedef struct stopper {
    size_t calls, stop_at; /* calls that report the student's phase */
} stopper;

static int stop_in_student(const decant_progress *progress, void *user) {
    stopper *s = user;
    if (strcmp(progress->phase, "student") != 0) return 0;
    return ++s->calls == s->stop_at;
}

/* Cancelled in the student's phase and resumed with more threads: the same bytes. */
static void test_student_resumes(void **state) {
    blobs *b = *state;
    char path[SAMPLE_PATH];
    sample_path("student", path);
    for (int sparse = 0; sparse < 2; sparse++) {
        const decant_dataset *data = sparse ? b->sparse : b->dense;
        decant_options o = student_options();
        decant_result *whole = NULL, *resumed = NULL;
        stopper s = {0};
        decant_monitor monitor = {
            .struct_size = sizeof monitor, .progress = stop_in_student, .user = &s};
        assert_ok(decant_fit(data, &o, &monitor, &whole));
        assert_true(s.calls >= o.student_iterations);
        size_t last = s.calls;
        monitor.checkpoint = path;
        monitor.resume = 1;
        for (size_t at = 1; at <= last; at += at == last || at + 9 < last ? 9 : last - at) {
            remove(path);
            o.threads = 1;
            s = (stopper){.stop_at = at};
            assert_fails(decant_fit(data, &o, &monitor, &resumed), DECANT_ECANCELLED, "stopped");
            s = (stopper){0};
            o.threads = 3;
            assert_ok(decant_fit(data, &o, &monitor, &resumed));
            assert_same_result(whole, resumed);
            assert_true(resumed->student_kept &&
                        resumed->student_changed == whole->student_changed);
            decant_result_free(resumed);
            resumed = NULL;
        }
        decant_result_free(whole);
    }
    remove(path);
}

/* Its labels and confidence are the model's, also after it was stored. */
static void test_student_predicts_what_was_fitted(void **state) {
    blobs *b = *state;
    for (int sparse = 0; sparse < 2; sparse++) {
        decant_options o = student_options();
        const decant_dataset *data = sparse ? b->sparse : b->dense;
        decant_result *r = NULL;
        decant_model *model = NULL;
        void *bytes = NULL;
        size_t count;
        assert_ok(decant_fit(data, &o, NULL, &r));
        assert_true(r->student_kept && r->student_changed <= 0.1);
        assert_true(same_partition(r->labels, b->classes, b->n));
        assert_ok(decant_model_to_bytes(r->model, &bytes, &count));
        assert_ok(decant_model_from_bytes(bytes, count, &model));
        int32_t *labels = malloc(b->n * sizeof *labels);
        float *confidence = malloc(b->n * sizeof *confidence);
        assert_ok(decant_model_predict(model, data, 2, NULL, labels, confidence));
        assert_memory_equal(labels, r->labels, b->n * sizeof *labels);
        assert_memory_equal(confidence, r->confidence, b->n * sizeof *confidence);
        /* The centroids alone are less sure. */
        decant_result *plain = NULL;
        o.student_iterations = 0;
        assert_ok(decant_fit(data, &o, NULL, &plain));
        assert_true(isnan(plain->student_changed) && !plain->student_kept);
        assert_true(memcmp(plain->confidence, confidence, b->n * sizeof *confidence) != 0);
        assert_memory_equal(plain->embedding, r->embedding,
                            b->n * r->latent * sizeof *r->embedding);
        assert_true(plain->loss == r->loss);
        free(labels);
        free(confidence);
        decant_bytes_free(bytes);
        decant_model_free(model);
        decant_result_free(plain);
        decant_result_free(r);
    }
}

/* Rows that are only noise: what a student would make of them is not taken. */
static void test_student_that_differs_is_not_kept(void **state) {
    (void)state;
    enum { ROWS = 240, COLUMNS = 12 };
    float *x = sample_new(3, 1, ROWS * COLUMNS);
    decant_dataset *data = NULL;
    decant_options o = student_options();
    decant_result *r = NULL, *plain = NULL;
    o.k = 2;
    o.max_iterations = 400;
    o.student_iterations = 2; /* hardly taught */
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, COLUMNS, 0, &data));
    assert_ok(decant_fit(data, &o, NULL, &r));
    assert_true(!r->student_kept && r->student_changed > 0.1);
    /* Not for want of clusters. */
    assert_true(r->history[r->history_count - 1].smallest > 0);
    o.student_iterations = 0;
    assert_ok(decant_fit(data, &o, NULL, &plain));
    assert_memory_equal(r->labels, plain->labels, ROWS * sizeof *r->labels);
    assert_memory_equal(r->confidence, plain->confidence, ROWS * sizeof *r->confidence);
    decant_result_free(r);
    decant_result_free(plain);
    decant_dataset_free(data);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_student_resumes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_student_predicts_what_was_fitted, setup, teardown),
        cmocka_unit_test(test_student_that_differs_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
