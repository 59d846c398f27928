#include "cluster/discretise.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/team.h"
#include "cluster/kmeans.h"
#include "linalg/dense_matrix.h"

enum { CHUNK = 256, MAX_PARTS = 32, MAX_ITERATIONS = 100 };

typedef struct rotation {
    size_t n, k, parts;
    int threads;
    double *v;       /* n x k: rows of length 1, or 0 */
    double *r;       /* k x k */
    double *moment;  /* parts x k x k: Y^T V */
    double *scores;  /* parts x CHUNK x k: V R */
    double *overlap; /* n */
    int32_t *labels; /* n */
    float *confidence;
    decant__cancel cancel;
} rotation;

static void rotation_free(rotation *t) {
    decant__free(t->v);
    decant__free(t->r);
    decant__free(t->moment);
    decant__free(t->scores);
    decant__free(t->overlap);
    decant__free(t->labels);
    decant__free(t->confidence);
}

static decant_status rotation_new(rotation *t, const decant__task *task) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k, chunks = (n + CHUNK - 1) / CHUNK;
    *t = (rotation){.n = n, .k = k, .threads = task->threads};
    decant__cancel_init(&t->cancel, task->watch);
    t->parts = chunks < MAX_PARTS ? chunks : MAX_PARTS;
    NEW_ARRAY(t->v, n * k);
    NEW_ARRAY(t->r, k * k);
    NEW_ARRAY(t->moment, t->parts * k * k);
    NEW_ARRAY(t->scores, t->parts * CHUNK * k);
    NEW_ARRAY(t->overlap, n);
    NEW_ARRAY(t->labels, n);
    NEW_ARRAY(t->confidence, n);
done:
    return status;
}

/* rows (n x k) from vectors (k x n). */
static void transpose_vectors(const double *vectors, size_t n, size_t k, int unit, double *rows) {
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t j = 0; j < k; j++) {
            double x = vectors[j * n + i];
            rows[i * k + j] = x;
            square += x * x;
        }
        for (size_t j = 0; j < k && unit && square > 0; j++) rows[i * k + j] /= sqrt(square);
    }
}

/* Initial rotation: a random row, then repeatedly the row that is most orthogonal to those chosen.
 */
static void choose_start(rotation *t, uint64_t seed, size_t start) {
    decant__random random = decant__random_start(seed, DECANT__RANDOM_ROTATION, start);
    size_t row = (size_t)decant__random_below(&random, t->n), k = t->k;
    memset(t->overlap, 0, t->n * sizeof *t->overlap);
    for (size_t j = 0;; j++) {
        for (size_t c = 0; c < k; c++) t->r[c * k + j] = t->v[row * k + c];
        if (j + 1 == k || decant__cancel_asked(&t->cancel)) return;
        const double *chosen = t->v + row * k;
        row = 0;
        for (size_t i = 0; i < t->n; i++) {
            double dot = 0;
            for (size_t c = 0; c < k; c++) dot += t->v[i * k + c] * chosen[c];
            t->overlap[i] += fabs(dot);
            if (t->overlap[i] < t->overlap[row]) row = i;
        }
    }
}

/* Assigns each row of a part to its largest entry of V R. The confidence is the square of that
 * entry: rows have length 1, so the squares of a row sum to 1. */
static void label_part(rotation *t, size_t p) {
    size_t k = t->k, begin = t->n * p / t->parts, end = t->n * (p + 1) / t->parts;
    double *moment = t->moment + p * k * k, *scores = t->scores + p * CHUNK * k;
    memset(moment, 0, k * k * sizeof *moment);
    for (size_t at = begin; at < end && !decant__cancel_asked(&t->cancel); at += CHUNK) {
        size_t count = end - at < CHUNK ? end - at : CHUNK;
        decant__dense_product(count, k, k, 1, (decant__dense_view){t->v + at * k, k, 0},
                              (decant__dense_view){t->r, k, 0}, 0, scores);
        for (size_t i = 0; i < count; i++) {
            const double *score = scores + i * k, *row = t->v + (at + i) * k;
            size_t best = 0;
            for (size_t c = 1; c < k; c++)
                if (score[c] > score[best]) best = c;
            for (size_t c = 0; c < k; c++) moment[best * k + c] += row[c];
            t->labels[at + i] = (int32_t)best;
            t->confidence[at + i] =
                (float)fmin(1, fmax(score[best] * score[best], 1.0 / (double)k));
        }
    }
}

static void label_parts(void *context) {
    rotation *t = context;
    TEAM_FOR (p, t->parts) label_part(t, p);
}

/* Iterates from one start until convergence. *phi: the sum of singular values, to be maximised. At
 * the end t->r is the rotation that gave the labels. */
static decant_status rotate_step(rotation *t, double *phi, int *converged) {
    decant_status status = DECANT_OK;
    size_t square = t->k * t->k;
    double last = -INFINITY;
    *converged = 0;
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        decant__team_run(t->threads, label_parts, t);
        TRY(t->cancel.status);
        for (size_t p = 1; p < t->parts; p++)
            for (size_t e = 0; e < square; e++) t->moment[e] += t->moment[p * square + e];
        TRY(decant__dense_rotation(t->moment, t->k, phi));
        if (fabs(*phi - last) < 1e-9 * (double)t->n) {
            *converged = 1;
            break;
        }
        last = *phi;
        memcpy(t->r, t->moment, square * sizeof *t->r);
    }
done:
    return status;
}

static decant_status best_rotation(const decant__task *task, const double *vectors,
                                   decant__clustering *found, double *linear) {
    decant_status status = DECANT_OK;
    rotation t = {0};
    double best = -INFINITY, phi = 0;
    int converged = 0;
    size_t starts = task->options->restarts;
    TRY(rotation_new(&t, task));
    transpose_vectors(vectors, t.n, t.k, 1, t.v);
    for (size_t start = 0; start < starts; start++) {
        TRY(decant__watch_tick(task->watch, start, starts, NAN, NAN));
        choose_start(&t, task->options->seed, start);
        TRY(rotate_step(&t, &phi, &converged));
        /* Starts that end in the same partition differ by rounding: the first one is taken. */
        if (!(phi > best + 1e-9 * (double)t.n)) continue;
        best = phi;
        found->converged = converged;
        memcpy(found->labels, t.labels, t.n * sizeof *t.labels);
        memcpy(found->confidence, t.confidence, t.n * sizeof *t.confidence);
        if (linear == NULL) continue;
        memcpy(linear, t.r, t.k * t.k * sizeof *linear);
        memset(linear + t.k * t.k, 0, t.k * sizeof *linear);
    }
    found->objective = 2 * ((double)t.n - best);
done:
    rotation_free(&t);
    return status;
}

/* Confidence of a row: 1/distance^2 to its center, divided by the sum over all centers. */
static double distance_share(const double *row, const float *centers, size_t k, size_t best) {
    double sum = 0, own = 0;
    for (size_t c = 0; c < k; c++) {
        double square = 0;
        for (size_t j = 0; j < k; j++) {
            double t = row[j] - (double)centers[c * k + j];
            square += t * t;
        }
        if (square == 0) return c == best ? 1 : 1.0 / (double)k;
        sum += 1 / square;
        if (c == best) own = 1 / square;
    }
    return own / sum;
}

/* The nearest center c to f is the one with the largest 2 f.c - |c|^2. */
static void centers_to_scores(const float *centers, size_t k, double scale, double *linear) {
    for (size_t c = 0; c < k; c++) {
        double square = 0;
        for (size_t j = 0; j < k; j++) {
            double x = (double)centers[c * k + j] / scale;
            linear[j * k + c] = 2 * x;
            square += x * x;
        }
        linear[k * k + c] = -square;
    }
}

static decant_status cluster_rows(const decant__task *task, const double *vectors, int unit,
                                  decant__clustering *found, double *linear) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n, k = task->options->k;
    double *rows = NULL,
           scale = unit ? 1 : sqrt((double)n); /* eigenvectors have entries 1/sqrt(n) */
    float *points = NULL, *centers = NULL;
    decant__kmeans_info info;
    decant__kmeans_options options = {.k = k,
                                      .seeding = task->options->seeding,
                                      .restarts = task->options->restarts,
                                      .iterations = task->options->kmeans_iterations,
                                      .tol = 1e-4,
                                      .seed = task->options->seed,
                                      .threads = task->threads};
    NEW_ARRAY(rows, n * k);
    NEW_ARRAY(points, n * k);
    NEW_ARRAY(centers, k * k);
    transpose_vectors(vectors, n, k, unit, rows);
    for (size_t i = 0; i < n * k; i++) points[i] = (float)(rows[i] *= scale);
    decant__source source = decant__source_dense(points, n, k);
    TRY(decant__kmeans_fit(&source, &options, task->watch, centers, found->labels, &info));
    for (size_t i = 0; i < n; i++)
        found->confidence[i] =
            (float)distance_share(rows + i * k, centers, k, (size_t)found->labels[i]);
    found->objective = info.inertia;
    found->converged = info.converged;
    if (linear != NULL) centers_to_scores(centers, k, scale, linear);
done:
    decant__free(rows);
    decant__free(points);
    decant__free(centers);
    return status;
}

decant_status decant__discretise(const decant__task *task, const double *vectors, int unit,
                                 decant__clustering *found, double *linear) {
    if (task->options->discretise == DECANT_DISCRETISE_KMEANS)
        return cluster_rows(task, vectors, unit, found, linear);
    return best_rotation(task, vectors, found, linear);
}
