#include "embed/affinity.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/team.h"

enum { MAX_HALVINGS = 64 };

/* Entropy (in nats) of weights exp(-b (d - d_0)), which are left in weight, scaled to sum 1. */
static double row_entropy(const float *distance, size_t count, double b, double *weight) {
    double sum = 1, mean = 0;
    weight[0] = 1;
    for (size_t m = 1; m < count; m++) {
        double beyond = (double)distance[m] - (double)distance[0];
        weight[m] = -b * beyond;
    }
    decant__exp_each(weight + 1, count - 1);
    for (size_t m = 1; m < count; m++) {
        sum += weight[m];
        mean += weight[m] * ((double)distance[m] - (double)distance[0]);
    }
    for (size_t m = 0; m < count; m++) weight[m] /= sum;
    return decant__log(sum) + b * mean / sum;
}

/* Entropy falls as b grows: double or halve b until it is bracketed, then bisect. Rows of equal
 * distances have the same entropy for every b; they end with equal weights. */
static void search_row(const float *distance, size_t count, double perplexity, double *weight) {
    double wanted = decant__log(perplexity), low = 0, high = INFINITY;
    double width = (double)distance[count - 1] - (double)distance[0];
    double b = width > 0 ? 1 / width : 1;
    for (int i = 0; i < MAX_HALVINGS; i++) {
        double excess = row_entropy(distance, count, b, weight) - wanted;
        if (fabs(excess) < 1e-6 || !(width > 0)) return;
        if (excess > 0)
            low = b;
        else
            high = b;
        b = isinf(high) ? 2 * b : (low + high) / 2;
    }
}

/* One directed link of the neighbour lists. */
typedef struct link {
    uint32_t to;
    float weight;
} link;

/* Rows have about a hundred links: insertion is fast enough. */
static void sort_row(link *row, size_t count) {
    for (size_t m = 1; m < count; m++) {
        link moved = row[m];
        size_t at = m;
        for (; at > 0 && row[at - 1].to > moved.to; at--) row[at] = row[at - 1];
        row[at] = moved;
    }
}

/* Neighbour lists on their way to links. */
typedef struct weighing {
    const uint32_t *index;
    const float *distance;
    size_t n, count;
    double perplexity;
    double *weight; /* threads x count */
    link *links;    /* n x count */
} weighing;

static void weigh_neighbours(void *context) {
    const weighing *w = context;
    size_t count = w->count;
    double *weight = w->weight + decant__team_member() * count;
    TEAM_FOR (i, w->n) {
        search_row(w->distance + i * count, count, w->perplexity, weight);
        for (size_t m = 0; m < count; m++)
            w->links[i * count + m] = (link){w->index[i * count + m], (float)weight[m]};
        sort_row(w->links + i * count, count);
    }
}

/* links (n x count), each row sorted by target. */
static decant_status find_links(const uint32_t *index, const float *distance, size_t n,
                                size_t count, double perplexity, int threads, link *links) {
    decant_status status = DECANT_OK;
    weighing w = {index, distance, n, count, perplexity, NULL, links};
    NEW_ARRAY(w.weight, (size_t)threads * count);
    decant__team_run(threads, weigh_neighbours, &w);
done:
    decant__free(w.weight);
    return status;
}

/* The reversed links: those into i are [begin[i], begin[i+1]), sorted by where they come
 * from. */
static void reverse_links(const link *links, size_t n, size_t count, size_t *begin,
                          link *reversed) {
    memset(begin, 0, (n + 1) * sizeof *begin);
    for (size_t e = 0; e < n * count; e++) begin[links[e].to + 1]++;
    for (size_t i = 0; i < n; i++) begin[i + 1] += begin[i];
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < count; m++) {
            const link *forward = &links[i * count + m];
            reversed[begin[forward->to]++] = (link){(uint32_t)i, forward->weight};
        }
    for (size_t i = n; i > 0; i--) begin[i] = begin[i - 1];
    begin[0] = 0;
}

/* Merges two sorted lists, adding the weights of links in both. column and value NULL: only counts.
 */
static size_t merge_links(const link *a, size_t a_count, const link *b, size_t b_count, float scale,
                          uint32_t *column, float *value) {
    size_t i = 0, j = 0, made = 0;
    while (i < a_count || j < b_count) {
        int left = j == b_count || (i < a_count && a[i].to <= b[j].to);
        int right = i == a_count || (j < b_count && b[j].to <= a[i].to);
        float weight = (left ? a[i].weight : 0) + (right ? b[j].weight : 0);
        if (column != NULL) {
            column[made] = left ? a[i].to : b[j].to;
            value[made] = weight * scale;
        }
        made++;
        i += (size_t)left;
        j += (size_t)right;
    }
    return made;
}

/* Links in both directions, to be added up row by row. */
typedef struct merging {
    const link *links, *reversed;
    const size_t *begin;
    size_t count;
    float scale;
    decant__affinity *p;
} merging;

static size_t merge_row(const merging *m, size_t i, uint32_t *column, float *value) {
    return merge_links(m->links + i * m->count, m->count, m->reversed + m->begin[i],
                       m->begin[i + 1] - m->begin[i], m->scale, column, value);
}

static void merge_rows(void *context) {
    const merging *m = context;
    TEAM_FOR (i, m->p->n)
        merge_row(m, i, m->p->column + m->p->start[i], m->p->value + m->p->start[i]);
}

decant_status decant__affinity_new(decant__affinity *p, const uint32_t *index,
                                   const float *distance, size_t n, size_t count, double perplexity,
                                   int threads) {
    decant_status status = DECANT_OK;
    link *links = NULL, *reversed = NULL;
    size_t *begin = NULL;
    *p = (decant__affinity){.n = n};
    NEW_ARRAY(links, n * count);
    NEW_ARRAY(reversed, n * count);
    NEW_ARRAY(begin, n + 1);
    NEW_ARRAY(p->start, n + 1);
    TRY(find_links(index, distance, n, count, perplexity, threads, links));
    reverse_links(links, n, count, begin, reversed);
    p->start[0] = 0;
    merging m = {links, reversed, begin, count, (float)(0.5 / (double)n), p};
    for (size_t i = 0; i < n; i++) p->start[i + 1] = p->start[i] + merge_row(&m, i, NULL, NULL);
    NEW_ARRAY(p->column, p->start[n]);
    NEW_ARRAY(p->value, p->start[n]);
    decant__team_run(threads, merge_rows, &m);
done:
    decant__free(links);
    decant__free(reversed);
    decant__free(begin);
    if (status != DECANT_OK) decant__affinity_free(p);
    return status;
}

void decant__affinity_free(decant__affinity *p) {
    decant__free(p->start);
    decant__free(p->column);
    decant__free(p->value);
    *p = (decant__affinity){0};
}
