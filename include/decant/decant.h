/* decant: deep embedded clustering (Xie, Girshick and Farhadi, ICML 2016) as a C library.
 *
 * The way data goes:  files -> dataset -> decant_fit -> result (labels, features, model) -> run
 *                     files -> stream  -> decant_model_predict -> labels
 *
 * Rules that hold everywhere:
 *  - A function that can fail returns decant_status; decant_last_error() then has one sentence
 *    for people. Outputs are untouched on failure.
 *  - Inputs are const and borrowed for the call, unless a declaration says "borrowed until freed".
 *  - The library never prints, exits or touches signals.
 *  - Same build, same data, same options, same seed: the same bytes, for any number of threads.
 */
#ifndef DECANT_DECANT_H
#define DECANT_DECANT_H

#include <stddef.h>
#include <stdint.h>

#include "decant/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Version and status ------------------------------------------------------------------ */

typedef enum decant_status {
    DECANT_OK = 0,
    DECANT_ENOMEM,    /* memory ran out */
    DECANT_EINVAL,    /* an argument or option makes no sense (k larger than n, ...) */
    DECANT_EIO,       /* the system refused to read or write */
    DECANT_EFORMAT,   /* a file does not hold what its format promises */
    DECANT_EDIVERGED, /* training left the finite numbers and could not be brought back */
    DECANT_ECANCELLED /* the progress callback asked to stop */
} decant_status;

/* The library's version, "MAJOR.MINOR.PATCH". */
DECANT_API const char *decant_version(void);

/* The sentence that explains the last failure on this thread; "" if there was none. */
DECANT_API const char *decant_last_error(void);

/* ---- 2. Datasets: rows to cluster ----------------------------------------------------------- */

/* n rows of d numbers, dense float32 (in memory or mapped from a file) or CSR, and what came with
 * them: labels (class of each row, used for scoring only) and ids. */
typedef struct decant_dataset decant_dataset;

/* How raw images or text become rows: sizes and kind of the features, or vocabulary and idf. Found
 * when the files of a dataset are read; a model keeps it and makes the same rows of new files. */
typedef struct decant_features decant_features;

/* How files are read. Zero-initialise, set struct_size, then what you need. */
typedef struct decant_read_options {
    size_t struct_size;             /* sizeof(decant_read_options) */
    const char *id_column;          /* CSV: name or number of the ids' column; NULL: none */
    const char *label_column;       /* CSV: the same for labels; NULL: none */
    const char *const *label_paths; /* label files, one for each data file; NULL: none */
    size_t label_path_count;
    size_t columns; /* how many features there must be; 0: whatever the file has */
    /* Raw images and text. */
    const struct decant_options *options; /* features, resize, language, ...; NULL: the defaults */
    const decant_features *features;      /* those of a model; NULL: find them on these files */
    const char *text_column;              /* CSV: name or number of a column of documents */
    const char *topics;                   /* LYRL2004 token files: rcv1-v2.topics.qrels */
    int folder_labels; /* 1: the first sub-folder that a file is in is its class */
    /* Rows that only pretraining sees, from files of the same kind; not for streams. */
    const char *const *extra_paths;
    size_t extra_path_count;
    int skip_broken; /* 1: what cannot be read is left out and noted; 0: it stops the reading */
} decant_read_options;

/* Reads files of any supported format (IDX, NPY, CSV/TSV, svmlight, Matrix Market; each also
 * gzipped; detected by content) and puts their rows one below the other. One path may be a folder
 * with the four MNIST-style IDX files. A single little-endian C-order float32 .npy is mapped, not
 * copied. options may be NULL.
 *
 * Raw files are turned into rows: folders of PNG and JPEG files, STL-10's binary files, a folder of
 * texts (each file a document), a text file with one document a line, a CSV column, or LYRL2004
 * token files. */
DECANT_API decant_status decant_dataset_read(const char *const *paths, size_t path_count,
                                             const decant_read_options *options,
                                             decant_dataset **out);

/* Wraps a dense row-major n x d array; x is borrowed until the dataset is freed. */
DECANT_API decant_status decant_dataset_from_dense(const float *x, size_t n, size_t d,
                                                   decant_dataset **out);

/* Wraps a CSR matrix: row i has column[start[i] .. start[i+1]) ascending with value[...].
 * The arrays are borrowed until the dataset is freed. */
DECANT_API decant_status decant_dataset_from_csr(const size_t *start, const uint32_t *column,
                                                 const float *value, size_t n, size_t d,
                                                 decant_dataset **out);

/* Copies n class numbers (>= 0) into the dataset. */
DECANT_API decant_status decant_dataset_set_labels(decant_dataset *data, const int32_t *labels);

/* Reads only labels, one for each row, from any format: a label file, one column of a CSV (by name
 * or number; NULL: the column `cluster`, `label` or `class`, or the only one), or the labels that
 * come with a data file. The dataset has rows, labels and class names but no columns. */
DECANT_API decant_status decant_labels_read(const char *path, const char *column,
                                            decant_dataset **out);

DECANT_API size_t decant_dataset_rows(const decant_dataset *data);
DECANT_API size_t decant_dataset_columns(const decant_dataset *data);
DECANT_API int decant_dataset_is_sparse(const decant_dataset *data);
DECANT_API size_t decant_dataset_nonzeros(const decant_dataset *data); /* n*d if dense */
/* The numbers: n x d where dense, else NULL; or the three arrays of a CSR matrix, else NULLs. */
DECANT_API const float *decant_dataset_dense(const decant_dataset *data);
DECANT_API void decant_dataset_csr(const decant_dataset *data, const size_t **start,
                                   const uint32_t **column, const float **value);
DECANT_API const char *decant_dataset_format(const decant_dataset *data);    /* "IDX"; "": none */
DECANT_API const int32_t *decant_dataset_labels(const decant_dataset *data); /* n; NULL: none */
DECANT_API size_t decant_dataset_class_count(const decant_dataset *data);
DECANT_API const char *decant_dataset_class_name(const decant_dataset *data, size_t c);
DECANT_API const char *decant_dataset_id(const decant_dataset *data, size_t row); /* NULL: none */
/* From the header of a CSV file, or the stem of a text's column; NULL: none. */
DECANT_API const char *decant_dataset_column_name(const decant_dataset *data, size_t column);
/* Further rows that only pretraining sees. */
DECANT_API size_t decant_dataset_extra(const decant_dataset *data);
/* What the rows were made by; NULL: the file had numbers. Belongs to the dataset. */
DECANT_API const decant_features *decant_dataset_features(const decant_dataset *data);
/* Items that were left out because they could not be read, and sentences about those and other
 * oddities (at most 100 are kept); NULL: there are no more. */
DECANT_API size_t decant_dataset_skipped(const decant_dataset *data);
DECANT_API const char *decant_dataset_note(const decant_dataset *data, size_t index);
DECANT_API double decant_dataset_seconds(const decant_dataset *data); /* that reading took */
DECANT_API void decant_dataset_free(decant_dataset *data);

/* Reads the same files block by block, so that memory does not grow with the number of rows
 * (column-ordered formats, Matrix Market and Fortran-order NPY, are read whole). */
typedef struct decant_stream decant_stream;
DECANT_API decant_status decant_stream_open(const char *const *paths, size_t path_count,
                                            const decant_read_options *options,
                                            decant_stream **out);
/* The next at most max_rows rows as a dataset that the caller frees; *block = NULL at the end.
 * Classes are numbered as they appear, the same in every block: the end is not known yet. */
DECANT_API decant_status decant_stream_next(decant_stream *stream, size_t max_rows,
                                            decant_dataset **block);
DECANT_API void decant_stream_close(decant_stream *stream);

/* Text: the stem of a column, NULL past the last or for images; and its idf. */
DECANT_API const char *decant_features_stem(const decant_features *features, size_t column);
DECANT_API double decant_features_idf(const decant_features *features, size_t column);
DECANT_API size_t decant_features_columns(const decant_features *features);

/* ---- 3. Options ----------------------------------------------------------------------------- */

#define DECANT_MAX_LAYERS 16

typedef enum decant_method {
    DECANT_METHOD_DEC,
    DECANT_METHOD_IDEC,
    DECANT_METHOD_DEC_NOBACKPROP,
    DECANT_METHOD_AE_KMEANS,
    DECANT_METHOD_KMEANS,
    /* the methods that the paper compares with, on the data and on the autoencoder's features */
    DECANT_METHOD_GMM,
    DECANT_METHOD_SPECTRAL,
    DECANT_METHOD_SEC,
    DECANT_METHOD_LDMGI,
    DECANT_METHOD_AE_GMM,
    DECANT_METHOD_AE_SPECTRAL,
    DECANT_METHOD_AE_SEC,
    DECANT_METHOD_AE_LDMGI
} decant_method;

typedef enum decant_preset { DECANT_PRESET_FAST, DECANT_PRESET_PAPER } decant_preset;

typedef enum decant_scaling {
    DECANT_SCALING_AUTO,  /* standard where the columns' units differ, else paper */
    DECANT_SCALING_PAPER, /* one factor, so that the mean of ||x||^2 / d is 1 */
    DECANT_SCALING_NONE,
    DECANT_SCALING_STANDARD, /* each column: mean 0, variance 1 (CSR: variance only) */
    DECANT_SCALING_MINMAX    /* each column to [0, 1] (CSR: divided by its largest magnitude) */
} decant_scaling;

typedef enum decant_optimizer { DECANT_OPTIMIZER_ADAM, DECANT_OPTIMIZER_SGD } decant_optimizer;
typedef enum decant_seeding { DECANT_SEEDING_PLUSPLUS, DECANT_SEEDING_RANDOM } decant_seeding;
typedef enum decant_covariance { DECANT_COVARIANCE_DIAG, DECANT_COVARIANCE_FULL } decant_covariance;
typedef enum decant_laplacian {
    DECANT_LAPLACIAN_GAUSSIAN, /* weights of links, normalised by degrees */
    DECANT_LAPLACIAN_LOCAL     /* local regression, as in ldmgi */
} decant_laplacian;
typedef enum decant_discretise {
    DECANT_DISCRETISE_ROTATION, /* Yu and Shi 2003 */
    DECANT_DISCRETISE_KMEANS
} decant_discretise;
typedef enum decant_knn { DECANT_KNN_EXACT, DECANT_KNN_APPROXIMATE } decant_knn;

/* How raw images and text become rows. */
typedef enum decant_feature_kind {
    DECANT_FEATURES_AUTO,   /* text: tfidf; images: pixels up to 32 x 32, hog+colormap, grey: hog */
    DECANT_FEATURES_PIXELS, /* height x width x channels, 0 to 255 */
    DECANT_FEATURES_HOG,    /* 13 numbers a cell of 8 x 8 pixels */
    DECANT_FEATURES_HOG31,  /* 31 */
    DECANT_FEATURES_COLORMAP,     /* 8 x 8 x 2 */
    DECANT_FEATURES_HOG_COLORMAP, /* both, scaled as in the paper: 1428 for 96 x 96 */
    DECANT_FEATURES_TFIDF
} decant_feature_kind;
typedef enum decant_vocabulary_by {
    DECANT_VOCABULARY_BY_COUNT,    /* how often a stem occurs */
    DECANT_VOCABULARY_BY_DOCUMENTS /* in how many documents */
} decant_vocabulary_by;
#define DECANT_LANGUAGE_SIZE 24

/* Every setting of a fit. Fill it with decant_options_init, then change fields, or set them by
 * name. What each one means, its default and range: `decant help options`, or
 * decant_option_at(), both from the one table in src/options/options.c. */
typedef struct decant_options {
    size_t struct_size;
    /* what */
    size_t k;      /* clusters */
    size_t k_most; /* 0: k is given; else it is chosen, from k to k_most, or auto where k is 0 */
    decant_method method;
    decant_preset preset;
    uint64_t seed;
    decant_scaling scaling;
    /* raw images and text: used when files are read */
    decant_feature_kind features;
    size_t resize_width, resize_height; /* images; 0: as they are, or 96 x 96 if sizes differ */
    size_t vocabulary;                  /* stems at most */
    decant_vocabulary_by vocabulary_by;
    char language[DECANT_LANGUAGE_SIZE]; /* Snowball's name; "none": words are stems already */
    int stop_words;
    /* network and pretraining */
    size_t layer_count;
    size_t layers[DECANT_MAX_LAYERS];
    decant_optimizer optimizer;
    double init_std; /* 0: sqrt(2 / fan_in) */
    size_t batch;
    size_t greedy_iterations; /* a stage; 0: no greedy stages */
    double dropout;
    size_t finetune_iterations;
    size_t pretrain_epochs; /* most passes over the data in a stage; 0: no limit */
    double pretrain_rate;
    size_t rate_step; /* SGD: the rate is divided by 10 after so many iterations */
    double momentum;
    double bias_rate;
    int shuffle;
    /* k-means */
    decant_seeding seeding;
    size_t restarts;
    size_t kmeans_iterations;
    /* the neighbour graph of the features; all 0: as in the paper */
    double whiten;
    size_t neighbours;
    size_t smooth_steps;
    /* refinement (the KL phase) */
    double alpha;
    double refine_rate;
    size_t update_interval;
    double tol;
    size_t max_iterations;
    int anneal;
    double gamma; /* idec: weight of the clustering loss beside the reconstruction's */
    /* other methods: gmm; spectral, sec and ldmgi */
    decant_covariance covariance;
    double lambda;
    double mu;
    decant_laplacian laplacian;
    decant_discretise discretise;
    int skip_constant; /* leave out the eigenvector of eigenvalue 0 */
    decant_knn knn;
    /* the machine */
    int threads;   /* the result is the same for any number */
    size_t memory; /* bytes for caches */
} decant_options;

/* Fills in the defaults: the preset `fast`. */
DECANT_API void decant_options_init(decant_options *options);

/* Sets one option by its table name from text; "preset" and "method" reset what they govern (the
 * number of neighbours, for example), so set them first. EINVAL with a sentence that names the
 * range when the value is out of it. */
DECANT_API decant_status decant_options_set(decant_options *options, const char *name,
                                            const char *value);

/* Writes one option's value as text, at most size bytes with the final 0. */
DECANT_API decant_status decant_options_get(const decant_options *options, const char *name,
                                            char *text, size_t size);

/* One row of the options table. */
typedef struct decant_option_info {
    const char *name;     /* as in --name, options_set and the model file */
    const char *argument; /* placeholder or choices "a|b|c"; NULL for a yes/no switch */
    const char *fallback; /* default, as text (preset fast) */
    const char *paper;    /* value in preset paper; NULL: the same */
    const char *range;    /* as text; NULL: none */
    const char *group;    /* heading in the help */
    const char *help;     /* one sentence */
    int machine;          /* 1: speed and memory only, never changes the result */
} decant_option_info;

DECANT_API size_t decant_option_count(void);
DECANT_API const decant_option_info *decant_option_at(size_t index);

/* ---- 4. Fit --------------------------------------------------------------------------------- */

/* What a running fit tells. Numbers that do not apply are NaN. */
typedef struct decant_progress {
    const char *phase;  /* "greedy 1/4", "finetune", "kmeans", "refine", ... */
    size_t step, steps; /* steps is 0 where nobody knows how many it will be */
    double loss;
    double changed; /* refine: share of labels that changed at the last target update */
    double seconds; /* since the phase began */
} decant_progress;

/* Called many times a second; returning non-zero stops the fit with DECANT_ECANCELLED after a
 * checkpoint was written (if a checkpoint path is set). */
typedef int (*decant_progress_fn)(const decant_progress *progress, void *user);

/* How a fit is watched and kept safe. NULL or zeroed: silently, without checkpoints. */
typedef struct decant_monitor {
    decant_progress_fn progress;
    void *user;
    const char *checkpoint;    /* file for the training state; NULL: none */
    double checkpoint_seconds; /* least time between two; 0: 30, or more where it takes long */
    int resume;                /* go on from the checkpoint if it is there */
    int overwrite;             /* run folders: start over where there already is a run */
    const char *graph; /* file of neighbours (spectral, sec, ldmgi), used or made; NULL: none */
    const char *pretrained; /* the same for the pretrained autoencoder, of methods that have one */
} decant_monitor;

/* One target update of the refinement, or one epoch of pretraining. */
typedef struct decant_history_row {
    char phase[16];
    size_t step;
    double seconds;  /* since the phase began */
    double loss;     /* mean over the steps since the last row */
    double changed;  /* refine: share of labels that changed; else NaN */
    size_t smallest; /* refine: points in the smallest cluster; else 0 */
} decant_history_row;

typedef struct decant_phase_time {
    char phase[16];
    double seconds;
} decant_phase_time;

typedef struct decant_model decant_model;

/* A number of clusters that was tried. What was not measured is NaN. */
typedef struct decant_k_trial {
    size_t k;
    double stability; /* do both halves of the rows find the same clusters? 1: yes, 0: by chance */
    double generalizability;     /* the paper's G: train_loss / validation_loss */
    double own_generalizability; /* the same, validation rows with a target of their own */
    double train_loss,
        validation_loss; /* mean KL(p||q) of rows that were and were not refined on */
    double silhouette;   /* of the clusters, in the features before refinement */
    double seconds;
    int32_t *labels; /* n: cluster of each row; NULL: this k was not fitted */
} decant_k_trial;

/* How a number of clusters was chosen. */
typedef struct decant_selection {
    size_t n;
    decant_k_trial *trial; /* count, in the order of k */
    size_t count;
    size_t k; /* the one to take: no label had a part in it */
    char reason[256];
} decant_selection;

/* How a sample of the rows moved during refinement, for people to look at: their features and
 * clusters, and the centroids, at a few updates of the target. rows 0: there was no refinement. */
typedef struct decant_trace {
    size_t frames, rows, k, width;
    uint32_t *row;    /* rows, ascending */
    double *step;     /* frames: the iteration */
    float *z;         /* frames x rows x width */
    int32_t *labels;  /* frames x rows */
    float *centroids; /* frames x k x width */
} decant_trace;

/* What a fit found. All of it is owned by the result: free with decant_result_free. */
typedef struct decant_result {
    size_t n, d, k, latent;
    decant_scaling scaling;  /* that was used: where it was auto, what was chosen */
    int32_t *labels;         /* n: cluster 0..k-1 of each row */
    float *confidence;       /* n: the row's largest soft assignment, eq. 1 */
    float *embedding;        /* n x latent; NULL for methods without a network */
    int32_t *initial_labels; /* n: k-means on the features before refinement; or NULL */
    double *eigenvalues;     /* spectral, sec, ldmgi: eigenvalue_count; else NULL */
    size_t eigenvalue_count;
    double graph_recall; /* share of the true neighbours in the graph: 1 if exact; NaN: no graph */
    size_t graph_parts;  /* spectral, sec, ldmgi: connected parts of the graph; else 0 */
    double graph_loose;  /* the residual at which slow eigenvectors were taken; they converged: 0 */
    decant_model *model;
    decant_selection *selection; /* how k was chosen; NULL: it was given */
    decant_history_row *history;
    size_t history_count;
    decant_phase_time *phases;
    size_t phase_count;
    decant_trace trace;
    int converged;           /* 0: the cap on iterations came first */
    size_t iterations;       /* of the refinement, or of k-means */
    size_t reseeded;         /* clusters that died and were seeded again */
    size_t rollbacks;        /* times that training diverged and went back to a good state */
    double loss;             /* last KL loss; other methods: their objective (in scaled units) */
    size_t resumed_step;     /* 0: never resumed */
    uint64_t data_digest[2]; /* XXH3-128 of the rows */
} decant_result;

/* Clusters a dataset. monitor may be NULL. Where k is to be chosen, that is done by stability
 * alone, without a fit for each k: by the rule of decant_select_k. */
DECANT_API decant_status decant_fit(const decant_dataset *data, const decant_options *options,
                                    const decant_monitor *monitor, decant_result **out);
DECANT_API void decant_result_free(decant_result *result);

/* Tries every number of clusters in the range that options->k and k_most give, for methods that
 * cluster the features by centroids (dec, idec, dec-nobackprop, ae+kmeans). Pretraining is done
 * once, on all rows; a fifth of them is left out of refinement, for the generalizability. Each k
 * that is done is kept in the checkpoint. Free with decant_selection_free. */
DECANT_API decant_status decant_select_k(const decant_dataset *data, const decant_options *options,
                                         const decant_monitor *monitor, decant_selection **out);
DECANT_API void decant_selection_free(decant_selection *selection);

/* ---- 5. Models: assign new rows ------------------------------------------------------------- */

DECANT_API decant_status decant_model_save(const decant_model *model, const char *path);
DECANT_API decant_status decant_model_load(const char *path, decant_model **out);
DECANT_API void decant_model_free(decant_model *model);
DECANT_API size_t decant_model_clusters(const decant_model *model);
DECANT_API size_t decant_model_columns(const decant_model *model);
DECANT_API size_t decant_model_latent(const decant_model *model);
DECANT_API int decant_model_has_network(const decant_model *model); /* 0: no network */
DECANT_API const decant_options *decant_model_options(const decant_model *model);
/* How raw files become rows for this model; NULL: it was fitted on numbers. The model's own. */
DECANT_API const decant_features *decant_model_features(const decant_model *model);

/* Cluster and confidence of each row; confidence may be NULL. threads 0: all cores. EINVAL for
 * spectral and ldmgi, which know only the rows they were fitted on. */
DECANT_API decant_status decant_model_predict(const decant_model *model, const decant_dataset *data,
                                              int threads, int32_t *labels, float *confidence);

/* Each row in the feature space: z is n x decant_model_latent(model). */
DECANT_API decant_status decant_model_embed(const decant_model *model, const decant_dataset *data,
                                            int threads, float *z);

/* ---- 6. Scores ------------------------------------------------------------------------------ */

/* How well clusters agree with known classes. The four are 1 for a perfect match. */
typedef struct decant_scores {
    double acc;    /* best one-to-one matching of clusters and classes (Hungarian) */
    double nmi;    /* mutual information over the arithmetic mean of the entropies */
    double ari;    /* adjusted Rand index */
    double purity; /* share of rows in the majority class of their cluster */
} decant_scores;

/* Scores n pairs of non-negative numbers; clusters and classes may differ in number. */
DECANT_API decant_status decant_score(const int32_t *clusters, const int32_t *classes, size_t n,
                                      decant_scores *out);

/* counts[i * class_count + j]: rows in cluster i and class j. match[i]: the class matched to
 * cluster i, or -1; may be NULL. */
DECANT_API decant_status decant_confusion(const int32_t *clusters, const int32_t *classes, size_t n,
                                          size_t cluster_count, size_t class_count, size_t *counts,
                                          int32_t *match);

/* ---- 7. Run folders ------------------------------------------------------------------------- */

/* Fits and keeps everything in one folder: model.safetensors, labels.csv, embedding.npy,
 * history.csv, clusters.json, manifest.json, and while it runs the checkpoint. Files appear whole
 * or not at all. monitor->checkpoint is ignored (the folder has its own); command is what the user
 * typed, for the manifest, and may be NULL. */
DECANT_API decant_status decant_run_fit(const char *folder, const decant_dataset *data,
                                        const decant_options *options,
                                        const decant_monitor *monitor, const char *command,
                                        decant_result **out);

#define DECANT_SWEEP_VALUES 9

/* The protocol of the paper's comparisons: one option of the method takes nine values. dec and its
 * kind: update-interval 10, 20, ... 2560; ldmgi: lambda, sec: mu, 1e-8, 1e-6, ... 1e8; other
 * methods: seeds, from options->seed on. */
typedef struct decant_sweep {
    char option[32]; /* its name */
    struct decant_sweep_entry {
        char value[32]; /* as text */
        double loss, seconds;
        size_t iterations;
        int converged;
        decant_scores scores; /* NaN without labels */
    } entry[DECANT_SWEEP_VALUES];
} decant_sweep;

/* Nine runs in a folder, each in a folder OPTION-VALUE of its own, and the network and the graph
 * that they share. Runs that are finished are not made again, one that was stopped goes on
 * (monitor->resume), or all are made anew (monitor->overwrite). Within a value the best objective
 * of the restarts wins; between values nothing is chosen. */
DECANT_API decant_status decant_sweep_run(const char *folder, const decant_dataset *data,
                                          const decant_options *options,
                                          const decant_monitor *monitor, const char *command,
                                          decant_sweep *out);

/* What is in a data file, model file or run folder: a text for people, or JSON. The caller frees
 * *text with decant_text_free. */
DECANT_API decant_status decant_describe(const char *path, int json, char **text);
DECANT_API void decant_text_free(char *text);

/* ---- 8. Maps and reports -------------------------------------------------------------------- */

/* How a map is made. Fill it with decant_map_options_init, then change fields. */
typedef struct decant_map_options {
    size_t struct_size;
    double perplexity;      /* 30: about how many neighbours count; less where there are few rows */
    size_t iterations;      /* 1000: a quarter with 12-fold attraction, a quarter while it eases */
    decant_scaling scaling; /* of the columns: none */
    uint64_t seed;
    int threads; /* the result is the same for any number; 0: all cores */
} decant_map_options;

DECANT_API void decant_map_options_init(decant_map_options *options);

/* A map of the rows in two dimensions by t-SNE: map is n x 2. options, monitor (of which only the
 * progress counts) and kl (the divergence left) may be NULL. decant help tsne tells of its time. */
DECANT_API decant_status decant_map_rows(const decant_dataset *data,
                                         const decant_map_options *options,
                                         const decant_monitor *monitor, float *map, double *kl);

/* The map drawn as SVG, coloured by the dataset's labels; free with decant_text_free. */
DECANT_API decant_status decant_map_svg(const decant_dataset *data, const float *map, char **text);

/* What was measured of each k, drawn as SVG as in the paper's Figure 6: stability, silhouette, G,
 * and NMI if the dataset has labels. Free with decant_text_free. */
DECANT_API decant_status decant_selection_svg(const decant_selection *selection,
                                              const decant_dataset *data, char **text);

/* How a report is made. Fill it with decant_report_options_init, then change fields. */
typedef struct decant_report_options {
    size_t struct_size;
    size_t image_width, image_height; /* of rows that are pictures; 0: found by looking */
    int threads;                      /* 0: all cores */
    /* Called with each drawing (map-clusters, forming, gradient, ...) as SVG; NULL: none are made.
     * A status that is not DECANT_OK ends it. */
    decant_status (*figure)(const char *name, const char *svg, void *user);
    void *user;
} decant_report_options;

DECANT_API void decant_report_options_init(decant_report_options *options);

/* Writes report.html into the folder of a finished run: one file that needs no network, with the
 * map, the clusters forming, a card for each cluster, and how it was made. data: the rows of the
 * run, for labels, pictures and texts; NULL: they are read again from where they were, and done
 * without if they are gone. options and monitor (of which only the progress counts) may be NULL. */
DECANT_API decant_status decant_report_write(const char *folder, const decant_dataset *data,
                                             const decant_report_options *options,
                                             const decant_monitor *monitor);

/* Writes a rows x columns float array as .npy, whole or not at all. */
DECANT_API decant_status decant_npy_write(const char *path, const float *x, size_t rows,
                                          size_t columns);

/* ---- 9. The paper's experiments ------------------------------------------------------------- */

/* A table or figure of the paper, or one beside them. */
typedef struct decant_experiment {
    const char *name;  /* "table2" */
    const char *title; /* one line */
    int in_paper;      /* 0: one beside them */
} decant_experiment;

DECANT_API size_t decant_experiment_count(void);
DECANT_API const decant_experiment *decant_experiment_at(size_t index);

/* How experiments are made. Zero-initialise, set struct_size, then what you need. */
typedef struct decant_reproduction {
    size_t struct_size;
    const char *data;   /* folder with the data sets */
    const char *output; /* folder for runs, shared networks and graphs, and results */
    decant_preset preset;
    size_t seeds; /* over how many seeds means are taken, from 1 on; 0: 3 */
    int threads;  /* 0: all cores */
    /* Told when a run begins (scores NULL) and when it is done; one call at a time. May be NULL. */
    void (*tell)(const char *run, const decant_scores *scores, double seconds, void *user);
    /* Called with each drawing after it was written to path (.svg); may be NULL. */
    void (*drawn)(const char *path, const char *svg, void *user);
    void *user;
} decant_reproduction;

/* About how many seconds the experiments will take on two cores, without what is there already. */
DECANT_API decant_status decant_reproduce_plan(const char *const *names, size_t count,
                                               const decant_reproduction *how, double *seconds);

/* Makes experiments: every run that is not there yet, several at a time, then in OUTPUT/PRESET
 * each one's NAME.json, NAME.md and drawings, and results.html with all that are there. What was
 * interrupted goes on where it was; a data set that is missing is named and left out. monitor may
 * be NULL; while runs are made it hears of planned seconds, in phase "runs", from any thread. */
DECANT_API decant_status decant_reproduce(const char *const *names, size_t count,
                                          const decant_reproduction *how,
                                          const decant_monitor *monitor);

/* The page of a result file NAME.json as Markdown; free with decant_text_free. */
DECANT_API decant_status decant_reproduce_page(const char *path, char **text);

#ifdef __cplusplus
}
#endif

#endif
