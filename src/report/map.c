#include "report/map.h"

#include <string.h>

#include "base/memory.h"
#include "base/struct_size.h"
#include "data/scale.h"
#include "embed/tsne.h"
#include "linalg/neighbours.h"
#include "linalg/principal.h"
#include "base/team.h"
#include "decant/report.h"

/* Neighbours of a row, in perplexities: farther ones have almost no weight. */
enum { NEIGHBOURS = 3 };
static const double EXAGGERATION = 12;

static const decant_map_options map_defaults = {.struct_size = sizeof map_defaults,
                                                .perplexity = 30,
                                                .iterations = 1000,
                                                .scaling = DECANT_SCALING_NONE,
                                                .seed = 1};

void decant_map_options_init(decant_map_options *options, size_t struct_size) {
    decant__struct_init(options, struct_size, &map_defaults, sizeof map_defaults);
}

static decant_status check_map_options(const decant_map_options *options) {
    if (!(options->perplexity >= 2 && options->perplexity <= 1000))
        return decant__fail(DECANT_EINVAL, "perplexity must be between 2 and 1000, got %g",
                            options->perplexity);
    if (options->threads < 0) return decant__fail(DECANT_EINVAL, "threads must be 0 or more");
    return DECANT_OK;
}

/* The perplexity is at most a third of the other rows. */
static size_t neighbour_count(const decant_map_options *options, size_t n, double *perplexity) {
    double max = (double)(n - 1) / NEIGHBOURS;
    *perplexity = options->perplexity < max ? options->perplexity : max;
    if (*perplexity < 1) *perplexity = 1;
    size_t count = (size_t)(NEIGHBOURS * *perplexity);
    return count < n - 1 ? count : n - 1;
}

static decant_status find_affinity(const decant__source *x, const decant_map_options *options,
                                   const decant__watch *watch, int threads, decant__affinity *p) {
    decant_status status = DECANT_OK;
    uint32_t *index = NULL;
    float *distance = NULL;
    double perplexity;
    size_t count = neighbour_count(options, x->n, &perplexity);
    NEW_ARRAY(index, x->n * count);
    NEW_ARRAY(distance, x->n * count);
    TRY(decant__neighbours_find(x, count, threads, watch, index, distance));
    TRY(decant__affinity_new(p, &(decant__near){index, distance, x->n, count}, perplexity, threads,
                             watch));
done:
    decant__free(index);
    decant__free(distance);
    return status;
}

decant_status decant__map_source(const decant__source *x, const decant_map_options *options,
                                 const decant_monitor *monitor, float *map, double *kl) {
    decant_status status = DECANT_OK;
    decant__affinity p = {0};
    decant__watch watch = {.monitor = monitor};
    float *scores = NULL;
    int threads = decant__team_size(options->threads);
    size_t quarter = options->iterations / 4;
    decant__tsne_plan plan = {.early = quarter,
                              .easing = quarter,
                              .late = options->iterations - 2 * quarter,
                              .exaggeration = EXAGGERATION,
                              .threads = threads};
    if (kl != NULL) *kl = 0;
    memset(map, 0, 2 * x->n * sizeof *map);
    if (x->n < 2) return DECANT_OK;
    NEW_ARRAY(scores, 2 * x->n);
    decant__watch_phase(&watch, "neighbours");
    TRY(find_affinity(x, options, &watch, threads, &p));
    TRY(decant__principal_scores(x, 2, options->seed, threads, &watch, scores));
    decant__tsne_start(scores, x->n, options->seed, map);
    decant__watch_phase(&watch, "map");
    TRY(decant__tsne_descend(&p, &plan, &watch, map, kl));
done:
    decant__affinity_free(&p);
    decant__free(scores);
    return status;
}

decant_status decant__map_follow(const decant__source *x, const decant_map_options *options,
                                 size_t steps, const decant_monitor *monitor, float *map) {
    decant_status status = DECANT_OK;
    decant__affinity p = {0};
    decant__watch watch = {.monitor = monitor};
    int threads = decant__team_size(options->threads);
    decant__tsne_plan plan = {.late = steps, .exaggeration = 1, .threads = threads};
    if (x->n < 2) return DECANT_OK;
    decant__watch_phase(&watch, "neighbours");
    TRY(find_affinity(x, options, &watch, threads, &p));
    decant__watch_phase(&watch, "map");
    TRY(decant__tsne_descend(&p, &plan, &watch, map, NULL));
done:
    decant__affinity_free(&p);
    return status;
}

decant_status decant_map_rows(const decant_dataset *data, const decant_map_options *options,
                              const decant_monitor *monitor, float *map, double *kl) {
    REQUIRE(data);
    REQUIRE(map);
    decant_status status = DECANT_OK;
    decant__scale scale = {0};
    decant__scaled scaled = {0};
    decant_map_options how = map_defaults;
    decant_monitor watcher;
    decant__watch watch = {.monitor = &watcher};
    decant__summary found = {0};
    TRY(decant__struct_read(&how, sizeof how, options, "decant_map_options"));
    TRY(decant__monitor_read(&watcher, monitor));
    TRY(check_map_options(&how));
    TRY(decant__dataset_check_matrix(data));
    decant__watch_phase(&watch, "read");
    int threads = decant__team_size(how.threads);
    TRY(decant__scan(data, decant__scale_needs(how.scaling), threads, &watch, &found));
    TRY(decant__scale_fit(&scale, (decant__scaling){how.scaling, 1}, data, &found, threads,
                          &watch));
    TRY(decant__scaled_new(&scaled, &scale, data));
    TRY(decant__scaled_compact(&scaled));
    TRY(decant__map_source(&scaled.source, &how, &watcher, map, kl));
done:
    decant__scaled_free(&scaled);
    decant__scale_free(&scale);
    decant__summary_free(&found);
    return status;
}
