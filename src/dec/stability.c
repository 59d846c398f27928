/* Stability: does another sample of the data give the same clusters? Two disjoint halves of the
 * rows are clustered separately, by the method's initial clustering: in the features or, of few
 * rows, in the data. Each point of the second half also gets a second label: the cluster of its
 * nearest point in the first half. With the right k both labelings agree. With a smaller k it is
 * chance which clusters are merged, with a larger k, which are split.
 *
 *   J = 1/k sum_i max_j |A_i n B_j| / |A_i u B_j|,   stability = (J - J') / (1 - J')
 *
 * with A_i the clusters of the second half, B_j those by the first half, and J' the same after the
 * labels B were shuffled: 0 is chance, 1 is perfect. Each cluster has the weight 1/k, however small
 * it is. The adjusted Rand index gives small clusters almost no weight, and continues to rise with
 * k (docs/method.md). The two halves are from Tibshirani and Walther (2005), the index is from
 * Hennig (2007). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "cluster/kmeans.h"
#include "dec/select_k.h"
#include "metrics/contingency.h"

/* More rows in a half do not change the result (docs/method.md), fewer make it noisy. */
enum { HALF_ROWS = 2500, DATA_RESTARTS = 5 };

typedef struct halves {
    const decant__job *job;
    decant_options options; /* with the k of the trial */
    size_t m, l;
    int of_data;                  /* k-means alone, see decant__points */
    decant__random random;        /* of the current split */
    uint32_t *order;              /* a permutation of all rows */
    float *z[2];                  /* m x l each */
    int32_t *labels[2], *nearest; /* m each */
    decant__cancel cancel;
} halves;

static void halves_free(halves *h) {
    decant__free(h->order);
    for (int side = 0; side < 2; side++) {
        decant__free(h->z[side]);
        decant__free(h->labels[side]);
    }
    decant__free(h->nearest);
}

static decant_status halves_new(halves *h, const decant__job *job, const decant__points *points,
                                size_t k) {
    decant_status status = DECANT_OK;
    size_t m = points->n / 2 < HALF_ROWS ? points->n / 2 : HALF_ROWS;
    *h = (halves){
        .job = job, .options = *job->options, .m = m, .l = points->l, .of_data = points->of_data};
    h->options.k = k;
    decant__cancel_init(&h->cancel, &job->watch);
    NEW_ARRAY(h->order, points->n);
    for (int side = 0; side < 2; side++) {
        NEW_ARRAY(h->z[side], m * points->l);
        NEW_ARRAY(h->labels[side], m);
    }
    NEW_ARRAY(h->nearest, m);
done:
    if (status != DECANT_OK) halves_free(h);
    return status;
}

/* The same halves for every k. */
static void draw_halves(halves *h, const decant__points *points, size_t split) {
    h->random = decant__random_start(h->options.seed, DECANT__RANDOM_HALVES, split);
    decant__random_permutation(&h->random, points->n, h->order);
    for (size_t i = 0; i < 2 * h->m; i++)
        memcpy(h->z[i / h->m] + i % h->m * h->l, points->z + h->order[i] * h->l,
               h->l * sizeof(float));
}

/* The steps of a half are not reported, but the callback can cancel. */
static int relay(const decant_progress *progress, void *user) {
    halves *h = user;
    (void)progress;
    return decant__cancel_asked(&h->cancel);
}

/* k-means, as few rows start with it. */
static decant_status cluster_data(halves *h, int side) {
    decant_status status = DECANT_OK;
    const decant_options *options = &h->options;
    const decant__source source = decant__source_dense(h->z[side], h->m, h->l);
    const decant_monitor monitor = {.struct_size = sizeof monitor, .progress = relay, .user = h};
    const decant__watch watch = {.monitor = &monitor};
    const decant__kmeans_options wanted = {.k = options->k,
                                           .seeding = options->seeding,
                                           .restarts = DATA_RESTARTS,
                                           .iterations = options->kmeans_iterations,
                                           .tol = 1e-4,
                                           .seed = options->seed,
                                           .threads = h->job->threads};
    decant__kmeans_info info;
    float *centroids = NULL;
    NEW_ARRAY(centroids, options->k * h->l);
    TRY(decant__kmeans_fit(&source, &wanted, &watch, centroids, h->labels[side], &info));
done:
    decant__free(centroids);
    return status;
}

/* The start of the method, on features as they are. */
static decant_status cluster_features(halves *h, int side) {
    decant_status status = DECANT_OK;
    const decant_monitor monitor = {.struct_size = sizeof monitor, .progress = relay, .user = h};
    decant__source source = decant__source_dense(h->z[side], h->m, h->l);
    decant__job job = {.requested = &h->options,
                       .options = &h->options,
                       .source = &source,
                       .monitor = &monitor,
                       .watch = {.monitor = &monitor},
                       .threads = h->job->threads,
                       .comm = h->job->comm};
    size_t k = h->options.k;
    TRY(decant__state_new(&job.state, h->m, k, decant__job_parameters(&job, k),
                          decant__job_neighbours(&job, h->m, k)));
    decant__state_enter(&job.state, DECANT__PHASE_CLUSTER, 0);
    TRY(decant__cluster(&job));
    if (job.state.phase == DECANT__PHASE_START) TRY(decant__start(&job));
    memcpy(h->labels[side], job.state.labels, h->m * sizeof *h->labels[side]);
done:
    decant__state_free(&job.state);
    decant__found_free(&job.found);
    /* Rows that could not be read stop it, too. */
    decant_status rows = decant__row_file_check(h->job->watch.rows);
    return status == DECANT_ECANCELLED && rows != DECANT_OK ? rows : status;
}

static decant_status mean_overlap(const int32_t *own, const int32_t *given, size_t m,
                                  double *overlap) {
    decant__contingency table;
    double sum = 0;
    decant_status status = decant__contingency_new(&table, own, given, m);
    if (status != DECANT_OK) return status;
    for (size_t i = 0; i < table.rows; i++) {
        double best = 0;
        for (size_t j = 0; j < table.columns; j++) {
            size_t both = table.count[i * table.columns + j];
            size_t either = table.row_total[i] + table.column_total[j] - both;
            best = fmax(best, (double)both / (double)either);
        }
        sum += best;
    }
    *overlap = sum / (double)table.rows;
    decant__contingency_free(&table);
    return DECANT_OK;
}

static void shuffle_labels(int32_t *labels, size_t m, decant__random *random) {
    for (size_t i = m; i > 1; i--) {
        size_t j = (size_t)decant__random_below(random, i);
        int32_t label = labels[i - 1];
        labels[i - 1] = labels[j];
        labels[j] = label;
    }
}

static decant_status compare_halves(halves *h, double *agreement) {
    decant_status status = DECANT_OK;
    decant__source second = decant__source_dense(h->z[1], h->m, h->l);
    double overlap, chance;
    TRY(decant__kmeans_assign(&second, h->z[0], h->m, h->job->threads, &h->job->watch, h->nearest,
                              NULL));
    for (size_t i = 0; i < h->m; i++) h->nearest[i] = h->labels[0][h->nearest[i]];
    TRY(mean_overlap(h->labels[1], h->nearest, h->m, &overlap));
    shuffle_labels(h->nearest, h->m, &h->random);
    TRY(mean_overlap(h->labels[1], h->nearest, h->m, &chance));
    *agreement = chance < 1 ? (overlap - chance) / (1 - chance) : 0;
done:
    return status;
}

static decant_status try_split(halves *h, double *agreement) {
    decant_status (*cluster)(halves *, int) = h->of_data ? cluster_data : cluster_features;
    decant_status status = cluster(h, 0);
    if (status == DECANT_OK) status = cluster(h, 1);
    if (status == DECANT_OK) return compare_halves(h, agreement);
    /* A half has fewer different points than clusters: the agreement is 0. */
    *agreement = 0;
    return status == DECANT_EINVAL ? DECANT_OK : status;
}

decant_status decant__stability(const decant__job *job, const decant__points *points, size_t k,
                                double *stability) {
    halves h;
    double sum = 0, agreement = 0;
    decant_status status = halves_new(&h, job, points, k);
    if (status != DECANT_OK) return status;
    for (size_t split = 0; split < DECANT__SPLITS; split++) {
        draw_halves(&h, points, split);
        TRY(try_split(&h, &agreement));
        sum += agreement;
        TRY(decant__watch_tick(&job->watch, (size_t)job->state.step + split + 1,
                               decant__select_steps(job), NAN, NAN));
    }
    *stability = sum / DECANT__SPLITS;
done:
    halves_free(&h);
    return status;
}
