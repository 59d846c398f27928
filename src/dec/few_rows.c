/* BIC chooses between mixtures, but not between a mixture and k-means: a density can be fitted well
 * by components that are no clusters. What tells is whether other rows give the same clusters. So
 * both are run on two halves of the rows, each result assigns all rows, and the adjusted Rand index
 * of the two is the stability of the method. A mixture has more numbers to find in a half of the
 * rows than k-means has: it may be less stable by MARGIN. */
#include "dec/few_rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "cluster/kmeans.h"
#include "cluster/mixture_choice.h"

enum { SPLITS = 8, RESTARTS = 5, TRIES = 10 };
static const double MARGIN = 0.1;

/* Columns of one category have the number of the first of them. */
static decant_status find_groups(const decant__few_rows *few, size_t **out) {
    decant_status status = DECANT_OK;
    const decant_table *table = few->table;
    size_t *group = NULL;
    NEW_ARRAY(group, few->d);
    for (size_t j = 0; j < few->d; j++) group[j] = j;
    if (table != NULL && table->d == few->d)
        for (size_t t = 0; t < table->count; t++) {
            const decant__column *column = &table->column[t];
            if (column->type != DECANT_COLUMN_CATEGORY) continue;
            for (size_t j = 0; j < column->width; j++) group[column->first + j] = column->first;
        }
    *out = group;
done:
    return status;
}

/* ---- halves ---- */

typedef struct halves {
    const decant__few_rows *few;
    const decant__mixed *rows;
    decant__mixed_shape shape;
    const int32_t *whole;          /* n: the mixture of all rows */
    uint32_t *order;               /* n */
    unsigned char *used;           /* n */
    float *x;                      /* of a half */
    float *centroids;              /* k x width */
    int32_t *kmeans[2], *mixed[2]; /* n: by each half */
    int32_t *trial;
} halves;

static void halves_free(halves *h) {
    decant__free(h->order);
    decant__free(h->used);
    decant__free(h->x);
    decant__free(h->centroids);
    for (int side = 0; side < 2; side++) {
        decant__free(h->kmeans[side]);
        decant__free(h->mixed[side]);
    }
    decant__free(h->trial);
    *h = (halves){0};
}

static decant_status halves_new(halves *h, const decant__few_rows *few) {
    decant_status status = DECANT_OK;
    h->few = few;
    NEW_ARRAY(h->order, few->n);
    NEW_ARRAY(h->used, few->n);
    NEW_ARRAY(h->trial, few->n);
    NEW_ARRAY(h->x, few->n * few->width);
    NEW_ARRAY(h->centroids, few->options->k * few->width);
    for (int side = 0; side < 2; side++) {
        NEW_ARRAY(h->kmeans[side], few->n);
        NEW_ARRAY(h->mixed[side], few->n);
    }
done:
    if (status != DECANT_OK) halves_free(h);
    return status;
}

static decant_status run_kmeans(const decant__few_rows *few, const decant__source *points,
                                size_t restarts, uint64_t seed, float *centroids, int32_t *labels) {
    decant__kmeans_info info;
    const decant__kmeans_options wanted = {.k = few->options->k,
                                           .seeding = few->options->seeding,
                                           .restarts = restarts,
                                           .iterations = few->options->kmeans_iterations,
                                           .tol = 1e-4,
                                           .seed = seed,
                                           .threads = few->threads};
    return decant__kmeans_fit(points, &wanted, few->watch, centroids, labels, &info);
}

static int32_t nearest(const float *x, const float *centroids, size_t k, size_t width) {
    double least = (double)INFINITY;
    int32_t best = 0;
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        for (size_t j = 0; j < width; j++) {
            double t = (double)x[j] - (double)centroids[c * width + j];
            sum += t * t;
        }
        if (sum < least) least = sum, best = (int32_t)c;
    }
    return best;
}

/* k-means of a half, for all rows, and the mixture from there and from that of all rows. */
static decant_status run_half(halves *h, int side) {
    decant_status status = DECANT_OK;
    const decant__few_rows *few = h->few;
    size_t n = few->n, width = few->width, half = n / 2, begin = side ? half : 0;
    size_t count = side ? n - half : half;
    double bic, other;
    memset(h->used, 0, n);
    for (size_t i = 0; i < count; i++) {
        h->used[h->order[begin + i]] = 1;
        memcpy(h->x + i * width, few->x + h->order[begin + i] * width, width * sizeof *h->x);
    }
    const decant__source points = decant__source_dense(h->x, count, width);
    TRY(run_kmeans(few, &points, RESTARTS, few->options->seed, h->centroids, h->kmeans[side]));
    for (size_t i = 0; i < n; i++)
        h->kmeans[side][i] = nearest(few->x + i * width, h->centroids, few->options->k, width);
    memcpy(h->mixed[side], h->kmeans[side], n * sizeof *h->mixed[side]);
    const decant__mixed_request request = {.rows = h->rows,
                                           .k = few->options->k,
                                           .shape = h->shape,
                                           .used = h->used,
                                           .watch = few->watch};
    TRY(decant__mixed_fit(&request, h->mixed[side], &bic));
    memcpy(h->trial, h->whole, n * sizeof *h->trial);
    TRY(decant__mixed_fit(&request, h->trial, &other));
    if (other < bic) memcpy(h->mixed[side], h->trial, n * sizeof *h->trial);
done:
    return status;
}

static decant_status compare(halves *h, double *lead) {
    decant_status status = DECANT_OK;
    double sum = 0;
    decant_scores kmeans, mixed;
    size_t n = h->few->n;
    for (size_t s = 0; s < SPLITS; s++) {
        decant__random random =
            decant__random_start(h->few->options->seed, DECANT__RANDOM_HALVES, s);
        decant__random_permutation(&random, n, h->order);
        for (int side = 0; side < 2; side++) TRY(run_half(h, side));
        TRY(decant_score(h->kmeans[0], h->kmeans[1], n, &kmeans));
        TRY(decant_score(h->mixed[0], h->mixed[1], n, &mixed));
        sum += mixed.ari - kmeans.ari;
    }
    if (sum >= -MARGIN * SPLITS) *lead = sum / SPLITS;
done:
    /* A half has fewer different rows than clusters. */
    return status == DECANT_EINVAL ? DECANT_OK : status;
}

/* ---- all rows ---- */

typedef struct search {
    const decant__few_rows *few;
    decant__mixed rows;
    decant__mixture_found best;
    int32_t *trial, *labels; /* n; labels: of the best */
} search;

/* From the labels in `trial`. */
static decant_status try_start(search *s) {
    decant__mixture_found tried;
    decant_status status =
        decant__mixture_choose(&s->rows, s->few->options->k, s->few->watch, s->trial, &tried);
    if (status != DECANT_OK || tried.bic >= s->best.bic) return status;
    s->best = tried;
    memcpy(s->labels, s->trial, s->few->n * sizeof *s->labels);
    return DECANT_OK;
}

/* EM only finds the optimum that is near: single runs of k-means, in the components and in the
 * columns, begin in different places. */
static decant_status try_others(search *s) {
    decant_status status = DECANT_OK;
    const decant__few_rows *few = s->few;
    float *centroids = NULL;
    NEW_ARRAY(centroids, few->options->k * (few->d > few->width ? few->d : few->width));
    for (uint64_t t = 0; t < TRIES; t++) {
        const decant__source points =
            decant__source_dense(t % 2 ? few->row : few->x, few->n, t % 2 ? few->d : few->width);
        uint64_t seed = few->options->seed * UINT64_C(0x9E3779B97F4A7C15) + t;
        TRY(run_kmeans(few, &points, 1, seed, centroids, s->trial));
        TRY(try_start(s));
    }
done:
    decant__free(centroids);
    /* Rows that differ may have equal components. */
    return status == DECANT_EINVAL ? DECANT_OK : status;
}

decant_status decant__few_rows_mixture(const decant__few_rows *few, const int32_t *const *start,
                                       size_t count, int32_t *labels, double *lead) {
    decant_status status = DECANT_OK;
    size_t *group = NULL;
    search s = {.few = few, .best = {.bic = (double)INFINITY}, .labels = labels};
    halves h = {0};
    *lead = -(double)INFINITY;
    TRY(find_groups(few, &group));
    TRY(decant__mixed_new(&s.rows, few->row, few->n, few->d, group));
    NEW_ARRAY(s.trial, few->n);
    for (size_t t = 0; t < count; t++) {
        memcpy(s.trial, start[t], few->n * sizeof *s.trial);
        TRY(try_start(&s));
    }
    TRY(try_others(&s));
    if (s.best.bic < (double)INFINITY) {
        h = (halves){.rows = &s.rows, .shape = s.best.shape, .whole = labels};
        TRY(halves_new(&h, few));
        TRY(compare(&h, lead));
    }
done:
    halves_free(&h);
    decant__mixed_free(&s.rows);
    decant__free(group);
    decant__free(s.trial);
    return status;
}
