#include "linalg/principal.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/team.h"
#include "linalg/symmetric.h"

/* With more columns than requested the leading ones converge sooner. */
enum { BLOCK_ROWS = 512, EXTRA = 6, PASSES = 7, MAX = 40, ASK_EVERY = 16 };
/* The directions of many rows are found by a part of them: every so many-th block, at least these.
 */
enum { MIN_BLOCKS = 20 };

typedef struct iteration {
    const decant__source *x;
    size_t stride;     /* of blocks that V is found by */
    size_t d, q;       /* q: columns of V */
    size_t begin, end; /* those that a pass computes: with other ranks, a share of them */
    int threads;
    const decant__comm *comm;
    double *mean;       /* d */
    float *v;           /* d x q */
    double *shift;      /* q: m V */
    double *next;       /* d x q: C V */
    float *z;           /* BLOCK_ROWS x q: (X - m) V of a block */
    double *column_sum; /* q: sum of z over all rows; 0 but for rounding */
    decant__rows_buffer buffer;
    decant__cancel cancel;
} iteration;

static void iteration_free(iteration *it) {
    decant__free(it->mean);
    decant__free(it->v);
    decant__free(it->shift);
    decant__free(it->next);
    decant__free(it->z);
    decant__free(it->column_sum);
    decant__rows_buffer_free(&it->buffer);
}

static decant_status iteration_new(iteration *it, const decant__source *x, size_t q, int threads) {
    decant_status status = DECANT_OK;
    *it = (iteration){.x = x, .d = x->d, .q = q, .threads = threads};
    NEW_ZEROED(it->mean, it->d);
    NEW_ARRAY(it->v, it->d * q);
    NEW_ARRAY(it->shift, q);
    NEW_ARRAY(it->next, it->d * q);
    NEW_ARRAY(it->z, BLOCK_ROWS * q);
    NEW_ARRAY(it->column_sum, q);
    TRY(decant__rows_buffer_new(&it->buffer, x, BLOCK_ROWS));
done:
    return status;
}

/* out (q) = row i of the block times V, less the mean's part. */
static void project_row(const iteration *it, const decant__rows *rows, size_t i, float *out) {
    double sum[MAX];
    size_t q = it->q, from = it->begin, to = it->end;
    for (size_t c = from; c < to; c++) sum[c] = -it->shift[c];
    size_t begin = rows->dense != NULL ? 0 : rows->begin[i];
    size_t end = rows->dense != NULL ? it->d : rows->end[i];
    const float *value = rows->dense != NULL ? rows->dense + i * it->d : rows->value;
    for (size_t e = begin; e < end; e++) {
        if (value[e] == 0) continue;
        const float *v = it->v + (rows->dense != NULL ? e : rows->column[e]) * q;
        for (size_t c = from; c < to; c++) sum[c] += (double)value[e] * (double)v[c];
    }
    for (size_t c = from; c < to; c++) out[c] = (float)sum[c];
}

/* next += block^T z. Each column of V has one owner, who goes through the rows in order. */
static void add_products(const iteration *it, const decant__rows *rows) {
    TEAM_FOR (own, it->end - it->begin)
        for (size_t i = 0, c = it->begin + own; i < rows->n; i++) {
            double z = (double)it->z[i * it->q + c];
            size_t begin = rows->dense != NULL ? 0 : rows->begin[i];
            size_t end = rows->dense != NULL ? it->d : rows->end[i];
            const float *value = rows->dense != NULL ? rows->dense + i * it->d : rows->value;
            double *next = it->next + c * it->d;
            it->column_sum[c] += z;
            for (size_t e = begin; e < end; e++)
                next[rows->dense != NULL ? e : rows->column[e]] += (double)value[e] * z;
        }
}

static void set_shift(iteration *it) {
    for (size_t c = 0; c < it->q; c++) {
        it->shift[c] = 0;
        for (size_t j = 0; j < it->d; j++)
            it->shift[c] += it->mean[j] * (double)it->v[j * it->q + c];
    }
}

/* What a pass over the data is to fill. */
typedef struct pass_output {
    iteration *it;
    float *scores; /* rows x count; NULL: the next V */
    size_t count;
    const uint32_t *row; /* of x; NULL: all */
    size_t rows;
} pass_output;

static void pass_blocks(void *context) {
    const pass_output *to = context;
    iteration *it = to->it;
    float *scores = to->scores;
    size_t count = to->count;
    size_t stride = scores == NULL ? it->stride : 1;
    for (size_t first = 0; first < to->rows; first += stride * BLOCK_ROWS) {
        size_t rows = to->rows - first < BLOCK_ROWS ? to->rows - first : BLOCK_ROWS;
        const uint32_t *row = to->row != NULL ? to->row + first : NULL;
        decant__rows block = decant__source_fetch(it->x, row, first, rows, &it->buffer);
        TEAM_FOR (i, rows) {
            if (i % ASK_EVERY == 0) decant__cancel_asked(&it->cancel);
            if (decant__cancel_known(&it->cancel)) continue;
            project_row(it, &block, i, it->z + i * it->q);
            for (size_t c = 0; scores != NULL && c < count && c < it->q; c++)
                scores[(first + i) * count + c] = it->z[i * it->q + c];
        }
        if (scores == NULL && !decant__cancel_known(&it->cancel)) add_products(it, &block);
    }
}

/* Column c of V is computed by one of the ranks. */
static size_t first_column(const iteration *it, int rank) {
    return it->q * (size_t)rank / (size_t)it->comm->size;
}

static void gather_columns(const iteration *it) {
    size_t begin[DECANT__MAX_RANKS + 1];
    for (int r = 0; r <= it->comm->size; r++)
        begin[r] = first_column(it, r) * it->d * sizeof *it->next;
    decant__comm_gather(it->comm, it->next, begin);
}

/* One pass over the data: next (q x d, a row for each column of V) = C V, or scores = (X - m) V
 * where scores is not NULL, which are those of each rank's own rows. */
static decant_status pass(pass_output to) {
    iteration *it = to.it;
    it->begin = to.scores == NULL ? first_column(it, it->comm->rank) : 0;
    it->end = to.scores == NULL ? first_column(it, it->comm->rank + 1) : it->q;
    memset(it->next, 0, it->d * it->q * sizeof *it->next);
    memset(it->column_sum, 0, it->q * sizeof *it->column_sum);
    set_shift(it);
    decant__team_run(it->threads, pass_blocks, &to);
    for (size_t c = it->begin; c < it->end; c++)
        for (size_t j = 0; j < it->d; j++)
            it->next[c * it->d + j] -= it->mean[j] * it->column_sum[c];
    if (to.scores != NULL) return it->cancel.status;
    decant_status status = decant__comm_agree(it->comm, it->cancel.status);
    if (status == DECANT_OK) gather_columns(it);
    return status;
}

static size_t stride_of(size_t n) {
    size_t blocks = n / BLOCK_ROWS;
    return blocks >= 2 * MIN_BLOCKS ? blocks / MIN_BLOCKS : 1;
}

size_t decant__principal_sample(size_t n, size_t first, size_t count, uint32_t *row) {
    size_t stride = stride_of(n), found = 0;
    for (size_t i = first; i < first + count; i++) {
        if (i / BLOCK_ROWS % stride != 0) continue;
        if (row != NULL) row[found] = (uint32_t)(i - first);
        found++;
    }
    return found;
}

void decant__principal_add(const decant__source *x, decant__rows_buffer *buffer, size_t first,
                           size_t count, double *sum) {
    decant__rows rows = decant__source_fetch(x, NULL, first, count, buffer);
    for (size_t i = 0; i < count; i++) {
        size_t begin = rows.dense != NULL ? 0 : rows.begin[i];
        size_t end = rows.dense != NULL ? x->d : rows.end[i];
        const float *value = rows.dense != NULL ? rows.dense + i * x->d : rows.value;
        for (size_t e = begin; e < end; e++)
            sum[rows.dense != NULL ? e : rows.column[e]] += (double)value[e];
    }
}

static decant_status find_mean(iteration *it) {
    for (size_t first = 0; first < it->x->n; first += BLOCK_ROWS) {
        if (decant__cancel_asked(&it->cancel)) return it->cancel.status;
        size_t count = it->x->n - first < BLOCK_ROWS ? it->x->n - first : BLOCK_ROWS;
        decant__principal_add(it->x, &it->buffer, first, count, it->mean);
    }
    for (size_t j = 0; j < it->d; j++) it->mean[j] /= (double)it->x->n;
    return DECANT_OK;
}

static double dot_columns(const double *a, const double *b, size_t d) {
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += a[j] * b[j];
    return sum;
}

/* Gram-Schmidt, twice, on the rows of next; what depends on those before becomes 0. */
static void orthonormalise_columns(iteration *it) {
    size_t d = it->d;
    for (size_t c = 0; c < it->q; c++) {
        double *row = it->next + c * d, before = sqrt(dot_columns(row, row, d));
        for (int twice = 0; twice < 2; twice++)
            for (size_t b = 0; b < c; b++) {
                const double *other = it->next + b * d;
                double part = dot_columns(row, other, d);
                for (size_t j = 0; j < d; j++) row[j] -= part * other[j];
            }
        double length = sqrt(dot_columns(row, row, d));
        double scale = length > 1e-7 * before && length > 0 ? 1 / length : 0;
        for (size_t j = 0; j < d; j++) row[j] *= scale;
    }
    for (size_t j = 0; j < d; j++)
        for (size_t c = 0; c < it->q; c++) it->v[j * it->q + c] = (float)it->next[c * d + j];
}

/* V <- V U with U the eigenvectors of V^T C V, the largest eigenvalue first. */
static decant_status rotate_to_components(iteration *it) {
    decant_status status = DECANT_OK;
    size_t q = it->q;
    double small[MAX * MAX], values[MAX], rotated[MAX];
    TRY(pass((pass_output){.it = it, .rows = it->x->n}));
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++) {
            double sum = 0;
            for (size_t j = 0; j < it->d; j++)
                sum += (double)it->v[j * q + a] * it->next[b * it->d + j];
            small[a * q + b] = sum;
        }
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < a; b++)
            small[a * q + b] = small[b * q + a] = (small[a * q + b] + small[b * q + a]) / 2;
    TRY(decant__symmetric_eigen(small, q, values));
    for (size_t j = 0; j < it->d; j++) {
        float *v = it->v + j * q;
        for (size_t c = 0; c < q; c++) {
            rotated[c] = 0;
            for (size_t a = 0; a < q; a++) rotated[c] += small[(q - 1 - c) * q + a] * (double)v[a];
        }
        for (size_t c = 0; c < q; c++) v[c] = (float)rotated[c];
    }
done:
    return status;
}

/* An eigenvector's sign is anybody's choice: the entry of largest magnitude is positive. */
static void fix_signs(iteration *it) {
    for (size_t c = 0; c < it->q; c++) {
        float largest = 0;
        for (size_t j = 0; j < it->d; j++)
            if (fabsf(it->v[j * it->q + c]) > fabsf(largest)) largest = it->v[j * it->q + c];
        for (size_t j = 0; largest < 0 && j < it->d; j++) it->v[j * it->q + c] *= -1;
    }
}

decant_status decant__principal_project(const decant__principal *wanted, float *scores) {
    decant_status status = DECANT_OK;
    const decant__source *x = wanted->x;
    iteration it = {0};
    size_t count = wanted->count, q = count + EXTRA < x->d ? count + EXTRA : x->d;
    size_t rows = wanted->row != NULL ? wanted->rows : x->n;
    decant__random random = decant__random_start(wanted->seed, DECANT__RANDOM_PRINCIPAL, 0);
    if (q > MAX)
        return decant__fail(DECANT_EINVAL,
                            "%zu principal components were requested; at most %d can be found",
                            count, MAX - EXTRA);
    memset(scores, 0, rows * count * sizeof *scores);
    TRY(iteration_new(&it, x, q, wanted->threads));
    it.comm = wanted->comm != NULL ? wanted->comm : decant__comm_alone();
    decant__cancel_init(&it.cancel, wanted->watch);
    it.stride = stride_of(x->n);
    if (wanted->mean == NULL)
        TRY(find_mean(&it));
    else
        memcpy(it.mean, wanted->mean, x->d * sizeof *it.mean);
    if (wanted->sample != NULL) {
        it.x = wanted->sample;
        it.stride = 1;
    }
    for (size_t j = 0; j < x->d * q; j++) it.next[j] = decant__random_normal(&random);
    orthonormalise_columns(&it);
    for (int i = 0; i < PASSES; i++) {
        TRY(pass((pass_output){.it = &it, .rows = it.x->n}));
        orthonormalise_columns(&it);
    }
    TRY(rotate_to_components(&it));
    fix_signs(&it);
    it.x = x;
    TRY(pass((pass_output){&it, scores, count, wanted->row, rows}));
done:
    iteration_free(&it);
    return status;
}

decant_status decant__principal_scores(const decant__source *x, size_t count, uint64_t seed,
                                       int threads, const decant__watch *watch, float *scores) {
    const decant__principal wanted = {
        .x = x, .count = count, .seed = seed, .threads = threads, .watch = watch};
    return decant__principal_project(&wanted, scores);
}
