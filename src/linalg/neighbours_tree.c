/* A k-d tree with bounding boxes (Bentley 1975; Friedman, Bentley and Finkel 1977).
 *
 * The tree is the middle-cut one, so it needs no pointers: node i has the children 2i+1 and 2i+2,
 * and its rows are a range of one permutation. A leaf's rows are stored column by column, so that
 * the distances from a query to all of them are one vector loop. Queries go down depth first,
 * nearer child first, and skip a box that is farther than the worst neighbour found so far.
 *
 * Skipping is exact although all is in float: the distance to a box and those to the rows in it are
 * the same sum, term by term in the same order, and rounding is monotonic: a box is never farther
 * than a row in it. Squares that underflow could make unequal rows equal: where a shortlist ends in
 * that range, the row is compared with all others in double. */
#include "linalg/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "base/team.h"
#include "linalg/partition.h"
#include "linalg/shortlist.h"

enum { LEAF = 32, MAX_DEPTH = 64, MAX_BOXES = 1024 };

/* From here on, what up to 16 squares lose by underflow (16 x 2^-150) is below their rounding. */
static const float SMALL = 0x1p-100F;

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

static void bound_node(tree *t, size_t node) {
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
static void build_tree(tree *t, decant__cancel *cancel) {
    for (size_t level = 0; level <= t->depth; level++) {
        size_t first = ((size_t)1 << level) - 1, count = (size_t)1 << level;
        TEAM_FOR_DYNAMIC (i, count, 1) {
            if (decant__cancel_asked(cancel)) continue;
            size_t node = first + i;
            bound_node(t, node);
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

/* self: the row that the query is; UINT32_MAX: it is none of them. */
static void search_tree(const tree *t, const float *query, uint32_t self, decant__shortlist *list) {
    struct {
        size_t node;
        float distance;
    } stack[MAX_DEPTH + 1];
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

/* Is one of these distances so small that squares of differences may have underflowed? A distance
 * of 0 is right for equal rows only. */
static int underflowed(const tree *t, const float *query, const decant__shortlist *list) {
    for (size_t m = 0; m < list->count && list->distance[m] < SMALL; m++) {
        const float *row = t->x + list->index[m] * t->d;
        for (size_t c = 0; c < t->d; c++)
            if (query[c] != row[c]) return 1;
    }
    return 0;
}

static void search_all(const tree *t, const float *query, uint32_t self, decant__shortlist *list) {
    list->count = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (i != self)
            decant__shortlist_offer(list, i,
                                    (float)decant__neighbours_dense(query, t->x + i * t->d, t->d));
}

/* A heap of boxes that are still to be looked at, the nearest first, of equals the lower node. */
typedef struct box_heap {
    size_t count;
    struct box {
        float distance;
        uint32_t node;
    } box[MAX_BOXES];
} box_heap;

static int is_before(struct box a, struct box b) {
    return a.distance < b.distance || (a.distance == b.distance && a.node < b.node);
}

/* Without room a box is forgotten. */
static void push_box(box_heap *heap, struct box added) {
    size_t at = heap->count;
    if (at == MAX_BOXES) return;
    heap->count++;
    for (; at > 0 && is_before(added, heap->box[(at - 1) / 2]); at = (at - 1) / 2)
        heap->box[at] = heap->box[(at - 1) / 2];
    heap->box[at] = added;
}

static struct box pop_box(box_heap *heap) {
    struct box first = heap->box[0], last = heap->box[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && is_before(heap->box[child + 1], heap->box[child])) child++;
        if (!is_before(heap->box[child], last)) break;
        heap->box[at] = heap->box[child];
        at = child;
    }
    heap->box[at] = last;
    return first;
}

static struct box box_of(const tree *t, size_t node, const float *query) {
    float distance = box_distance(t->d, t->low + node * t->d, t->high + node * t->d, query);
    return (struct box){distance, (uint32_t)node};
}

/* The nearest boxes first (best bin first, Beis and Lowe 1997), until so many leaves were visited:
 * in ten round columns a search for certainty visits thousands. */
static void search_some(const tree *t, const float *query, uint32_t self, size_t leaves,
                        decant__shortlist *list) {
    box_heap heap = {0};
    push_box(&heap, (struct box){0, 0});
    while (heap.count > 0 && leaves > 0) {
        struct box next = pop_box(&heap);
        size_t node = next.node;
        if (next.distance > decant__shortlist_worst(list)) break;
        while (node < t->leaves - 1) {
            struct box low = box_of(t, 2 * node + 1, query), high = box_of(t, 2 * node + 2, query);
            push_box(&heap, is_before(low, high) ? high : low);
            node = is_before(low, high) ? low.node : high.node;
        }
        visit_leaf(t, node, self, query, list);
        leaves--;
    }
}

static void search(const tree *t, const float *query, uint32_t self, size_t leaves,
                   decant__shortlist *list) {
    if (leaves > 0)
        search_some(t, query, self, leaves, list);
    else
        search_tree(t, query, self, list);
    if (underflowed(t, query, list)) search_all(t, query, self, list);
}

static decant_status check_rows(const float *x, size_t n, size_t d) {
    for (size_t e = 0; e < n * d; e++)
        if (!isfinite(x[e]))
            return decant__fail(DECANT_EINVAL,
                                "row %zu has a value that is not a finite number, and so no "
                                "neighbours",
                                e / d + 1);
    return DECANT_OK;
}

/* The tree, and the lists that it is to fill. */
typedef struct tree_query {
    tree tree;
    size_t count, leaves;
    size_t first, rows;           /* whose neighbours are wanted */
    const decant__points *others; /* or those of these */
    uint32_t *index;
    float *distance;
    decant__cancel cancel;
} tree_query;

static void search_others(tree_query *q) {
    const decant__points *others = q->others;
    TEAM_FOR_DYNAMIC (i, others->count, 256) {
        decant__shortlist list = {0, q->count, q->index + i * q->count, q->distance + i * q->count};
        int stop = decant__cancel_asked(&q->cancel);
        if (!stop) search(&q->tree, others->x + i * q->tree.d, others->self[i], q->leaves, &list);
    }
}

static void build_and_search(void *context) {
    tree_query *q = context;
    tree *t = &q->tree;
    build_tree(t, &q->cancel);
    if (q->others != NULL) {
        search_others(q);
        return;
    }
    /* In tree order, so that queries in a row touch the same leaves. */
    TEAM_FOR_DYNAMIC (i, t->n, 256) {
        if (decant__cancel_asked(&q->cancel)) continue;
        uint32_t self = t->order[i];
        if (self - q->first >= q->rows) continue;
        decant__shortlist list = {0, q->count, q->index + self * q->count,
                                  q->distance + self * q->count};
        search(t, t->x + self * t->d, self, q->leaves, &list);
    }
}

static decant_status answer(const decant__search *wanted, tree_query *q) {
    decant_status status = DECANT_OK;
    const decant__source *x = wanted->x;
    tree *t = &q->tree;
    *t = (tree){.x = x->dense, .n = x->n, .d = x->d};
    q->count = wanted->count;
    decant__cancel_init(&q->cancel, wanted->watch);
    TRY(check_rows(t->x, t->n, t->d));
    TRY(tree_allocate(t));
    for (size_t i = 0; i < t->n; i++) t->order[i] = (uint32_t)i;
    t->begin[0] = 0;
    t->end[0] = t->n;
    decant__team_run(wanted->threads, build_and_search, q);
    TRY(q->cancel.status);
done:
    tree_free(t);
    return status;
}

decant_status decant__neighbours_tree(const decant__search *wanted, size_t first, size_t rows,
                                      uint32_t *index, float *distance) {
    tree_query q = {.first = first, .rows = rows, .index = index, .distance = distance};
    return answer(wanted, &q);
}

decant_status decant__neighbours_among(const decant__search *wanted, const decant__points *others,
                                       uint32_t *index, float *distance) {
    tree_query q = {
        .others = others, .leaves = others->leaves, .index = index, .distance = distance};
    decant_status status = check_rows(others->x, others->count, wanted->x->d);
    if (status == DECANT_OK) status = answer(wanted, &q);
    if (status != DECANT_OK) return status;
    return decant__neighbours_check(distance, others->count, wanted->count);
}
