/* k-means has several optima of nearly the same inertia, and inertia alone does not tell which of
 * them has clusters that hang together. More restarts find the lowest of them more often; where
 * rows form many small groups, as in texts, a neighbour graph tells them apart (docs/method.md). */
#include "dec/start_kmeans.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/kmeans.h"
#include "cluster/louvain.h"

/* The start itself has up to MAX_MORE times the restarts, as long as one iteration of all has about
 * 20 times so many products. */
enum { MAX_MORE = 25 };
static const double PRODUCTS = 2e7;
/* Several results are so many; those within this factor of the lowest inertia count. */
enum { RUNS = 10 };
static const double NEAR = 1.01;

static decant_status run_kmeans(const decant__start_points *points, size_t restarts, uint64_t seed,
                                int32_t *labels, double *inertia) {
    decant_status status = DECANT_OK;
    const decant__job *job = points->job;
    float *centroids = NULL;
    decant__kmeans_info info = {0};
    const decant__source x = decant__source_dense(points->space.x, points->n, points->space.width);
    const decant__kmeans_options wanted = {.k = job->state.k,
                                           .seeding = job->options->seeding,
                                           .restarts = restarts,
                                           .iterations = job->options->kmeans_iterations,
                                           .tol = 1e-4,
                                           .seed = seed,
                                           .threads = job->threads,
                                           .comm = job->comm};
    NEW_ARRAY(centroids, job->state.k * points->space.width);
    status = decant__kmeans_fit(&x, &wanted, points->watch, centroids, labels, &info);
    *inertia = info.inertia;
done:
    decant__free(centroids);
    return status;
}

decant_status decant__start_kmeans(const decant__start_points *points, int32_t *labels) {
    const decant_options *options = points->job->options;
    double inertia;
    return run_kmeans(points, options->restarts, options->seed, labels, &inertia);
}

decant_status decant__start_kmeans_thorough(const decant__start_points *points, int32_t *labels) {
    const decant_options *options = points->job->options;
    double inertia, more = PRODUCTS / ((double)points->n * (double)points->space.width *
                                       (double)points->job->state.k);
    size_t restarts = options->restarts * (size_t)fmax(1, fmin(more, MAX_MORE));
    return run_kmeans(points, restarts, options->seed, labels, &inertia);
}

decant_status decant__optima_choose(const decant__optima *found, const decant__links *links,
                                    size_t *best) {
    decant_status status = DECANT_OK;
    double lowest = INFINITY, q, most = -(double)INFINITY;
    for (size_t r = 0; r < found->count; r++) lowest = fmin(lowest, found->inertia[r]);
    for (size_t r = 0; r < found->count; r++) {
        if (found->inertia[r] > NEAR * lowest) continue;
        TRY(decant__louvain_modularity(links, found->labels + r * links->n, found->k, &q));
        if (q <= most) continue;
        *best = r;
        most = q;
    }
done:
    return status;
}

decant_status decant__start_kmeans_on_graph(const decant__start_points *points,
                                            const decant__graph *graph, int32_t *labels) {
    decant_status status = DECANT_OK;
    const decant_options *options = points->job->options;
    size_t n = points->n, best = 0;
    double inertia[RUNS];
    decant__links links = {0};
    int32_t *found = NULL;
    NEW_ARRAY(found, RUNS * n);
    TRY(decant__links_of(graph, &links));
    for (size_t r = 0; r < RUNS; r++)
        TRY(run_kmeans(points, options->restarts, options->seed + r, found + r * n, &inertia[r]));
    const decant__optima optima = {found, inertia, RUNS, points->job->state.k};
    TRY(decant__optima_choose(&optima, &links, &best));
    memcpy(labels, found + best * n, n * sizeof *labels);
done:
    decant__links_free(&links);
    decant__free(found);
    return status;
}
