/* The features and the data as one: communities of both graphs, or k-means on both spaces, which
 * are smoothed over that graph (docs/method.md). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/communities.h"
#include "cluster/louvain.h"
#include "dec/comparison.h"

/* k-means on both spaces has so many runs; those within this factor of the lowest inertia count. */
enum { RUNS = 10 };
static const double NEAR = 1.01;

/* Both graphs as one, and its communities: those of the data are one of the attempts, so that there
 * is always a result. */
decant_status decant__joint_communities(decant__comparison *c) {
    decant_status status = DECANT_OK;
    decant__state *state = &c->job->state;
    size_t natural;
    int found;
    memcpy(state->labels, c->list[DECANT_START_DATA_COMMUNITIES].labels,
           state->n * sizeof *state->labels);
    TRY(decant__graph_join(&state->graph, &c->graph));
    decant__memory_trim(); /* what the attempts before this one left, in all threads */
    const decant__communities wanted = {.graph = &state->graph,
                                        .k = state->k,
                                        .max = SIZE_MAX,
                                        .seed = c->job->options->seed,
                                        .threads = c->job->threads,
                                        .comm = c->job->comm,
                                        .watch = &c->watch};
    TRY(decant__communities_find(&wanted, state->labels, &natural, &found));
done:
    return status;
}

/* Of a few results of k-means on x the one with the highest Q on the graph, among those whose
 * inertia is near the lowest: there are several such optima, and inertia alone does not tell which
 * of them has clusters that hang together. */
static decant_status choose_by_graph(decant__comparison *c, decant__space x,
                                     const decant__graph *graph, int32_t *labels) {
    decant_status status = DECANT_OK;
    size_t n = c->n, best = RUNS;
    decant__kmeans_run run[RUNS];
    double lowest = INFINITY, q, most = 0;
    decant__links links = {0};
    int32_t *found = NULL;
    NEW_ARRAY(found, RUNS * n);
    TRY(decant__links_of(graph, &links));
    for (size_t r = 0; r < RUNS; r++) {
        run[r] = decant__comparison_usual(c);
        run[r].seed += r;
        TRY(decant__comparison_kmeans(c, x, &run[r], found + r * n));
        lowest = fmin(lowest, run[r].inertia);
    }
    for (size_t r = 0; r < RUNS; r++) {
        if (run[r].inertia > NEAR * lowest) continue;
        TRY(decant__louvain_modularity(&links, found + r * n, c->job->state.k, &q));
        if (best < RUNS && q <= most) continue;
        best = r;
        most = q;
    }
    memcpy(labels, found + best * n, n * sizeof *labels);
done:
    decant__links_free(&links);
    decant__free(found);
    return status;
}

/* Both graphs as one, and k-means on both spaces. */
decant_status decant__joint_kmeans(decant__comparison *c) {
    decant_status status = DECANT_OK;
    decant__state *state = &c->job->state;
    size_t width = c->l + c->width;
    float *x = NULL;
    NEW_ARRAY(x, state->n * width);
    TRY(decant__graph_join(&state->graph, &c->graph));
    TRY(decant__job_join_spaces(c->job, &state->graph, (decant__space){c->z, c->l},
                                (decant__space){c->x, c->width}, x));
    status = choose_by_graph(c, (decant__space){x, width}, &state->graph, state->labels);
    /* Smoothing made all points equal: the labels of the features stay. */
    if (status == DECANT_EINVAL) status = DECANT_OK;
done:
    decant__free(x);
    return status;
}
