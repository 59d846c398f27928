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

/* Columns of mean 0, and sum of variances `variance`, into columns of out that begin at `first`. */
static decant_status scale_into(const float *x, size_t n, size_t width, double variance, float *out,
                                size_t stride, size_t first) {
    decant_status status = DECANT_OK;
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
            out[i * stride + first + j] = (float)(((double)x[i * width + j] - mean[j]) * factor);
done:
    decant__free(mean);
    return status;
}

static decant_status smooth_into(decant__job *job, const decant__graph *graph, const float *x,
                                 size_t width, double variance, float *out, size_t stride,
                                 size_t first) {
    decant_status status = DECANT_OK;
    float *copy = NULL;
    NEW_ARRAY(copy, graph->n * width);
    memcpy(copy, x, graph->n * width * sizeof *copy);
    TRY(decant__job_smooth(job, graph, copy, width));
    TRY(scale_into(copy, graph->n, width, variance, out, stride, first));
done:
    decant__free(copy);
    return status;
}

decant_status decant__job_join_spaces(decant__job *job, const decant__graph *graph, const float *z,
                                      size_t l, const float *x, size_t width, float *out) {
    decant_status status = DECANT_OK;
    TRY(smooth_into(job, graph, z, l, FEATURES_VARIANCE, out, l + width, 0));
    TRY(smooth_into(job, graph, x, width, DATA_VARIANCE, out, l + width, l));
done:
    return status;
}
