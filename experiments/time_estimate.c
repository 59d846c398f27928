/* Estimates the time of a fit, from operation counts and rates that were measured on two cores with
 * one fit each: precise enough to distinguish minutes from hours. */
#include <string.h>

#include "dec/job.h"
#include "dec/schedule.h"
#include "experiments/experiment_store.h"

static const double PRODUCTS = 165e9;  /* floating point operations a second while training */
static const double DISTANCES = 150e9; /* of the exact neighbour graph */
static const double KMEANS = 8e9;      /* of k-means over all restarts, skipped ones not counted */
/* Seconds for each row of a graph: eigenvectors and their discretisation. */
static const double SOLVE = 2e-4;
enum { KMEANS_PASSES = 25, START_MICROSECONDS = 120 };

/* Multiplications and additions for one row through the encoder. */
static double encoder_work(const decant_options *options, size_t d) {
    double work = 0, in = (double)d;
    for (size_t l = 0; l < options->layer_count; l++) {
        work += 2 * in * (double)options->layers[l];
        in = (double)options->layers[l];
    }
    return work;
}

static double pretraining(const decant_options *options, size_t n, size_t d) {
    double row = 3 * 2 * encoder_work(options, d); /* forward, two products back; and the decoder */
    double finetune = (double)decant__schedule_steps(options->finetune_iterations,
                                                     options->pretrain_epochs, n, options->batch);
    /* All greedy stages together train each layer once. */
    double iterations = finetune + (double)options->greedy_iterations;
    return iterations * (double)options->batch * row / PRODUCTS;
}

static double refinement(const decant_options *options, size_t n, size_t d) {
    double row = encoder_work(options, d), max = (double)options->max_iterations;
    double iterations = options->anneal ? max : 10000;
    double updates = iterations / (double)options->update_interval;
    double work = iterations * (double)options->batch * 3 * row + updates * (double)n * row;
    if (options->method == DECANT_METHOD_DEC_NOBACKPROP)
        work = (double)n * row; /* features are computed once */
    return work / PRODUCTS + (double)n * START_MICROSECONDS * 1e-6;
}

decant__time_estimate decant__estimate_time(const decant__fit_spec *spec,
                                            const decant_options *given) {
    const decant__data_set *set = decant__data_set_at(spec->set);
    /* The classes keep r_min to 1 of their rows, in even steps. */
    double share = spec->r_min > 0 ? (1 + spec->r_min) / 2 : 1;
    size_t n = (size_t)((double)set->n * share);
    decant_options effective = *given;
    decant__schedule(&effective, n);
    const decant_options *options = &effective;
    int network = decant__method_has_network(options->method);
    double width = network ? (double)options->layers[options->layer_count - 1] : (double)set->d;
    double kmeans = (double)options->restarts * KMEANS_PASSES * 2 * (double)n * width *
                    (double)set->k / KMEANS / (width > 100 ? 8 : 1);
    decant__time_estimate estimate = {0};
    if (network) estimate.pretraining = pretraining(options, n, set->d);
    estimate.rest = kmeans;
    if (decant__method_of(options->method)->wants_graph) {
        estimate.graph = (double)n * (double)n * width / DISTANCES;
        estimate.rest = (double)n * SOLVE;
    }
    if (decant__method_refines(options->method)) estimate.rest += refinement(options, n, set->d);
    return estimate;
}
