/* The classifier of self-training against a naive one in double precision. */
#include "check.h"
#include "sample.h"

#include "base/memory.h"
#include "base/team.h"
#include "nn/batch_norm.h"
#include "nn/classifier.h"

enum { N = 7, D = 6, WIDTH = 9, K = 3, WIDEST = WIDTH };
static const double EPSILON = 1e-5;
static const double SHARE[K] = {0.5, 0.3, 0.2};
static const int32_t LABEL[N] = {0, -1, 2, 1, -1, 0, 2};

typedef struct problem {
    decant__classifier plan;
    decant__classifier_pass pass;
    decant__source source;
    decant__rows_buffer buffer;
    decant__rows x;
    sample_csr csr;
    float *values, *params, *moment1, *moment2;
    float radius[N];
    decant__lesson lesson;
    decant__classifier_step step;
} problem;

static void problem_new(problem *p, int sparse) {
    static const uint32_t order[N] = {3, 0, 1, 6, 5, 2, 4};
    *p = (problem){0};
    p->values = sample_new(3, 1, N * D);
    if (sparse)
        for (size_t i = 0; i < N * D; i++)
            if (i % 3 == 1) p->values[i] = 0;
    p->csr = sample_csr_of(p->values, N, D);
    p->source = decant__source_dense(p->values, N, D);
    if (sparse)
        p->source = (decant__source){
            .n = N, .d = D, .start = p->csr.start, .column = p->csr.column, .value = p->csr.value};
    assert_ok(decant__classifier_plan(&p->plan, D, WIDTH, K, 0));
    p->params = malloc(p->plan.parameters * sizeof *p->params);
    p->moment1 = calloc(p->plan.parameters, sizeof *p->moment1);
    p->moment2 = calloc(p->plan.parameters, sizeof *p->moment2);
    decant__classifier_init(&p->plan, 5, p->params);
    /* As after some training: a last layer, gains and offsets that are not those of the start. */
    const decant__layer *last = &p->plan.net.layer[2];
    for (size_t i = 0; i < last->in * last->out; i++) p->params[last->weight + i] *= 1e4F;
    for (size_t l = 0; l < 2; l++)
        for (size_t j = 0; j < WIDTH; j++) {
            p->params[p->plan.gain[l] + j] = 0.5F + 0.1F * (float)j;
            p->params[p->plan.offset[l] + j] = 0.3F - 0.05F * (float)j;
        }
    for (size_t i = 0; i < N; i++) p->radius[i] = 0.02F * (float)(i + 1);
    assert_ok(decant__classifier_pass_new(&p->pass, &p->plan, &p->source, N, 1));
    assert_ok(decant__rows_buffer_new(&p->buffer, &p->source, N));
    p->x = decant__source_fetch(&p->source, order, 0, N, &p->buffer);
    p->lesson = (decant__lesson){N, K, LABEL, SHARE, 0.4, 3};
    p->step = (decant__classifier_step){.plan = &p->plan,
                                        .x = &p->x,
                                        .lesson = &p->lesson,
                                        .radius = p->radius,
                                        .seed = 9,
                                        .step = 4,
                                        .optimizer = {.kind = DECANT_OPTIMIZER_SGD,
                                                      .params = p->params,
                                                      .moment1 = p->moment1,
                                                      .moment2 = p->moment2,
                                                      .bias_rate = 1}};
    /* moment1 of one step of rate 1 is the gradient. */
    decant__optimizer_step(&p->step.optimizer, 0, 1, 0);
}

static void problem_free(problem *p) {
    decant__classifier_pass_free(&p->pass);
    decant__rows_buffer_free(&p->buffer);
    sample_csr_free(&p->csr);
    free(p->values);
    free(p->params);
    free(p->moment1);
    free(p->moment2);
}

/* ---- naive ---- */

static void naive_normalise(const decant__classifier *plan, const double *params, size_t l,
                            double a[N][WIDEST]) {
    for (size_t j = 0; j < WIDTH; j++) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < N; i++) mean += a[i][j] / N;
        for (size_t i = 0; i < N; i++) variance += (a[i][j] - mean) * (a[i][j] - mean) / N;
        for (size_t i = 0; i < N; i++) {
            double normal = (a[i][j] - mean) / sqrt(variance + EPSILON);
            double y = params[plan->gain[l] + j] * normal + params[plan->offset[l] + j];
            a[i][j] = y > 0 ? y : 0;
        }
    }
}

static void naive_softmax(const decant__classifier *plan, const double *params, const double *x,
                          double s[N * K]) {
    double a[N][WIDEST] = {{0}}, b[N][WIDEST];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) a[i][j] = x[i * D + j];
    for (size_t l = 0; l < 3; l++) {
        const decant__layer *layer = &plan->net.layer[l];
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < layer->out; j++) {
                b[i][j] = params[layer->bias + j];
                for (size_t c = 0; c < layer->in; c++)
                    b[i][j] += a[i][c] * params[layer->weight + c * layer->out + j];
            }
        if (l < 2) naive_normalise(plan, params, l, b);
        memcpy(a, b, sizeof a);
    }
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < K; j++) sum += exp(a[i][j]);
        for (size_t j = 0; j < K; j++) s[i * K + j] = exp(a[i][j]) / sum;
    }
}

static double naive_divergence(const double *s, const double *t) {
    double sum = 0;
    for (size_t i = 0; i < N * K; i++) sum += s[i] * log(s[i] / t[i]) / N;
    return sum;
}

static double naive_lesson(const problem *p, const double *s) {
    double sum = 0, labelled = 0, mean[K] = {0};
    for (size_t i = 0; i < N; i++) labelled += LABEL[i] >= 0;
    for (size_t i = 0; i < N; i++) {
        if (LABEL[i] >= 0) sum -= log(s[i * K + (size_t)LABEL[i]]) / labelled;
        for (size_t j = 0; j < K; j++) {
            sum -= p->lesson.spread * s[i * K + j] * log(s[i * K + j]) / N;
            mean[j] += s[i * K + j] / N;
        }
    }
    for (size_t j = 0; j < K; j++)
        sum += p->lesson.spread * p->lesson.balance * mean[j] * log(mean[j] / SHARE[j]);
    return sum;
}

static void rows_in_double(const decant__rows *rows, double *out) {
    float row[D];
    for (size_t i = 0; i < N; i++) {
        decant__rows_copy(rows, i, row);
        for (size_t j = 0; j < D; j++) out[i * D + j] = (double)row[j];
    }
}

static double *doubles_of(const float *from, size_t count) {
    double *out = malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++) out[i] = (double)from[i];
    return out;
}

/* ---- tests ---- */

/* The gradient of the divergence with respect to the disturbed rows, and where it takes them. */
static void check_disturbed(int sparse) {
    problem p;
    problem_new(&p, sparse);
    double *params = doubles_of(p.params, p.plan.parameters), largest = 0;
    double x[N * D], at[N * D], far[N * D], s[N * K], t[N * K];
    decant__classifier_disturb(&p.step, &p.pass);
    decant__rows half = decant__disturbed_half(&p.pass.pair, 1);
    rows_in_double(&p.x, x);
    rows_in_double(&half, far);
    decant__disturbed_randomly(&p.pass.pair, p.pass.probe, p.step.seed, p.step.step);
    rows_in_double(&half, at);
    naive_softmax(&p.plan, params, x, s);
    size_t place = 0;
    for (size_t i = 0; i < N; i++) {
        double length = 0, walked = 0, along = 0, probed = 0;
        for (size_t j = 0; j < D; j++) {
            if (sparse && x[i * D + j] == 0) {
                assert_true(far[i * D + j] == 0);
                continue;
            }
            double kept = at[i * D + j], g[2];
            for (int side = 0; side < 2; side++) {
                at[i * D + j] = kept + (side ? 1e-6 : -1e-6);
                naive_softmax(&p.plan, params, at, t);
                g[side] = naive_divergence(s, t);
            }
            at[i * D + j] = kept;
            double expected = (g[1] - g[0]) / 2e-6, found = (double)p.pass.pair.gradient[place++];
            assert_near(found, expected, 2e-6);
            largest = fmax(largest, fabs(expected));
            double moved = far[i * D + j] - x[i * D + j];
            length += found * found;
            walked += moved * moved;
            along += found * moved;
            probed += (kept - x[i * D + j]) * (kept - x[i * D + j]);
        }
        assert_near(sqrt(walked) / (double)p.radius[i], 1, 1e-4);
        assert_near(along / sqrt(length * walked), 1, 1e-4);
        assert_near(sqrt(probed) / (double)p.radius[i], 8, 1e-4);
    }
    assert_true(largest > 1e-3); /* so that 2e-6 means something */
    free(params);
    problem_free(&p);
}

static void test_disturb_dense(void **state) {
    (void)state;
    check_disturbed(0);
}

static void test_disturb_sparse(void **state) {
    (void)state;
    check_disturbed(1);
}

/* Every gradient of a step against central differences of the naive loss. */
static void check_step(int sparse) {
    problem p;
    problem_new(&p, sparse);
    size_t count = p.plan.parameters;
    double *params = doubles_of(p.params, count), largest = 0, sum = 0;
    double x[N * D], far[N * D], s[N * K], now[N * K], t[N * K], loss[2];
    decant__classifier_train(&p.step, &p.pass);
    decant__rows half = decant__disturbed_half(&p.pass.pair, 1);
    rows_in_double(&p.x, x);
    rows_in_double(&half, far);
    naive_softmax(&p.plan, params, x, s);
    naive_softmax(&p.plan, params, far, t);
    for (size_t i = 0; i < N; i++) sum += p.pass.divergence[i] / N;
    assert_near(sum, naive_divergence(s, t), 1e-6);
    for (size_t i = 0; i < count; i++) {
        double kept = params[i];
        for (int side = 0; side < 2; side++) {
            params[i] = kept + (side ? 1e-6 : -1e-6);
            naive_softmax(&p.plan, params, x, now);
            naive_softmax(&p.plan, params, far, t);
            loss[side] = naive_lesson(&p, now) + naive_divergence(s, t);
        }
        params[i] = kept;
        double expected = (loss[1] - loss[0]) / 2e-6;
        assert_near(p.moment1[i], expected, 5e-6);
        largest = fmax(largest, fabs(expected));
    }
    assert_true(largest > 1e-2);
    free(params);
    problem_free(&p);
}

static void test_step_dense(void **state) {
    (void)state;
    check_step(0);
}

static void test_step_sparse(void **state) {
    (void)state;
    check_step(1);
}

/* Folded with the statistics of a batch, the plain net gives what the normalised one gave. */
static void test_fold_is_the_same_map(void **state) {
    (void)state;
    problem p;
    problem_new(&p, 0);
    double *params = doubles_of(p.params, p.plan.parameters), x[N * D], s[N * K];
    decant__net net = decant__classifier_folded(&p.plan);
    decant__pass pass;
    float found[N * K];
    rows_in_double(&p.x, x);
    naive_softmax(&p.plan, params, x, s);
    assert_ok(decant__pass_new(&pass, &net, N, 0, 0, 1));
    for (size_t l = 0; l < 2; l++) {
        double sum[WIDTH] = {0}, square[WIDTH] = {0};
        decant__net part = net;
        part.depth = l + 1;
        part.layer[l].relu = 0;
        decant__net_forward(&part, p.params, &p.x, NULL, &pass);
        decant__batch_norm_count(N, WIDTH, pass.output[l], sum, square);
        assert_ok(decant__classifier_fold(&p.plan, l, N, sum, square, p.params));
    }
    decant__net_forward(&net, p.params, &p.x, NULL, &pass);
    decant__softmax(pass.output[2], N, K, found);
    for (size_t i = 0; i < N * K; i++) assert_near(found[i], s[i], 1e-5);
    decant__pass_free(&pass);
    free(params);
    problem_free(&p);
}

/* ---- threads ---- */

enum { ROWS = 300, COLUMNS = 90, UNITS = 150, CLASSES = 7, BATCH = 64 };

typedef struct training {
    decant__classifier_step step;
    decant__classifier_pass pass;
    const decant__source *source;
    decant__rows_buffer buffer;
    uint32_t index[BATCH];
} training;

static void train_once(void *context) {
    training *t = context;
    decant__rows x = decant__source_fetch(t->source, t->index, 0, BATCH, &t->buffer);
    decant__classifier_step step = t->step;
    step.x = &x;
    decant__classifier_train(&step, &t->pass);
}

static void train_some(const decant__source *source, int threads, const decant__classifier *plan,
                       float *params) {
    training t = {.source = source};
    int32_t label[BATCH];
    float radius[BATCH];
    double share[CLASSES];
    float *moment1 = calloc(plan->parameters, sizeof *moment1);
    float *moment2 = calloc(plan->parameters, sizeof *moment2);
    for (size_t i = 0; i < BATCH; i++) {
        label[i] = (int32_t)(i % (CLASSES + 1)) - 1;
        radius[i] = 0.5F;
    }
    for (size_t j = 0; j < CLASSES; j++) share[j] = 1.0 / CLASSES;
    decant__lesson lesson = {BATCH, CLASSES, label, share, 0.1, 4};
    decant__classifier_init(plan, 3, params);
    assert_ok(decant__classifier_pass_new(&t.pass, plan, source, BATCH, threads));
    assert_ok(decant__rows_buffer_new(&t.buffer, source, BATCH));
    t.step = (decant__classifier_step){.plan = plan,
                                       .lesson = &lesson,
                                       .radius = radius,
                                       .seed = 2,
                                       .optimizer = {.kind = DECANT_OPTIMIZER_ADAM,
                                                     .params = params,
                                                     .moment1 = moment1,
                                                     .moment2 = moment2,
                                                     .bias_rate = 1}};
    for (size_t step = 0; step < 4; step++) {
        for (size_t i = 0; i < BATCH; i++) t.index[i] = (uint32_t)((i * 7 + step * 61) % ROWS);
        t.step.step = step;
        decant__optimizer_step(&t.step.optimizer, step, 0.002, 0);
        decant__team_run(threads, train_once, &t);
    }
    decant__classifier_pass_free(&t.pass);
    decant__rows_buffer_free(&t.buffer);
    free(moment1);
    free(moment2);
}

static void test_same_bytes_for_any_threads(void **state) {
    (void)state;
    float *values = sample_new(8, 1, ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        if (i % 3) values[i] = 0;
    sample_csr csr = sample_csr_of(values, ROWS, COLUMNS);
    for (int kind = 0; kind < 3; kind++) { /* dense, sparse, sparse and lazy */
        decant__source source = decant__source_dense(values, ROWS, COLUMNS);
        if (kind > 0)
            source = (decant__source){.n = ROWS,
                                      .d = COLUMNS,
                                      .start = csr.start,
                                      .column = csr.column,
                                      .value = csr.value};
        decant__classifier plan;
        assert_ok(decant__classifier_plan(&plan, COLUMNS, UNITS, CLASSES, kind == 2));
        float *one = malloc(plan.parameters * sizeof *one);
        float *more = malloc(plan.parameters * sizeof *more);
        train_some(&source, 1, &plan, one);
        for (int threads = 2; threads <= 8; threads += 6) {
            train_some(&source, threads, &plan, more);
            assert_memory_equal(one, more, plan.parameters * sizeof *one);
        }
        free(one);
        free(more);
    }
    sample_csr_free(&csr);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disturb_dense),
        cmocka_unit_test(test_disturb_sparse),
        cmocka_unit_test(test_step_dense),
        cmocka_unit_test(test_step_sparse),
        cmocka_unit_test(test_fold_is_the_same_map),
        cmocka_unit_test(test_same_bytes_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
