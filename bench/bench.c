// Times of what takes time, on made-up data: one line each, best of several rounds.
//
//   bench [rounds [threads]]
//
// Only ratios between two builds on one idle machine mean something.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decant/decant.h"

enum { ROWS = 10000, COLUMNS = 784, CLUSTERS = 10, WORDS = 2000, WORDS_IN_A_ROW = 40, STEPS = 60 };

typedef struct bench_setup {
    decant_dataset *dense, *sparse;
    int rounds, threads;
} bench_setup;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(decant_status status) {
    if (status == DECANT_OK) return;
    fprintf(stderr, "bench: %s\n", decant_last_error());
    exit(1);
}

// Uniform in [0, 1), the same on every machine.
static float uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(*state >> 40) / 16777216.0f;
}

// Rows around CLUSTERS centres.
static float *make_dense(void) {
    float *x = malloc(sizeof *x * ROWS * COLUMNS);
    uint64_t state = 1;
    if (x == NULL) exit(1);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            x[i * COLUMNS + j] = (float)((i * 7 + j) % CLUSTERS < 3) + uniform(&state);
    return x;
}

static void make_sparse(size_t *start, uint32_t *column, float *value) {
    uint64_t state = 2;
    for (size_t i = 0; i <= ROWS; i++) start[i] = i * WORDS_IN_A_ROW;
    for (size_t i = 0; i < (size_t)ROWS * WORDS_IN_A_ROW; i++) {
        size_t stripe = WORDS / WORDS_IN_A_ROW, place = i % WORDS_IN_A_ROW;
        column[i] = (uint32_t)(place * stripe + (size_t)(uniform(&state) * (float)stripe));
        value[i] = 1 + uniform(&state);
    }
}

// Seconds of the phase whose name begins so; 0 if there was none.
static double phase_seconds(const decant_result *result, const char *name) {
    double seconds = 0;
    for (size_t i = 0; i < result->phase_count; i++)
        if (strncmp(result->phases[i].phase, name, strlen(name)) == 0)
            seconds += result->phases[i].seconds;
    return seconds;
}

static decant_options settings(const bench_setup *bench, decant_method method) {
    decant_options options;
    decant_options_init(&options);
    options.k = CLUSTERS;
    options.method = method;
    options.threads = bench->threads;
    options.finetune_iterations = STEPS;
    options.max_iterations = STEPS;
    options.update_interval = STEPS;
    options.tol = 0;
    options.restarts = 4;
    return options;
}

static void print_line(const char *what, double value, const char *unit) {
    printf("%-44s %12.3f %s\n", what, value, unit);
    fflush(stdout);
}

// Fits `rounds` times; the best seconds of pretraining, k-means and refinement.
static void time_fit(const bench_setup *bench, const decant_dataset *data, decant_method method,
                     double best[3]) {
    static const char *const phases[] = {"finetune", "kmeans", "refine"};
    decant_options options = settings(bench, method);
    for (int round = 0; round < bench->rounds; round++) {
        decant_result *result = NULL;
        check(decant_fit(data, &options, NULL, &result));
        for (int i = 0; i < 3; i++) {
            double seconds = phase_seconds(result, phases[i]);
            if (round == 0 || seconds < best[i]) best[i] = seconds;
        }
        decant_result_free(result);
    }
}

static void time_predict(const bench_setup *bench, const decant_dataset *data, const char *what) {
    decant_options options = settings(bench, DECANT_METHOD_DEC);
    decant_result *result = NULL;
    int32_t *labels = malloc(sizeof *labels * ROWS);
    double best = 0;
    options.finetune_iterations = options.max_iterations = options.update_interval = 1;
    check(decant_fit(data, &options, NULL, &result));
    for (int round = 0; labels != NULL && round < bench->rounds; round++) {
        double start = now();
        check(decant_model_predict(result->model, data, bench->threads, labels, NULL));
        double seconds = now() - start;
        if (round == 0 || seconds < best) best = seconds;
    }
    print_line(what, ROWS / best, "rows/s");
    free(labels);
    decant_result_free(result);
}

static void run(const bench_setup *bench) {
    double best[3];
    time_fit(bench, bench->dense, DECANT_METHOD_KMEANS, best);
    print_line("k-means, 10000 x 784, 4 restarts", 1e3 * best[1], "ms");
    time_fit(bench, bench->dense, DECANT_METHOD_DEC, best);
    print_line("pretraining, 784-500-500-2000-10", 1e3 * best[0] / STEPS, "ms/iteration");
    print_line("refinement, 784-500-500-2000-10", 1e3 * best[2] / STEPS, "ms/iteration");
    time_fit(bench, bench->sparse, DECANT_METHOD_DEC, best);
    print_line("pretraining, 2000 sparse columns", 1e3 * best[0] / STEPS, "ms/iteration");
    print_line("refinement, 2000 sparse columns", 1e3 * best[2] / STEPS, "ms/iteration");
    time_predict(bench, bench->dense, "predict, 784 columns");
    time_predict(bench, bench->sparse, "predict, 2000 sparse columns");
}

int main(int argc, char **argv) {
    bench_setup bench = {.rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 3,
                         .threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0};
    static size_t start[ROWS + 1];
    static uint32_t column[ROWS * WORDS_IN_A_ROW];
    static float value[ROWS * WORDS_IN_A_ROW];
    float *x = make_dense();
    make_sparse(start, column, value);
    check(decant_dataset_from_dense(x, ROWS, COLUMNS, &bench.dense));
    check(decant_dataset_from_csr(start, column, value, ROWS, WORDS, &bench.sparse));
    printf("decant %s, best of %d rounds\n", decant_version(), bench.rounds);
    run(&bench);
    decant_dataset_free(bench.dense);
    decant_dataset_free(bench.sparse);
    free(x);
    return 0;
}
