#include "sample.h"

#include "base/team.h"
#include "linalg/kernel.h"
#include "nn/autoencoder.h"
#include "nn/dropout.h"
#include "nn/loss.h"
#include "nn/sampled_output.h"

/* An autoencoder of N sparse rows, D - 9 - 5 - 9 - D, which sees the zeros of M columns. */
enum { N = 12, D = 61, M = 20, DEPTH = 4, WIDEST = D };

typedef struct problem {
    decant__autoencoder plan;
    float *params, *x;
    sample_csr csr;
    decant__rows rows;
    decant__pass pass;
    decant__dropout dropout;
} problem;

static void problem_new(problem *p, size_t m, double dropout) {
    static const size_t sizes[] = {9, 5};
    *p = (problem){.dropout = {dropout, 4, 2, 0}};
    assert_ok(decant__autoencoder_plan(&p->plan, D, sizes, 2));
    decant__autoencoder_sample(&p->plan, m);
    p->params = sample_new(1, 0.4, p->plan.parameters);
    p->x = sample_new(2, 1, (size_t)N * D);
    sample_thin(3, 0.1, (size_t)N * D, p->x);
    memset(p->x + 5 * D, 0, D * sizeof *p->x);
    for (size_t i = 0; i < N; i++) p->x[i * D + 7] = 2; /* a column that is in the head */
    p->csr = sample_csr_of(p->x, N, D);
    p->rows = sample_csr_rows(&p->csr);
    decant__source source = sample_csr_source(&p->csr);
    assert_ok(decant__pass_new(&p->pass, &p->plan.net, N, 1, p->csr.start[N] + 1, 1));
    assert_ok(decant__sampled_choose_head(p->pass.sampled, &source));
}

static void problem_free(problem *p) {
    free(p->params);
    free(p->x);
    sample_csr_free(&p->csr);
    decant__pass_free(&p->pass);
}

/* ---- In double precision, column by column --------------------------------------------------- */

/* How much a zero of a column counts: 0 outside the sample. */
static double zero_weight(const decant__sampled *s, size_t column) {
    size_t place = decant__column_set_find(&s->sample, (uint32_t)column);
    if (place == s->sample.count) return 0;
    if (place < s->head) return 1;
    return (double)(s->d - s->head) / (double)(s->size - s->head);
}

static void naive_outputs(const problem *p, const double *params, size_t row, double *y) {
    double input[WIDEST], output[WIDEST];
    float mask[WIDEST];
    for (size_t j = 0; j < D; j++) input[j] = (double)p->x[row * D + j];
    for (size_t l = 0; l < DEPTH; l++) {
        const decant__layer *layer = &p->plan.net.layer[l];
        int by_column = layer->sample > 0;
        for (size_t j = 0; j < layer->out; j++) mask[j] = 1;
        if (p->dropout.rate > 0 && l + 1 < DEPTH)
            decant__dropout_apply(&p->dropout, l, row, 0, layer->out, mask);
        for (size_t j = 0; j < layer->out; j++) {
            output[j] = params[layer->bias + j];
            for (size_t c = 0; c < layer->in; c++)
                output[j] +=
                    input[c] *
                    params[layer->weight + (by_column ? j * layer->in + c : c * layer->out + j)];
            if (layer->relu && output[j] < 0) output[j] = 0;
            output[j] *= (double)mask[j];
        }
        memcpy(input, output, sizeof input);
    }
    memcpy(y, output, D * sizeof *y);
}

/* exact: all zeros count as 1. */
static double naive_loss(const problem *p, const double *params, int exact) {
    double sum = 0, y[D];
    for (size_t i = 0; i < N; i++) {
        naive_outputs(p, params, i, y);
        for (size_t j = 0; j < D; j++) {
            double x = (double)p->x[i * D + j], zero = exact ? 1 : zero_weight(p->pass.sampled, j);
            sum += x != 0 ? (y[j] - x) * (y[j] - x) : zero * y[j] * y[j];
        }
    }
    return sum / (2.0 * N * D);
}

static double *in_double(const problem *p) {
    double *params = malloc(p->plan.parameters * sizeof *params);
    assert_non_null(params);
    for (size_t i = 0; i < p->plan.parameters; i++) params[i] = (double)p->params[i];
    return params;
}

static double loss_of(problem *p) {
    double row_loss[N], sum = 0;
    decant__net_forward(&p->plan.net, p->params, &p->rows, &p->dropout, &p->pass);
    decant__reconstruction_loss(&p->plan.net, p->params, &p->rows, 1, &p->pass, row_loss);
    for (size_t i = 0; i < N; i++) sum += row_loss[i];
    return sum / (2.0 * N * D);
}

/* ---- Loss and gradients ---------------------------------------------------------------------- */

/* Every gradient of the estimate, of all layers, against central differences. */
static void check_gradients(size_t m, double dropout, uint64_t step) {
    problem p;
    problem_new(&p, m, dropout);
    float *grads = sample_new(9, 1, p.plan.parameters);
    double *params = in_double(&p), largest = 0;
    decant__sampled_draw(p.pass.sampled, 3, step);
    assert_near(loss_of(&p), naive_loss(&p, params, 0), 1e-5);
    decant__net_backward(&p.plan.net, p.params, &p.rows, &p.dropout, 0, DEPTH - 1, &p.pass, grads,
                         NULL);
    for (size_t i = 0; i < p.plan.parameters; i++) {
        const double h = 1e-6;
        double kept = params[i];
        params[i] = kept + h;
        double up = naive_loss(&p, params, 0);
        params[i] = kept - h;
        double down = naive_loss(&p, params, 0);
        params[i] = kept;
        assert_near(grads[i], (up - down) / (2 * h), 3e-6);
        if (fabs((double)grads[i]) > largest) largest = fabs((double)grads[i]);
    }
    assert_true(largest > 1e-2); /* so that 3e-6 means something */
    free(params);
    free(grads);
    problem_free(&p);
}

static void test_gradients_by_differences(void **state) {
    (void)state;
    for (uint64_t step = 0; step < 4; step++) check_gradients(M, step % 2 == 0 ? 0 : 0.3, step);
    check_gradients(2, 0, 1);
    check_gradients(1, 0, 1); /* no head */
}

/* With all columns in the sample nothing is estimated. */
static void test_a_whole_sample_is_exact(void **state) {
    (void)state;
    problem p;
    problem_new(&p, D + 5, 0);
    double *params = in_double(&p);
    decant__sampled_draw(p.pass.sampled, 3, 0);
    assert_int_equal(p.pass.sampled->size, D);
    assert_near(loss_of(&p), naive_loss(&p, params, 1), 1e-5);
    free(params);
    problem_free(&p);
    check_gradients(D, 0, 0);
}

/* The mean over many draws is the loss over all columns, to a few of its standard errors. */
static void test_mean_of_the_estimate_is_the_loss(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    problem p;
    problem_new(&p, M, 0);
    double *params = in_double(&p), exact = naive_loss(&p, params, 1), sum = 0, squares = 0;
    for (uint64_t step = 0; step < DRAWS; step++) {
        decant__sampled_draw(p.pass.sampled, 5, step);
        double difference = loss_of(&p) - exact;
        sum += difference;
        squares += difference * difference;
    }
    double mean = sum / DRAWS, deviation = sqrt(squares / DRAWS);
    assert_true(deviation > 0.02 * exact); /* one draw alone is not the loss */
    assert_true(fabs(mean) < 4 * deviation / sqrt(DRAWS));
    free(params);
    problem_free(&p);
}

/* ---- The sample ------------------------------------------------------------------------------ */

static void test_draw_is_uniform_without_repeats(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    problem p;
    problem_new(&p, M, 0);
    decant__sampled *s = p.pass.sampled;
    size_t drawn[D] = {0};
    for (uint64_t step = 0; step < DRAWS; step++) {
        char seen[D] = {0};
        decant__sampled_draw(s, 8, step);
        assert_int_equal(s->sample.count, M);
        for (size_t c = 0; c < M; c++) assert_false(seen[s->sample.column[c]]++);
        for (size_t j = 0; j < D; j++) drawn[j] += (size_t)seen[j];
    }
    assert_int_equal(drawn[7], DRAWS);
    double expected = DRAWS * (double)(M - s->head) / (double)(D - s->head);
    for (size_t c = s->head; c < D; c++) {
        size_t j = s->others[c - s->head];
        assert_true(fabs((double)drawn[j] - expected) < 5 * sqrt(expected));
    }
    problem_free(&p);
}

/* The head has the columns with the most non-zeros. */
static void test_head_has_the_frequent_columns(void **state) {
    (void)state;
    problem p;
    problem_new(&p, M, 0);
    const decant__sampled *s = p.pass.sampled;
    size_t count[D] = {0}, least = N;
    for (size_t e = 0; e < p.csr.start[N]; e++) count[p.csr.column[e]]++;
    assert_int_equal(s->head, M / 2);
    for (size_t c = 0; c < s->head; c++)
        if (count[s->sample.column[c]] < least) least = count[s->sample.column[c]];
    for (size_t c = 0; c < D - s->head; c++) assert_true(count[s->others[c]] <= least);
    problem_free(&p);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

typedef struct training {
    problem p;
    decant__optimizer optimizer;
    float *grads, *first, *second;
    double row_loss[N];
} training;

static void training_step(void *context) {
    training *t = context;
    const decant__net *net = &t->p.plan.net;
    decant__net_forward(net, t->p.params, &t->p.rows, &t->p.dropout, &t->p.pass);
    decant__reconstruction_loss(net, t->p.params, &t->p.rows, 1, &t->p.pass, t->row_loss);
    decant__net_backward(net, t->p.params, &t->p.rows, &t->p.dropout, 0, DEPTH - 1, &t->p.pass,
                         t->grads, &t->optimizer);
}

static void train(training *t, int threads, size_t steps) {
    problem_new(&t->p, M, 0.2);
    decant__pass_free(&t->p.pass);
    decant__source source = sample_csr_source(&t->p.csr);
    assert_ok(decant__pass_new(&t->p.pass, &t->p.plan.net, N, 1, t->p.csr.start[N] + 1, threads));
    assert_ok(decant__sampled_choose_head(t->p.pass.sampled, &source));
    t->grads = sample_new(2, 1, t->p.plan.parameters);
    t->first = sample_new(2, 0, t->p.plan.parameters);
    t->second = sample_new(2, 0, t->p.plan.parameters);
    t->optimizer = (decant__optimizer){.kind = DECANT_OPTIMIZER_ADAM,
                                       .params = t->p.params,
                                       .moment1 = t->first,
                                       .moment2 = t->second,
                                       .bias_rate = 2};
    for (size_t step = 0; step < steps; step++) {
        decant__sampled_draw(t->p.pass.sampled, 6, step);
        decant__optimizer_step(&t->optimizer, step, 0.01, 0);
        decant__team_run(threads, training_step, t);
    }
}

static void training_free(training *t) {
    problem_free(&t->p);
    free(t->grads);
    free(t->first);
    free(t->second);
}

static void test_same_bytes_for_any_threads_and_kernel(void **state) {
    (void)state;
    static const int threads[] = {2, 8};
    training one, more;
    train(&one, 1, 5);
    size_t size = one.p.plan.parameters * sizeof(float);
    for (size_t i = 0; i < 2; i++) {
        train(&more, threads[i], 5);
        assert_memory_equal(one.p.params, more.p.params, size);
        training_free(&more);
    }
    static const char *const names[] = {"avx512", "avx2", "neon", "plain"};
    for (size_t i = 0; i < 4; i++) {
        if (decant__kernel_named(names[i]) == NULL) continue;
        decant__kernel_use(decant__kernel_named(names[i]));
        train(&more, 2, 5);
        assert_memory_equal(one.p.params, more.p.params, size);
        training_free(&more);
    }
    decant__kernel_use(NULL);
    training_free(&one);
}

static int changed(const float *a, const float *b, size_t from, size_t count) {
    return memcmp(a + from, b + from, count * sizeof *a) != 0;
}

/* Columns that neither occur nor were drawn stay as they are, in both wide layers. */
static void test_only_touched_columns_take_a_step(void **state) {
    (void)state;
    training t;
    problem before;
    size_t still = 0;
    train(&t, 2, 1);
    problem_new(&before, M, 0);
    const decant__layer *first = &t.p.plan.net.layer[0], *last = &t.p.plan.net.layer[DEPTH - 1];
    for (size_t j = 0; j < D; j++) {
        int occurs = 0;
        for (size_t i = 0; i < N; i++) occurs |= t.p.x[i * D + j] != 0;
        int touched = occurs || zero_weight(t.p.pass.sampled, j) > 0;
        still += !touched;
        assert_int_equal(changed(t.p.params, before.params, first->weight + j * 9, 9), occurs);
        assert_int_equal(changed(t.p.params, before.params, last->weight + j * 9, 9), touched);
        assert_int_equal(changed(t.p.params, before.params, last->bias + j, 1), touched);
    }
    assert_true(still > 0);
    problem_free(&before);
    training_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_by_differences),
        cmocka_unit_test(test_a_whole_sample_is_exact),
        cmocka_unit_test(test_mean_of_the_estimate_is_the_loss),
        cmocka_unit_test(test_draw_is_uniform_without_repeats),
        cmocka_unit_test(test_head_has_the_frequent_columns),
        cmocka_unit_test(test_same_bytes_for_any_threads_and_kernel),
        cmocka_unit_test(test_only_touched_columns_take_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
