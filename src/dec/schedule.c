/* Layers w, w, 4 w, 10 as in the paper, where w is 500. The products of such a network have about
 * 10 w^2 weights. With w = 6 n^(1/2) these are 360 for each row of a small data set: more is no
 * better and costs time, and without limit the network learns the rows by heart. From 1500 rows on
 * w = 54 n^(1/5), up to 400: thousands of rows, for which 3000 iterations are many epochs, did not
 * get better features from a wider network, and for MNIST the paper's 500 takes some 40 % more time
 * for 0.0004 of accuracy.
 *
 * Pretraining has at most 20 epochs: with more, most data sets of some thousand rows get no better
 * features (docs/method.md). Fewer rows have 800 iterations, or 80 epochs if these are less.
 *
 * Refinement has at most `refine_epochs` epochs. A target holds for as large a part of them as of
 * the full schedule, so that it is updated as often: the network would run after a fixed target for
 * many epochs of a small data set. Few rows have a fixed target (candidates.c), which takes some
 * hundred iterations to learn: for them an epoch counts as 16. */
#include "dec/schedule.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

enum { MAX_WIDTH = 400, WIDTH_STEP = 16, FEATURES = 10, FEW_EPOCH = 16, MIN_STEPS = 800 };
static const double FEW = 6, MANY = 54; /* times n^(1/2), n^(1/5) */

static size_t width_for(size_t n) {
    double rows = (double)n, width = fmin(FEW * sqrt(rows), MANY * decant__pow(rows, 0.2));
    double steps = ceil(width / WIDTH_STEP);
    return steps * WIDTH_STEP < MAX_WIDTH ? (size_t)steps * WIDTH_STEP : MAX_WIDTH;
}

static void choose_layers(decant_options *options, size_t n) {
    size_t w = width_for(n);
    const size_t layers[] = {w, w, 4 * w, FEATURES};
    options->layer_count = sizeof layers / sizeof layers[0];
    memcpy(options->layers, layers, sizeof layers);
}

static void limit_refinement(decant_options *options, size_t n) {
    size_t batch = options->batch < n ? options->batch : n;
    size_t epoch = (n + batch - 1) / batch, all = options->max_iterations;
    if (n < DECANT__FEW_ROWS && epoch < FEW_EPOCH) epoch = FEW_EPOCH;
    if (options->refine_epochs == 0 || options->refine_epochs >= all / epoch) return;
    options->max_iterations = options->refine_epochs * epoch;
    double interval =
        (double)options->update_interval * (double)options->max_iterations / (double)all;
    options->update_interval = interval > 1 ? (size_t)interval : 1;
}

size_t decant__schedule_steps(size_t steps, size_t epochs, size_t n, size_t batch) {
    size_t epoch = (n + batch - 1) / batch;
    if (epochs == 0 || epochs >= steps / epoch) return steps;
    size_t least = 4 * epochs * epoch < MIN_STEPS ? 4 * epochs * epoch : MIN_STEPS;
    size_t most = epochs * epoch > least ? epochs * epoch : least;
    return most < steps ? most : steps;
}

void decant__schedule(decant_options *options, size_t n) {
    if (options->layer_count == 0) choose_layers(options, n);
    limit_refinement(options, n);
}
