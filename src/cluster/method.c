#include "cluster/method.h"

#include <math.h>

#include "base/memory.h"
#include "cluster/kmeans.h"

static const decant__method kmeans = {
    .name = "kmeans", .fit = decant__kmeans_cluster, .by_centroids = 1};
static const decant__method gmm = {.name = "gmm",
                                   .wants_blas = 1,
                                   .fit = decant__gmm_fit,
                                   .size = decant__gmm_size,
                                   .assign = decant__gmm_assign};
static const decant__method spectral = {
    .name = "spectral", .wants_graph = 1, .wants_blas = 1, .fit = decant__spectral_fit};
static const decant__method sec = {.name = "sec",
                                   .wants_graph = 1,
                                   .wants_blas = 1,
                                   .fit = decant__sec_fit,
                                   .size = decant__sec_size,
                                   .assign = decant__sec_assign};
static const decant__method ldmgi = {
    .name = "ldmgi", .wants_graph = 1, .wants_blas = 1, .fit = decant__ldmgi_fit};

const decant__method *decant__method_of(decant_method method) {
    switch (method) {
        case DECANT_METHOD_GMM:
        case DECANT_METHOD_AE_GMM:
            return &gmm;
        case DECANT_METHOD_SPECTRAL:
        case DECANT_METHOD_AE_SPECTRAL:
            return &spectral;
        case DECANT_METHOD_SEC:
        case DECANT_METHOD_AE_SEC:
            return &sec;
        case DECANT_METHOD_LDMGI:
        case DECANT_METHOD_AE_LDMGI:
            return &ldmgi;
        default:
            return &kmeans;
    }
}

int decant__method_has_network(decant_method method) {
    switch (method) {
        case DECANT_METHOD_KMEANS:
        case DECANT_METHOD_GMM:
        case DECANT_METHOD_SPECTRAL:
        case DECANT_METHOD_SEC:
        case DECANT_METHOD_LDMGI:
            return 0;
        default:
            return 1;
    }
}

int decant__method_refines(decant_method method) {
    return method == DECANT_METHOD_DEC || method == DECANT_METHOD_IDEC ||
           method == DECANT_METHOD_DEC_NOBACKPROP;
}

decant__assigned decant__assigned_from(const decant__assigned *out, size_t first, size_t k) {
    return (decant__assigned){
        .labels = out->labels != NULL ? out->labels + first : NULL,
        .confidence = out->confidence != NULL ? out->confidence + first : NULL,
        .soft = out->soft != NULL ? out->soft + first * k : NULL,
        .distance = out->distance != NULL ? out->distance + first : NULL};
}

decant_status decant__rule_new(decant__rule *rule, const decant_options *options, size_t d) {
    decant_status status = DECANT_OK;
    const decant__method *method = decant__method_of(options->method);
    *rule = (decant__rule){0};
    if (method->size != NULL) method->size(options, d, rule);
    NEW_ZEROED(rule->offset, rule->offsets);
    NEW_ZEROED(rule->matrix, rule->numbers);
done:
    if (status != DECANT_OK) decant__rule_free(rule);
    return status;
}

void decant__rule_free(decant__rule *rule) {
    decant__free(rule->offset);
    decant__free(rule->matrix);
    *rule = (decant__rule){0};
}

decant_status decant__found_new(decant__clustering *found, const decant_options *options, size_t n,
                                size_t d) {
    decant_status status = DECANT_OK;
    *found = (decant__clustering){.objective = NAN};
    NEW_ZEROED(found->labels, n);
    NEW_ZEROED(found->confidence, n);
    NEW_ZEROED(found->centroids, options->k * d);
    NEW_ZEROED(found->eigenvalues, options->k + 1);
    TRY(decant__rule_new(&found->rule, options, d));
done:
    if (status != DECANT_OK) decant__found_free(found);
    return status;
}

void decant__found_free(decant__clustering *found) {
    decant__free(found->labels);
    decant__free(found->confidence);
    decant__free(found->centroids);
    decant__free(found->eigenvalues);
    decant__rule_free(&found->rule);
    *found = (decant__clustering){0};
}

decant_status decant__found_average(const decant__task *task, decant__clustering *found) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, d = task->x->d, k = task->options->k;
    double *sum = NULL, *row = NULL;
    size_t *count = NULL;
    NEW_ZEROED(sum, k * d);
    NEW_ZEROED(count, k);
    NEW_ARRAY(row, d);
    for (size_t i = 0; i < n; i++) {
        double *mean = sum + (size_t)found->labels[i] * d;
        count[found->labels[i]]++;
        decant__source_row(task->x, i, row);
        for (size_t j = 0; j < d; j++) mean[j] += row[j];
    }
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < d; j++)
            found->centroids[c * d + j] =
                count[c] > 0 ? (float)(sum[c * d + j] / (double)count[c]) : 0;
done:
    decant__free(sum);
    decant__free(count);
    decant__free(row);
    return status;
}

/* k-means on the task's rows: labels and centroids. The confidence is computed later, by eq. 1. */
decant_status decant__kmeans_cluster(const decant__task *task, decant__clustering *found) {
    const decant_options *options = task->options;
    decant__kmeans_info info;
    decant__kmeans_options kmeans_options = {.k = options->k,
                                             .seeding = options->seeding,
                                             .restarts = options->restarts,
                                             .iterations = options->kmeans_iterations,
                                             .tol = 1e-4,
                                             .seed = options->seed,
                                             .threads = task->threads,
                                             .comm = task->comm};
    decant_status status = decant__kmeans_fit(task->x, &kmeans_options, task->watch,
                                              found->centroids, found->labels, &info);
    if (status != DECANT_OK) return status;
    found->objective = info.inertia;
    found->iterations = info.iterations;
    found->converged = info.converged;
    return DECANT_OK;
}
