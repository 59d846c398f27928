/* Self-training: a second network learns the clusters that refinement found.
 *
 * The student is a classifier (nn/classifier.h) on the rows themselves. It is taught the labels of
 * the rows that are sure, the SURE share of each cluster with the highest confidence; all rows,
 * disturbed in the worst direction, keep it smooth. Where the sure rows are right, it is right
 * about most of the others too: docs/method.md. How far a row is disturbed follows the distances of
 * the row to its neighbours in the graph of the features, measured in the data.
 *
 * Labels and confidence of a fit are then the student's, unless it changed too many of them; the
 * features stay the encoder's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/team.h"
#include "dec/assign.h"
#include "dec/encode.h"
#include "dec/job.h"
#include "dec/schedule.h"
#include "dec/student.h"
#include "linalg/neighbours.h"
#include "nn/batch_norm.h"
#include "nn/classifier.h"
#include "nn/order.h"

/* The phase of the order of rows: pretraining and refinement have others. */
enum { ORDER_PHASE = 300, BLOCK_ROWS = 1024, MIN_ROW_STEPS = 100 };
static const double SURE = 0.8;
/* Of the mean distance of a row to its neighbours. */
static const double RADIUS = 0.25;
static const double SPREAD = 0.1, BALANCE = 4;
static const double RATE = 0.002;
/* The learning rate is constant up to here, then it falls to 0. */
static const double CONSTANT = 0.6;
/* Labels that a student may change, if its own are to be taken. */
static const double MAX_CHANGED = 0.1;

typedef struct student {
    decant__job *job;
    decant__classifier plan;
    size_t n, k, size; /* size: rows of a batch */
    size_t steps;
    int32_t *teacher; /* n: the labels of refinement */
    int32_t *sure;    /* n: the same, or -1 */
    float *radius;    /* n */
    double *share;    /* k: sizes of the teacher's clusters */
    decant__order order;
    decant__rows_buffer buffer;
    uint32_t *index;       /* of a batch */
    int32_t *batch_sure;   /* of a batch */
    float *batch_radius;   /* of a batch */
    decant__lesson lesson; /* of a batch */
    decant__classifier_step step;
    decant__classifier_pass pass;
} student;

static void student_free(student *s) {
    decant__free(s->teacher);
    decant__free(s->sure);
    decant__free(s->radius);
    decant__free(s->share);
    decant__order_free(&s->order);
    decant__rows_buffer_free(&s->buffer);
    decant__free(s->index);
    decant__free(s->batch_sure);
    decant__free(s->batch_radius);
    decant__classifier_pass_free(&s->pass);
}

decant_status decant__student_plan(const decant__job *job, decant__classifier *plan) {
    return decant__classifier_plan(plan, job->source->d, job->options->student_width, job->state.k,
                                   job->plan.net.layer[0].lazy);
}

int decant__student_wanted(const decant__job *job) {
    return job->options->student_iterations > 0 && job->trial == 0 && job->state.graph.count > 0;
}

/* ---- what the student is taught ---- */

typedef struct ranked {
    float confidence;
    int32_t label;
    uint32_t row;
} ranked;

/* By cluster, the most confident first. */
static int by_confidence(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    if (x->confidence != y->confidence) return x->confidence > y->confidence ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static decant_status choose_sure(student *s, const float *confidence) {
    decant_status status = DECANT_OK;
    ranked *rows = NULL;
    size_t *count = NULL;
    NEW_ARRAY(rows, s->n);
    NEW_ZEROED(count, s->k);
    for (size_t i = 0; i < s->n; i++) {
        rows[i] = (ranked){confidence[i], s->teacher[i], (uint32_t)i};
        s->sure[i] = -1;
        count[s->teacher[i]]++;
    }
    qsort(rows, s->n, sizeof *rows, by_confidence);
    for (size_t at = 0, j = 0; j < s->k; at += count[j++]) {
        size_t sure = (size_t)ceil(SURE * (double)count[j]);
        for (size_t i = at; i < at + sure; i++) s->sure[rows[i].row] = (int32_t)j;
    }
    /* One row more in each cluster: an empty one has a share too. */
    for (size_t j = 0; j < s->k; j++) s->share[j] = ((double)count[j] + 1) / (double)(s->n + s->k);
done:
    decant__free(rows);
    decant__free(count);
    return status;
}

typedef struct assignment {
    const student *s;
    const float *z;
    float *q, *confidence;
} assignment;

static void assign_rows(void *context) {
    assignment *a = context;
    const decant__job *job = a->s->job;
    size_t l = job->plan.net.layer[job->plan.depth - 1].out;
    decant__soft_assign(a->z, a->s->n, l, decant__job_centroids(job), a->s->k, job->options->alpha,
                        a->q);
    decant__hard_assign(a->q, a->s->n, a->s->k, a->s->teacher, a->confidence);
}

/* The labels and confidence of refinement, as predict would compute them. */
static decant_status ask_teacher(student *s) {
    decant_status status = DECANT_OK;
    decant__job *job = s->job;
    decant__net encoder = decant__autoencoder_encoder(&job->plan);
    float *z = NULL, *q = NULL, *confidence = NULL;
    NEW_ARRAY(z, s->n * encoder.layer[encoder.depth - 1].out);
    NEW_ARRAY(q, s->n * s->k);
    NEW_ARRAY(confidence, s->n);
    TRY(decant__encode(&encoder, job->state.params, job->source, job->threads, &job->watch, z));
    decant__team_run(job->threads, assign_rows, &(assignment){s, z, q, confidence});
    TRY(choose_sure(s, confidence));
done:
    decant__free(z);
    decant__free(q);
    decant__free(confidence);
    return status;
}

/* ---- how far rows are disturbed ---- */

typedef struct measuring {
    student *s;
    double *scratch; /* threads x 2 d; NULL: sparse */
    decant__cancel cancel;
} measuring;

static double distance_of(const measuring *m, size_t i, size_t j, const double *row,
                          double *other) {
    const decant__source *source = m->s->job->source;
    if (source->dense == NULL) return sqrt(decant__neighbours_distance(source, i, j));
    double sum = 0;
    decant__source_row(source, j, other);
    for (size_t c = 0; c < source->d; c++) sum += (row[c] - other[c]) * (row[c] - other[c]);
    return sqrt(sum);
}

static void measure_rows(void *context) {
    measuring *m = context;
    const decant__graph *graph = &m->s->job->state.graph;
    const decant__source *source = m->s->job->source;
    double *row = NULL, *other = NULL;
    if (m->scratch != NULL) {
        row = m->scratch + decant__team_member() * 2 * source->d;
        other = row + source->d;
    }
    TEAM_FOR_DYNAMIC (i, m->s->n, 64) {
        double sum = 0;
        if (decant__cancel_asked(&m->cancel)) continue;
        if (row != NULL) decant__source_row(source, i, row);
        for (size_t e = 0; e < graph->count; e++)
            sum += distance_of(m, i, graph->index[i * graph->count + e], row, other);
        m->s->radius[i] = (float)(RADIUS * sum / (double)graph->count);
    }
}

static decant_status measure_radii(student *s) {
    decant_status status = DECANT_OK;
    const decant__source *source = s->job->source;
    measuring m = {.s = s};
    if (source->dense != NULL) NEW_ARRAY(m.scratch, (size_t)s->job->threads * 2 * source->d);
    decant__cancel_init(&m.cancel, &s->job->watch);
    decant__team_run(s->job->threads, measure_rows, &m);
    if (decant__cancel_known(&m.cancel)) TRY(decant__cancel_status(&m.cancel));
    TRY(decant__row_file_check(source->layout.file));
done:
    decant__free(m.scratch);
    return status;
}

/* ---- training ---- */

static decant_status student_new(student *s, decant__job *job) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    size_t n = job->source->n, k = job->state.k;
    *s = (student){.job = job, .n = n, .k = k, .size = options->batch < n ? options->batch : n};
    s->steps =
        decant__schedule_steps(options->student_iterations, options->pretrain_epochs, n, s->size);
    TRY(decant__student_plan(job, &s->plan));
    NEW_ARRAY(s->teacher, n);
    NEW_ARRAY(s->sure, n);
    NEW_ARRAY(s->radius, n);
    NEW_ARRAY(s->share, k);
    NEW_ARRAY(s->index, s->size);
    NEW_ARRAY(s->batch_sure, s->size);
    NEW_ARRAY(s->batch_radius, s->size);
    TRY(decant__order_new(&s->order, n, 1, options->seed, ORDER_PHASE, (decant__parts){0, 16}));
    TRY(decant__rows_buffer_new(&s->buffer, job->source, s->size));
    TRY(decant__classifier_pass_new(&s->pass, &s->plan, job->source, s->size, job->threads));
    s->lesson = (decant__lesson){s->size, k, s->batch_sure, s->share, SPREAD, BALANCE};
    decant__student *kept = &job->state.student;
    s->step = (decant__classifier_step){.plan = &s->plan,
                                        .lesson = &s->lesson,
                                        .radius = s->batch_radius,
                                        .seed = options->seed,
                                        .optimizer = {.kind = DECANT_OPTIMIZER_ADAM,
                                                      .params = kept->params,
                                                      .moment1 = kept->moment1,
                                                      .moment2 = kept->moment2,
                                                      .bias_rate = 1}};
    TRY(ask_teacher(s));
    TRY(measure_radii(s));
done:
    if (status != DECANT_OK) student_free(s);
    return status;
}

static double rate_at(uint64_t step, size_t steps) {
    double along = (double)step / (double)steps;
    if (along <= CONSTANT) return RATE;
    return RATE * 0.5 * (1 + decant__cos_turns(0.5 * (along - CONSTANT) / (1 - CONSTANT)));
}

static void batch_step(void *context) {
    student *s = context;
    decant__rows x = decant__source_fetch(s->job->source, s->index, 0, s->size, &s->buffer);
    decant__classifier_step step = s->step;
    step.x = &x;
    decant__classifier_train(&step, &s->pass);
}

/* One minibatch; returns its loss, without the term for the sizes. */
static double train_batch(student *s) {
    decant__state *state = &s->job->state;
    double sum = 0;
    decant__shards shards;
    decant__order_take(&s->order, state->step * s->size, s->size, s->index, &shards);
    for (size_t i = 0; i < s->size; i++) {
        s->batch_sure[i] = s->sure[s->index[i]];
        s->batch_radius[i] = s->radius[s->index[i]];
    }
    s->step.step = state->step;
    decant__optimizer_step(&s->step.optimizer, (size_t)state->step, rate_at(state->step, s->steps),
                           0);
    decant__team_run_helped(s->job->threads, batch_step, s);
    for (size_t i = 0; i < s->size; i++) sum += s->pass.loss[i] + s->pass.divergence[i];
    return sum / (double)s->size;
}

/* A row of history; the loss of the result stays that of refinement. */
static decant_status record(student *s, double changed, size_t smallest) {
    decant__state *state = &s->job->state;
    double refined = state->last_loss;
    decant_status status = decant__state_record(
        state, s->job->phase_text, decant__job_phase_seconds(s->job), changed, smallest);
    state->last_loss = refined;
    return status;
}

/* *diverged: the loss is not finite, and the student is of no use. */
static decant_status train(student *s, int *diverged) {
    decant_status status = DECANT_OK;
    decant__state *state = &s->job->state;
    size_t epoch = (s->n + s->size - 1) / s->size;
    size_t row_steps = epoch > MIN_ROW_STEPS ? epoch : MIN_ROW_STEPS;
    while (state->step < s->steps && !*diverged) {
        double loss = train_batch(s);
        *diverged = !isfinite(loss);
        state->step++;
        state->loss_sum += loss;
        state->loss_count++;
        if (state->step % row_steps == 0 || state->step == s->steps) TRY(record(s, NAN, 0));
        TRY(decant__job_tick(s->job, s->steps, loss, NAN));
    }
done:
    return status;
}

/* ---- the end ---- */

/* Column sums of the inputs of one normalisation, over all rows. */
typedef struct statistics {
    student *s;
    decant__net net; /* up to this layer, folded below it */
    const float *params;
    decant__rows_buffer buffer;
    decant__pass pass;
    size_t first, count;
    double *sum, *square;
} statistics;

static void count_block(void *context) {
    statistics *t = context;
    size_t last = t->net.depth - 1;
    decant__rows x = decant__source_fetch(t->s->job->source, NULL, t->first, t->count, &t->buffer);
    decant__net_forward(&t->net, t->params, &x, NULL, &t->pass);
    decant__batch_norm_count(t->count, t->net.layer[last].out, t->pass.output[last], t->sum,
                             t->square);
}

static decant_status fold_layer(student *s, size_t l, float *params) {
    decant_status status = DECANT_OK;
    const decant__source *source = s->job->source;
    size_t width = s->plan.net.layer[l].out, block = s->n < BLOCK_ROWS ? s->n : BLOCK_ROWS;
    statistics t = {.s = s, .net = decant__classifier_folded(&s->plan), .params = params};
    t.net.depth = l + 1;
    t.net.layer[l].relu = 0;
    NEW_ZEROED(t.sum, width);
    NEW_ZEROED(t.square, width);
    TRY(decant__rows_buffer_new(&t.buffer, source, block));
    TRY(decant__pass_new(&t.pass, &t.net, block, 0, 0, s->job->threads));
    for (t.first = 0; t.first < s->n; t.first += t.count) {
        t.count = s->n - t.first < block ? s->n - t.first : block;
        TRY(decant__watch_poll(&s->job->watch));
        decant__team_run(s->job->threads, count_block, &t);
    }
    TRY(decant__classifier_fold(&s->plan, l, s->n, t.sum, t.square, params));
done:
    decant__rows_buffer_free(&t.buffer);
    decant__pass_free(&t.pass);
    decant__free(t.sum);
    decant__free(t.square);
    return status;
}

typedef struct answers {
    const student *s;
    float *soft;
    int32_t *labels;
} answers;

static void answer_rows(void *context) {
    answers *a = context;
    decant__softmax(a->soft, a->s->n, a->s->k, a->soft);
    decant__hard_assign(a->soft, a->s->n, a->s->k, a->labels, NULL);
}

/* A student that lost a cluster, or that sees many rows otherwise than its teacher, has learnt
 * something else: the teacher's labels stay. */
static decant_status judge(student *s, const float *params, int *kept) {
    decant_status status = DECANT_OK;
    decant__job *job = s->job;
    decant__net net = decant__classifier_folded(&s->plan);
    answers a = {.s = s};
    size_t *count = NULL, changed = 0, smallest = s->n;
    NEW_ARRAY(a.soft, s->n * s->k);
    NEW_ARRAY(a.labels, s->n);
    NEW_ZEROED(count, s->k);
    TRY(decant__encode(&net, params, job->source, job->threads, &job->watch, a.soft));
    decant__team_run(job->threads, answer_rows, &a);
    for (size_t i = 0; i < s->n; i++) {
        changed += a.labels[i] != s->teacher[i];
        count[a.labels[i]]++;
    }
    for (size_t j = 0; j < s->k; j++) smallest = count[j] < smallest ? count[j] : smallest;
    job->state.student_changed = (double)changed / (double)s->n;
    *kept = smallest > 0 && job->state.student_changed <= MAX_CHANGED;
    TRY(record(s, job->state.student_changed, smallest));
done:
    decant__free(a.soft);
    decant__free(a.labels);
    decant__free(count);
    return status;
}

/* The student as a plain net, in place of the one that was trained: all at once, so that a
 * checkpoint never has a half of each. */
static decant_status fold(student *s, int *kept) {
    decant_status status = DECANT_OK;
    float *params = NULL;
    NEW_ARRAY(params, s->plan.parameters);
    memcpy(params, s->job->state.student.params, s->plan.parameters * sizeof *params);
    for (size_t l = 0; l < DECANT__CLASSIFIER_HIDDEN; l++) TRY(fold_layer(s, l, params));
    TRY(judge(s, params, kept));
    memcpy(s->job->state.student.params, params, s->plan.parameters * sizeof *params);
done:
    decant__free(params);
    return status;
}

static decant_status run_student(student *s) {
    decant_status status = DECANT_OK;
    int diverged = 0, kept = 0;
    TRY(train(s, &diverged));
    if (!diverged) TRY(fold(s, &kept));
    if (!kept) decant__student_free(&s->job->state.student);
done:
    return status;
}

decant_status decant__teach(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    decant__classifier plan;
    student s;
    decant__job_begin(job);
    TRY(decant__student_plan(job, &plan));
    if (state->student.parameters == 0) {
        TRY(decant__student_new(&state->student, plan.parameters));
        decant__classifier_init(&plan, job->options->seed, state->student.params);
    }
    TRY(student_new(&s, job));
    status = run_student(&s);
    student_free(&s);
    if (status != DECANT_OK) goto done;
    state->seconds[state->phase] = decant__job_phase_seconds(job);
    decant__state_enter(state, DECANT__PHASE_DONE, 0);
done:
    return decant__job_stopped(job, status);
}
