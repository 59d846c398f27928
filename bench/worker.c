#include "worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void bench_check(decant_status status) {
    if (status == DECANT_OK) return;
    fprintf(stderr, "bench: %s\n", decant_last_error());
    exit(1);
}

void *bench_room(size_t count, size_t size) {
    void *room = calloc(count, size);
    if (room != NULL) return room;
    fprintf(stderr, "bench: memory ran out\n");
    exit(1);
}

static const struct {
    const char *name;
    bench_round (*run)(const bench_setup *setup);
    int needs_data;
} tasks[] = {
    {"train", bench_train, 1},       {"refine", bench_refine, 1},
    {"kmeans", bench_kmeans, 1},     {"predict", bench_predict, 1},
    {"bare", bench_bare, 0},         {"multiply-add", bench_multiply_add, 0},
    {"memory", bench_memory, 0},     {"graph", bench_graph, 1},
    {"spectral", bench_spectral, 1}, {"gmm", bench_gmm, 1},
    {"tsne", bench_tsne, 1},         {"pictures", bench_pictures, 0},
};

/* Contenders compute the same network, whatever the default is. */
#define PAPER "500,500,2000,10"

static size_t number(const char *text) { return (size_t)strtoull(text, NULL, 10); }

static int set(bench_setup *setup, const char *argument) {
    const char *value = strchr(argument, '=');
    if (value == NULL) return 0;
    size_t length = (size_t)(value++ - argument);
    if (strncmp(argument, "threads", length) == 0)
        setup->threads = (int)number(value);
    else if (strncmp(argument, "batch", length) == 0)
        setup->batch = number(value);
    else if (strncmp(argument, "steps", length) == 0)
        setup->steps = number(value);
    else if (strncmp(argument, "restarts", length) == 0)
        setup->restarts = number(value);
    else if (strncmp(argument, "model", length) == 0)
        setup->model = value;
    else if (strncmp(argument, "optimizer", length) == 0)
        setup->optimizer = value;
    else if (strncmp(argument, "layers", length) == 0)
        setup->layers = value;
    else if (strncmp(argument, "graph", length) == 0)
        setup->graph = value;
    else if (strncmp(argument, "covariance", length) == 0)
        setup->covariance = value;
    else if (strncmp(argument, "greedy", length) == 0)
        setup->greedy = value[0] == '1';
    else
        return 0;
    return 1;
}

static void print_round(bench_round round) {
    printf("{\"seconds\": %.9g", round.seconds);
    if (!isnan(round.value)) printf(", \"value\": %.12g", round.value);
    printf("}\n");
    fflush(stdout);
}

static int serve(const bench_setup *setup, bench_round (*run)(const bench_setup *)) {
    char line[16];
    run(setup);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) print_round(run(setup));
    return 0;
}

int main(int argc, char **argv) {
    bench_setup setup = {.threads = 2,
                         .batch = 256,
                         .steps = 20,
                         .restarts = 1,
                         .optimizer = "sgd",
                         .layers = PAPER};
    for (int i = 3; i < argc; i++)
        if (!set(&setup, argv[i])) {
            fprintf(stderr, "bench: what is \"%s\"?\n", argv[i]);
            return 2;
        }
    for (size_t t = 0; argc > 2 && t < sizeof tasks / sizeof *tasks; t++) {
        if (strcmp(argv[1], tasks[t].name) != 0) continue;
        setup.path = argv[2];
        if (tasks[t].needs_data)
            bench_check(decant_dataset_read(&setup.path, 1, NULL, NULL, &setup.data));
        int code = serve(&setup, tasks[t].run);
        decant_dataset_free(setup.data);
        return code;
    }
    fprintf(stderr, "usage: worker TASK DATA [key=value ...]\n");
    return 2;
}
