#include "cluster/communities.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/louvain.h"

enum {
    MOST_TURNS = 12,    /* of the resolution, until there are k clusters */
    MOST_MERGED = 4096, /* clusters that are merged by looking at all pairs */
    ORDERS = 2,         /* in which the nodes are visited, at each resolution */
    RESOLUTIONS = 5,
    ATTEMPTS = RESOLUTIONS * ORDERS
};
static const double TURN = 1.4;
/* Where to look for the best partition into k, around the resolution that has about k. */
static const double AROUND[RESOLUTIONS] = {0.5, 0.7, 1, 1.4, 2};

/* Merges the pair that modularity loses least by, until k are left. g: the graph of the
 * clusters. */
static decant_status merge(const decant__links *g, size_t k, size_t n, int32_t *labels) {
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

static decant_status tell(const decant__communities *wanted, size_t attempts) {
    return decant__watch_tick(wanted->watch, attempts, ATTEMPTS, (double)NAN, (double)NAN);
}

/* How many clusters the graph has at resolution 1 and, if these are fewer than k, the first higher
 * resolution that has k. */
static decant_status find_resolution(const decant__communities *wanted, const decant__links *links,
                                     int32_t *labels, size_t *natural, double *resolution) {
    decant_status status = DECANT_OK;
    decant__links parts = {0};
    *resolution = 1;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        TRY(tell(wanted, 0));
        TRY(decant__louvain(links, *resolution, wanted->seed, 0, labels, &parts));
        size_t count = parts.n;
        decant__links_free(&parts);
        if (turn == 0) *natural = count;
        if (count >= wanted->k) break;
        *resolution *= TURN;
    }
done:
    return status;
}

/* One partition into k clusters. *modularity is -INFINITY where this resolution has none. */
static decant_status attempt(const decant__links *links, size_t k, double resolution, uint64_t seed,
                             uint64_t number, int32_t *labels, double *modularity) {
    decant_status status = DECANT_OK;
    decant__links parts = {0};
    *modularity = -INFINITY;
    TRY(decant__louvain(links, resolution, seed, number, labels, &parts));
    if (parts.n < k || parts.n > MOST_MERGED) goto done;
    TRY(merge(&parts, k, links->n, labels));
    TRY(decant__louvain_improve(links, seed, number, k, labels));
    TRY(decant__louvain_modularity(links, labels, k, modularity));
done:
    decant__links_free(&parts);
    return status;
}

typedef struct choice {
    double modularity;
    int number;
    int32_t *labels;
} choice;

/* The best of what one thread tried goes into the best of all. Ties go to the first attempt, so
 * that the threads' order does not matter. */
static void offer(choice *best, double modularity, int number, const int32_t *labels, size_t n) {
    if (modularity < best->modularity || (modularity == best->modularity && number >= best->number))
        return;
    best->modularity = modularity;
    best->number = number;
    memcpy(best->labels, labels, n * sizeof *labels);
}

/* Many attempts, side by side; the highest modularity wins. Only the thread that was called speaks
 * to the watcher. */
static decant_status choose(const decant__communities *wanted, const decant__links *links,
                            double resolution, choice *best) {
    decant_status status = DECANT_OK, wish = DECANT_OK;
    size_t begun = 0;
#pragma omp parallel num_threads(wanted->threads)
    {
        int32_t *labels = decant__alloc_array(links->n, sizeof *labels);
#pragma omp for schedule(dynamic)
        for (int number = 0; number < ATTEMPTS; number++) {
            double modularity, around = AROUND[number / ORDERS];
            decant_status now = DECANT_OK;
            int stop;
#pragma omp critical
            {
                if (omp_get_thread_num() == 0 && wish == DECANT_OK) wish = tell(wanted, begun);
                stop = wish != DECANT_OK || status != DECANT_OK;
                begun++;
            }
            if (stop) continue;
            now = labels == NULL ? DECANT_ENOMEM
                                 : attempt(links, wanted->k, resolution * around, wanted->seed,
                                           (uint64_t)number, labels, &modularity);
#pragma omp critical
            {
                if (now != DECANT_OK)
                    status = now;
                else
                    offer(best, modularity, number, labels, links->n);
            }
        }
        decant__free(labels);
    }
    if (wish != DECANT_OK) return wish;
    /* The sentence was stored by a thread that is gone. */
    return status == DECANT_OK ? status : decant__fail(status, "out of memory");
}

/* The clusters that the caller has, improved: where the graph is small or its parts are many, they
 * can be better than what is merged of those. */
static decant_status attempt_given(const decant__communities *wanted, const decant__links *links,
                                   const int32_t *labels, choice *best) {
    decant_status status = DECANT_OK;
    memcpy(best->labels, labels, links->n * sizeof *labels);
    TRY(decant__louvain_improve(links, wanted->seed, ATTEMPTS, wanted->k, best->labels));
    TRY(decant__louvain_modularity(links, best->labels, wanted->k, &best->modularity));
    best->number = ATTEMPTS;
done:
    return status;
}

decant_status decant__communities_find(const decant__communities *wanted, int32_t *labels,
                                       size_t *natural, int *usable) {
    decant_status status = DECANT_OK;
    decant__links links = {0};
    choice best = {.modularity = -INFINITY};
    size_t n = wanted->graph->n;
    double resolution;
    *usable = 0;
    TRY(decant__links_of(wanted->graph, &links));
    NEW_ARRAY(best.labels, n);
    TRY(find_resolution(wanted, &links, best.labels, natural, &resolution));
    if (*natural > wanted->most) goto done;
    TRY(attempt_given(wanted, &links, labels, &best));
    TRY(choose(wanted, &links, resolution, &best));
    *usable = isfinite(best.modularity);
    if (*usable) memcpy(labels, best.labels, n * sizeof *labels);
done:
    decant__links_free(&links);
    decant__free(best.labels);
    return status;
}
