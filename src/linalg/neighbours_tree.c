/* A k-d tree with bounding boxes (Bentley 1975; Friedman, Bentley and Finkel 1977).
 *
 * The tree is the middle-cut one, so it needs no pointers: node i has the children 2i+1 and 2i+2,
 * and its rows are a range of one permutation. A leaf's rows are stored column by column, so that
 * the distances from a query to all of them are one vector loop. Queries go down depth first,
 * nearer child first, and skip a box that is farther than the worst neighbour found so far. */
#include "linalg/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "linalg/select.h"
#include "linalg/shortlist.h"

enum { LEAF = 32, MOST_DEPTH = 64 };

typedef struct tree {
    const float *x;
    size_t n, d;
    size_t depth, leaves, nodes;
    uint32_t *order;     /* rows, leaf by leaf */
    size_t *begin, *end; /* of each node: its range in order */
    float *low, *high;   /* nodes x d: bounding boxes */
    float *column;       /* leaves x d x LEAF: the rows of a leaf, by column */
} tree;

static void tree_free(tree *t) {
    decant__free(t->order);
    decant__free(t->begin);
    decant__free(t->end);
    decant__free(t->low);
    decant__free(t->high);
    decant__free(t->column);
}

static decant_status tree_allocate(tree *t) {
    decant_status status = DECANT_OK;
    t->leaves = 1;
    while ((t->n + t->leaves - 1) / t->leaves > LEAF) t->leaves *= 2, t->depth++;
    t->nodes = 2 * t->leaves - 1;
    NEW_ARRAY(t->order, t->n);
    NEW_ARRAY(t->begin, t->nodes);
    NEW_ARRAY(t->end, t->nodes);
    NEW_ARRAY(t->low, t->nodes * t->d);
    NEW_ARRAY(t->high, t->nodes * t->d);
    NEW_ARRAY(t->column, t->leaves * t->d * LEAF);
done:
    return status;
}

static void bound(tree *t, size_t node) {
    float *low = t->low + node * t->d, *high = t->high + node * t->d;
    for (size_t c = 0; c < t->d; c++) low[c] = INFINITY, high[c] = -INFINITY;
    for (size_t i = t->begin[node]; i < t->end[node]; i++) {
        const float *row = t->x + t->order[i] * t->d;
        for (size_t c = 0; c < t->d; c++) {
            low[c] = row[c] < low[c] ? row[c] : low[c];
            high[c] = row[c] > high[c] ? row[c] : high[c];
        }
    }
}

static size_t widest_column(const tree *t, size_t node) {
    const float *low = t->low + node * t->d, *high = t->high + node * t->d;
    size_t widest = 0;
    for (size_t c = 1; c < t->d; c++)
        if (high[c] - low[c] > high[widest] - low[widest]) widest = c;
    return widest;
}

static void store_leaf(tree *t, size_t node) {
    float *column = t->column + (node - (t->leaves - 1)) * t->d * LEAF;
    size_t count = t->end[node] - t->begin[node];
    for (size_t c = 0; c < t->d; c++)
        for (size_t i = 0; i < LEAF; i++)
            column[c * LEAF + i] =
                i < count ? t->x[t->order[t->begin[node] + i] * t->d + c] : INFINITY;
}

/* Level by level; the nodes of a level are independent of each other. For a whole team. */
static void build(tree *t) {
    for (size_t level = 0; level <= t->depth; level++) {
        size_t first = ((size_t)1 << level) - 1, count = (size_t)1 << level;
#pragma omp for schedule(dynamic, 1)
        for (size_t node = first; node < first + count; node++) {
            bound(t, node);
            if (level == t->depth) {
                store_leaf(t, node);
                continue;
            }
            size_t begin = t->begin[node], end = t->end[node], middle = begin + (end - begin) / 2;
            decant__select_middle(t->x + widest_column(t, node), t->d, t->order + begin,
                                  middle - begin, end - begin);
            t->begin[2 * node + 1] = begin;
            t->end[2 * node + 1] = t->begin[2 * node + 2] = middle;
            t->end[2 * node + 2] = end;
        }
    }
}

DECANT_CLONES
static void leaf_distances(size_t d, const float *restrict column, const float *restrict query,
                           float *restrict out) {
    for (size_t i = 0; i < LEAF; i++) out[i] = 0;
    for (size_t c = 0; c < d; c++) {
        for (size_t i = 0; i < LEAF; i++) {
            float difference = column[c * LEAF + i] - query[c];
            out[i] += difference * difference;
        }
    }
}

DECANT_CLONES
static float box_distance(size_t d, const float *restrict low, const float *restrict high,
                          const float *restrict query) {
    float sum = 0;
    for (size_t c = 0; c < d; c++) {
        float under = low[c] - query[c], over = query[c] - high[c];
        float outside = under > over ? under : over;
        outside = outside > 0 ? outside : 0;
        sum += outside * outside;
    }
    return sum;
}

static void visit_leaf(const tree *t, size_t node, uint32_t self, const float *query,
                       decant__shortlist *list) {
    float distance[LEAF];
    leaf_distances(t->d, t->column + (node - (t->leaves - 1)) * t->d * LEAF, query, distance);
    size_t begin = t->begin[node], count = t->end[node] - begin;
    for (size_t i = 0; i < count; i++)
        if (distance[i] <= decant__shortlist_worst(list) && t->order[begin + i] != self)
            decant__shortlist_offer(list, t->order[begin + i], distance[i]);
}

static void search(const tree *t, uint32_t self, decant__shortlist *list) {
    struct {
        size_t node;
        float distance;
    } stack[MOST_DEPTH + 1];
    const float *query = t->x + self * t->d;
    size_t top = 0;
    stack[top].node = 0;
    stack[top++].distance = 0;
    while (top > 0) {
        size_t node = stack[--top].node;
        if (stack[top].distance > decant__shortlist_worst(list)) continue;
        if (node >= t->leaves - 1) {
            visit_leaf(t, node, self, query, list);
            continue;
        }
        size_t near = 2 * node + 1, far = 2 * node + 2;
        float to_near = box_distance(t->d, t->low + near * t->d, t->high + near * t->d, query);
        float to_far = box_distance(t->d, t->low + far * t->d, t->high + far * t->d, query);
        if (to_far < to_near) {
            size_t swap = near;
            near = far;
            far = swap;
            float other = to_near;
            to_near = to_far;
            to_far = other;
        }
        stack[top].node = far;
        stack[top++].distance = to_far;
        stack[top].node = near;
        stack[top++].distance = to_near;
    }
}

decant_status decant__neighbours_tree(const float *x, size_t n, size_t d, size_t count, int threads,
                                      uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    tree t = {.x = x, .n = n, .d = d};
    TRY(tree_allocate(&t));
    for (size_t i = 0; i < n; i++) t.order[i] = (uint32_t)i;
    t.begin[0] = 0;
    t.end[0] = n;
#pragma omp parallel num_threads(threads)
    {
        build(&t);
        /* In tree order, so that queries in a row touch the same leaves. */
#pragma omp for schedule(dynamic, 256)
        for (size_t i = 0; i < n; i++) {
            uint32_t self = t.order[i];
            decant__shortlist list = {0, count, index + self * count, distance + self * count};
            search(&t, self, &list);
        }
    }
done:
    tree_free(&t);
    return status;
}
