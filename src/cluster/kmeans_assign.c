/* Nearest centers for rows that may never have been seen before. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/kmeans_work.h"
#include "linalg/team.h"

typedef struct assignment {
    const decant__source *x;
    decant__cut cut;
    decant__centers centers;
    decant__rows_buffer block;
    float *scratch; /* threads x (chunk x k distances, then chunk errors) */
    double *chunk_inertia;
    int32_t *labels;
} assignment;

/* Expanded distances that are too close to call are computed again without cancellation. */
static size_t nearest(const assignment *a, const decant__rows *rows, size_t i, float *distance,
                      float error) {
    float second;
    size_t best = decant__kmeans_nearest(distance, a->centers.k, &second);
    if (second - distance[best] >= 2 * error) return best;
    decant__distance_row(rows, i, &a->centers, distance);
    return decant__kmeans_nearest(distance, a->centers.k, &second);
}

static void assign_chunk(assignment *a, const decant__rows *rows, size_t first, size_t chunk) {
    size_t k = a->centers.k, n = decant__cut_count(&a->cut, chunk);
    float *distance = a->scratch + (size_t)omp_get_thread_num() * a->cut.chunk * (k + 1);
    float *error = distance + a->cut.chunk * k;
    double inertia = 0;
    decant__distance_block(rows, first, n, &a->centers, distance, error);
    for (size_t i = 0; i < n; i++) {
        size_t best = nearest(a, rows, first + i, distance + i * k, error[i]);
        a->labels[chunk * a->cut.chunk + i] = (int32_t)best;
        inertia += decant__distance_exact(rows, first + i, &a->centers, best);
    }
    a->chunk_inertia[chunk] = inertia;
}

/* For a whole team. */
static void assign_pass(assignment *a) {
    for (size_t at = 0; at < a->cut.n; at += a->cut.block) {
        size_t here = a->cut.n - at < a->cut.block ? a->cut.n - at : a->cut.block;
        size_t chunks = (here + a->cut.chunk - 1) / a->cut.chunk;
        decant__rows rows = decant__source_fetch(a->x, NULL, at, here, &a->block);
#pragma omp for schedule(dynamic)
        for (size_t c = 0; c < chunks; c++)
            assign_chunk(a, &rows, c * a->cut.chunk, at / a->cut.chunk + c);
    }
}

decant_status decant__kmeans_assign(const decant__source *x, const float *centroids, size_t k,
                                    int threads, int32_t *labels, double *inertia) {
    decant_status status = DECANT_OK;
    assignment a = {.x = x, .cut = decant__cut_rows(x), .labels = labels};
    int team = decant__cut_team(&a.cut, threads), saved = decant__team_enter();
    TRY(decant__centers_new(&a.centers, x, k));
    TRY(decant__rows_buffer_new(&a.block, x, decant__cut_copied(x, &a.cut)));
    NEW_ARRAY(a.scratch, (size_t)team * a.cut.chunk * (k + 1));
    NEW_ARRAY(a.chunk_inertia, a.cut.chunks);
    memcpy(a.centers.row, centroids, k * x->d * sizeof *centroids);
    decant__centers_ready(&a.centers);
#pragma omp parallel num_threads(team)
    assign_pass(&a);
    if (inertia != NULL) {
        *inertia = 0;
        for (size_t c = 0; c < a.cut.chunks; c++) *inertia += a.chunk_inertia[c];
    }
done:
    decant__free(a.chunk_inertia);
    decant__free(a.scratch);
    decant__rows_buffer_free(&a.block);
    decant__centers_free(&a.centers);
    decant__team_leave(saved);
    return status;
}
