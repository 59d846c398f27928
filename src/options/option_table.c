/* The one table of options: it drives the program's flags and --help, the man page, bindings, the
 * settings stored in a model, and the presets. A new option is a field in decant_options and one
 * row here. */
#include "options/option_table.h"

#include <string.h>

#define AT(field) offsetof(decant_options, field)
#define SIZE sizeof(decant_option_info)
#define WHAT "Main options"
#define RAW "Raw images and text"
#define NETWORK "Network and pretraining"
#define KMEANS "k-means"
#define GRAPH "Neighbours in the feature space"
#define REFINE "Refinement (the KL phase)"
#define STUDENT "Self-training (the student)"
#define RIVALS "Other methods"
#define MACHINE "Machine"

/* A row of the table is two or three lines. */
/* clang-format off */
/* size, name, argument, fast, paper, range, group, help, machine | type, field, min, max */
const decant__option decant__option_table[] = {
    {{SIZE, "k", "COUNT", "0", NULL,
      "1 to 2147483647, auto, or a range of at most 100 like 5..15", WHAT,
      "number of clusters; from a range, or auto (2..20), the k with the most stable clusters", 0},
     TYPE_CLUSTERS, AT(k), 0, 2147483647.0},
    {{SIZE, "method", "dec|idec|dec-nobackprop|ae+kmeans|kmeans|gmm|spectral|sec|ldmgi|"
      "ae+gmm|ae+spectral|ae+sec|ae+ldmgi", "dec", NULL, NULL, WHAT,
      "dec, idec (keeps the reconstruction loss), dec-nobackprop (network frozen), or without "
      "refinement kmeans, gmm, spectral, sec or ldmgi: on the data, or with ae+ on the "
      "autoencoder's features", 0},
     TYPE_CHOICE, AT(method), 0, 0},
    {{SIZE, "preset", "fast|paper|authors|best", "fast", NULL, NULL, WHAT,
      "fast, the schedule of the paper, that of its authors' code, or best: fast and then a "
      "student, slower; other options override single values", 0},
     TYPE_CHOICE, AT(preset), 0, 0},
    {{SIZE, "seed", "N", "1", NULL, "0 to 18446744073709551615", WHAT,
      "seed of all random numbers", 0},
     TYPE_SEED, AT(seed), 0, 0},
    {{SIZE, "scaling", "auto|paper|none|standard|minmax|counts|gradients", "auto", "paper", NULL,
      WHAT,
      "input scaling: paper (one factor for all numbers, see mean-square), none, standard or "
      "minmax (each column), counts (each row to the sum 10000, then ln(1 + x)), gradients (grey "
      "images: which edges there are, and where); auto is gradients for rows that are grey images, "
      "counts for sparse counts, standard if columns of dense rows seem to have different units or "
      "are all far from 0, else paper", 0},
     TYPE_CHOICE, AT(scaling), 0, 0},
    {{SIZE, "mean-square", "X", "1", NULL, "1e-06 to 1000000", WHAT,
      "scaling paper: what the mean of ||x||^2/d becomes", 0},
     TYPE_REAL, AT(mean_square), 1e-6, 1e6},
    {{SIZE, "outliers", "X", "0.01", NULL, "0 to 0.5", WHAT,
      "share of the rows that are the farthest from their centroids: as far as these, predict "
      "calls a new row an outlier", 0},
     TYPE_REAL, AT(outliers), 0, 0.5},
    {{SIZE, "min-size", "N", "0", NULL, "0 to 2147483647", WHAT,
      "min. rows of a cluster: while the smallest has fewer, it is dissolved, and each of its rows "
      "goes to the next likely cluster", 0},
     TYPE_SIZE, AT(min_size), 0, 2147483647.0},

    {{SIZE, "features", "auto|pixels|hog|hog31|colormap|hog+colormap|tfidf", "auto", NULL, NULL,
      RAW,
      "how raw files become rows; auto is tfidf for text, and for images pixels up to 32x32, "
      "else hog+colormap, or hog if all are grey", 0},
     TYPE_CHOICE, AT(features), 0, 0},
    {{SIZE, "resize", "WxH", "auto", NULL, "auto, or 1x1 to 10000x10000", RAW,
      "size that images are resized to; auto keeps their size, or is 96x96 if sizes differ", 0},
     TYPE_EXTENT, AT(resize_width), 1, 10000},
    {{SIZE, "vocabulary", "N", "2000", NULL, "1 to 1000000", RAW,
      "text: max number of stems that become columns", 0},
     TYPE_SIZE, AT(vocabulary), 1, 1e6},
    {{SIZE, "vocabulary-by", "count|documents", "count", NULL, NULL, RAW,
      "text: which stems are kept: those that occur most often, or in most documents", 0},
     TYPE_CHOICE, AT(vocabulary_by), 0, 0},
    {{SIZE, "language", "NAME", "english", NULL, "a language of Snowball, or none", RAW,
      "text: language of the stemmer; none keeps words as they are (so do token files)", 0},
     TYPE_NAME, AT(language), 0, DECANT_LANGUAGE_SIZE},
    {{SIZE, "stop-words", NULL, "yes", NULL, NULL, RAW,
      "text: leave out stop words like 'the', if there is a list for the language", 0},
     TYPE_SWITCH, AT(stop_words), 0, 1},

    {{SIZE, "layers", "N,N,...", "auto", "500,500,2000,10", "auto, or 1 to 16 sizes", NETWORK,
      "sizes of the encoder's layers; the last is the feature space; auto is w,w,4w,10, and w the "
      "smaller of 6 n^(1/2) and 54 n^(1/5) for n rows, in steps of 16, at most 400", 0},
     TYPE_LAYERS, AT(layer_count), 1, 65536},
    {{SIZE, "optimizer", "adam|sgd", "adam", "sgd", NULL, NETWORK,
      "for pretraining: adam with a one-cycle rate, or sgd with momentum and step decay", 0},
     TYPE_CHOICE, AT(optimizer), 0, 0},
    {{SIZE, "init-std", "X", "0", "0.01", "0 to 10", NETWORK,
      "standard deviation of the initial weights; 0 is sqrt(2/inputs)", 0},
     TYPE_REAL, AT(init_std), 0, 10},
    {{SIZE, "batch", "N", "256", NULL, "1 to 1048576", NETWORK, "rows in a minibatch", 0},
     TYPE_SIZE, AT(batch), 1, 1048576},
    {{SIZE, "greedy-iterations", "N", "0", "50000", "0 to 1000000000", NETWORK,
      "iterations of each greedy stage (layer-wise pretraining); 0 skips these stages", 0},
     TYPE_SIZE, AT(greedy_iterations), 0, 1e9},
    {{SIZE, "dropout", "X", "0.2", NULL, "0 to 0.95", NETWORK,
      "share of a layer's inputs set to 0 in the greedy stages", 0},
     TYPE_REAL, AT(dropout), 0, 0.95},
    {{SIZE, "dropout-on", "all|hidden", "all", NULL, NULL, NETWORK,
      "where dropout is applied: on all inputs and outputs of the greedy stages, or on hidden "
      "layers only, not on the data and the last features", 0},
     TYPE_CHOICE, AT(dropout_on), 0, 0},
    {{SIZE, "finetune-iterations", "N", "3000", "100000", "0 to 1000000000", NETWORK,
      "iterations of training the whole autoencoder", 0},
     TYPE_SIZE, AT(finetune_iterations), 0, 1e9},
    {{SIZE, "diffuse-iterations", "N", "300", "0", "0 to 1000000000", NETWORK,
      "max finetune-iterations for diffuse rows, as texts and cells have: the first 30 principal "
      "components have less than half of the variance; 0 is no such limit. Other "
      "finetune-iterations than the preset's are limited only if this is not the preset's either",
      0},
     TYPE_SIZE, AT(diffuse_iterations), 0, 1e9},
    {{SIZE, "networks", "N", "3", "1", "1 to 9", NETWORK,
      "max number of networks: where the features of one have lost what the data shows, by the "
      "data's neighbour graph, another one is trained, up to so many", 0},
     TYPE_SIZE, AT(networks), 1, 9},
    {{SIZE, "pretrain-epochs", "N", "20", "0", "0 to 1000000000", NETWORK,
      "max epochs of a greedy stage, of finetuning and of the student, for small data; below 800 "
      "iterations up to four times as many; 0 is no limit", 0},
     TYPE_SIZE, AT(pretrain_epochs), 0, 1e9},
    {{SIZE, "pretrain-rate", "X", "0.003", "0.1", "1e-9 to 100", NETWORK,
      "learning rate of pretraining: the peak (adam) or the start (sgd)", 0},
     TYPE_REAL, AT(pretrain_rate), 1e-9, 100},
    {{SIZE, "rate-step", "N", "20000", NULL, "1 to 1000000000", NETWORK,
      "sgd: the learning rate is divided by 10 every N iterations", 0},
     TYPE_SIZE, AT(rate_step), 1, 1e9},
    {{SIZE, "momentum", "X", "0.9", NULL, "0 to 0.999", NETWORK,
      "momentum of sgd, in both phases", 0},
     TYPE_REAL, AT(momentum), 0, 0.999},
    {{SIZE, "bias-rate", "X", "1", "2", "0 to 100", NETWORK,
      "learning rate of biases, as a multiple of that of weights", 0},
     TYPE_REAL, AT(bias_rate), 0, 100},
    {{SIZE, "shuffle", NULL, "yes", "no", NULL, NETWORK,
      "new random order of the rows in every epoch; no is file order in each sixteenth of the "
      "rows", 0},
     TYPE_SWITCH, AT(shuffle), 0, 1},
    {{SIZE, "zeros", "N", "8192", NULL, "0 to 1000000000", NETWORK,
      "sparse rows of 4 N columns or more, less than 5 % of them non-zero: columns, drawn anew for "
      "each minibatch, whose zeros are reconstructed beside all non-zeros; 0 is all columns", 0},
     TYPE_SIZE, AT(zeros), 0, 1e9},

    {{SIZE, "seeding", "plusplus|random", "plusplus", NULL, NULL, KMEANS,
      "initial centroids: k-means++, or random rows", 0},
     TYPE_CHOICE, AT(seeding), 0, 0},
    {{SIZE, "restarts", "N", "20", NULL, "1 to 100000", KMEANS,
      "runs of k-means, gmm and the rotation of eigenvectors; the best objective is taken", 0},
     TYPE_SIZE, AT(restarts), 1, 100000},
    {{SIZE, "kmeans-iterations", "N", "300", NULL, "1 to 1000000", KMEANS,
      "max iterations of one k-means run", 0},
     TYPE_SIZE, AT(kmeans_iterations), 1, 1e6},

    {{SIZE, "whiten", "X", "0", NULL, "0 to 1", GRAPH,
      "whitens the feature space before refinement: a variance v becomes v^(1-X)", 0},
     TYPE_REAL, AT(whiten), 0, 1},
    {{SIZE, "neighbours", "N", "10", "0", "0 to 1000", GRAPH,
      "number of nearest neighbours that smooth the initial clusters and the target, 0 is no "
      "smoothing; or of the graph of spectral, sec and ldmgi (default 5; ldmgi counts the row "
      "itself)", 0},
     TYPE_SIZE, AT(neighbours), 0, 1000},
    {{SIZE, "smooth-steps", "N", "3", "0", "0 to 10000", GRAPH,
      "how often each row is averaged with its neighbours; 0 is the paper's target", 0},
     TYPE_SIZE, AT(smooth_steps), 0, 10000},
    {{SIZE, "start", "auto|features", "auto", NULL, NULL, GRAPH,
      "where refinement starts, with neighbours: auto compares clusters of the features and of the "
      "data; features leaves the data out", 0},
     TYPE_CHOICE, AT(start), 0, 0},

    {{SIZE, "alpha", "X", "1", NULL, "0.01 to 1000", REFINE,
      "degrees of freedom of the Student kernel, eq. 1", 0},
     TYPE_REAL, AT(alpha), 0.01, 1000},
    {{SIZE, "refine-rate", "X", "0.05", "0.01", "1e-9 to 100", REFINE, "learning rate (sgd)", 0},
     TYPE_REAL, AT(refine_rate), 1e-9, 100},
    {{SIZE, "update-interval", "N", "70", "40", "1 to 1000000000", REFINE,
      "iterations between two updates of the target distribution (the paper's lambda)", 0},
     TYPE_SIZE, AT(update_interval), 1, 1e9},
    {{SIZE, "tol", "X", "0.001", NULL, "0 to 1", REFINE,
      "stop when less than this share of the labels changed between two updates", 0},
     TYPE_REAL, AT(tol), 0, 1},
    {{SIZE, "max-iterations", "N", "1050", "20000", "0 to 1000000000", REFINE,
      "max iterations of refinement", 0},
     TYPE_SIZE, AT(max_iterations), 0, 1e9},
    {{SIZE, "refine-epochs", "N", "60", "0", "0 to 1000000000", REFINE,
      "max epochs of refinement, for small data; the interval shrinks with them; 0 is no limit", 0},
     TYPE_SIZE, AT(refine_epochs), 0, 1e9},
    {{SIZE, "balance", "X", "0", "1", "0 to 1", REFINE,
      "power of the cluster sizes that divide the target, eq. 3: 1 pulls to equal sizes, 0 leaves "
      "them as they are", 0},
     TYPE_REAL, AT(balance), 0, 1},
    {{SIZE, "anneal", NULL, "yes", "no", NULL, REFINE,
      "the learning rate falls to 0 at max-iterations, so that the labels converge; no is a "
      "constant rate", 0},
     TYPE_SWITCH, AT(anneal), 0, 1},
    {{SIZE, "gamma", "X", "0.1", NULL, "0 to 1000", REFINE,
      "idec: weight of the clustering loss (that of the reconstruction loss is 1); sec: ridge "
      "parameter of its linear map (default 1)", 0},
     TYPE_REAL, AT(gamma), 0, 1000},

    {{SIZE, "student-iterations", "N", "0", NULL, "0 to 1000000000", STUDENT,
      "iterations of training a second network on the confident rows of each cluster; labels are "
      "then its own; at most pretrain-epochs; 0 is none", 0},
     TYPE_SIZE, AT(student_iterations), 0, 1e9},
    {{SIZE, "student-width", "N", "600", NULL, "1 to 65536", STUDENT,
      "units in each of its two hidden layers", 0},
     TYPE_SIZE, AT(student_width), 1, 65536},

    {{SIZE, "covariance", "diag|full", "diag", NULL, NULL, RIVALS, "gmm: covariance matrices", 0},
     TYPE_CHOICE, AT(covariance), 0, 0},
    {{SIZE, "lambda", "X", "1", NULL, "1e-12 to 1e12", RIVALS,
      "ldmgi, and sec with the local Laplacian: ridge parameter of the local models", 0},
     TYPE_REAL, AT(lambda), 1e-12, 1e12},
    {{SIZE, "mu", "X", "1", NULL, "0 to 1e12", RIVALS,
      "sec: weight of the linear map (that of the graph is 1)", 0},
     TYPE_REAL, AT(mu), 0, 1e12},
    {{SIZE, "laplacian", "gaussian|local", "gaussian", NULL, NULL, RIVALS,
      "sec: edges weighted by distance, or local regression as in ldmgi", 0},
     TYPE_CHOICE, AT(laplacian), 0, 0},
    {{SIZE, "discretise", "rotation|kmeans", "rotation", NULL, NULL, RIVALS,
      "spectral, sec, ldmgi: how eigenvectors become clusters", 0},
     TYPE_CHOICE, AT(discretise), 0, 0},
    {{SIZE, "skip-constant", NULL, "no", NULL, NULL, RIVALS,
      "spectral, ldmgi: leave out the eigenvector of eigenvalue 0; sec: vectors orthogonal to the "
      "constant one",
      0},
     TYPE_SWITCH, AT(skip_constant), 0, 1},
    {{SIZE, "knn", "exact|approximate", "exact", NULL, NULL, RIVALS,
      "spectral, sec, ldmgi: search of neighbours; exact takes O(n^2) time", 0},
     TYPE_CHOICE, AT(knn), 0, 0},

    {{SIZE, "threads", "N", "0", NULL, "0 to 1024", MACHINE,
      "number of threads, 0 is one for each core; the result is the same for any number", 1},
     TYPE_INT, AT(threads), 0, 1024},
    {{SIZE, "memory", "SIZE", "1G", NULL, "1M or more", MACHINE,
      "memory for caches, with K, M or G; greedy stages round differently without a cache", 0},
     TYPE_BYTES, AT(memory), 1048576, 0x1p62},
};
/* clang-format on */

/* Presets beyond fast and paper: what each has of its own. */
const decant__preset_value decant__preset_values[] = {
    {DECANT_PRESET_AUTHORS, AT(mean_square), "2.92"}, /* MNIST's pixels times 0.02 */
    {DECANT_PRESET_AUTHORS, AT(dropout_on), "hidden"},
    {DECANT_PRESET_AUTHORS, AT(update_interval), "160"},
    {DECANT_PRESET_BEST, AT(student_iterations), "3000"},
};

const size_t decant__preset_value_count =
    sizeof decant__preset_values / sizeof decant__preset_values[0];

const size_t decant__option_rows = sizeof decant__option_table / sizeof decant__option_table[0];

size_t decant_option_count(void) { return decant__option_rows; }

const decant_option_info *decant_option_at(size_t index) {
    return index < decant__option_rows ? &decant__option_table[index].info : NULL;
}

const decant__option *decant__option_find(const char *name) {
    for (size_t i = 0; i < decant__option_rows; i++)
        if (strcmp(decant__option_table[i].info.name, name) == 0) return &decant__option_table[i];
    return NULL;
}
