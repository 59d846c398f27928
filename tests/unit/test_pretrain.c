#include <math.h>

#include "blobs.h"
#include "dec/job.h"

enum { ROWS = 40, WIDE = 3000, NARROW = 300, NONZEROS = 1000 };

/* The largest change of the weights of a layer, before any of them has a sign of its own to follow:
 * what the rate allows. */
static float largest_step(const decant__layer *layer, const float *before, const float *after) {
    float largest = 0;
    for (size_t i = 0; i < layer->in * layer->out; i++)
        largest = fmaxf(largest, fabsf(after[layer->weight + i] - before[layer->weight + i]));
    return largest;
}

/* Two iterations: in the first only the last layer has a gradient, as its weights are 0. Returns by
 * how much the first layer's largest step differs from the second's. */
static float ratio_of_steps(const decant_dataset *data, float *share) {
    decant_options o = blobs_options(DECANT_METHOD_AE_KMEANS);
    decant__job job = {0};
    assert_ok(decant_options_set(&o, "layers", "8,6"));
    o.optimizer = DECANT_OPTIMIZER_ADAM;
    o.greedy_iterations = 0;
    o.finetune_iterations = 2;
    o.k = 2;
    o.scaling = DECANT_SCALING_PAPER;
    assert_ok(decant__job_read(&job, &o, NULL));
    assert_ok(decant__job_open(&job, data));
    *share = job.wide_rate;
    float *before = malloc(job.state.parameters * sizeof *before);
    memcpy(before, job.state.params, job.state.parameters * sizeof *before);
    assert_ok(decant__pretrain(&job));
    float first = largest_step(&job.plan.net.layer[0], before, job.state.params);
    float second = largest_step(&job.plan.net.layer[1], before, job.state.params);
    free(before);
    decant__job_close(&job);
    return first / second;
}

static decant_dataset *dense_new(float *x, size_t d) {
    decant_dataset *data = NULL;
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, ROWS, d, 0, &data));
    return data;
}

/* Two layers with inputs that add up to different sums move their outputs alike. */
static void test_wide_rows_take_smaller_steps(void **state) {
    (void)state;
    float share, *x = sample_new(3, 1, (size_t)ROWS * WIDE);
    decant_dataset *data = dense_new(x, WIDE);
    assert_float_equal(ratio_of_steps(data, &share), 2000.0 / WIDE, 1e-3);
    assert_float_equal(share, 2000.0 / WIDE, 1e-6);
    decant_dataset_free(data);
    data = dense_new(x, NARROW);
    assert_float_equal(ratio_of_steps(data, &share), 1, 1e-3);
    assert_true(share == 0);
    decant_dataset_free(data);
    free(x);
}

/* Of sparse rows the non-zeros count: sqrt(m d), with m a row. */
static void test_sparse_rows_by_their_nonzeros(void **state) {
    (void)state;
    enum { D = 9 * NONZEROS };
    float share, *value = malloc(sizeof *value * ROWS * NONZEROS);
    size_t start[ROWS + 1];
    uint32_t *column = malloc(sizeof *column * ROWS * NONZEROS);
    decant_dataset *data = NULL;
    for (size_t e = 0; e < (size_t)ROWS * NONZEROS; e++) {
        column[e] = (uint32_t)(9 * (e % NONZEROS) + (e / NONZEROS) % 9);
        value[e] = 0.5F + (float)(e % 7);
    }
    for (size_t i = 0; i <= ROWS; i++) start[i] = i * NONZEROS;
    assert_ok(csr_dataset(start, column, value, ROWS, D, &data));
    assert_float_equal(ratio_of_steps(data, &share), 2.0 / 3, 1e-3);
    assert_float_equal(share, 2.0 / 3, 1e-6);
    decant_dataset_free(data);
    free(column);
    free(value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_rows_take_smaller_steps),
        cmocka_unit_test(test_sparse_rows_by_their_nonzeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
