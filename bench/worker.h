/* A worker times one task, round by round, when it is told to: bench/run.py starts one for each
 * contender and asks them in turn, so that a busy moment of the machine falls on all of them.
 *
 *     worker TASK DATA [key=value ...]      prints "ready", then for each line of stdin one of JSON
 */
#ifndef DECANT_BENCH_WORKER_H
#define DECANT_BENCH_WORKER_H

#include <stddef.h>

#include "decant/decant.h"

typedef struct bench_setup {
    const char *path; /* the data */
    decant_dataset *data;
    int threads;
    size_t batch, steps, restarts;
    const char *model;
    const char *optimizer;
    const char *layers;     /* of the encoder, as --layers */
    const char *graph;      /* file with neighbours; NULL: none */
    const char *covariance; /* of gmm */
    int greedy; /* time the greedy stages, with dropout, instead of the whole autoencoder */
} bench_setup;

/* What one round found. Numbers that do not apply are NaN. */
typedef struct bench_round {
    double seconds; /* an iteration, a fit, a pass over the data */
    double value;   /* inertia; operations or bytes a second; the fastest iteration's seconds */
} bench_round;

/* Tasks. Each is called once before "ready", to warm up, and then once for every round. */
bench_round bench_train(const bench_setup *setup);
bench_round bench_refine(const bench_setup *setup);
bench_round bench_kmeans(const bench_setup *setup);
bench_round bench_predict(const bench_setup *setup);
/* The exact graph of 5 neighbours, which stays in its file; eigenvectors and their discretisation
 * on that graph; a mixture of Gaussians, whose value is the mean log-likelihood. */
bench_round bench_graph(const bench_setup *setup);
bench_round bench_spectral(const bench_setup *setup);
bench_round bench_gmm(const bench_setup *setup);
/* A map by t-SNE, whose value is the divergence that is left; and a folder of photographs, decoded
 * and made into rows of HOG features. */
bench_round bench_tsne(const bench_setup *setup);
bench_round bench_pictures(const bench_setup *setup);

/* The machine itself: the products of one training iteration in bare sgemm calls, one
 * for each thread, multiply-adds in registers, and a pass over arrays larger than any cache. */
bench_round bench_bare(const bench_setup *setup);
bench_round bench_multiply_add(const bench_setup *setup);
bench_round bench_memory(const bench_setup *setup);

double bench_now(void);
void bench_check(decant_status status);
void *bench_room(size_t count, size_t size);

#endif
