/* The principal components of rows that several ranks have: the mean goes from rank to rank, the
 * rows that the directions are found by (some ten thousand) are gathered in all ranks, each of
 * which finds a share of the directions in every pass over them, and projects its own rows. */
#include <string.h>

#include "base/memory.h"
#include "dec/job.h"
#include "dec/landmarks.h"
#include "linalg/principal.h"

enum { BLOCK_ROWS = 512, FEW_ROWS = 2048, IMAGE_ROWS = 1024, FEW_COMPONENTS = 30 };
/* Rows are diffuse if the first components have less than this share of the variance. It is 0.10 to
 * 0.18 for texts and cells, 0.7 and more for images and tables. */
static const double DIFFUSE = 0.5;

typedef struct components {
    decant__job *job;
    decant__rows_buffer buffer;
    double *mean; /* d */
    /* the sample: rows of all ranks */
    uint32_t *row;                       /* those of this rank, numbered from its first */
    size_t begin[DECANT__MAX_RANKS + 1]; /* of each rank's rows in the sample */
    float *dense;                        /* sample x d */
    size_t *start;                       /* CSR */
    uint32_t *column;
    float *value;
    decant__source sample;
} components;

static void components_free(components *c) {
    decant__rows_buffer_free(&c->buffer);
    decant__free(c->mean);
    decant__free(c->row);
    decant__free(c->dense);
    decant__free(c->start);
    decant__free(c->column);
    decant__free(c->value);
}

static decant_status add_rows(void *context) {
    components *c = context;
    const decant__source *x = c->job->source;
    for (size_t first = 0; first < x->n; first += BLOCK_ROWS) {
        size_t count = x->n - first < BLOCK_ROWS ? x->n - first : BLOCK_ROWS;
        decant__principal_add(x, &c->buffer, first, count, c->mean);
    }
    return DECANT_OK;
}

static decant_status find_mean(components *c) {
    decant_status status = DECANT_OK;
    const decant__source *x = c->job->source;
    size_t n = decant__job_all(c->job, x->n);
    NEW_ZEROED(c->mean, x->d);
    TRY(decant__rows_buffer_new(&c->buffer, x, BLOCK_ROWS));
    const decant__relay relay = {
        .work = add_rows, .context = c, .piece = {{c->mean, x->d * sizeof *c->mean}}};
    TRY(decant__comm_relay(c->job->comm, &relay));
    for (size_t j = 0; j < x->d; j++) c->mean[j] /= (double)n;
done:
    return decant__job_agree(c->job, status);
}

/* Which rows, and how many each rank has of them. */
static decant_status choose_rows(components *c) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    int ranks = job->comm->size, own = job->comm->rank;
    size_t n = job->begin[ranks];
    for (int r = 0; r < ranks; r++)
        c->begin[r + 1] =
            c->begin[r] +
            decant__principal_sample(n, job->begin[r], job->begin[r + 1] - job->begin[r], NULL);
    NEW_ARRAY(c->row, c->begin[own + 1] - c->begin[own]);
    decant__principal_sample(n, job->begin[own], job->begin[own + 1] - job->begin[own], c->row);
done:
    return status;
}

static void gather(const components *c, void *x, size_t size, const size_t *begin) {
    size_t bytes[DECANT__MAX_RANKS + 1];
    for (int r = 0; r <= c->job->comm->size; r++) bytes[r] = begin[r] * size;
    decant__comm_gather(c->job->comm, x, bytes);
}

static decant_status gather_dense(components *c) {
    decant_status status = DECANT_OK;
    const decant__source *x = c->job->source;
    int ranks = c->job->comm->size, own = c->job->comm->rank;
    size_t rows = c->begin[ranks], d = x->d;
    NEW_ARRAY(c->dense, rows * d);
    for (size_t i = c->begin[own]; i < c->begin[own + 1]; i++)
        decant__source_copy(x, c->row[i - c->begin[own]], c->dense + i * d);
    c->sample = decant__source_dense(c->dense, rows, d);
done:
    status = decant__job_agree(c->job, status);
    if (status == DECANT_OK) gather(c, c->dense, d * sizeof *c->dense, c->begin);
    return status;
}

/* First how long the rows are, so that all know where they go. */
static decant_status gather_sparse(components *c) {
    decant_status status = DECANT_OK;
    const decant__source *x = c->job->source;
    int ranks = c->job->comm->size, own = c->job->comm->rank;
    size_t rows = c->begin[ranks], entries[DECANT__MAX_RANKS + 1];
    NEW_ZEROED(c->start, rows + 1);
    for (size_t i = c->begin[own]; i < c->begin[own + 1]; i++) {
        size_t row = c->row[i - c->begin[own]];
        c->start[1 + i] = x->start[row + 1] - x->start[row];
    }
    TRY(decant__job_agree(c->job, DECANT_OK));
    gather(c, c->start + 1, sizeof *c->start, c->begin);
    for (size_t i = 0; i < rows; i++) c->start[i + 1] += c->start[i];
    for (int r = 0; r <= ranks; r++) entries[r] = c->start[c->begin[r]];
    NEW_ARRAY(c->column, c->start[rows]);
    NEW_ARRAY(c->value, c->start[rows]);
    for (size_t i = c->begin[own]; i < c->begin[own + 1]; i++) {
        size_t from = x->start[c->row[i - c->begin[own]]], count = c->start[i + 1] - c->start[i];
        memcpy(c->column + c->start[i], x->column + from, count * sizeof *c->column);
        memcpy(c->value + c->start[i], x->value + from, count * sizeof *c->value);
    }
    TRY(decant__job_agree(c->job, DECANT_OK));
    gather(c, c->column, sizeof *c->column, entries);
    gather(c, c->value, sizeof *c->value, entries);
    c->sample = (decant__source){
        .n = rows, .d = x->d, .start = c->start, .column = c->column, .value = c->value};
done:
    return decant__job_agree(c->job, status);
}

/* Of each rank, its first row among those whose scores are wanted; and which these are. */
static decant_status list_wanted(const components *c, size_t landmarks, size_t *begin,
                                 decant__principal *wanted, uint32_t **list) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    int ranks = job->comm->size, own = job->comm->rank;
    size_t n = job->begin[ranks];
    for (int r = 0; r <= ranks; r++)
        begin[r] =
            landmarks > 0 ? decant__landmarks_at(n, landmarks, job->begin[r]) : job->begin[r];
    if (landmarks == 0) return DECANT_OK;
    wanted->rows = begin[own + 1] - begin[own];
    NEW_ARRAY(*list, wanted->rows + 1);
    for (size_t i = 0; i < wanted->rows; i++)
        (*list)[i] =
            (uint32_t)(decant__landmarks_row(n, landmarks, begin[own] + i) - job->begin[own]);
    wanted->row = *list;
done:
    return status;
}

/* Evenly spread rows instead of those that the directions are found by. */
static decant_status choose_few(components *c, size_t count) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    int ranks = job->comm->size, own = job->comm->rank;
    size_t n = job->begin[ranks];
    for (int r = 0; r <= ranks; r++) c->begin[r] = decant__landmarks_at(n, count, job->begin[r]);
    NEW_ARRAY(c->row, c->begin[own + 1] - c->begin[own] + 1);
    for (size_t s = c->begin[own]; s < c->begin[own + 1]; s++)
        c->row[s - c->begin[own]] =
            (uint32_t)(decant__landmarks_row(n, count, s) - job->begin[own]);
done:
    return status;
}

/* Who has all rows looks at the few where they are: of many columns they are a lot of memory. */
static decant_status gather_few(components *c) {
    if (c->job->comm->size > 1)
        return c->job->source->dense != NULL ? gather_dense(c) : gather_sparse(c);
    const decant__source *x = c->job->source;
    c->sample = *x;
    c->sample.n = c->begin[1];
    for (size_t i = 0; x->rows != NULL && i < c->sample.n; i++) c->row[i] = x->rows[c->row[i]];
    c->sample.rows = c->row;
    return DECANT_OK;
}

/* The sum over rows of |x - mean|^2. */
static decant_status sum_variance(components *c, double *sum) {
    decant_status status = DECANT_OK;
    const decant__source *x = &c->sample;
    double square = 0, mean = 0;
    NEW_ZEROED(c->mean, x->d);
    TRY(decant__rows_buffer_new(&c->buffer, x, 1));
    for (size_t i = 0; i < x->n; i++) {
        decant__principal_add(x, &c->buffer, i, 1, c->mean);
        decant__rows row = decant__source_fetch(x, NULL, i, 1, &c->buffer);
        size_t begin = row.dense != NULL ? 0 : row.begin[0];
        size_t end = row.dense != NULL ? x->d : row.end[0];
        const float *value = row.dense != NULL ? row.dense : row.value;
        for (size_t e = begin; e < end; e++) square += (double)value[e] * (double)value[e];
    }
    for (size_t j = 0; j < x->d; j++) mean += c->mean[j] * c->mean[j] / (double)x->n;
    *sum = square - mean;
done:
    return status;
}

decant_status decant__job_is_diffuse(decant__job *job, int *diffuse) {
    decant_status status = DECANT_OK;
    components c = {.job = job};
    float *scores = NULL;
    double all, sum = 0;
    size_t n = job->begin[job->comm->size], count = n < FEW_ROWS ? n : FEW_ROWS;
    TRY(decant__job_agree(job, choose_few(&c, count)));
    TRY(gather_few(&c));
    NEW_ARRAY(scores, count * FEW_COMPONENTS);
    TRY(sum_variance(&c, &all));
    TRY(decant__principal_scores(&c.sample, FEW_COMPONENTS, job->options->seed, job->threads,
                                 &job->watch, scores));
    for (size_t i = 0; i < count * FEW_COMPONENTS; i++)
        sum += (double)scores[i] * (double)scores[i];
    *diffuse = all > 0 && sum < DIFFUSE * all;
done:
    components_free(&c);
    decant__free(scores);
    return decant__job_agree(job, status);
}

/* The pixels as the data has them: the scaling so far is one factor. */
static decant_status take_gradients(const components *c, const decant__gradients *found,
                                    size_t rows) {
    decant__job *job = c->job;
    float factor = job->scale.scale[0];
    decant__gradients gradients = *found;
    for (size_t i = 0; i < rows * job->scale.d; i++) c->dense[i] /= factor;
    gradients.unit *= factor;
    return decant__scale_gradients(&job->scale, &gradients, job->options->mean_square, c->dense,
                                   rows);
}

decant_status decant__job_see_images(decant__job *job, int asked) {
    decant_status status = DECANT_OK;
    components c = {.job = job};
    decant__gradients found = {0};
    size_t n = job->begin[job->comm->size], count = n < IMAGE_ROWS ? n : IMAGE_ROWS;
    size_t d = job->source->d;
    if (job->source->dense != NULL && decant__gradients_possible(d)) {
        TRY(decant__job_agree(job, choose_few(&c, count)));
        TRY(gather_dense(&c));
        TRY(decant__gradients_recognise(c.dense, count, d, asked, &found));
        if (found.width > 0) TRY(take_gradients(&c, &found, count));
    }
    if (asked && found.width == 0)
        TRY(decant__fail(DECANT_EINVAL,
                         "scaling gradients is for 64 or more grey images of 12 x 12 to 128 x 128 "
                         "pixels, and these rows are none: in images the neighbours of a pixel are "
                         "like it"));
done:
    components_free(&c);
    return decant__job_agree(job, status);
}

decant_status decant__job_components(decant__job *job, size_t landmarks, size_t width,
                                     const decant__watch *watch, float *scores) {
    decant_status status = DECANT_OK;
    components c = {.job = job};
    size_t begin[DECANT__MAX_RANKS + 1];
    uint32_t *list = NULL;
    decant__principal wanted = {.x = job->source,
                                .count = width,
                                .seed = job->options->seed,
                                .threads = job->threads,
                                .comm = job->comm,
                                .watch = watch};
    TRY(list_wanted(&c, landmarks, begin, &wanted, &list));
    if (job->comm->size > 1) {
        TRY(find_mean(&c));
        TRY(choose_rows(&c));
        TRY(job->source->dense != NULL ? gather_dense(&c) : gather_sparse(&c));
        wanted.sample = &c.sample;
        wanted.mean = c.mean;
    }
    TRY(decant__principal_project(&wanted, scores + begin[job->comm->rank] * width));
done:
    status = decant__job_agree(job, status);
    if (status == DECANT_OK) gather(&c, scores, width * sizeof *scores, begin);
    components_free(&c);
    decant__free(list);
    return status;
}
