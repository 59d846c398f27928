/* What the machine can do. */
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"
#include "decant/report.h"

enum { LAYERS = 8, CHAINS = 12, TURNS = 1 << 22, STREAM = 1 << 25 };

static const int width[LAYERS + 1] = {784, 500, 500, 2000, 10, 2000, 500, 500, 784};

static float *filled(size_t count) {
    float *x = bench_room(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = (float)(i % 17) * 0.01F - 0.08F;
    return x;
}

/* The arrays of one training iteration, and who shares its products. */
typedef struct products {
    int n, threads;
    size_t steps;
    float *y[LAYERS + 1], *dy[LAYERS + 1], *w[LAYERS], *dw[LAYERS];
    pthread_barrier_t barrier;
    double seconds;
} products;

/* One call for this thread's rows of the output (rows x columns). a: rows x inner, or its
 * transpose. */
static void share(products *p, int thread, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int rows,
                  int columns, int inner, const float *a, const float *b, float *c) {
    int begin = rows * thread / p->threads, end = rows * (thread + 1) / p->threads;
    int lda = ta == CblasTrans ? rows : inner, ldb = tb == CblasTrans ? inner : columns;
    cblas_sgemm(CblasRowMajor, ta, tb, end - begin, columns, inner, 1,
                a + (ta == CblasTrans ? begin : begin * inner), lda, b, ldb, 0, c + begin * columns,
                columns);
    pthread_barrier_wait(&p->barrier);
}

static void iteration(products *p, int thread) {
    for (int l = 0; l < LAYERS; l++)
        share(p, thread, CblasNoTrans, CblasNoTrans, p->n, width[l + 1], width[l], p->y[l], p->w[l],
              p->y[l + 1]);
    for (int l = LAYERS - 1; l >= 0; l--) {
        share(p, thread, CblasTrans, CblasNoTrans, width[l], width[l + 1], p->n, p->y[l],
              p->dy[l + 1], p->dw[l]);
        if (l > 0)
            share(p, thread, CblasNoTrans, CblasTrans, p->n, width[l], width[l + 1], p->dy[l + 1],
                  p->w[l], p->dy[l]);
    }
}

static void run_products(void *context, int thread) {
    products *p = context;
    for (int warm = 0; warm < 3; warm++) iteration(p, thread);
    double start = bench_now();
    for (size_t i = 0; i < p->steps; i++) iteration(p, thread);
    if (thread == 0) p->seconds = bench_now() - start;
}

typedef struct helper {
    void (*work)(void *context, int thread);
    void *context;
    int thread;
} helper;

static void *helper_main(void *argument) {
    const helper *h = argument;
    h->work(h->context, h->thread);
    return NULL;
}

/* Runs work on this many threads, the caller among them. */
static void in_threads(int threads, void (*work)(void *context, int thread), void *context) {
    pthread_t *thread = bench_room((size_t)threads, sizeof *thread);
    helper *helpers = bench_room((size_t)threads, sizeof *helpers);
    for (int t = 1; t < threads; t++) {
        helpers[t] = (helper){work, context, t};
        if (pthread_create(&thread[t], NULL, helper_main, &helpers[t]) != 0) abort();
    }
    work(context, 0);
    for (int t = 1; t < threads; t++) pthread_join(thread[t], NULL);
    free(thread);
    free(helpers);
}

/* The products of forward and backward pass, each one call for each thread; nothing else. */
bench_round bench_bare(const bench_setup *setup) {
    products p = {.n = (int)setup->batch, .threads = setup->threads, .steps = setup->steps};
    double operations = 0;
    for (int l = 0; l <= LAYERS; l++) {
        p.y[l] = filled(setup->batch * (size_t)width[l]);
        p.dy[l] = filled(setup->batch * (size_t)width[l]);
        if (l == LAYERS) break;
        size_t weights = (size_t)width[l] * (size_t)width[l + 1];
        p.w[l] = filled(weights);
        p.dw[l] = filled(weights);
        operations += (l > 0 ? 6.0 : 4.0) * (double)(setup->batch * weights);
    }
    pthread_barrier_init(&p.barrier, NULL, (unsigned)setup->threads);
    in_threads(setup->threads, run_products, &p);
    pthread_barrier_destroy(&p.barrier);
    for (int l = 0; l <= LAYERS; l++) {
        free(p.y[l]);
        free(p.dy[l]);
        if (l == LAYERS) break;
        free(p.w[l]);
        free(p.dw[l]);
    }
    return (bench_round){p.seconds / (double)setup->steps, operations};
}

/* Multiply-adds in registers, for each width of vectors. Contracted into one instruction. */
#ifdef __clang__
#define CONTRACT _Pragma("clang fp contract(fast)")
#define CONTRACTED
#else
#define CONTRACT
#define CONTRACTED __attribute__((optimize("fp-contract=fast")))
#endif

#define MULTIPLY_ADD(name, lanes, target_attribute)                                \
    typedef float name##_vector __attribute__((vector_size(4 * (lanes))));         \
    target_attribute CONTRACTED static float name(float factor) {                  \
        CONTRACT                                                                   \
        name##_vector chain[CHAINS], by = factor - (name##_vector){0},             \
                                     plus = 1e-3F - (name##_vector){0};            \
        for (int c = 0; c < CHAINS; c++) chain[c] = (float)c - (name##_vector){0}; \
        for (int t = 0; t < TURNS; t++)                                            \
            for (int c = 0; c < CHAINS; c++) chain[c] = chain[c] * by + plus;      \
        float sum = 0;                                                             \
        for (int c = 0; c < CHAINS; c++)                                           \
            for (int l = 0; l < (lanes); l++) sum += chain[c][l];                  \
        return sum;                                                                \
    }

#if defined(__x86_64__)
MULTIPLY_ADD(multiply_add_512, 16, __attribute__((target("avx512f"))))
MULTIPLY_ADD(multiply_add_256, 8, __attribute__((target("avx2,fma"))))
#endif
MULTIPLY_ADD(multiply_add_128, 4, )

typedef struct peak {
    int lanes;
    float (*run)(float factor);
    float *sum; /* threads */
} peak;

/* The widest that the processor has; those of one kernel if it is forced. */
static peak widest(void) {
#if defined(__x86_64__)
    const char *kernel = decant_kernel(NULL);
    if (strcmp(kernel, "avx512") == 0) return (peak){16, multiply_add_512, NULL};
    if (strcmp(kernel, "avx2") == 0) return (peak){8, multiply_add_256, NULL};
#endif
    return (peak){4, multiply_add_128, NULL};
}

static void run_chains(void *context, int thread) {
    const peak *p = context;
    p->sum[thread] = p->run(0.999F);
}

/* Enough independent chains of fused multiply-adds to keep both units of a core busy. */
bench_round bench_multiply_add(const bench_setup *setup) {
    peak p = widest();
    p.sum = bench_room((size_t)setup->threads, sizeof *p.sum);
    double start = bench_now();
    in_threads(setup->threads, run_chains, &p);
    double seconds = bench_now() - start;
    for (int t = 0; t < setup->threads; t++)
        if (p.sum[t] == 42) seconds = NAN; /* the sum is wanted */
    free(p.sum);
    return (bench_round){seconds, 2.0 * CHAINS * p.lanes * TURNS * setup->threads / seconds};
}

typedef struct stream {
    size_t threads;
    float *g, *p;
} stream;

static void run_stream(void *context, int thread) {
    const stream *s = context;
    size_t begin = STREAM / s->threads * (size_t)thread;
    size_t end = (size_t)thread + 1 == s->threads ? STREAM : begin + STREAM / s->threads;
    float *restrict p = s->p;
    const float *restrict g = s->g;
    for (size_t i = begin; i < end; i++) p[i] -= 0.01F * g[i];
}

/* p -= rate g over arrays of 128 MiB: two are read and one is written. */
bench_round bench_memory(const bench_setup *setup) {
    stream s = {(size_t)setup->threads, filled(STREAM), filled(STREAM)};
    double start = bench_now();
    in_threads(setup->threads, run_stream, &s);
    double seconds = bench_now() - start;
    if (s.p[STREAM - 1] == 42) seconds = NAN;
    free(s.g);
    free(s.p);
    return (bench_round){seconds, 3.0 * sizeof *s.p * STREAM / seconds};
}
