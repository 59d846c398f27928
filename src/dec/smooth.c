#include "dec/smooth.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"

/* k-means needs smoother features than the target needs smooth assignments. Even, because each call
 * smooths from one buffer to the other and back; between two calls a fit can be cancelled. */
enum { START_STEPS = 30, STEPS_A_CALL = 2 };

/* Of the two spaces as one: the network chose its columns, the principal components are what
 * distances show in any case. */
static const double FEATURES_VARIANCE = 1, DATA_VARIANCE = 0.5;

typedef struct smoothing {
    const decant__graph *graph;
    float *x, *other; /* n x width */
    size_t width;
} smoothing;

static void smooth_rows(void *context) {
    const smoothing *s = context;
    decant__graph_smooth(s->graph, s->x, s->width, STEPS_A_CALL, s->other);
}

decant_status decant__job_smooth(decant__job *job, const decant__graph *graph, float *x,
                                 size_t width) {
    decant_status status = DECANT_OK;
    smoothing s = {.graph = graph, .x = x, .width = width};
    NEW_ARRAY(s.other, graph->n * width);
    for (int step = 0; step < START_STEPS; step += STEPS_A_CALL) {
        TRY(decant__watch_poll(&job->watch));
        decant__team_run(job->threads, smooth_rows, &s);
    }
done:
    decant__free(s.other);
    return status;
}

/* To columns of mean 0 and this sum of variances, in rows of out that are `stride` apart. */
static decant_status scale_into(decant__space space, size_t n, double variance, float *out,
                                size_t stride) {
    decant_status status = DECANT_OK;
    const float *x = space.x;
    size_t width = space.width;
    double *mean = NULL, sum = 0;
    NEW_ZEROED(mean, width);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < width; j++) mean[j] += (double)x[i * width + j];
    for (size_t j = 0; j < width; j++) mean[j] /= (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < width; j++) {
            double difference = (double)x[i * width + j] - mean[j];
            sum += difference * difference;
        }
    double factor = sum > 0 ? sqrt(variance * (double)n / sum) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < width; j++)
            out[i * stride + j] = (float)(((double)x[i * width + j] - mean[j]) * factor);
done:
    decant__free(mean);
    return status;
}

static decant_status smooth_into(decant__job *job, const decant__graph *graph, decant__space space,
                                 double variance, float *out, size_t stride) {
    decant_status status = DECANT_OK;
    float *copy = NULL;
    NEW_ARRAY(copy, graph->n * space.width);
    memcpy(copy, space.x, graph->n * space.width * sizeof *copy);
    TRY(decant__job_smooth(job, graph, copy, space.width));
    TRY(scale_into((decant__space){copy, space.width}, graph->n, variance, out, stride));
done:
    decant__free(copy);
    return status;
}

decant_status decant__job_join_spaces(decant__job *job, const decant__graph *graph,
                                      decant__space features, decant__space data, float *out) {
    decant_status status = DECANT_OK;
    size_t stride = features.width + data.width;
    TRY(smooth_into(job, graph, features, FEATURES_VARIANCE, out, stride));
    TRY(smooth_into(job, graph, data, DATA_VARIANCE, out + features.width, stride));
done:
    return status;
}
