/* The start of a fit like an earlier one. The old clusters keep their numbers: the network and the
 * centroids are the model's; a merged cluster starts at the mean of the rows that it has now.
 *
 * New clusters, if more are asked for, come one after the other. Each starts at a row that is drawn
 * with a probability in proportion to its squared distance from the nearest centroid (k-means++,
 * Arthur and Vassilvitskii 2007), the best of TRIALS by the sum of these distances, and then moves
 * to the mean of the rows that are nearest to it, while all others stay where they are. */
#include "dec/like.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "cluster/kmeans.h"
#include "dec/predict.h"

enum { TRIALS = 8, MAX_MOVES = 50 };

decant_status decant__like_check(const decant_model *like, const decant_dataset *data,
                                 const decant_options *options) {
    if (options->method != DECANT_METHOD_DEC && options->method != DECANT_METHOD_DEC_NOBACKPROP)
        return decant__fail(DECANT_EINVAL, "only dec and dec-nobackprop can start from a model");
    if (like->plan.depth == 0)
        return decant__fail(DECANT_EINVAL, "the model to start from has no network");
    if (options->k < like->options.k || options->k_max > 0)
        return decant__fail(DECANT_EINVAL,
                            "k must be %zu, as in the model to start from, or more to add clusters",
                            like->options.k);
    if (data->d != like->d)
        return decant__fail(DECANT_EINVAL, "the model to start from has %zu columns, the data %zu",
                            like->d, data->d);
    if (options->layer_count > 0 && /* 0: by the number of rows, and here the model's */
        (options->layer_count != like->options.layer_count ||
         memcmp(options->layers, like->options.layers,
                options->layer_count * sizeof *options->layers) != 0))
        return decant__fail(DECANT_EINVAL, "the model to start from has other layers");
    return DECANT_OK;
}

decant_status decant__like_scale(const decant_model *like, decant__scale *scale) {
    decant_status status = DECANT_OK;
    size_t inputs = like->scale.inputs;
    *scale = (decant__scale){.d = like->d,
                             .inputs = inputs,
                             .kind = like->options.scaling,
                             .gradients = like->scale.gradients};
    NEW_ARRAY(scale->shift, inputs);
    NEW_ARRAY(scale->scale, inputs);
    memcpy(scale->shift, like->scale.shift, inputs * sizeof *scale->shift);
    memcpy(scale->scale, like->scale.scale, inputs * sizeof *scale->scale);
done:
    return status;
}

decant_status decant__like_names(const decant_model *like, decant_model *model) {
    decant_status status = DECANT_OK;
    for (size_t c = 0; c < model->options.k; c++) {
        const char *name = decant_model_cluster_name(like, c);
        if (name != NULL) TRY(decant_model_set_cluster_name(model, c, name));
    }
done:
    return status;
}

/* ---- centroids of merged clusters ---- */

static decant_status average_merged(const decant_model *like, const float *z, const int32_t *labels,
                                    size_t n, float *centroids) {
    decant_status status = DECANT_OK;
    size_t k = like->options.k, l = like->latent, *count = NULL;
    double *sum = NULL;
    NEW_ZEROED(count, k);
    NEW_ZEROED(sum, k * l);
    for (size_t p = 0; p < like->parts; p++) {
        size_t c = (size_t)like->cluster_of[p];
        memcpy(centroids + c * l, like->centroids + p * l, l * sizeof *centroids);
        count[c]++;
    }
    for (size_t c = 0; c < k; c++) count[c] = count[c] > 1 ? 0 : SIZE_MAX; /* not merged */
    for (size_t i = 0; i < n; i++) {
        size_t c = (size_t)labels[i];
        if (count[c] == SIZE_MAX) continue;
        count[c]++;
        for (size_t j = 0; j < l; j++) sum[c * l + j] += (double)z[i * l + j];
    }
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < l && count[c] > 0 && count[c] != SIZE_MAX; j++)
            centroids[c * l + j] = (float)(sum[c * l + j] / (double)count[c]);
done:
    decant__free(sum);
    decant__free(count);
    return status;
}

/* ---- new clusters ---- */

typedef struct adding {
    const float *z; /* n x l */
    size_t n, l;
    double *gap; /* n: squared distance from the nearest centroid */
} adding;

static double squared(const adding *a, size_t i, const float *point) {
    double sum = 0;
    for (size_t j = 0; j < a->l; j++) {
        double difference = (double)a->z[i * a->l + j] - (double)point[j];
        sum += difference * difference;
    }
    return sum;
}

/* A row, with a probability in proportion to its gap. */
static size_t draw(const adding *a, double total, decant__random *random) {
    double left = decant__random_uniform(random) * total;
    size_t i = 0;
    while (i + 1 < a->n && left >= a->gap[i]) left -= a->gap[i++];
    return i;
}

static double gaps_with(const adding *a, const float *point) {
    double sum = 0;
    for (size_t i = 0; i < a->n; i++) {
        double own = squared(a, i, point);
        sum += own < a->gap[i] ? own : a->gap[i];
    }
    return sum;
}

/* The mean of the rows that are nearer to the point than to all others; 0: it is there already. */
static int move(const adding *a, float *point, double *sum) {
    size_t count = 0;
    int moved = 0;
    memset(sum, 0, a->l * sizeof *sum);
    for (size_t i = 0; i < a->n; i++) {
        if (squared(a, i, point) >= a->gap[i]) continue;
        count++;
        for (size_t j = 0; j < a->l; j++) sum[j] += (double)a->z[i * a->l + j];
    }
    for (size_t j = 0; j < a->l && count > 0; j++) {
        float mean = (float)(sum[j] / (double)count);
        moved |= mean != point[j];
        point[j] = mean;
    }
    return moved;
}

static void add_cluster(adding *a, decant__random *random, double *sum, float *centroid) {
    double total = 0, best = INFINITY;
    size_t row = 0;
    for (size_t i = 0; i < a->n; i++) total += a->gap[i];
    for (int t = 0; t < TRIALS; t++) {
        size_t tried = draw(a, total, random);
        double left = gaps_with(a, a->z + tried * a->l);
        if (left < best) {
            best = left;
            row = tried;
        }
    }
    memcpy(centroid, a->z + row * a->l, a->l * sizeof *centroid);
    for (int m = 0; m < MAX_MOVES && move(a, centroid, sum); m++) {
    }
    for (size_t i = 0; i < a->n; i++) {
        double own = squared(a, i, centroid);
        if (own < a->gap[i]) a->gap[i] = own;
    }
}

decant_status decant__like_add(const decant__source *points, size_t first, size_t k, uint64_t seed,
                               const decant__watch *watch, float *mu) {
    decant_status status = DECANT_OK;
    double *sum = NULL;
    size_t l = points->d;
    adding a = {.z = points->dense, .n = points->n, .l = l};
    decant__random random = decant__random_start(seed, DECANT__RANDOM_ADDED, 0);
    NEW_ARRAY(a.gap, a.n);
    NEW_ARRAY(sum, l);
    for (size_t i = 0; i < a.n; i++) {
        a.gap[i] = INFINITY;
        for (size_t c = 0; c < first; c++) {
            double own = squared(&a, i, mu + c * l);
            if (own < a.gap[i]) a.gap[i] = own;
        }
    }
    for (size_t c = first; c < k; c++) {
        TRY(decant__watch_poll(watch));
        add_cluster(&a, &random, sum, mu + c * l);
    }
done:
    decant__free(a.gap);
    decant__free(sum);
    return status;
}

/* ---- the start ---- */

/* The decoder, which refinement does not use, is new. */
decant_status decant__like_start(decant__job *job, const decant_model *like) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    const decant_options *options = job->options;
    const decant__assigned out = {.labels = state->labels};
    float *z = NULL, *mu = decant__job_centroids(job);
    size_t l = like->latent, k = like->options.k;
    decant__autoencoder_init(&job->plan, options->init_std, options->seed, 0, state->params);
    memcpy(state->params, like->params,
           decant__autoencoder_encoder_parameters(&job->plan) * sizeof *state->params);
    NEW_ARRAY(z, state->n * l);
    TRY(decant__model_apply(like, job->source, job->threads, &job->watch, &out, z));
    if (like->cluster_of != NULL)
        TRY(average_merged(like, z, state->labels, state->n, mu));
    else
        memcpy(mu, like->centroids, k * l * sizeof *mu);
    decant__source points = decant__source_dense(z, state->n, l);
    if (state->k > k) {
        TRY(decant__like_add(&points, k, state->k, options->seed, &job->watch, mu));
        TRY(decant__kmeans_assign(&points, mu, state->k, job->threads, &job->watch, state->labels,
                                  NULL));
    }
    memcpy(state->initial_labels, state->labels, state->n * sizeof *state->labels);
    decant__state_enter(state, state->graph.count > 0 ? DECANT__PHASE_START : DECANT__PHASE_REFINE,
                        0);
done:
    decant__free(z);
    return status;
}
