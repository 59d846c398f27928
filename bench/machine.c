/* What the machine can do. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "worker.h"

enum { LAYERS = 8, CHAINS = 12, LANES = 8, TURNS = 1 << 22, STREAM = 1 << 25 };

static const int width[LAYERS + 1] = {784, 500, 500, 2000, 10, 2000, 500, 500, 784};

static float *filled(size_t count) {
    float *x = bench_room(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = (float)(i % 17) * 0.01F - 0.08F;
    return x;
}

static void iteration(int n, float *const y[], float *const dy[], float *const w[],
                      float *const dw[]) {
    for (int l = 0; l < LAYERS; l++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, width[l + 1], width[l], 1, y[l],
                    width[l], w[l], width[l + 1], 0, y[l + 1], width[l + 1]);
    for (int l = LAYERS - 1; l >= 0; l--) {
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width[l], width[l + 1], n, 1, y[l],
                    width[l], dy[l + 1], width[l + 1], 0, dw[l], width[l + 1]);
        if (l > 0)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, width[l], width[l + 1], 1,
                        dy[l + 1], width[l + 1], w[l], width[l + 1], 0, dy[l], width[l]);
    }
}

/* The products of forward and backward pass, each one call; nothing else. */
bench_round bench_bare(const bench_setup *setup) {
    float *y[LAYERS + 1], *dy[LAYERS + 1], *w[LAYERS], *dw[LAYERS];
    double operations = 0;
    for (int l = 0; l <= LAYERS; l++) {
        y[l] = filled(setup->batch * (size_t)width[l]);
        dy[l] = filled(setup->batch * (size_t)width[l]);
        if (l == LAYERS) break;
        size_t weights = (size_t)width[l] * (size_t)width[l + 1];
        w[l] = filled(weights);
        dw[l] = filled(weights);
        operations += (l > 0 ? 6.0 : 4.0) * (double)(setup->batch * weights);
    }
    openblas_set_num_threads(setup->threads);
    for (int warm = 0; warm < 3; warm++) iteration((int)setup->batch, y, dy, w, dw);
    double start = bench_now();
    for (size_t i = 0; i < setup->steps; i++) iteration((int)setup->batch, y, dy, w, dw);
    double seconds = (bench_now() - start) / (double)setup->steps;
    for (int l = 0; l <= LAYERS; l++) {
        free(y[l]);
        free(dy[l]);
        if (l == LAYERS) break;
        free(w[l]);
        free(dw[l]);
    }
    return (bench_round){seconds, operations};
}

typedef float lanes __attribute__((vector_size(32)));

/* Contracted into one instruction where the machine has it. */
#if defined(__x86_64__) && !defined(__FMA__)
__attribute__((target("avx2,fma")))
#endif
__attribute__((optimize("fp-contract=fast"))) static float
multiply_add(float factor) {
    lanes chain[CHAINS], by = factor - (lanes){0}, plus = 1e-3F - (lanes){0};
    for (int c = 0; c < CHAINS; c++) chain[c] = (float)c - (lanes){0};
    for (int t = 0; t < TURNS; t++)
        for (int c = 0; c < CHAINS; c++) chain[c] = chain[c] * by + plus;
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        for (int l = 0; l < LANES; l++) sum += chain[c][l];
    return sum;
}

/* Enough independent chains of fused multiply-adds to keep both units of a core busy. */
bench_round bench_multiply_add(const bench_setup *setup) {
    float sum = 0;
    double start = bench_now();
#pragma omp parallel num_threads(setup->threads) reduction(+ : sum)
    sum += multiply_add(0.999F);
    double seconds = bench_now() - start;
    if (sum == 42) seconds = NAN; /* the sum is wanted */
    return (bench_round){seconds, 2.0 * CHAINS * LANES * TURNS * setup->threads / seconds};
}

/* p -= rate g over arrays of 128 MiB: two are read and one is written. */
bench_round bench_memory(const bench_setup *setup) {
    float *g = filled(STREAM), *p = filled(STREAM);
    double start = bench_now();
#pragma omp parallel for simd schedule(static) num_threads(setup->threads)
    for (size_t i = 0; i < STREAM; i++) p[i] -= 0.01F * g[i];
    double seconds = bench_now() - start;
    if (p[STREAM - 1] == 42) seconds = NAN;
    free(g);
    free(p);
    return (bench_round){seconds, 3.0 * sizeof *p * STREAM / seconds};
}
