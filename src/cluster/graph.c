#include "cluster/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"
#include "linalg/neighbours.h"

decant_status decant__graph_new(decant__graph *graph, size_t n, size_t count) {
    decant_status status = DECANT_OK;
    *graph = (decant__graph){.n = n, .count = count};
    NEW_ZEROED(graph->index, n * count);
    NEW_ZEROED(graph->weight, n * count);
done:
    if (status != DECANT_OK) decant__graph_free(graph);
    return status;
}

void decant__graph_free(decant__graph *graph) {
    decant__free(graph->index);
    decant__free(graph->weight);
    *graph = (decant__graph){0};
}

/* Weights that are computed side by side. */
enum { PART = 32 };

/* In place of squared distances, weights; scale[i] is the distance to i's last neighbour. */
static void weigh_row(decant__graph *graph, size_t i, const float *scale) {
    float *weight = graph->weight + i * graph->count;
    const uint32_t *index = graph->index + i * graph->count;
    double sum = 0, part[PART];
    for (size_t from = 0; from < graph->count; from += PART) {
        size_t count = graph->count - from < PART ? graph->count - from : PART;
        for (size_t m = 0; m < count; m++) {
            double square = (double)weight[from + m];
            double product = (double)scale[i] * (double)scale[index[from + m]];
            /* Among duplicates all distances are 0, and so may be the scales. */
            part[m] = product > 0 ? -square / product : square > 0 ? -HUGE_VAL : 0;
        }
        decant__exp_each(part, count);
        for (size_t m = 0; m < count; m++) {
            weight[from + m] = (float)part[m];
            sum += (double)weight[from + m];
        }
    }
    for (size_t m = 0; m < graph->count; m++)
        weight[m] = sum > 0 ? (float)((double)weight[m] / sum) : 1 / (float)graph->count;
}

typedef struct graph_scales {
    decant__graph *graph;
    float *scale; /* n */
} graph_scales;

static void weigh_graph_rows(void *context) {
    const graph_scales *s = context;
    TEAM_FOR (i, s->graph->n) weigh_row(s->graph, i, s->scale);
}

decant_status decant__graph_build(decant__graph *graph, const float *z, size_t l, int threads,
                                  const decant__watch *watch) {
    decant__source points = decant__source_dense(z, graph->n, l);
    decant_status status =
        decant__neighbours_find(&points, graph->count, threads, watch, graph->index, graph->weight);
    return status == DECANT_OK ? decant__graph_weigh(graph, threads) : status;
}

decant_status decant__graph_weigh(decant__graph *graph, int threads) {
    decant_status status = DECANT_OK;
    graph_scales s = {.graph = graph};
    NEW_ARRAY(s.scale, graph->n);
    for (size_t i = 0; i < graph->n; i++)
        s.scale[i] = sqrtf(graph->weight[i * graph->count + graph->count - 1]);
    decant__team_run(threads, weigh_graph_rows, &s);
done:
    decant__free(s.scale);
    return status;
}

typedef struct neighbour {
    float weight;
    uint32_t index;
} neighbour;

/* The heaviest first. */
static int by_weight(const void *a, const void *b) {
    const neighbour *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* all: scratch, 2 K. */
static void join_row(size_t count, uint32_t *index, float *weight, const uint32_t *other_index,
                     const float *other_weight, neighbour *all) {
    size_t found = count;
    double sum = 0;
    for (size_t m = 0; m < count; m++) all[m] = (neighbour){weight[m], index[m]};
    for (size_t m = 0; m < count; m++) {
        size_t at = 0;
        while (at < count && index[at] != other_index[m]) at++;
        if (at == count) all[at = found++] = (neighbour){0, other_index[m]};
        all[at].weight += other_weight[m];
    }
    qsort(all, found, sizeof *all, by_weight);
    for (size_t m = 0; m < count; m++) sum += (double)all[m].weight;
    for (size_t m = 0; m < count; m++) {
        index[m] = all[m].index;
        weight[m] = (float)((double)all[m].weight / sum);
    }
}

decant_status decant__graph_join(decant__graph *graph, const decant__graph *other) {
    decant_status status = DECANT_OK;
    neighbour *all = NULL;
    size_t count = graph->count;
    NEW_ARRAY(all, 2 * count);
    for (size_t i = 0; i < graph->n; i++)
        join_row(count, graph->index + i * count, graph->weight + i * count,
                 other->index + i * count, other->weight + i * count, all);
done:
    decant__free(all);
    return status;
}

DECANT_CLONES
static void smooth_row(size_t count, size_t width, const uint32_t *restrict index,
                       const float *restrict weight, const float *restrict x,
                       const float *restrict own, float *restrict out) {
    for (size_t c = 0; c < width; c++) out[c] = own[c];
    for (size_t m = 0; m < count; m++) {
        const float *restrict other = x + index[m] * width;
        for (size_t c = 0; c < width; c++) out[c] += weight[m] * other[c];
    }
    for (size_t c = 0; c < width; c++) out[c] *= 0.5F;
}

void decant__graph_smooth(const decant__graph *graph, float *x, size_t width, size_t steps,
                          float *other) {
    float *from = x, *to = other;
    for (size_t t = 0; t < steps; t++) {
        TEAM_FOR (i, graph->n)
            smooth_row(graph->count, width, graph->index + i * graph->count,
                       graph->weight + i * graph->count, from, from + i * width, to + i * width);
        float *swap = from;
        from = to;
        to = swap;
    }
    if (from != x) TEAM_SINGLE memcpy(x, from, graph->n * width * sizeof *x);
}
