#include "sample.h"

#include "nn/autoencoder.h"

static const size_t sizes[] = {50, 40, 60, 7};
enum { D = 31, DEPTH = 4 };

static void make_plan(decant__autoencoder *plan) {
    assert_ok(decant__autoencoder_plan(plan, D, sizes, DEPTH));
}

static void test_plan_layout(void **state) {
    (void)state;
    static const size_t widths[] = {D, 50, 40, 60, 7, 60, 40, 50, D};
    decant__autoencoder plan;
    make_plan(&plan);
    assert_int_equal(plan.depth, DEPTH);
    assert_int_equal(plan.net.depth, 2 * DEPTH);
    for (size_t l = 0; l < 2 * DEPTH; l++) {
        assert_int_equal(plan.net.layer[l].in, widths[l]);
        assert_int_equal(plan.net.layer[l].out, widths[l + 1]);
        assert_int_equal(plan.net.layer[l].relu, l != DEPTH - 1 && l != 2 * DEPTH - 1);
    }
}

static void mark(char *seen, size_t from, size_t count, size_t capacity) {
    assert_true(from + count <= capacity);
    for (size_t i = from; i < from + count; i++) assert_false(seen[i]++);
}

static void test_plan_offsets_cover_once(void **state) {
    (void)state;
    for (size_t depth = 1; depth <= DEPTH; depth++) {
        decant__autoencoder plan;
        assert_ok(decant__autoencoder_plan(&plan, D, sizes, depth));
        char *seen = calloc(plan.parameters, 1);
        for (size_t l = 0; l < 2 * depth; l++) {
            const decant__layer *layer = &plan.net.layer[l];
            mark(seen, layer->weight, layer->in * layer->out, plan.parameters);
            mark(seen, layer->bias, layer->out, plan.parameters);
            if (l + 1 == depth) { /* the encoder comes first and has no holes */
                size_t count = decant__autoencoder_encoder_parameters(&plan);
                for (size_t i = 0; i < plan.parameters; i++) assert_int_equal(seen[i], i < count);
            }
        }
        for (size_t i = 0; i < plan.parameters; i++) assert_int_equal(seen[i], 1);
        free(seen);
    }
}

static void test_plan_too_large(void **state) {
    (void)state;
    decant__autoencoder plan;
    size_t huge[2] = {SIZE_MAX / 1000, 5};
    assert_fails(decant__autoencoder_plan(&plan, 100000, huge, 2), DECANT_EINVAL, "too large");
}

static int same_layer(const decant__layer *a, const decant__layer *b) {
    return a->in == b->in && a->out == b->out && a->relu == b->relu && a->weight == b->weight &&
           a->bias == b->bias;
}

static void test_stage_shares_weights_with_the_whole(void **state) {
    (void)state;
    decant__autoencoder plan;
    make_plan(&plan);
    for (size_t s = 0; s < DEPTH; s++) {
        decant__net stage = decant__autoencoder_stage(&plan, s);
        decant__net below = decant__autoencoder_below(&plan, s);
        assert_int_equal(stage.depth, 2);
        assert_true(same_layer(&stage.layer[0], &plan.net.layer[s]));
        assert_true(same_layer(&stage.layer[1], &plan.net.layer[2 * DEPTH - 1 - s]));
        /* A stage maps in to out and back to in, on the output of the layers below. */
        assert_int_equal(stage.layer[1].out, stage.layer[0].in);
        assert_int_equal(stage.layer[1].in, stage.layer[0].out);
        assert_int_equal(below.depth, s);
        if (s > 0) assert_int_equal(below.layer[s - 1].out, stage.layer[0].in);
        /* The paper: all ReLU, but the first stage's reconstruction and the last one's features. */
        assert_int_equal(stage.layer[0].relu, s != DEPTH - 1);
        assert_int_equal(stage.layer[1].relu, s != 0);
    }
    decant__net encoder = decant__autoencoder_encoder(&plan);
    assert_int_equal(encoder.depth, DEPTH);
    for (size_t l = 0; l < DEPTH; l++)
        assert_true(same_layer(&encoder.layer[l], &plan.net.layer[l]));
}

static void check_init(double requested) {
    decant__autoencoder plan;
    make_plan(&plan);
    float *params = sample_new(1, 1, plan.parameters);
    decant__autoencoder_init(&plan, requested, 5, 0, params);
    for (size_t l = 0; l < plan.net.depth; l++) {
        const decant__layer *layer = &plan.net.layer[l];
        size_t count = layer->in * layer->out;
        double sum = 0, squares = 0, n = (double)count;
        for (size_t i = 0; i < count; i++) {
            double w = (double)params[layer->weight + i];
            sum += w;
            squares += w * w;
        }
        double deviation = requested > 0 ? requested : sqrt(2.0 / (double)layer->in);
        if (l + 1 == plan.net.depth && requested == 0) deviation = 0;
        for (size_t j = 0; j < layer->out; j++) assert_true(params[layer->bias + j] == 0);
        assert_true((deviation == 0) == (squares == 0));
        if (deviation == 0) continue;
        assert_near(sum / n, 0, 5 * deviation / sqrt(n));
        assert_near(sqrt(squares / n) / deviation, 1, 5 / sqrt(2 * n));
    }
    free(params);
}

static void test_init_deviation(void **state) {
    (void)state;
    check_init(0.01);
    check_init(0);
}

static void test_init_depends_on_the_seed_only(void **state) {
    (void)state;
    decant__autoencoder plan;
    make_plan(&plan);
    float *a = sample_new(1, 1, plan.parameters), *b = sample_new(2, 1, plan.parameters);
    decant__autoencoder_init(&plan, 0, 5, 0, a);
    decant__autoencoder_init(&plan, 0, 5, 0, b);
    assert_memory_equal(a, b, plan.parameters * sizeof *a);
    decant__autoencoder_init(&plan, 0, 6, 0, b);
    for (size_t l = 0; l + 1 < plan.net.depth; l++) /* no layer repeats another one's numbers */
        assert_memory_not_equal(a + plan.net.layer[l].weight, b + plan.net.layer[l].weight, 64);
    assert_memory_not_equal(a + plan.net.layer[0].weight, a + plan.net.layer[1].weight, 64);
    free(a);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_layout),
        cmocka_unit_test(test_plan_offsets_cover_once),
        cmocka_unit_test(test_plan_too_large),
        cmocka_unit_test(test_stage_shares_weights_with_the_whole),
        cmocka_unit_test(test_init_deviation),
        cmocka_unit_test(test_init_depends_on_the_seed_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
