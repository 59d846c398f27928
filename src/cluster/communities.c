#include "cluster/communities.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

enum {
    MOST_PASSES = 50, /* over the nodes of one level */
    MOST_LEVELS = 64,
    MOST_TURNS = 12,   /* of the resolution */
    MOST_MERGED = 4096 /* clusters that are merged by looking at all pairs */
};
static const double TURN = 1.4;

/* An undirected graph: every edge stands at both of its ends. Edges of a node to itself are only in
 * its degree. */
typedef struct level {
    size_t n;
    size_t *start; /* n + 1 */
    uint32_t *to;
    float *weight;
    double *degree;
} level;

static void level_free(level *g) {
    decant__free(g->start);
    decant__free(g->to);
    decant__free(g->weight);
    decant__free(g->degree);
    *g = (level){0};
}

static decant_status level_new(level *g, size_t n, size_t edges) {
    decant_status status = DECANT_OK;
    *g = (level){.n = n};
    NEW_ZEROED(g->start, n + 2);
    NEW_ARRAY(g->to, edges);
    NEW_ARRAY(g->weight, edges);
    NEW_ZEROED(g->degree, n);
done:
    if (status != DECANT_OK) level_free(g);
    return status;
}

/* A = W + W^T, by counting the ends at each node. */
static decant_status symmetrise(const decant__graph *graph, level *g) {
    size_t n = graph->n, count = graph->count;
    decant_status status = level_new(g, n, 2 * n * count);
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

/* What moving nodes needs: each node's cluster, each cluster's total degree, and the weight from
 * the node at hand to the clusters around it. */
typedef struct mover {
    uint32_t *cluster;
    double *total, *towards;
    uint32_t *around, *order;
    size_t around_count;
} mover;

static void mover_free(mover *m) {
    decant__free(m->cluster);
    decant__free(m->total);
    decant__free(m->towards);
    decant__free(m->around);
    decant__free(m->order);
    *m = (mover){0};
}

static decant_status mover_new(mover *m, const level *g, uint64_t seed, uint64_t depth) {
    decant_status status = DECANT_OK;
    *m = (mover){0};
    NEW_ARRAY(m->cluster, g->n);
    NEW_ARRAY(m->total, g->n);
    NEW_ZEROED(m->towards, g->n);
    NEW_ARRAY(m->around, g->n);
    NEW_ARRAY(m->order, g->n);
    for (size_t i = 0; i < g->n; i++) {
        m->cluster[i] = (uint32_t)i;
        m->total[i] = g->degree[i];
    }
    decant__random random = decant__random_start(seed, DECANT__RANDOM_COMMUNITIES, depth);
    decant__random_permutation(&random, g->n, m->order);
done:
    if (status != DECANT_OK) mover_free(m);
    return status;
}

static void look_around(const level *g, mover *m, size_t node) {
    m->around_count = 0;
    for (size_t e = g->start[node]; e < g->start[node + 1]; e++) {
        uint32_t cluster = m->cluster[g->to[e]];
        if (g->to[e] == node || g->weight[e] == 0) continue; /* 0 marks a cluster not yet met */
        if (m->towards[cluster] == 0) m->around[m->around_count++] = cluster;
        m->towards[cluster] += (double)g->weight[e];
    }
}

/* Puts a node where it raises modularity most; 1 if that is somewhere else. */
static int move(const level *g, mover *m, size_t node, double resolution, double two_m) {
    uint32_t from = m->cluster[node], best = from;
    double share = resolution * g->degree[node] / two_m;
    look_around(g, m, node);
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
    for (size_t a = 0; a < m->around_count; a++) m->towards[m->around[a]] = 0;
    return best != from;
}

/* Numbers the clusters 0.. in order of their first node; returns how many there are. */
static size_t renumber(const level *g, mover *m) {
    size_t count = 0;
    for (size_t i = 0; i < g->n; i++) m->around[i] = UINT32_MAX;
    for (size_t i = 0; i < g->n; i++) {
        uint32_t *name = &m->around[m->cluster[i]];
        if (*name == UINT32_MAX) *name = (uint32_t)count++;
        m->cluster[i] = *name;
    }
    return count;
}

/* Each cluster becomes one node. */
static decant_status contract(const level *g, mover *m, size_t count, level *out) {
    decant_status status = DECANT_OK;
    size_t *begin = NULL, edges = 0;
    uint32_t *member = NULL;
    TRY(level_new(out, count, g->start[g->n]));
    NEW_ZEROED(begin, count + 2);
    NEW_ARRAY(member, g->n);
    for (size_t i = 0; i < g->n; i++) begin[m->cluster[i] + 2]++;
    for (size_t c = 2; c < count + 2; c++) begin[c] += begin[c - 1];
    for (size_t i = 0; i < g->n; i++) member[begin[m->cluster[i] + 1]++] = (uint32_t)i;
    for (size_t c = 0; c < count; c++) {
        m->around_count = 0;
        for (size_t i = begin[c]; i < begin[c + 1]; i++) {
            size_t node = member[i];
            out->degree[c] += g->degree[node];
            for (size_t e = g->start[node]; e < g->start[node + 1]; e++) {
                uint32_t other = m->cluster[g->to[e]];
                if (other == c || g->weight[e] == 0) continue;
                if (m->towards[other] == 0) m->around[m->around_count++] = other;
                m->towards[other] += (double)g->weight[e];
            }
        }
        for (size_t a = 0; a < m->around_count; a++) {
            out->to[edges] = m->around[a];
            out->weight[edges++] = (float)m->towards[m->around[a]];
            m->towards[m->around[a]] = 0;
        }
        out->start[c + 1] = edges;
    }
done:
    decant__free(begin);
    decant__free(member);
    if (status != DECANT_OK) level_free(out);
    return status;
}

/* Moves single nodes until that helps no more, then treats each cluster as one node, and so on.
 * `g` ends as the graph of the clusters. */
static decant_status louvain(level *g, double resolution, uint64_t seed, size_t n,
                             int32_t *labels) {
    decant_status status = DECANT_OK;
    mover m = {0};
    double two_m = 0;
    for (size_t i = 0; i < g->n; i++) two_m += g->degree[i];
    for (size_t i = 0; i < n; i++) labels[i] = (int32_t)i;
    for (uint64_t depth = 0; depth < MOST_LEVELS; depth++) {
        level smaller = {0};
        size_t moved = 0;
        TRY(mover_new(&m, g, seed, depth));
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            size_t now = 0;
            for (size_t i = 0; i < g->n; i++)
                now += (size_t)move(g, &m, m.order[i], resolution, two_m);
            moved += now;
            if (now <= g->n / 1000) break;
        }
        size_t count = renumber(g, &m);
        for (size_t i = 0; i < n; i++) labels[i] = (int32_t)m.cluster[labels[i]];
        if (moved == 0 || count == g->n) break;
        TRY(contract(g, &m, count, &smaller));
        level_free(g);
        *g = smaller;
        mover_free(&m);
    }
done:
    mover_free(&m);
    return status;
}

/* Merges the pair that modularity loses least by, until k are left. g: the graph of the clusters.
 */
static decant_status merge(const level *g, size_t k, size_t n, int32_t *labels) {
    decant_status status = DECANT_OK;
    size_t c = g->n, alive = c;
    double *between = NULL, *degree = NULL, two_m = 0;
    int32_t *name = NULL;
    NEW_ZEROED(between, c * c);
    NEW_ARRAY(degree, c);
    NEW_ARRAY(name, c);
    for (size_t a = 0; a < c; a++) {
        name[a] = (int32_t)a;
        two_m += degree[a] = g->degree[a];
        for (size_t e = g->start[a]; e < g->start[a + 1]; e++)
            between[a * c + g->to[e]] += (double)g->weight[e];
    }
    for (; alive > k; alive--) {
        size_t best_a = 0, best_b = 0;
        double best = 0;
        for (size_t a = 0; a < c; a++) {
            if (name[a] != (int32_t)a) continue;
            for (size_t b = a + 1; b < c; b++) {
                if (name[b] != (int32_t)b) continue;
                double gain = between[a * c + b] - degree[a] * degree[b] / two_m;
                if (best_b == 0 || gain > best) best = gain, best_a = a, best_b = b;
            }
        }
        for (size_t x = 0; x < c; x++) {
            between[best_a * c + x] += between[best_b * c + x];
            between[x * c + best_a] += between[x * c + best_b];
            if (name[x] == (int32_t)best_b) name[x] = (int32_t)best_a;
        }
        degree[best_a] += degree[best_b];
    }
    int32_t next = 0;
    for (size_t a = 0; a < c; a++)
        if (name[a] == (int32_t)a) degree[a] = next++;
    for (size_t i = 0; i < n; i++) labels[i] = (int32_t)degree[name[labels[i]]];
done:
    decant__free(between);
    decant__free(degree);
    decant__free(name);
    return status;
}

/* One run of Louvain's method; *g is the graph of the clusters that it found. */
static decant_status partition(const decant__graph *graph, double resolution, uint64_t seed,
                               level *g, int32_t *labels) {
    decant_status status = symmetrise(graph, g);
    if (status != DECANT_OK) return status;
    status = louvain(g, resolution, seed, graph->n, labels);
    if (status != DECANT_OK) level_free(g);
    return status;
}

/* From resolution 1 up to the first, or down to the last, that gives at least k clusters: where the
 * parts are as coarse as the graph allows, few are left to be merged by force. */
static decant_status search(const decant__graph *graph, size_t k, uint64_t seed, level *best,
                            int32_t *labels, int32_t *room) {
    decant_status status = DECANT_OK;
    level g = {0};
    int down = best->n >= k;
    double resolution = 1;
    for (int turn = 0; turn < MOST_TURNS && best->n != k; turn++) {
        resolution *= down ? 1 / TURN : TURN;
        TRY(partition(graph, resolution, seed, &g, room));
        if (down && g.n < k) break;
        memcpy(labels, room, graph->n * sizeof *labels);
        level_free(best);
        *best = g;
        g = (level){0};
        if (!down && best->n >= k) break;
    }
done:
    level_free(&g);
    return status;
}

decant_status decant__communities_find(const decant__graph *graph, size_t k, size_t most,
                                       uint64_t seed, int32_t *labels, size_t *natural,
                                       int *usable) {
    decant_status status = DECANT_OK;
    level g = {0};
    int32_t *found = NULL, *room = NULL;
    *usable = 0;
    NEW_ARRAY(found, graph->n);
    NEW_ARRAY(room, graph->n);
    TRY(partition(graph, 1, seed, &g, found));
    *natural = g.n;
    if (*natural > most) goto done;
    TRY(search(graph, k, seed, &g, found, room));
    if (g.n < k || g.n > MOST_MERGED) goto done;
    TRY(merge(&g, k, graph->n, found));
    memcpy(labels, found, graph->n * sizeof *labels);
    *usable = 1;
done:
    level_free(&g);
    decant__free(found);
    decant__free(room);
    return status;
}
