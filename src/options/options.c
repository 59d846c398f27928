/* The one table of options: it drives the program's flags and --help, the man page, bindings, the
 * settings stored in a model, and the presets. A new option is a field in decant_options and one
 * row here. */
#include "options/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_type {
    TYPE_SIZE,    /* size_t */
    TYPE_SEED,    /* uint64_t */
    TYPE_INT,     /* int */
    TYPE_REAL,    /* double */
    TYPE_CHOICE,  /* an enum: the position in info.argument */
    TYPE_SWITCH,  /* int 0 or 1: yes or no */
    TYPE_LAYERS,  /* layer_count and layers */
    TYPE_BYTES,   /* size_t with K, M or G */
    TYPE_EXTENT,  /* two size_t: WxH; auto is 0 and 0 */
    TYPE_NAME,    /* char[most]: small letters */
    TYPE_CLUSTERS /* k and k_most: a number, auto, or a range */
} option_type;

/* The range of -k auto, and how many values a range may have. */
enum { AUTO_MOST = 20, MOST_TRIALS = 100 };

typedef struct option_row {
    decant_option_info info;
    option_type type;
    size_t offset;
    double least, most;
} option_row;

#define AT(field) offsetof(decant_options, field)
#define WHAT "What to do"
#define RAW "Raw images and text"
#define NETWORK "Network and pretraining"
#define KMEANS "k-means"
#define GRAPH "Neighbours in the feature space"
#define REFINE "Refinement (the KL phase)"
#define RIVALS "Other methods"
#define MACHINE "Machine"

/* A row of the table is two or three lines. */
/* clang-format off */
/* name, argument, fast, paper, range, group, help, machine | type, field, least, most */
static const option_row table[] = {
    {{"k", "COUNT", "0", NULL, "2 to 2147483647, auto, or a range of at most 100 like 5..15", WHAT,
      "number of clusters; of a range, or auto (2..20), the one with the most stable clusters", 0},
     TYPE_CLUSTERS, AT(k), 0, 2147483647.0},
    {{"method", "dec|idec|dec-nobackprop|ae+kmeans|kmeans|gmm|spectral|sec|ldmgi|"
      "ae+gmm|ae+spectral|ae+sec|ae+ldmgi", "dec", NULL, NULL, WHAT,
      "dec, idec (keeps the reconstruction loss), dec-nobackprop (network frozen), or without "
      "refinement kmeans, gmm, spectral, sec or ldmgi: on the data, or with ae+ on the "
      "autoencoder's features", 0},
     TYPE_CHOICE, AT(method), 0, 0},
    {{"preset", "fast|paper", "fast", NULL, NULL, WHAT,
      "fast, or the paper's own schedule; other flags change single values", 0},
     TYPE_CHOICE, AT(preset), 0, 0},
    {{"seed", "N", "1", NULL, "0 to 18446744073709551615", WHAT,
      "seed of every random choice", 0},
     TYPE_SEED, AT(seed), 0, 0},
    {{"scaling", "auto|paper|none|standard|minmax", "auto", "paper", NULL, WHAT,
      "input scaling: paper (one factor so that the mean of ||x||^2/d is 1), none, standard or "
      "minmax (each column); auto is standard where a few columns of dense rows have most of the "
      "variance, or all lie far from 0, else paper", 0},
     TYPE_CHOICE, AT(scaling), 0, 0},

    {{"features", "auto|pixels|hog|hog31|colormap|hog+colormap|tfidf", "auto", NULL, NULL, RAW,
      "how raw files become rows; auto is tfidf for text, and for images pixels up to 32x32, "
      "else hog+colormap, or hog if all are grey", 0},
     TYPE_CHOICE, AT(features), 0, 0},
    {{"resize", "WxH", "auto", NULL, "auto, or 1x1 to 10000x10000", RAW,
      "size that images are brought to; auto leaves them, or makes them 96x96 if sizes differ", 0},
     TYPE_EXTENT, AT(resize_width), 1, 10000},
    {{"vocabulary", "N", "2000", NULL, "1 to 1000000", RAW,
      "text: most stems that become columns", 0},
     TYPE_SIZE, AT(vocabulary), 1, 1e6},
    {{"vocabulary-by", "count|documents", "count", NULL, NULL, RAW,
      "text: which stems those are: the ones that occur most often, or in most documents", 0},
     TYPE_CHOICE, AT(vocabulary_by), 0, 0},
    {{"language", "NAME", "english", NULL, "a language of Snowball's, or none", RAW,
      "text: whose endings are cut; none takes words as they are (token files always do)", 0},
     TYPE_NAME, AT(language), 0, DECANT_LANGUAGE_SIZE},
    {{"stop-words", NULL, "yes", NULL, NULL, RAW,
      "text: leave out words like 'the', where there is a list for the language", 0},
     TYPE_SWITCH, AT(stop_words), 0, 1},

    {{"layers", "N,N,...", "500,500,2000,10", NULL, "1 to 16 sizes", NETWORK,
      "sizes of the encoder's layers; the last is the feature space", 0},
     TYPE_LAYERS, AT(layer_count), 1, 65536},
    {{"optimizer", "adam|sgd", "adam", "sgd", NULL, NETWORK,
      "for pretraining: adam with a one-cycle rate, or sgd with momentum and step decay", 0},
     TYPE_CHOICE, AT(optimizer), 0, 0},
    {{"init-std", "X", "0", "0.01", "0 to 10", NETWORK,
      "standard deviation of the first weights; 0 is sqrt(2/inputs)", 0},
     TYPE_REAL, AT(init_std), 0, 10},
    {{"batch", "N", "256", NULL, "1 to 1048576", NETWORK, "rows in a minibatch", 0},
     TYPE_SIZE, AT(batch), 1, 1048576},
    {{"greedy-iterations", "N", "0", "50000", "0 to 1000000000", NETWORK,
      "iterations of each greedy stage; 0 leaves the stages out", 0},
     TYPE_SIZE, AT(greedy_iterations), 0, 1e9},
    {{"dropout", "X", "0.2", NULL, "0 to 0.95", NETWORK,
      "share of a layer's inputs set to 0 in the greedy stages", 0},
     TYPE_REAL, AT(dropout), 0, 0.95},
    {{"finetune-iterations", "N", "5000", "100000", "0 to 1000000000", NETWORK,
      "iterations of the whole autoencoder", 0},
     TYPE_SIZE, AT(finetune_iterations), 0, 1e9},
    {{"pretrain-epochs", "N", "120", "0", "0 to 1000000000", NETWORK,
      "most passes over the data in a stage or the finetuning, for little data; 0 is no limit", 0},
     TYPE_SIZE, AT(pretrain_epochs), 0, 1e9},
    {{"pretrain-rate", "X", "0.002", "0.1", "1e-9 to 100", NETWORK,
      "learning rate of pretraining: the peak (adam) or the start (sgd)", 0},
     TYPE_REAL, AT(pretrain_rate), 1e-9, 100},
    {{"rate-step", "N", "20000", NULL, "1 to 1000000000", NETWORK,
      "sgd: the rate is divided by 10 after so many iterations", 0},
     TYPE_SIZE, AT(rate_step), 1, 1e9},
    {{"momentum", "X", "0.9", NULL, "0 to 0.999", NETWORK, "momentum of sgd, in both phases", 0},
     TYPE_REAL, AT(momentum), 0, 0.999},
    {{"bias-rate", "X", "1", "2", "0 to 100", NETWORK,
      "learning rate of biases, times the weights'", 0},
     TYPE_REAL, AT(bias_rate), 0, 100},
    {{"shuffle", NULL, "yes", "no", NULL, NETWORK,
      "new random order of the rows in every epoch; no is file order", 0},
     TYPE_SWITCH, AT(shuffle), 0, 1},

    {{"seeding", "plusplus|random", "plusplus", NULL, NULL, KMEANS, "how k-means starts", 0},
     TYPE_CHOICE, AT(seeding), 0, 0},
    {{"restarts", "N", "20", NULL, "1 to 100000", KMEANS,
      "starts of k-means, gmm and the rotation of eigenvectors: the best objective wins", 0},
     TYPE_SIZE, AT(restarts), 1, 100000},
    {{"kmeans-iterations", "N", "300", NULL, "1 to 1000000", KMEANS,
      "most iterations of one k-means start", 0},
     TYPE_SIZE, AT(kmeans_iterations), 1, 1e6},

    {{"whiten", "X", "0", NULL, "0 to 1", GRAPH,
      "evens out the feature space before refinement: a variance v becomes v^(1-X)", 0},
     TYPE_REAL, AT(whiten), 0, 1},
    {{"neighbours", "N", "10", "0", "0 to 1000", GRAPH,
      "nearest neighbours: those that smooth start and target, 0 is none; or those of the graph of "
      "spectral, sec and ldmgi (where the default is 5; the last counts the row itself)", 0},
     TYPE_SIZE, AT(neighbours), 0, 1000},
    {{"smooth-steps", "N", "3", "0", "0 to 10000", GRAPH,
      "how often the neighbours' mean is taken; 0 is the paper's own target", 0},
     TYPE_SIZE, AT(smooth_steps), 0, 10000},

    {{"alpha", "X", "1", NULL, "0.01 to 1000", REFINE,
      "degrees of freedom of the Student kernel, eq. 1", 0},
     TYPE_REAL, AT(alpha), 0.01, 1000},
    {{"refine-rate", "X", "0.05", "0.01", "1e-9 to 100", REFINE, "learning rate of sgd", 0},
     TYPE_REAL, AT(refine_rate), 1e-9, 100},
    {{"update-interval", "N", "140", "40", "1 to 1000000000", REFINE,
      "iterations between two updates of the target distribution (the paper's lambda)", 0},
     TYPE_SIZE, AT(update_interval), 1, 1e9},
    {{"tol", "X", "0.001", NULL, "0 to 1", REFINE,
      "stop when less than this share of the labels changed between two updates", 0},
     TYPE_REAL, AT(tol), 0, 1},
    {{"max-iterations", "N", "2100", "20000", "0 to 1000000000", REFINE,
      "cap on the iterations", 0},
     TYPE_SIZE, AT(max_iterations), 0, 1e9},
    {{"anneal", NULL, "yes", "no", NULL, REFINE,
      "the rate falls to 0 towards the cap, so that the labels settle; no is a constant rate", 0},
     TYPE_SWITCH, AT(anneal), 0, 1},
    {{"gamma", "X", "0.1", NULL, "0 to 1000", REFINE,
      "idec: weight of the clustering loss beside the reconstruction loss; sec: ridge of its "
      "linear map, where the default is 1", 0},
     TYPE_REAL, AT(gamma), 0, 1000},

    {{"covariance", "diag|full", "diag", NULL, NULL, RIVALS, "gmm: shape of the clusters", 0},
     TYPE_CHOICE, AT(covariance), 0, 0},
    {{"lambda", "X", "1", NULL, "1e-12 to 1e12", RIVALS,
      "ldmgi, and sec with the local Laplacian: ridge of the local models", 0},
     TYPE_REAL, AT(lambda), 1e-12, 1e12},
    {{"mu", "X", "1", NULL, "0 to 1e12", RIVALS,
      "sec: weight of the linear map beside the graph", 0},
     TYPE_REAL, AT(mu), 0, 1e12},
    {{"laplacian", "gaussian|local", "gaussian", NULL, NULL, RIVALS,
      "sec: links weighted by distance, or local regression as in ldmgi", 0},
     TYPE_CHOICE, AT(laplacian), 0, 0},
    {{"discretise", "rotation|kmeans", "rotation", NULL, NULL, RIVALS,
      "spectral, sec, ldmgi: how eigenvectors become clusters", 0},
     TYPE_CHOICE, AT(discretise), 0, 0},
    {{"skip-constant", NULL, "no", NULL, NULL, RIVALS,
      "spectral, ldmgi: leave out the eigenvector of eigenvalue 0", 0},
     TYPE_SWITCH, AT(skip_constant), 0, 1},
    {{"knn", "exact|approximate", "exact", NULL, NULL, RIVALS,
      "spectral, sec, ldmgi: how neighbours are found; exact takes time with n^2", 0},
     TYPE_CHOICE, AT(knn), 0, 0},

    {{"threads", "N", "0", NULL, "0 to 1024", MACHINE,
      "threads; 0 is one for each core; the result is the same for any number", 1},
     TYPE_INT, AT(threads), 0, 1024},
    {{"memory", "SIZE", "1G", NULL, "1M or more", MACHINE,
      "memory for caches, with K, M or G; greedy stages round differently without them", 0},
     TYPE_BYTES, AT(memory), 1048576, 0x1p62},
};
/* clang-format on */

enum { ROWS = sizeof table / sizeof table[0] };

/* Defaults of the methods on a neighbour graph, where they differ; no preset changes them. */
static const struct graph_default {
    size_t offset;
    const char *value;
} graph_defaults[] = {{AT(neighbours), "5"}, {AT(gamma), "1"}};

enum { GRAPH_DEFAULTS = sizeof graph_defaults / sizeof graph_defaults[0] };

size_t decant_option_count(void) { return ROWS; }

const decant_option_info *decant_option_at(size_t index) {
    return index < ROWS ? &table[index].info : NULL;
}

static const option_row *find(const char *name) {
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].info.name, name) == 0) return &table[i];
    return NULL;
}

static void *field(decant_options *options, const option_row *row) {
    return (char *)options + row->offset;
}

static const void *const_field(const decant_options *options, const option_row *row) {
    return (const char *)options + row->offset;
}

static decant_status refuse(const option_row *row, const char *value) {
    const char *expected = row->info.range      ? row->info.range
                           : row->info.argument ? row->info.argument
                                                : "yes or no";
    return decant__fail(DECANT_EINVAL, "option %s: expected %s, got '%s'", row->info.name, expected,
                        value);
}

/* The position of value among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *value) {
    size_t length = strlen(value);
    for (int index = 0;; index++) {
        size_t width = strcspn(choices, "|");
        if (width == length && strncmp(choices, value, width) == 0) return index;
        if (choices[width] == '\0') return -1;
        choices += width + 1;
    }
}

/* A plain non-negative decimal number; strtoull alone would take "-1" and " 7". */
static int parse_whole(const char *value, uint64_t *out, const char **rest) {
    if (value[0] < '0' || value[0] > '9') return 0;
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 10);
    *rest = end;
    return errno == 0;
}

static int parse_real(const char *value, double *out) {
    char *end;
    errno = 0;
    *out = strtod(value, &end);
    return end != value && *end == '\0' && errno == 0 && isfinite(*out);
}

static int within(const option_row *row, double x) { return x >= row->least && x <= row->most; }

static int parse_layers(const option_row *row, const char *value, decant_options *options) {
    size_t sizes[DECANT_MAX_LAYERS], count = 0;
    for (;;) {
        uint64_t size;
        if (count == DECANT_MAX_LAYERS || !parse_whole(value, &size, &value)) return 0;
        if (!within(row, (double)size)) return 0;
        sizes[count++] = (size_t)size;
        if (*value == '\0') break;
        if (*value++ != ',') return 0;
    }
    options->layer_count = count;
    memset(options->layers, 0, sizeof options->layers);
    memcpy(options->layers, sizes, count * sizeof *sizes);
    return 1;
}

static int parse_bytes(const option_row *row, const char *value, size_t *out) {
    uint64_t count;
    const char *rest;
    if (!parse_whole(value, &count, &rest)) return 0;
    double bytes = (double)count;
    if (*rest == 'K' || *rest == 'k')
        bytes *= 0x1p10, rest++;
    else if (*rest == 'M' || *rest == 'm')
        bytes *= 0x1p20, rest++;
    else if (*rest == 'G' || *rest == 'g')
        bytes *= 0x1p30, rest++;
    if (*rest != '\0' || !within(row, bytes)) return 0;
    *out = (size_t)bytes;
    return 1;
}

static int parse_name(const option_row *row, const char *value, char *target) {
    size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz");
    if (length == 0 || value[length] != '\0' || (double)length >= row->most) return 0;
    memset(target, 0, (size_t)row->most);
    memcpy(target, value, length);
    return 1;
}

static int parse_extent(const option_row *row, const char *value, size_t *target) {
    uint64_t width = 0, height = 0;
    const char *rest = value;
    if (strcmp(value, "auto") != 0 && (!parse_whole(value, &width, &rest) || *rest != 'x' ||
                                       !parse_whole(rest + 1, &height, &rest) || *rest != '\0' ||
                                       !within(row, (double)width) || !within(row, (double)height)))
        return 0;
    target[0] = (size_t)width;
    target[1] = (size_t)height;
    return 1;
}

static int parse_clusters(const option_row *row, const char *value, size_t *target) {
    uint64_t least = 0, most = AUTO_MOST;
    const char *rest = "";
    if (strcmp(value, "auto") != 0) {
        most = 0;
        if (!parse_whole(value, &least, &rest)) return 0;
        if (strncmp(rest, "..", 2) == 0 && (!parse_whole(rest + 2, &most, &rest) || least < 2 ||
                                            most < least || most - least >= MOST_TRIALS))
            return 0;
    }
    if (*rest != '\0' || !within(row, (double)least) || !within(row, (double)most)) return 0;
    target[0] = (size_t)least;
    target[1] = (size_t)most;
    return 1;
}

static int parse_into(const option_row *row, const char *value, decant_options *options) {
    void *target = field(options, row);
    uint64_t whole;
    double real;
    int index;
    const char *rest;
    switch (row->type) {
        case TYPE_SIZE:
            if (!parse_whole(value, &whole, &rest) || *rest || !within(row, (double)whole))
                return 0;
            *(size_t *)target = (size_t)whole;
            return 1;
        case TYPE_SEED:
            if (!parse_whole(value, &whole, &rest) || *rest) return 0;
            *(uint64_t *)target = whole;
            return 1;
        case TYPE_INT:
            if (!parse_whole(value, &whole, &rest) || *rest || !within(row, (double)whole))
                return 0;
            *(int *)target = (int)whole;
            return 1;
        case TYPE_REAL:
            if (!parse_real(value, &real) || !within(row, real)) return 0;
            *(double *)target = real;
            return 1;
        case TYPE_CHOICE:
            if ((index = choice_index(row->info.argument, value)) < 0) return 0;
            *(int *)target = index;
            return 1;
        case TYPE_SWITCH:
            if ((index = choice_index("no|yes", value)) < 0) return 0;
            *(int *)target = index;
            return 1;
        case TYPE_LAYERS:
            return parse_layers(row, value, options);
        case TYPE_BYTES:
            return parse_bytes(row, value, target);
        case TYPE_EXTENT:
            return parse_extent(row, value, target);
        case TYPE_NAME:
            return parse_name(row, value, target);
        case TYPE_CLUSTERS:
            return parse_clusters(row, value, target);
    }
    return 0;
}

_Static_assert(sizeof(decant_method) == sizeof(int), "choices are written through int pointers");

static int uses_graph(decant_method method) {
    switch (method) {
        case DECANT_METHOD_SPECTRAL:
        case DECANT_METHOD_SEC:
        case DECANT_METHOD_LDMGI:
        case DECANT_METHOD_AE_SPECTRAL:
        case DECANT_METHOD_AE_SEC:
        case DECANT_METHOD_AE_LDMGI:
            return 1;
        default:
            return 0;
    }
}

/* What the method, or else the preset, has for this row. */
static const char *default_of(const option_row *row, const decant_options *options) {
    for (size_t i = 0; i < GRAPH_DEFAULTS && uses_graph(options->method); i++)
        if (graph_defaults[i].offset == row->offset) return graph_defaults[i].value;
    if (row->info.paper != NULL && options->preset == DECANT_PRESET_PAPER) return row->info.paper;
    return row->info.fallback;
}

static void apply_preset(decant_options *options) {
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].info.paper != NULL)
            parse_into(&table[i], default_of(&table[i], options), options);
}

static void apply_method(decant_options *options) {
    for (size_t i = 0; i < ROWS; i++)
        for (size_t g = 0; g < GRAPH_DEFAULTS; g++)
            if (graph_defaults[g].offset == table[i].offset)
                parse_into(&table[i], default_of(&table[i], options), options);
}

void decant_options_init(decant_options *options) {
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    for (size_t i = 0; i < ROWS; i++) parse_into(&table[i], table[i].info.fallback, options);
}

decant_status decant_options_set(decant_options *options, const char *name, const char *value) {
    const option_row *row = find(name);
    if (row == NULL) return decant__fail(DECANT_EINVAL, "there is no option '%s'", name);
    if (!parse_into(row, value, options)) return refuse(row, value);
    if (row->offset == AT(preset)) apply_preset(options);
    if (row->offset == AT(method)) apply_method(options);
    return DECANT_OK;
}

/* A number that a caller wrote into a field and that is no choice becomes "?". */
static void print_choice(const char *choices, int index, char *text, size_t size) {
    for (; index > 0 && *choices != '\0'; index--) {
        choices += strcspn(choices, "|");
        if (*choices == '|') choices++;
    }
    if (index != 0 || *choices == '\0') choices = "?";
    snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* The shortest text that reads back as the same double; whole numbers without an exponent. */
static void print_real(double value, char *text, size_t size) {
    if (fabs(value) < 1e15 && value == floor(value)) {
        snprintf(text, size, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

static void print_bytes(size_t bytes, char *text, size_t size) {
    static const char units[] = "KMG";
    int unit = -1;
    while (unit < 2 && bytes != 0 && bytes % 1024 == 0) bytes /= 1024, unit++;
    if (unit < 0)
        snprintf(text, size, "%zu", bytes);
    else
        snprintf(text, size, "%zu%c", bytes, units[unit]);
}

static void print_layers(const decant_options *options, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < options->layer_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%zu" : "%zu", options->layers[i]);
}

static void print_extent(const size_t *extent, char *text, size_t size) {
    if (extent[0] == 0 && extent[1] == 0)
        snprintf(text, size, "auto");
    else
        snprintf(text, size, "%zux%zu", extent[0], extent[1]);
}

static void print_clusters(const size_t *k, char *text, size_t size) {
    if (k[1] == 0)
        snprintf(text, size, "%zu", k[0]);
    else if (k[0] == 0)
        snprintf(text, size, "auto");
    else
        snprintf(text, size, "%zu..%zu", k[0], k[1]);
}

static void print_row(const decant_options *options, const option_row *row, char *text,
                      size_t size) {
    const void *source = const_field(options, row);
    switch (row->type) {
        case TYPE_SIZE:
            snprintf(text, size, "%zu", *(const size_t *)source);
            break;
        case TYPE_SEED:
            snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)source);
            break;
        case TYPE_INT:
            snprintf(text, size, "%d", *(const int *)source);
            break;
        case TYPE_REAL:
            print_real(*(const double *)source, text, size);
            break;
        case TYPE_CHOICE:
            print_choice(row->info.argument, *(const int *)source, text, size);
            break;
        case TYPE_SWITCH:
            print_choice("no|yes", *(const int *)source, text, size);
            break;
        case TYPE_LAYERS:
            print_layers(options, text, size);
            break;
        case TYPE_BYTES:
            print_bytes(*(const size_t *)source, text, size);
            break;
        case TYPE_EXTENT:
            print_extent(source, text, size);
            break;
        case TYPE_NAME: /* a caller may have filled all of it */
            snprintf(text, size, "%.*s", (int)row->most, (const char *)source);
            break;
        case TYPE_CLUSTERS:
            print_clusters(source, text, size);
            break;
    }
}

decant_status decant_options_get(const decant_options *options, const char *name, char *text,
                                 size_t size) {
    const option_row *row = find(name);
    if (row == NULL) return decant__fail(DECANT_EINVAL, "there is no option '%s'", name);
    if (size == 0) return decant__fail(DECANT_EINVAL, "no room for the value of option %s", name);
    print_row(options, row, text, size);
    return DECANT_OK;
}

enum { TEXT_SIZE = 256 };

/* Fields can be set directly, so each is printed and read back: that applies every range. */
decant_status decant__options_check(const decant_options *options) {
    if (options->struct_size != sizeof *options)
        return decant__fail(DECANT_EINVAL, "options were not filled by decant_options_init");
    if (options->layer_count < 1 || options->layer_count > DECANT_MAX_LAYERS)
        return decant__fail(DECANT_EINVAL, "option layers: expected 1 to %d sizes, got %zu",
                            DECANT_MAX_LAYERS, options->layer_count);
    decant_options copy = *options;
    for (size_t i = 0; i < ROWS; i++) {
        char text[TEXT_SIZE];
        print_row(options, &table[i], text, sizeof text);
        if (!parse_into(&table[i], text, &copy)) return refuse(&table[i], text);
    }
    if (options->k < 2 && options->k_most == 0)
        return decant__fail(DECANT_EINVAL, "k must be at least 2 clusters, got %zu", options->k);
    return DECANT_OK;
}

const char *decant__options_difference(const decant_options *a, const decant_options *b) {
    for (size_t i = 0; i < ROWS; i++) {
        char left[TEXT_SIZE], right[TEXT_SIZE];
        if (table[i].info.machine) continue;
        print_row(a, &table[i], left, sizeof left);
        print_row(b, &table[i], right, sizeof right);
        if (strcmp(left, right) != 0) return table[i].info.name;
    }
    return NULL;
}
