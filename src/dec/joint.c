/* The features and the data as one: communities of both graphs, or k-means on both spaces, which
 * are smoothed over that graph (docs/method.md). */
#include <string.h>

#include "base/memory.h"
#include "cluster/communities.h"
#include "dec/comparison.h"

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
    const decant__start_points points = decant__comparison_points(c, (decant__space){x, width});
    status = decant__start_kmeans_on_graph(&points, &state->graph, state->labels);
    /* Smoothing made all points equal: the labels of the features stay. */
    if (status == DECANT_EINVAL) status = DECANT_OK;
done:
    decant__free(x);
    return status;
}
