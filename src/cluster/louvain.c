#include "cluster/louvain.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

enum {
    ASK_EVERY = 16,  /* nodes between two questions whether to cancel */
    MAX_PASSES = 50, /* over the nodes of one level */
    MAX_LEVELS = 64
};

#define NO_CLUSTER UINT32_MAX

void decant__links_free(decant__links *g) {
    decant__free(g->start);
    decant__free(g->to);
    decant__free(g->weight);
    decant__free(g->degree);
    *g = (decant__links){0};
}

static decant_status links_new(decant__links *g, size_t n, size_t edges) {
    decant_status status = DECANT_OK;
    *g = (decant__links){.n = n};
    NEW_ZEROED(g->start, n + 2);
    NEW_ARRAY(g->to, edges);
    NEW_ARRAY(g->weight, edges);
    NEW_ZEROED(g->degree, n);
done:
    if (status != DECANT_OK) decant__links_free(g);
    return status;
}

/* Counting sort of the edges by their nodes. */
decant_status decant__links_of(const decant__graph *graph, decant__links *g) {
    size_t n = graph->n, count = graph->count;
    decant_status status = links_new(g, n, 2 * n * count);
    if (status != DECANT_OK) return status;
    for (size_t e = 0; e < n * count; e++) {
        g->start[e / count + 2]++;
        g->start[graph->index[e] + 2]++;
    }
    for (size_t i = 2; i < n + 2; i++) g->start[i] += g->start[i - 1];
    for (size_t e = 0; e < n * count; e++) {
        size_t ends[2] = {e / count, graph->index[e]};
        for (int side = 0; side < 2; side++) {
            size_t at = g->start[ends[side] + 1]++;
            g->to[at] = (uint32_t)ends[1 - side];
            g->weight[at] = graph->weight[e];
            g->degree[ends[side]] += (double)graph->weight[e];
        }
    }
    return DECANT_OK;
}

/* State of moving nodes: the cluster of each node, the total degree of each cluster, and the weight
 * of the edges from the current node to each neighbouring cluster. */
typedef struct mover {
    uint32_t *cluster;
    double *total, *towards;
    uint32_t *around, *order;
    size_t around_count;
    uint8_t *due; /* 1: a neighbour has moved since the node was visited */
} mover;

static void mover_free(mover *m) {
    decant__free(m->cluster);
    decant__free(m->total);
    decant__free(m->towards);
    decant__free(m->around);
    decant__free(m->order);
    decant__free(m->due);
    *m = (mover){0};
}

static decant_status mover_new(mover *m, const decant__links *g, uint64_t seed, uint64_t order) {
    decant_status status = DECANT_OK;
    *m = (mover){0};
    NEW_ARRAY(m->cluster, g->n);
    NEW_ARRAY(m->total, g->n);
    NEW_ZEROED(m->towards, g->n);
    NEW_ARRAY(m->around, g->n);
    NEW_ARRAY(m->order, g->n);
    NEW_ARRAY(m->due, g->n);
    memset(m->due, 1, g->n);
    for (size_t i = 0; i < g->n; i++) {
        m->cluster[i] = (uint32_t)i;
        m->total[i] = g->degree[i];
    }
    decant__random random = decant__random_start(seed, DECANT__RANDOM_COMMUNITIES, order);
    decant__random_permutation(&random, g->n, m->order);
done:
    if (status != DECANT_OK) mover_free(m);
    return status;
}

/* Sums the weights of a node's edges by the cluster of their other end, except cluster `except`.
 * towards is 0 for a cluster not seen yet, so edges of weight 0 are skipped. */
static void add_links(const decant__links *g, mover *m, size_t node, uint32_t except) {
    for (size_t e = g->start[node]; e < g->start[node + 1]; e++) {
        uint32_t cluster = m->cluster[g->to[e]];
        if (g->to[e] == node || cluster == except || g->weight[e] == 0) continue;
        if (m->towards[cluster] == 0) m->around[m->around_count++] = cluster;
        m->towards[cluster] += (double)g->weight[e];
    }
}

static void clear_links(mover *m) {
    for (size_t a = 0; a < m->around_count; a++) m->towards[m->around[a]] = 0;
    m->around_count = 0;
}

/* A node that has moved may have made a move of its neighbours worthwhile, unless they are where it
 * is now. */
static void mark_neighbours(const decant__links *g, mover *m, size_t node) {
    for (size_t e = g->start[node]; e < g->start[node + 1]; e++)
        if (m->cluster[g->to[e]] != m->cluster[node]) m->due[g->to[e]] = 1;
}

/* Moves a node to the cluster with the largest gain of modularity; 1 if that is another cluster. */
static int move_node(const decant__links *g, mover *m, size_t node, double resolution,
                     double two_m) {
    uint32_t from = m->cluster[node], best = from;
    double share = resolution * g->degree[node] / two_m;
    add_links(g, m, node, NO_CLUSTER);
    m->total[from] -= g->degree[node];
    double best_gain = m->towards[from] - share * m->total[from];
    for (size_t a = 0; a < m->around_count; a++) {
        uint32_t to = m->around[a];
        double gain = m->towards[to] - share * m->total[to];
        if (gain > best_gain + 1e-12) {
            best_gain = gain;
            best = to;
        }
    }
    m->total[best] += g->degree[node];
    m->cluster[node] = best;
    clear_links(m);
    if (best != from) mark_neighbours(g, m, node);
    return best != from;
}

/* Numbers the clusters 0.. in order of their first node; returns how many there are. */
static size_t renumber(const decant__links *g, mover *m) {
    size_t count = 0;
    for (size_t i = 0; i < g->n; i++) m->around[i] = UINT32_MAX;
    for (size_t i = 0; i < g->n; i++) {
        uint32_t *name = &m->around[m->cluster[i]];
        if (*name == UINT32_MAX) *name = (uint32_t)count++;
        m->cluster[i] = *name;
    }
    return count;
}

/* member: the nodes, cluster by cluster; those of c are [begin[c], begin[c+1]). begin: count + 2.
 */
static void list_members(const decant__links *g, const mover *m, size_t count, size_t *begin,
                         uint32_t *member) {
    for (size_t i = 0; i < g->n; i++) begin[m->cluster[i] + 2]++;
    for (size_t c = 2; c < count + 2; c++) begin[c] += begin[c - 1];
    for (size_t i = 0; i < g->n; i++) member[begin[m->cluster[i] + 1]++] = (uint32_t)i;
}

/* How many edges the graph of the clusters has: a small part of g's. To count them first costs one
 * more pass, and saves the memory of all of g's edges in every thread. */
static size_t count_edges(const decant__links *g, mover *m, size_t count, const size_t *begin,
                          const uint32_t *member) {
    size_t edges = 0;
    for (uint32_t c = 0; c < count; c++) {
        for (size_t i = begin[c]; i < begin[c + 1]; i++) add_links(g, m, member[i], c);
        edges += m->around_count;
        clear_links(m);
    }
    return edges;
}

/* Each cluster becomes one node: its degree is the sum of its members' degrees, and the weight of
 * an edge is the sum of the edges of its members. */
static decant_status contract_clusters(const decant__links *g, mover *m, size_t count,
                                       decant__links *out) {
    decant_status status = DECANT_OK;
    size_t *begin = NULL, edges = 0;
    uint32_t *member = NULL;
    NEW_ZEROED(begin, count + 2);
    NEW_ARRAY(member, g->n);
    list_members(g, m, count, begin, member);
    m->around_count = 0;
    TRY(links_new(out, count, count_edges(g, m, count, begin, member)));
    for (uint32_t c = 0; c < count; c++) {
        for (size_t i = begin[c]; i < begin[c + 1]; i++) {
            out->degree[c] += g->degree[member[i]];
            add_links(g, m, member[i], c);
        }
        for (size_t a = 0; a < m->around_count; a++) {
            out->to[edges] = m->around[a];
            out->weight[edges++] = (float)m->towards[m->around[a]];
        }
        clear_links(m);
        out->start[c + 1] = edges;
    }
done:
    decant__free(begin);
    decant__free(member);
    if (status != DECANT_OK) decant__links_free(out);
    return status;
}

/* Nodes are visited in a random order, so the caches do not know what comes next. */
static void prefetch_node(const decant__links *g, const mover *m, size_t i) {
    enum { AHEAD = 8 };
    if (i + 2 * AHEAD >= g->n) return;
    size_t edge = g->start[m->order[i + AHEAD]];
    __builtin_prefetch(&g->start[m->order[i + 2 * AHEAD]]);
    __builtin_prefetch(&g->to[edge]);
    __builtin_prefetch(&g->to[edge + 16]);
    __builtin_prefetch(&g->weight[edge]);
    __builtin_prefetch(&g->weight[edge + 16]);
}

/* Moves nodes until that helps (almost) no more; *moves: how many times. */
static decant_status move_nodes(const decant__links *g, mover *m, double resolution,
                                decant__cancel *cancel, size_t *moves) {
    double two_m = 0;
    *moves = 0;
    for (size_t i = 0; i < g->n; i++) two_m += g->degree[i];
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        size_t now = 0;
        for (size_t i = 0; i < g->n; i++) {
            if (i % ASK_EVERY == 0 && decant__cancel_asked(cancel))
                return decant__cancel_status(cancel);
            prefetch_node(g, m, i);
            if (!m->due[m->order[i]]) continue;
            m->due[m->order[i]] = 0;
            now += (size_t)move_node(g, m, m->order[i], resolution, two_m);
        }
        *moves += now;
        if (now <= g->n / 1000) break;
    }
    return DECANT_OK;
}

/* Each depth of an attempt has an order of its own. */
static uint64_t order_number(uint64_t attempt, uint64_t depth) { return attempt << 32 | depth; }

decant_status decant__louvain(const decant__links *links, double resolution,
                              const decant__visit *visit, int32_t *labels, decant__links *parts) {
    decant_status status = DECANT_OK;
    const decant__links *g = links;
    mover m = {0};
    *parts = (decant__links){0};
    for (size_t i = 0; i < links->n; i++) labels[i] = (int32_t)i;
    for (uint64_t depth = 0; depth < MAX_LEVELS; depth++) {
        decant__links smaller = {0};
        size_t moves;
        TRY(mover_new(&m, g, visit->seed, order_number(visit->attempt, depth)));
        TRY(move_nodes(g, &m, resolution, visit->cancel, &moves));
        size_t count = renumber(g, &m);
        for (size_t i = 0; i < links->n; i++) labels[i] = (int32_t)m.cluster[labels[i]];
        int last = depth > 0 && (moves == 0 || count == g->n);
        if (!last) {
            TRY(contract_clusters(g, &m, count, &smaller));
            decant__links_free(parts);
            *parts = smaller;
            g = parts;
        }
        mover_free(&m);
        if (last) break;
    }
done:
    mover_free(&m);
    if (status != DECANT_OK) decant__links_free(parts);
    return status;
}

decant_status decant__louvain_improve(const decant__links *links, const decant__visit *visit,
                                      size_t k, int32_t *labels) {
    decant_status status = DECANT_OK;
    mover m = {0};
    size_t *size = NULL, moves;
    NEW_ZEROED(size, k);
    TRY(mover_new(&m, links, visit->seed, order_number(visit->attempt, MAX_LEVELS)));
    memset(m.total, 0, links->n * sizeof *m.total);
    for (size_t i = 0; i < links->n; i++) {
        m.cluster[i] = (uint32_t)labels[i];
        m.total[labels[i]] += links->degree[i];
    }
    TRY(move_nodes(links, &m, 1, visit->cancel, &moves));
    for (size_t i = 0; i < links->n; i++) size[m.cluster[i]]++;
    for (size_t j = 0; j < k; j++)
        if (size[j] == 0) goto done;
    for (size_t i = 0; i < links->n; i++) labels[i] = (int32_t)m.cluster[i];
done:
    decant__free(size);
    mover_free(&m);
    return status;
}

decant_status decant__louvain_modularity(const decant__links *links, const int32_t *labels,
                                         size_t k, double *modularity) {
    decant_status status = DECANT_OK;
    double *degree = NULL, inside = 0, two_m = 0;
    NEW_ZEROED(degree, k);
    for (size_t i = 0; i < links->n; i++) {
        degree[labels[i]] += links->degree[i];
        two_m += links->degree[i];
        for (size_t e = links->start[i]; e < links->start[i + 1]; e++)
            if (labels[links->to[e]] == labels[i]) inside += (double)links->weight[e];
    }
    *modularity = inside / two_m;
    for (size_t j = 0; j < k; j++) *modularity -= degree[j] * degree[j] / (two_m * two_m);
done:
    decant__free(degree);
    return status;
}

decant_status decant__louvain_inside(const decant__links *links, const int32_t *labels, size_t k,
                                     double *mean, double *lowest) {
    decant_status status = DECANT_OK;
    double *degree = NULL, *inside = NULL;
    NEW_ZEROED(degree, k);
    NEW_ZEROED(inside, k);
    for (size_t i = 0; i < links->n; i++) {
        degree[labels[i]] += links->degree[i];
        for (size_t e = links->start[i]; e < links->start[i + 1]; e++)
            if (labels[links->to[e]] == labels[i]) inside[labels[i]] += (double)links->weight[e];
    }
    *mean = 0;
    *lowest = 1;
    for (size_t j = 0; j < k; j++) {
        double share = degree[j] > 0 ? inside[j] / degree[j] : 0;
        *mean += share / (double)k;
        if (share < *lowest) *lowest = share;
    }
done:
    decant__free(degree);
    decant__free(inside);
    return status;
}
