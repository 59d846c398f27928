/* The neighbour graph of spectral, sec and ldmgi: read from its file if there is one, else
 * computed. This is the most expensive phase, so a checkpoint is written after it. */
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/graph_file.h"
#include "dec/job.h"
#include "linalg/neighbours.h"

/* Approximate search, and an estimate of its recall. */
static decant_status search_approximate(decant__job *job, const decant__source *points) {
    decant__graph *graph = &job->state.graph;
    decant__search query = {.x = points,
                            .count = graph->count,
                            .seed = job->options->seed,
                            .threads = job->threads,
                            .watch = &job->watch};
    decant_status status = decant__neighbours_approximate(&query, graph->index, graph->weight);
    if (status != DECANT_OK) return status;
    return decant__neighbours_recall(&query, graph->weight, &job->state.graph_recall);
}

static decant_status search_neighbours(decant__job *job, const decant__source *points) {
    decant__graph *graph = &job->state.graph;
    if (job->options->knn == DECANT_KNN_APPROXIMATE) return search_approximate(job, points);
    decant_status status = decant__neighbours_find(points, graph->count, job->threads, &job->watch,
                                                   graph->index, graph->weight);
    if (status == DECANT_OK) job->state.graph_recall = 1;
    return status;
}

decant_status decant__neighbours(decant__job *job) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    const char *path = job->monitor != NULL ? job->monitor->graph : NULL;
    decant__source points;
    uint64_t digest[2];
    float *z = NULL;
    decant__job_begin(job);
    TRY(decant__job_points(job, &z, &points));
    decant__graph_digest(&points, job->data_digest, digest);
    if (path != NULL && access(path, F_OK) == 0) {
        TRY(decant__graph_load(&state->graph, path, digest, &state->graph_recall));
    } else {
        TRY(search_neighbours(job, &points));
        if (path != NULL) TRY(decant__graph_save(&state->graph, path, digest, state->graph_recall));
    }
    state->seconds[state->phase] = decant__job_phase_seconds(job);
    decant__state_enter(state, DECANT__PHASE_CLUSTER, 0);
    TRY(decant__job_save(job));
done:
    decant__free(z);
    return decant__job_stopped(job, status);
}
