/* How long a trial takes, from counts of multiplications and rates measured on two cores that each
 * had a trial of its own: good enough to say whether it is minutes or hours. */
#include <string.h>

#include "dec/job.h"
#include "reproduce/laboratory.h"

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
    double finetune = (double)options->finetune_iterations;
    double passes = (double)options->pretrain_epochs * (double)n / (double)options->batch;
    if (options->pretrain_epochs > 0 && passes < finetune) finetune = passes;
    /* All greedy stages together train each layer once. */
    double iterations = finetune + (double)options->greedy_iterations;
    return iterations * (double)options->batch * row / PRODUCTS;
}

static double refinement(const decant_options *options, size_t n, size_t d) {
    double row = encoder_work(options, d), most = (double)options->max_iterations;
    double iterations = options->preset == DECANT_PRESET_PAPER ? 10000 : most;
    double updates = iterations / (double)options->update_interval;
    double work = iterations * (double)options->batch * 3 * row + updates * (double)n * row;
    if (options->method == DECANT_METHOD_DEC_NOBACKPROP) work = (double)n * row; /* features stay */
    return work / PRODUCTS + (double)n * START_MICROSECONDS * 1e-6;
}

decant__cost decant__trial_cost(const decant__trial *trial, const decant_options *options) {
    const decant__set *set = decant__set_at(trial->set);
    /* The classes stay with r_min to 1 of their rows, in even steps. */
    double share = trial->r_min > 0 ? (1 + trial->r_min) / 2 : 1;
    size_t n = (size_t)((double)set->n * share);
    int network = decant__method_has_network(options->method);
    double width = network ? (double)options->layers[options->layer_count - 1] : (double)set->d;
    double kmeans = (double)options->restarts * KMEANS_PASSES * 2 * (double)n * width *
                    (double)set->k / KMEANS / (width > 100 ? 8 : 1);
    decant__cost cost = {0};
    if (network) cost.pretraining = pretraining(options, n, set->d);
    cost.rest = kmeans;
    if (decant__method_of(options->method)->wants_graph) {
        cost.graph = (double)n * (double)n * width / DISTANCES;
        cost.rest = (double)n * SOLVE;
    }
    if (decant__method_refines(options->method)) cost.rest += refinement(options, n, set->d);
    return cost;
}
