/* Nearest centers of any rows. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/kmeans_work.h"
#include "base/team.h"

typedef struct assignment {
    const decant__source *x;
    decant__cut cut;
    decant__centers centers;
    decant__rows_buffer block;
    float *scratch; /* threads x (chunk x k distances, then chunk errors) */
    double *chunk_inertia;
    int32_t *labels;
} assignment;

/* If the two smallest expanded distances differ by less than their error, all are computed again
 * without cancellation. */
static size_t nearest_center(const assignment *a, const decant__rows *rows, size_t i,
                             float *distance, float error) {
    float second;
    size_t best = decant__kmeans_nearest(distance, a->centers.k, &second);
    if (second - distance[best] >= 2 * error) return best;
    decant__distance_row(rows, i, &a->centers, distance);
    return decant__kmeans_nearest(distance, a->centers.k, &second);
}

/* Distances of a chunk, their errors, and what the product needs. */
static size_t scratch_size(const assignment *a) {
    return a->cut.chunk * (a->centers.k + 1) + DECANT__PRODUCT_SCRATCH;
}

static void assign_chunk(void *context, const decant__chunk *chunk) {
    assignment *a = context;
    size_t k = a->centers.k, first = chunk->first;
    float *distance = a->scratch + decant__team_member() * scratch_size(a);
    float *error = distance + a->cut.chunk * k;
    double inertia = 0;
    decant__distance_block(chunk->rows, first, chunk->n, &a->centers, distance, error,
                           error + a->cut.chunk);
    for (size_t i = 0; i < chunk->n; i++) {
        size_t best = nearest_center(a, chunk->rows, first + i, distance + i * k, error[i]);
        a->labels[chunk->number * a->cut.chunk + i] = (int32_t)best;
        inertia += decant__distance_exact(chunk->rows, first + i, &a->centers, best);
    }
    a->chunk_inertia[chunk->number] = inertia;
}

decant_status decant__kmeans_assign(const decant__source *x, const float *centroids, size_t k,
                                    int threads, const decant__watch *watch, int32_t *labels,
                                    double *inertia) {
    decant_status status = DECANT_OK;
    decant__cancel cancel;
    assignment a = {.x = x, .cut = decant__cut_rows(x), .labels = labels};
    int team = decant__cut_team(&a.cut, threads);
    TRY(decant__centers_new(&a.centers, x, k));
    TRY(decant__rows_buffer_new(&a.block, x, decant__cut_copied(x, &a.cut)));
    NEW_ARRAY(a.scratch, (size_t)team * scratch_size(&a));
    NEW_ARRAY(a.chunk_inertia, a.cut.chunks);
    memcpy(a.centers.row, centroids, k * x->d * sizeof *centroids);
    decant__centers_ready(&a.centers);
    decant__cancel_init(&cancel, watch);
    decant__pass pass = {x, &a.cut, &a.block, assign_chunk, NULL, &a, &cancel};
    TRY(decant__pass_run(&pass, team));
    if (inertia != NULL) {
        *inertia = 0;
        for (size_t c = 0; c < a.cut.chunks; c++) *inertia += a.chunk_inertia[c];
    }
done:
    decant__free(a.chunk_inertia);
    decant__free(a.scratch);
    decant__rows_buffer_free(&a.block);
    decant__centers_free(&a.centers);
    return status;
}
