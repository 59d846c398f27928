/* Network and schedule for a number of rows. */
#include "dec/schedule.h"

#include "blobs.h"

static decant_options scheduled(size_t n, size_t epochs) {
    decant_options o;
    decant_options_init(&o, sizeof o);
    o.refine_epochs = epochs;
    o.max_iterations = 2100;
    o.update_interval = 140;
    decant__schedule(&o, n);
    return o;
}

static void check_layers(size_t n, size_t width) {
    decant_options o = scheduled(n, 60);
    assert_int_equal(o.layer_count, 4);
    assert_int_equal(o.layers[0], width);
    assert_int_equal(o.layers[1], width);
    assert_int_equal(o.layers[2], 4 * width);
    assert_int_equal(o.layers[3], 10);
}

/* The smaller of 6 n^(1/2) and 54 n^(1/5), rounded up to a multiple of 16, at most 400. */
static void test_width_follows_the_rows(void **state) {
    (void)state;
    check_layers(1, 16);
    check_layers(64, 48);
    check_layers(65, 64);
    check_layers(1797, 256);
    check_layers(6435, 320);
    check_layers(10000, 352);
    check_layers(70000, 400);
    check_layers(SIZE_MAX / 2, 400);
}

static void test_pretraining_is_limited(void **state) {
    (void)state;
    assert_int_equal(decant__schedule_steps(3000, 20, 70000, 256), 3000); /* 274 an epoch */
    assert_int_equal(decant__schedule_steps(3000, 20, 10000, 256), 800);  /* 40 an epoch */
    assert_int_equal(decant__schedule_steps(3000, 20, 5000, 256), 800);   /* 20 */
    assert_int_equal(decant__schedule_steps(3000, 20, 1797, 256), 640);   /* 8 */
    assert_int_equal(decant__schedule_steps(200, 20, 1797, 256), 200);
    assert_int_equal(decant__schedule_steps(3000, 20, 150, 150), 80);
    assert_int_equal(decant__schedule_steps(3000, 0, 150, 150), 3000);
}

static void test_given_layers_stay(void **state) {
    (void)state;
    decant_options o;
    decant_options_init(&o, sizeof o);
    assert_ok(decant_options_set(&o, "layers", "7,3"));
    decant__schedule(&o, 100);
    assert_int_equal(o.layer_count, 2);
    assert_int_equal(o.layers[0], 7);
    assert_int_equal(o.layers[1], 3);
}

/* 1797 rows in batches of 256 are 8 iterations an epoch. */
static void test_refinement_is_limited(void **state) {
    (void)state;
    decant_options o = scheduled(1797, 60);
    assert_int_equal(o.max_iterations, 480);
    assert_int_equal(o.update_interval, 32);
    o = scheduled(70000, 60);
    assert_int_equal(o.max_iterations, 2100);
    assert_int_equal(o.update_interval, 140);
    o = scheduled(1797, 0);
    assert_int_equal(o.max_iterations, 2100);
    o = scheduled(1000, 1);
    assert_int_equal(o.max_iterations, 4);
    assert_int_equal(o.update_interval, 1);
    /* Few rows: an epoch counts as 16 iterations. */
    o = scheduled(999, 60);
    assert_int_equal(o.max_iterations, 960);
    assert_int_equal(o.update_interval, 64);
    o = scheduled(10, 1);
    assert_int_equal(o.max_iterations, 16);
    assert_int_equal(o.update_interval, 1);
}

/* 90 rows in batches of 32 are three iterations an epoch; so few have four times the epochs. */
static void test_epochs_are_limited(void **state) {
    (void)state;
    blobs b;
    blobs_new(&b, 90);
    for (size_t epochs = 0; epochs <= 2; epochs++) {
        decant_options o = blobs_options(DECANT_METHOD_AE_KMEANS);
        decant_result *r = NULL;
        o.pretrain_epochs = epochs;
        o.finetune_iterations = 40;
        assert_ok(decant_fit(b.dense, &o, NULL, &r));
        assert_int_equal(r->history_count, 1);
        assert_int_equal(r->history[0].step, epochs > 0 ? 12 * epochs : 40);
        decant_result_free(r);
    }
    blobs_free(&b);
}

static size_t finetuned(const decant_dataset *data, size_t most) {
    decant_options o = blobs_options(DECANT_METHOD_AE_KMEANS);
    decant_result *r = NULL;
    o.finetune_iterations = 6, o.diffuse_iterations = most;
    assert_ok(decant_fit(data, &o, NULL, &r));
    size_t steps = r->history[r->history_count - 1].step;
    assert_int_equal(r->finetune_iterations, steps);
    decant_result_free(r);
    return steps;
}

/* Diffuse rows have 300 iterations of the usual 3000, and as many as were asked for. */
static void test_given_iterations_stay(void **state) {
    enum { ROWS = 600, WIDTH = 400 };
    static const size_t given[][2] = {{3000, 300}, {301, 301}, {299, 299}};
    (void)state;
    float *x = sample_new(3, 1, ROWS * WIDTH);
    decant_dataset *data = NULL;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, WIDTH, 0, &data));
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        decant_options o = blobs_options(DECANT_METHOD_AE_KMEANS);
        decant_result *r = NULL;
        o.finetune_iterations = given[i][0], o.pretrain_epochs = 0;
        assert_ok(decant_fit(data, &o, NULL, &r));
        assert_int_equal(r->finetune_iterations, given[i][1]);
        decant_result_free(r);
    }
    decant_dataset_free(data);
    free(x);
}

/* Noise in all of 400 columns is diffuse, dense or sparse; groups in a few columns are not. */
static void test_diffuse_rows_are_limited(void **state) {
    enum { ROWS = 600, WIDTH = 400 };
    (void)state;
    blobs b;
    blobs_new(&b, 90);
    float *x = sample_new(3, 1, ROWS * WIDTH);
    sample_thin(3, 0.1, ROWS * WIDTH, x);
    decant_dataset *dense = NULL, *sparse = NULL;
    sample_csr csr = sample_csr_of(x, ROWS, WIDTH);
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, WIDTH, 0, &dense));
    assert_ok(csr_dataset(csr.start, csr.column, csr.value, ROWS, WIDTH, &sparse));
    assert_int_equal(finetuned(dense, 0), 6);
    assert_int_equal(finetuned(dense, 2), 2);
    assert_int_equal(finetuned(sparse, 2), 2);
    assert_int_equal(finetuned(b.dense, 2), 6);
    assert_int_equal(finetuned(b.sparse, 2), 6);
    decant_dataset_free(dense);
    decant_dataset_free(sparse);
    sample_csr_free(&csr);
    blobs_free(&b);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width_follows_the_rows),
        cmocka_unit_test(test_pretraining_is_limited),
        cmocka_unit_test(test_epochs_are_limited),
        cmocka_unit_test(test_diffuse_rows_are_limited),
        cmocka_unit_test(test_given_iterations_stay),
        cmocka_unit_test(test_given_layers_stay),
        cmocka_unit_test(test_refinement_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
