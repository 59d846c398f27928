#include "dec/landmarks.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/neighbours.h"

enum { MANY_ROWS = 200000, LANDMARKS = 50000, LEAVES = 32 };

static size_t many_rows = MANY_ROWS, landmarks = LANDMARKS;

void decant__landmarks_set(size_t many, size_t count) {
    many_rows = count > 0 ? many : MANY_ROWS;
    landmarks = count > 0 ? count : LANDMARKS;
}

size_t decant__landmarks_count(size_t n, size_t width) {
    return n > many_rows && width <= DECANT__TREE_COLUMNS ? landmarks : 0;
}

size_t decant__landmarks_row(size_t n, size_t count, size_t s) { return s * n / count; }

/* The least s with floor(s n / count) >= row, that is s >= row count / n. */
size_t decant__landmarks_at(size_t n, size_t count, size_t row) {
    return (row * count + n - 1) / n;
}

/* ---- the graph ---- */

/* self: of the rows first .. first+rows-1, which landmark each is. */
static void find_selves(size_t n, size_t count, size_t first, size_t rows, uint32_t *self) {
    memset(self, 0xff, rows * sizeof *self);
    for (size_t s = decant__landmarks_at(n, count, first); s < count; s++) {
        size_t row = decant__landmarks_row(n, count, s);
        if (row >= first + rows) break;
        self[row - first] = (uint32_t)s;
    }
}

/* The neighbours of the rows of this rank, as rows. */
static decant_status search_rows(const decant__job *job, size_t count, decant__graph *graph,
                                 const float *x, const decant__source *points,
                                 const decant__watch *watch) {
    decant_status status = DECANT_OK;
    size_t first = job->begin[job->comm->rank], rows = job->begin[job->comm->rank + 1] - first;
    uint32_t *self = NULL, *index = graph->index + first * graph->count;
    const decant__search wanted = {
        .x = points, .count = graph->count, .threads = job->threads, .watch = watch};
    NEW_ARRAY(self, rows);
    find_selves(graph->n, count, first, rows, self);
    const decant__points others = {x + first * points->d, rows, self, LEAVES};
    TRY(decant__neighbours_among(&wanted, &others, index, graph->weight + first * graph->count));
    for (size_t e = 0; e < rows * graph->count; e++)
        index[e] = (uint32_t)decant__landmarks_row(graph->n, count, index[e]);
done:
    decant__free(self);
    return status;
}

decant_status decant__landmarks_build(decant__job *job, size_t count, decant__graph *graph,
                                      const float *x, size_t width, const decant__watch *watch) {
    decant_status status = DECANT_OK;
    float *chosen = NULL;
    NEW_ARRAY(chosen, count * width);
    for (size_t s = 0; s < count; s++)
        memcpy(chosen + s * width, x + decant__landmarks_row(graph->n, count, s) * width,
               width * sizeof *x);
    const decant__source points = decant__source_dense(chosen, count, width);
    TRY(search_rows(job, count, graph, x, &points, watch));
done:
    decant__free(chosen);
    status = decant__job_agree(job, status);
    if (status != DECANT_OK) return status;
    decant__job_gather(job, graph->index, graph->count * sizeof *graph->index);
    decant__job_gather(job, graph->weight, graph->count * sizeof *graph->weight);
    return decant__graph_weigh(graph, job->threads);
}

decant_status decant__landmarks_thin(const decant__graph *graph, size_t count,
                                     decant__graph *thin) {
    decant_status status = decant__graph_new(thin, count, graph->count);
    if (status != DECANT_OK) return status;
    for (size_t s = 0; s < count; s++) {
        size_t from = decant__landmarks_row(graph->n, count, s) * graph->count;
        memcpy(thin->weight + s * graph->count, graph->weight + from,
               graph->count * sizeof *thin->weight);
        for (size_t m = 0; m < graph->count; m++)
            thin->index[s * graph->count + m] =
                (uint32_t)decant__landmarks_at(graph->n, count, graph->index[from + m]);
    }
    return DECANT_OK;
}

/* ---- labels ---- */

void decant__landmarks_take(const int32_t *labels, size_t n, size_t count, int32_t *taken) {
    for (size_t s = 0; s < count; s++) taken[s] = labels[decant__landmarks_row(n, count, s)];
}

decant_status decant__landmarks_give(const decant__graph *graph, size_t count, size_t k,
                                     const int32_t *taken, int32_t *labels) {
    decant_status status = DECANT_OK;
    size_t n = graph->n;
    float *votes = NULL;
    NEW_ARRAY(votes, k);
    for (size_t i = 0; i < n; i++) {
        int32_t best = 0;
        memset(votes, 0, k * sizeof *votes);
        for (size_t m = i * graph->count; m < (i + 1) * graph->count; m++)
            votes[taken[decant__landmarks_at(n, count, graph->index[m])]] += graph->weight[m];
        for (size_t c = 1; c < k; c++)
            if (votes[c] > votes[best]) best = (int32_t)c;
        labels[i] = best;
    }
    for (size_t s = 0; s < count; s++) labels[decant__landmarks_row(n, count, s)] = taken[s];
done:
    decant__free(votes);
    return status;
}

/* mean: k x width, of the clusters that the landmarks have. */
static decant_status find_means(decant__space x, size_t count, const int32_t *taken, size_t k,
                                double *mean) {
    decant_status status = DECANT_OK;
    size_t width = x.width, *members = NULL;
    NEW_ZEROED(members, k);
    for (size_t s = 0; s < count; s++) {
        members[taken[s]]++;
        for (size_t j = 0; j < width; j++)
            mean[(size_t)taken[s] * width + j] += (double)x.x[s * width + j];
    }
    for (size_t e = 0; e < k * width; e++)
        if (members[e / width] > 0) mean[e] /= (double)members[e / width];
done:
    decant__free(members);
    return status;
}

static int32_t nearest_mean(const float *x, const double *mean, size_t k, size_t width) {
    double least = INFINITY;
    int32_t best = 0;
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t j = 0; j < width; j++) {
            double difference = (double)x[j] - mean[c * width + j];
            sum += difference * difference;
        }
        if (sum < least) least = sum, best = (int32_t)c;
    }
    return best;
}

decant_status decant__landmarks_label(decant__job *job, size_t count, decant__space x,
                                      const decant__watch *watch, const int32_t *taken) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    float *all = NULL;
    double *mean = NULL;
    NEW_ARRAY(all, state->n * x.width);
    NEW_ZEROED(mean, state->k * x.width);
    TRY(decant__job_components(job, 0, x.width, watch, all));
    TRY(find_means(x, count, taken, state->k, mean));
    for (size_t i = 0; i < state->n; i++)
        state->labels[i] = nearest_mean(all + i * x.width, mean, state->k, x.width);
    for (size_t s = 0; s < count; s++)
        state->labels[decant__landmarks_row(state->n, count, s)] = taken[s];
done:
    decant__free(all);
    decant__free(mean);
    return status;
}
