#include "sample.h"

#include "nn/order.h"
#include "base/team.h"
#include "nn/dropout.h"
#include "nn/layer.h"
#include "nn/loss.h"

/* Four layers D - 17 - 9 - 11 - D on N rows; which of them are ReLU is a bit each. */
enum { N = 13, D = 19, DEPTH = 4, WIDEST = 19 };
static const size_t widths[DEPTH + 1] = {D, 17, 9, 11, D};

typedef struct problem {
    decant__net net;
    size_t parameters;
    float *params, *x;
    sample_csr csr;
    decant__rows rows;               /* what goes in, and what the output is compared with */
    decant__dropout dropout;         /* rate 0: none */
    float *mask[DEPTH];              /* NULL: none */
    const decant__dropout *dropping; /* &dropout or NULL */
} problem;

static void problem_new(problem *p, int relu_bits, int sparse, double rate) {
    *p = (problem){.dropout = {rate, 11, 3, 0}};
    p->net.depth = DEPTH;
    for (size_t l = 0; l < DEPTH; l++) {
        decant__layer *layer = &p->net.layer[l];
        *layer = (decant__layer){.in = widths[l],
                                 .out = widths[l + 1],
                                 .relu = relu_bits >> l & 1,
                                 .weight = p->parameters};
        layer->bias = layer->weight + layer->in * layer->out;
        p->parameters = layer->bias + layer->out;
    }
    p->params = sample_new(1, 0.4, p->parameters);
    p->x = sample_new(2, 1, (size_t)N * D);
    sample_thin(3, 0.4, (size_t)N * D, p->x);
    memset(p->x + 5 * D, 0, D * sizeof *p->x);
    p->csr = sample_csr_of(p->x, N, D);
    p->rows = sparse ? sample_csr_rows(&p->csr) : sample_rows(p->x, N, D);
    if (rate == 0) return;
    p->dropping = &p->dropout;
    for (size_t l = 0; l + 1 < DEPTH; l++) {
        p->mask[l] = sample_new(0, 0, N * widths[l + 1]);
        for (size_t i = 0; i < N * widths[l + 1]; i++) p->mask[l][i] = 1;
        for (size_t i = 0; i < N; i++)
            decant__dropout_apply(&p->dropout, l, i, 0, widths[l + 1],
                                  p->mask[l] + i * widths[l + 1]);
    }
}

static void problem_free(problem *p) {
    free(p->params);
    free(p->x);
    sample_csr_free(&p->csr);
    for (size_t l = 0; l < DEPTH; l++) free(p->mask[l]);
}

/* ---- A naive implementation in double precision ---------------------------------------------- */

static void naive_row(const problem *p, const double *params, size_t row, double *y) {
    double input[WIDEST], output[WIDEST];
    for (size_t j = 0; j < D; j++) input[j] = (double)p->x[row * D + j];
    for (size_t l = 0; l < DEPTH; l++) {
        const decant__layer *layer = &p->net.layer[l];
        for (size_t j = 0; j < layer->out; j++) {
            output[j] = params[layer->bias + j];
            for (size_t c = 0; c < layer->in; c++)
                output[j] += input[c] * params[layer->weight + c * layer->out + j];
            if (layer->relu && output[j] < 0) output[j] = 0;
            if (p->mask[l] != NULL) output[j] *= (double)p->mask[l][row * layer->out + j];
        }
        memcpy(input, output, sizeof input);
    }
    memcpy(y, output, D * sizeof *y);
}

static double naive_loss(const problem *p, const double *params) {
    double sum = 0, y[D];
    for (size_t i = 0; i < N; i++) {
        naive_row(p, params, i, y);
        for (size_t j = 0; j < D; j++) sum += pow(y[j] - (double)p->x[i * D + j], 2);
    }
    return sum / (2.0 * N * D);
}

/* ---- The library's ----------------------------------------------------------------------------
 */

static double forward_loss(const problem *p, decant__pass *pass) {
    double row_loss[N], sum = 0;
    decant__net_forward(&p->net, p->params, &p->rows, p->dropping, pass);
    decant__reconstruction_loss(&p->net, p->params, &p->rows, 1, pass, row_loss);
    for (size_t i = 0; i < N; i++) sum += row_loss[i];
    return sum / (2.0 * N * D);
}

static void pass_for(const problem *p, decant__pass *pass) {
    assert_ok(decant__pass_new(pass, &p->net, N, 1, p->csr.start[N] + 1, 1));
}

/* Every gradient against central differences of the naive loss, and some against central
 * differences of the float net itself (loss summed in double; a step may cross a kink of ReLU,
 * hence the wider tolerance). */
static void check_gradients(int relu_bits, int sparse, double rate) {
    problem p;
    decant__pass pass;
    problem_new(&p, relu_bits, sparse, rate);
    pass_for(&p, &pass);
    float *grads = sample_new(9, 1, p.parameters);
    double *params = malloc(p.parameters * sizeof *params), y[D];
    for (size_t i = 0; i < p.parameters; i++) params[i] = (double)p.params[i];

    assert_near(forward_loss(&p, &pass), naive_loss(&p, params), 1e-5);
    for (size_t i = 0; i < N; i++) {
        naive_row(&p, params, i, y);
        for (size_t j = 0; j < D; j++) assert_near(pass.output[DEPTH - 1][i * D + j], y[j], 2e-5);
    }
    decant__net_backward(&p.net, p.params, &p.rows, p.dropping, 0, DEPTH - 1, &pass, grads, NULL);

    double largest = 0;
    for (size_t i = 0; i < p.parameters; i++) {
        const double step = 1e-6;
        double kept = params[i];
        params[i] = kept + step;
        double up = naive_loss(&p, params);
        params[i] = kept - step;
        double down = naive_loss(&p, params);
        params[i] = kept;
        assert_near(grads[i], (up - down) / (2 * step), 2e-6);
        if (fabs((double)grads[i]) > largest) largest = fabs((double)grads[i]);
    }
    assert_true(largest > 1e-2); /* so that 2e-6 means something */

    for (size_t i = 0; i < p.parameters; i += 29) {
        const float step = 1.0F / 2048;
        float kept = p.params[i];
        p.params[i] = kept + step;
        double up = forward_loss(&p, &pass);
        p.params[i] = kept - step;
        double down = forward_loss(&p, &pass);
        p.params[i] = kept;
        assert_near(grads[i], (up - down) / (2 * (double)step), 0.03 * largest);
    }
    free(params);
    free(grads);
    decant__pass_free(&pass);
    problem_free(&p);
}

static void test_backward_dense(void **state) {
    (void)state;
    for (int bits = 0; bits < 16; bits++) check_gradients(bits, 0, 0);
}

static void test_backward_sparse(void **state) {
    (void)state;
    for (int bits = 0; bits < 16; bits++) check_gradients(bits, 1, 0);
}

static void test_backward_dropout(void **state) {
    (void)state;
    for (int bits = 0; bits < 16; bits++) check_gradients(bits, bits % 2, 0.3);
}

/* dL/dx of a single layer, where L = sum c_ij y_ij and y = x W + b; below, x is linear. */
static void test_backward_input_of_one_layer(void **state) {
    (void)state;
    enum { ROWS = 7, IN = 33, OUT = 21 };
    decant__layer layer = {.in = IN, .out = OUT, .bias = (size_t)IN * OUT};
    decant__layer below = {.in = 1, .out = IN};
    float *params = sample_new(1, 1, (size_t)(IN + 1) * OUT), *x = sample_new(2, 1, ROWS * IN);
    float *dy = sample_new(3, 1, ROWS * OUT), dx[ROWS * IN], grads[(IN + 1) * OUT];
    decant__net net = {.depth = 1, .layer = {layer}};
    decant__pass pass;
    assert_ok(decant__pass_new(&pass, &net, ROWS, 1, 0, 1));
    decant__sum_tree tree = decant__shards_tree(&pass.shards);
    decant__backward step = {.layer = &layer,
                             .tree = &tree,
                             .params = params,
                             .x = x,
                             .dy = dy,
                             .n = ROWS,
                             .below = {&below, 0, NULL, dx, NULL},
                             .grads = grads};
    decant__dense_backward(&step, &pass);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < IN; c++) {
            double expected = 0;
            for (size_t j = 0; j < OUT; j++)
                expected += (double)dy[i * OUT + j] * (double)params[c * OUT + j];
            assert_near(dx[i * IN + c], expected, 1e-5);
        }
    }
    /* With ReLU below, what came out as 0 passes nothing on. */
    below.relu = 1;
    float masked[ROWS * IN];
    step.below.dx = masked;
    decant__dense_backward(&step, &pass);
    for (size_t i = 0; i < ROWS * IN; i++) assert_true(masked[i] == (x[i] > 0 ? dx[i] : 0));
    decant__pass_free(&pass);
    free(params);
    free(x);
    free(dy);
}

/* From layer 2 down to `first` only: the same gradients there, nothing touched below, and the
 * gradient with respect to the layer below. */
static void test_backward_partial(void **state) {
    (void)state;
    problem p;
    decant__pass whole, part;
    problem_new(&p, 7, 1, 0.3);
    pass_for(&p, &whole);
    pass_for(&p, &part);
    float *all = sample_new(8, 1, p.parameters), *some = sample_new(9, 1, p.parameters);
    float *before = sample_new(9, 1, p.parameters);
    forward_loss(&p, &whole);
    decant__net_backward(&p.net, p.params, &p.rows, p.dropping, 0, DEPTH - 1, &whole, all, NULL);
    for (size_t first = 0; first < DEPTH; first++) {
        memcpy(some, before, p.parameters * sizeof *some);
        forward_loss(&p, &part);
        decant__net_backward(&p.net, p.params, &p.rows, p.dropping, first, DEPTH - 1, &part, some,
                             NULL);
        size_t from = p.net.layer[first].weight;
        assert_memory_equal(some, before, from * sizeof *some);
        assert_memory_equal(some + from, all + from, (p.parameters - from) * sizeof *some);
        if (first > 0)
            assert_memory_equal(part.delta[first - 1], whole.delta[first - 1],
                                N * widths[first] * sizeof(float));
    }
    free(all);
    free(some);
    free(before);
    decant__pass_free(&whole);
    decant__pass_free(&part);
    problem_free(&p);
}

/* Backward in two parts, last .. 2 and 1 .. 0, equals the whole: idec does that. */
static void test_backward_in_two_parts(void **state) {
    (void)state;
    problem p;
    decant__pass pass;
    problem_new(&p, 5, 0, 0);
    pass_for(&p, &pass);
    float *whole = sample_new(8, 1, p.parameters), *parts = sample_new(9, 1, p.parameters);
    forward_loss(&p, &pass);
    decant__net_backward(&p.net, p.params, &p.rows, NULL, 0, DEPTH - 1, &pass, whole, NULL);
    forward_loss(&p, &pass);
    decant__net_backward(&p.net, p.params, &p.rows, NULL, 2, DEPTH - 1, &pass, parts, NULL);
    decant__net_backward(&p.net, p.params, &p.rows, NULL, 0, 1, &pass, parts, NULL);
    assert_memory_equal(whole, parts, p.parameters * sizeof *whole);
    free(whole);
    free(parts);
    decant__pass_free(&pass);
    problem_free(&p);
}

/* With the optimizer inside, the step is that of the gradients of the weights before it, with the
 * biases' own rate. */
static void test_backward_with_optimizer(void **state) {
    (void)state;
    for (int sparse = 0; sparse <= 1; sparse++) {
        problem p;
        decant__pass pass;
        problem_new(&p, 7, sparse, 0.3);
        pass_for(&p, &pass);
        float *plain = sample_new(8, 1, p.parameters), *grads = sample_new(9, 1, p.parameters);
        float *before = sample_new(1, 0.4, p.parameters), *v = sample_new(1, 0, p.parameters);
        forward_loss(&p, &pass);
        decant__net_backward(&p.net, p.params, &p.rows, p.dropping, 0, DEPTH - 1, &pass, plain,
                             NULL);
        decant__optimizer optimizer = {
            .kind = DECANT_OPTIMIZER_SGD, .params = p.params, .moment1 = v, .bias_rate = 2};
        decant__optimizer_step(&optimizer, 0, 0.5, 0.9);
        forward_loss(&p, &pass);
        decant__net_backward(&p.net, p.params, &p.rows, p.dropping, 0, DEPTH - 1, &pass, grads,
                             &optimizer);
        for (size_t l = 0; l < DEPTH; l++) {
            const decant__layer *layer = &p.net.layer[l];
            for (size_t i = layer->weight; i < layer->bias + layer->out; i++) {
                double rate = i < layer->bias ? 0.5 : 1.0;
                assert_near(p.params[i], (double)before[i] - rate * (double)plain[i], 1e-6);
            }
        }
        free(plain);
        free(grads);
        free(before);
        free(v);
        decant__pass_free(&pass);
        problem_free(&p);
    }
}

static void test_forward_backward_sparse_equals_dense(void **state) {
    (void)state;
    problem p;
    decant__pass dense, sparse;
    problem_new(&p, 6, 0, 0.3);
    pass_for(&p, &dense);
    pass_for(&p, &sparse);
    float *a = sample_new(8, 1, p.parameters), *b = sample_new(9, 1, p.parameters);
    forward_loss(&p, &dense);
    decant__net_backward(&p.net, p.params, &p.rows, p.dropping, 0, DEPTH - 1, &dense, a, NULL);
    p.rows = sample_csr_rows(&p.csr);
    forward_loss(&p, &sparse);
    decant__net_backward(&p.net, p.params, &p.rows, p.dropping, 0, DEPTH - 1, &sparse, b, NULL);
    for (size_t l = 0; l < DEPTH; l++) {
        assert_near(largest_difference(dense.output[l], sparse.output[l], N * widths[l + 1]), 0,
                    1e-5);
        assert_near(largest_difference(dense.delta[l], sparse.delta[l], N * widths[l + 1]), 0,
                    1e-5);
    }
    assert_near(largest_difference(a, b, p.parameters), 0, 1e-5);
    free(a);
    free(b);
    decant__pass_free(&dense);
    decant__pass_free(&sparse);
    problem_free(&p);
}

/* ---- The same bytes for any number of threads -------------------------------------------------
 */

enum { BIG_N = 150, BIG_D = 210, BIG_DEPTH = 3 };

typedef struct training {
    const decant__net *net;
    const decant__rows *x;
    decant__dropout dropout;
    decant__pass pass;
    decant__optimizer optimizer;
    float *params, *grads;
    double row_loss[BIG_N];
} training;

static void training_step(void *context) {
    training *t = context;
    decant__net_forward(t->net, t->params, t->x, &t->dropout, &t->pass);
    decant__reconstruction_loss(t->net, t->params, t->x, 1, &t->pass, t->row_loss);
    decant__net_backward(t->net, t->params, t->x, &t->dropout, 0, 2, &t->pass, t->grads,
                         &t->optimizer);
}

static size_t big_net(decant__net *net) {
    static const size_t sizes[BIG_DEPTH + 1] = {BIG_D, 140, 30, BIG_D};
    size_t count = 0;
    *net = (decant__net){.depth = BIG_DEPTH};
    for (size_t l = 0; l < BIG_DEPTH; l++) {
        size_t bias = count + sizes[l] * sizes[l + 1];
        net->layer[l] = (decant__layer){
            .in = sizes[l], .out = sizes[l + 1], .relu = l != 2, .weight = count, .bias = bias};
        count = bias + sizes[l + 1];
    }
    return count;
}

/* Three steps of Adam on a net that is large enough for several tiles a product. */
static float *train(int threads, const decant__rows *x, size_t nonzeros, size_t *parameters) {
    decant__net net;
    size_t count = big_net(&net);
    *parameters = count;
    float *params = sample_new(1, 0.1, count), *grads = sample_new(2, 1, count);
    float *first = sample_new(1, 0, count), *second = sample_new(1, 0, count);
    training t = {.net = &net, .x = x, .params = params, .grads = grads};
    t.optimizer = (decant__optimizer){.kind = DECANT_OPTIMIZER_ADAM,
                                      .params = params,
                                      .moment1 = first,
                                      .moment2 = second,
                                      .bias_rate = 2};
    assert_ok(decant__pass_new(&t.pass, &net, BIG_N, 1, nonzeros, threads));
    for (size_t step = 0; step < 3; step++) {
        t.dropout = (decant__dropout){.rate = 0.2, .seed = 5, .step = step};
        decant__optimizer_step(&t.optimizer, step, 0.01, 0);
        decant__team_run(threads, training_step, &t);
    }
    decant__pass_free(&t.pass);
    free(grads);
    free(first);
    free(second);
    return params;
}

static void check_threads(const decant__rows *x, size_t nonzeros) {
    size_t count;
    float *one = train(1, x, nonzeros, &count);
    for (int threads = 2; threads <= 4; threads++) {
        float *more = train(threads, x, nonzeros, &count);
        assert_memory_equal(one, more, count * sizeof *one);
        free(more);
    }
    free(one);
}

static void test_training_same_bytes_for_any_threads(void **state) {
    (void)state;
    float *x = sample_new(4, 1, (size_t)BIG_N * BIG_D);
    sample_thin(5, 0.1, (size_t)BIG_N * BIG_D, x);
    sample_csr csr = sample_csr_of(x, BIG_N, BIG_D);
    decant__rows dense = sample_rows(x, BIG_N, BIG_D), sparse = sample_csr_rows(&csr);
    check_threads(&dense, 0);
    check_threads(&sparse, csr.start[BIG_N]);
    sample_csr_free(&csr);
    free(x);
}

/* A layer whose delta the one above has packed, tile by tile, and one that packs it itself: several
 * tiles of columns and of rows, and masks. */
static void check_by_layers(const decant__rows *x, size_t nonzeros) {
    training t = {.x = x, .dropout = {.rate = 0.2, .seed = 5}};
    decant__net net;
    size_t count = big_net(&net);
    float *whole = sample_new(2, 1, count), *layers = sample_new(3, 1, count);
    float *params = sample_new(1, 0.1, count);
    assert_ok(decant__pass_new(&t.pass, &net, BIG_N, 1, nonzeros, 1));
    decant__net_forward(&net, params, x, &t.dropout, &t.pass);
    decant__reconstruction_loss(&net, params, x, 1, &t.pass, t.row_loss);
    decant__net_backward(&net, params, x, &t.dropout, 0, BIG_DEPTH - 1, &t.pass, whole, NULL);
    for (size_t l = BIG_DEPTH; l-- > 0;)
        decant__net_backward(&net, params, x, &t.dropout, l, l, &t.pass, layers, NULL);
    assert_memory_equal(whole, layers, count * sizeof *whole);
    decant__pass_free(&t.pass);
    free(whole);
    free(layers);
    free(params);
}

static void test_backward_by_layers_same_bytes(void **state) {
    (void)state;
    float *x = sample_new(4, 1, (size_t)BIG_N * BIG_D);
    sample_csr csr = sample_csr_of(x, BIG_N, BIG_D);
    decant__rows dense = sample_rows(x, BIG_N, BIG_D), sparse = sample_csr_rows(&csr);
    check_by_layers(&dense, 0);
    check_by_layers(&sparse, csr.start[BIG_N]);
    sample_csr_free(&csr);
    free(x);
}

/* ---- Room for a sparse batch ------------------------------------------------------------------
 */

/* One row has nearly all non-zeros; a batch that runs over the end of an epoch can hold it twice.
 */
static void test_max_nonzeros_bounds_every_batch(void **state) {
    (void)state;
    enum { ROWS = 6, COLUMNS = 40 };
    float x[ROWS * COLUMNS] = {0};
    for (size_t j = 0; j < COLUMNS; j++) x[2 * COLUMNS + j] = 1;
    x[4 * COLUMNS] = 1;
    sample_csr csr = sample_csr_of(x, ROWS, COLUMNS);
    decant__source source = sample_csr_source(&csr);
    for (size_t count = 1; count <= ROWS; count++) {
        size_t max = decant__source_max_nonzeros(&source, count);
        decant__order order;
        decant__shards shards;
        uint32_t rows[ROWS];
        assert_ok(decant__order_new(&order, ROWS, 1, 1, 1, (decant__parts){0, 16}));
        for (uint64_t position = 0; position < 500; position++) {
            size_t nonzeros = 0;
            decant__order_take(&order, position, count, rows, &shards);
            for (size_t i = 0; i < count; i++)
                nonzeros += csr.start[rows[i] + 1] - csr.start[rows[i]];
            assert_true(nonzeros <= max);
        }
        decant__order_free(&order);
    }
    decant__source dense = decant__source_dense(x, ROWS, COLUMNS);
    assert_int_equal(decant__source_max_nonzeros(&dense, 3), 0);
    sample_csr_free(&csr);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backward_dense),
        cmocka_unit_test(test_backward_sparse),
        cmocka_unit_test(test_backward_dropout),
        cmocka_unit_test(test_backward_input_of_one_layer),
        cmocka_unit_test(test_backward_partial),
        cmocka_unit_test(test_backward_in_two_parts),
        cmocka_unit_test(test_backward_with_optimizer),
        cmocka_unit_test(test_forward_backward_sparse_equals_dense),
        cmocka_unit_test(test_training_same_bytes_for_any_threads),
        cmocka_unit_test(test_backward_by_layers_same_bytes),
        cmocka_unit_test(test_max_nonzeros_bounds_every_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
