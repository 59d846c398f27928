/* What decant does, through its public header alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"
#include "decant/report.h"

enum { WARM = 3 }; /* iterations of a phase that are not counted */

/* Seconds of an iteration, from the progress of a fit that is stopped when enough is known. */
typedef struct stopwatch {
    char phase[32];
    const char *wanted;   /* the beginning of the names of the phases that are timed */
    const char *unwanted; /* the phase to stop at; NULL: where the wanted one has had its steps */
    size_t steps, seen, step; /* step: the last that was reported; a report may be repeated */
    double began, last;
    double seconds; /* of an iteration, summed over the wanted phases */
    double min;     /* of the fastest iteration in the last of them */
} stopwatch;

static int watch(const decant_progress *progress, void *user) {
    stopwatch *clock = user;
    double now = bench_now();
    if (strncmp(progress->phase, clock->wanted, strlen(clock->wanted)) != 0)
        return clock->unwanted != NULL &&
               strncmp(progress->phase, clock->unwanted, strlen(clock->unwanted)) == 0;
    if (strcmp(clock->phase, progress->phase) != 0) {
        strncpy(clock->phase, progress->phase, sizeof clock->phase - 1);
        clock->seen = clock->step = 0;
        clock->min = HUGE_VAL;
    }
    if (progress->step == clock->step) return 0;
    clock->step = progress->step;
    clock->seen++;
    if (clock->seen > WARM) clock->min = fmin(clock->min, now - clock->last);
    clock->last = now;
    if (clock->seen == WARM) clock->began = now;
    if (clock->seen == WARM + clock->steps)
        clock->seconds += (now - clock->began) / (double)clock->steps;
    return clock->unwanted == NULL && clock->seen == WARM + clock->steps;
}

static decant_options settings(const bench_setup *setup) {
    decant_options options;
    decant_options_init(&options, sizeof options);
    options.k = 10;
    options.threads = setup->threads;
    options.batch = setup->batch;
    options.restarts = setup->restarts;
    options.scaling = DECANT_SCALING_NONE;
    bench_check(decant_options_set(&options, "optimizer", setup->optimizer));
    bench_check(decant_options_set(&options, "layers", setup->layers));
    return options;
}

static bench_round time_phase(const bench_setup *setup, const decant_options *options,
                              stopwatch *clock) {
    decant_monitor monitor = {.struct_size = sizeof monitor, .progress = watch, .user = clock};
    decant_result *result = NULL;
    decant_status status = decant_fit(setup->data, options, &monitor, &result);
    decant_result_free(result);
    if (status != DECANT_ECANCELLED) bench_check(status);
    return (bench_round){clock->seconds, clock->min};
}

bench_round bench_train(const bench_setup *setup) {
    decant_options options = settings(setup);
    stopwatch clock = {.wanted = "finetune", .steps = setup->steps};
    options.method = DECANT_METHOD_AE_KMEANS;
    options.pretrain_epochs = 0;
    options.pretrain_rate = 1e-4;
    options.finetune_iterations = 1000000;
    if (setup->greedy) {
        clock.wanted = "greedy";
        clock.unwanted = "finetune";
        options.greedy_iterations = setup->steps + WARM;
        options.dropout = 0.2;
    }
    return time_phase(setup, &options, &clock);
}

bench_round bench_refine(const bench_setup *setup) {
    decant_options options = settings(setup);
    stopwatch clock = {.wanted = "refine", .steps = setup->steps};
    options.greedy_iterations = 0;
    options.finetune_iterations = 1;
    options.smooth_steps = 0; /* the step is the same with and without a graph */
    options.tol = 0;
    options.refine_rate = 1e-6;
    options.update_interval = options.max_iterations = 1000000;
    return time_phase(setup, &options, &clock);
}

bench_round bench_kmeans(const bench_setup *setup) {
    decant_options options = settings(setup);
    decant_result *result = NULL;
    options.method = DECANT_METHOD_KMEANS;
    double start = bench_now();
    bench_check(decant_fit(setup->data, &options, NULL, &result));
    bench_round round = {bench_now() - start, result->loss};
    decant_result_free(result);
    return round;
}

bench_round bench_predict(const bench_setup *setup) {
    decant_model *model = NULL;
    int32_t *labels = bench_room(decant_dataset_rows(setup->data), sizeof *labels);
    bench_check(decant_model_load(setup->model, &model));
    double start = bench_now();
    bench_check(decant_model_predict(model, setup->data, setup->threads, NULL, labels, NULL));
    bench_round round = {bench_now() - start, NAN};
    decant_model_free(model);
    free(labels);
    return round;
}

/* A fit of the named method; the seconds of one of its phases, and its objective. */
static bench_round time_method(const bench_setup *setup, decant_options *options,
                               const char *phase) {
    decant_monitor monitor = {.struct_size = sizeof monitor, .graph = setup->graph};
    decant_result *result = NULL;
    bench_check(decant_fit(setup->data, options, &monitor, &result));
    bench_round round = {0, result->loss};
    for (size_t i = 0; i < result->phase_count; i++)
        if (strcmp(result->phases[i].phase, phase) == 0) round.seconds = result->phases[i].seconds;
    decant_result_free(result);
    return round;
}

static bench_round time_spectral(const bench_setup *setup, const char *phase) {
    decant_options options = settings(setup);
    bench_check(decant_options_set(&options, "method", "spectral"));
    return time_method(setup, &options, phase);
}

bench_round bench_graph(const bench_setup *setup) {
    remove(setup->graph);
    return time_spectral(setup, "neighbours");
}

bench_round bench_spectral(const bench_setup *setup) { return time_spectral(setup, "spectral"); }

bench_round bench_gmm(const bench_setup *setup) {
    decant_options options = settings(setup);
    bench_check(decant_options_set(&options, "method", "gmm"));
    bench_check(decant_options_set(&options, "covariance", setup->covariance));
    bench_round round = time_method(setup, &options, "gmm");
    round.value = -round.value; /* the objective is to be small */
    return round;
}

bench_round bench_tsne(const bench_setup *setup) {
    decant_map_options options;
    float *map = bench_room(2 * decant_dataset_rows(setup->data), sizeof *map);
    decant_map_options_init(&options, sizeof options);
    options.threads = setup->threads;
    bench_round round = {bench_now(), 0};
    bench_check(decant_map_rows(setup->data, &options, NULL, map, &round.value));
    round.seconds = bench_now() - round.seconds;
    free(map);
    return round;
}

bench_round bench_pictures(const bench_setup *setup) {
    decant_options options = settings(setup);
    decant_read_options reading = {.struct_size = sizeof reading, .options = &options};
    decant_dataset *data = NULL;
    bench_check(decant_options_set(&options, "features", "hog"));
    double start = bench_now();
    bench_check(decant_dataset_read(&setup->path, 1, &reading, NULL, &data));
    bench_round round = {bench_now() - start, (double)decant_dataset_rows(data)};
    decant_dataset_free(data);
    return round;
}
