/* decant: deep embedded clustering (Xie, Girshick and Farhadi, ICML 2016) as a C library.
 *
 *     files or arrays -> dataset -> decant_fit -> result (labels, confidence, features, model)
 *     new files       -> stream  -> decant_model_predict -> labels
 *
 * Datasets made of arrays are in decant/arrays.h, what a model does in decant/model.h, run folders
 * in decant/run.h; this header includes them. Tables in memory and how tables are read are in
 * decant/table.h, maps, reports and descriptions in decant/report.h, whole-or-nothing files in
 * decant/file.h.
 *
 * Errors. A function that can fail returns decant_status, and decant_last_error() then has one
 *   sentence for people. *out is untouched on failure; arrays of the caller may be partly filled.
 *   Any of them may return ENOMEM; EINVAL for NULL or nonsense; ECANCELLED where it takes a
 *   monitor. A declaration names what else there is. Functions that return something else take
 *   NULL for an object and return 0, NULL or "".
 * Memory. Inputs are borrowed for the call, unless a declaration says "until freed". What a getter
 *   returns belongs to its object. What came by an *out is the caller's: free it by the function of
 *   its type. All of these take NULL.
 * Threads. Functions may be called from several threads at once, also with one dataset, model or
 *   set of options that they only read (const); what changes an object, and a stream, takes one
 *   thread at a time. decant_last_error is per thread. A call works on at most `threads` threads
 *   and waits for all of them. After fork the child can use the library.
 * Callbacks run on the thread that made the call, with no lock held. They may call anything of the
 *   library, but not free or change what the running call works on.
 * Structs. Those that begin with struct_size may grow at their end in a later version; all others
 *   never change. Those that you fill are set up by decant_X_init(&x, sizeof x). A program and a
 *   library of different versions then work together: a field that the program does not know has
 *   its default; one that the library does not know must be 0, or the call gives EINVAL. In a
 *   struct that the library fills, struct_size is the library's: fields beyond it are not there.
 * The library never prints, exits, touches signals or changes the locale. The same version, data,
 *   options and seed give the same bytes on any machine and for any number of threads, except by
 *   gmm, spectral, sec and ldmgi, which call LAPACK or ARPACK. */
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
    DECANT_EDIVERGED, /* training diverged again and again, in spite of smaller steps */
    DECANT_ECANCELLED /* the progress callback asked to stop */
} decant_status;

DECANT_API const char *decant_version(void); /* "MAJOR.MINOR.PATCH" */
/* The sentence that explains the last failure on this thread; "" if there was none. */
DECANT_API const char *decant_last_error(void);

/* ---- 2. Datasets: rows to cluster ----------------------------------------------------------- */

/* n rows of d numbers, dense or CSR, in memory or in a file, and what came with them: labels (the
 * class of each row, used for scores only), ids and names. */
typedef struct decant_dataset decant_dataset;

/* How raw images or text become rows: sizes and kind of the features, or vocabulary and idf. Found
 * when the files of a dataset are read; a model keeps it and makes the same rows of new files. */
typedef struct decant_features decant_features;

/* How the columns of a table become rows: the type of each, what its missing cells are filled with,
 * its scale, its values. Found when a table is read; a model keeps it, matches the columns of later
 * tables by their names, and makes the same rows of them. */
typedef struct decant_table decant_table;

/* How a long call is watched and cancelled: section 4. */
typedef struct decant_monitor decant_monitor;

/* Where svmlight indices begin; no file says. Auto: at 1 unless a 0 is read, in the 1st block. */
typedef enum decant_index_base {
    DECANT_INDEX_AUTO,
    DECANT_INDEX_FROM_0,
    DECANT_INDEX_FROM_1
} decant_index_base;

/* How files are read. Fill it with decant_read_options_init, then set what you need. */
typedef struct decant_read_options {
    size_t struct_size;
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
    int skip_broken;   /* 1: what cannot be read is left out and noted; 0: it stops the reading */
    /* What a model expects: decant_model_reading fills these. */
    const char *const *column_names; /* CSV: what the header must say, `columns` of them; or NULL */
    decant_index_base index_base;    /* svmlight: where indices begin */
    /* Rows that only pretraining sees, from files of the same kind; not for streams. */
    const char *const *extra_paths;
    size_t extra_path_count;
    /* Tables: names (or numbers) of columns, with commas between them; NULL: as is found. */
    const char *keep;  /* use these alone, beside ids, classes and text */
    const char *drop;  /* do not use these */
    const char *types; /* "income=number,zip=category"; the words of decant_table_describe */
    const decant_table *table; /* that of a model; decant_model_reading sets it */
} decant_read_options;

DECANT_API void decant_read_options_init(decant_read_options *options, size_t struct_size);

/* Reads files of any supported format (decant_format_at lists them; each also compressed; detected
 * by content; FILE:NAME is one array of an archive) and puts their rows one below the other. One
 * path may be a folder with the four MNIST-style IDX files. A single float32 .npy in C order that
 * is larger than half of options->memory stays in its file: rows are read when they are needed, and
 * one that has become shorter gives DECANT_EIO. options and monitor (section 4; only its progress
 * is used, phase "read") may be NULL. EIO, EFORMAT.
 * Raw files (folders or zip archives of images or texts, lines or columns of text) become rows. */
DECANT_API decant_status decant_dataset_read(const char *const *paths, size_t path_count,
                                             const decant_read_options *options,
                                             const decant_monitor *monitor, decant_dataset **out);

/* Reads only labels, one for each row, from any format: a label file, one column of a CSV (by name
 * or number; NULL: the column `cluster`, `label` or `class`, or the only one), or the labels that
 * come with a data file. The dataset has labels and class names but no columns. EIO, EFORMAT. */
DECANT_API decant_status decant_labels_read(const char *path, const char *column,
                                            const decant_monitor *monitor, decant_dataset **out);

DECANT_API size_t decant_dataset_rows(const decant_dataset *data);
DECANT_API size_t decant_dataset_columns(const decant_dataset *data);
DECANT_API int decant_dataset_is_sparse(const decant_dataset *data);
DECANT_API size_t decant_dataset_nonzeros(const decant_dataset *data); /* n*d if dense */
/* One row as d floats, of whatever kind the dataset is. */
DECANT_API decant_status decant_dataset_row(const decant_dataset *data, size_t row, float *x);
/* All numbers: n x d where they are float32 without gaps in memory, else NULL; or the three arrays
 * of a CSR matrix, else NULLs. */
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
 * (column-ordered formats, Matrix Market and Fortran-order NPY, are read whole). monitor is
 * borrowed until the stream is closed. EIO, EFORMAT. */
typedef struct decant_stream decant_stream;
DECANT_API decant_status decant_stream_open(const char *const *paths, size_t path_count,
                                            const decant_read_options *options,
                                            const decant_monitor *monitor, decant_stream **out);
/* The next at most max_rows rows as a dataset that the caller frees; *block = NULL at the end.
 * Classes are numbered as they appear, the same in every block: the end is not known yet. */
DECANT_API decant_status decant_stream_next(decant_stream *stream, size_t max_rows,
                                            decant_dataset **block);
DECANT_API void decant_stream_close(decant_stream *stream);

/* One row of the table of formats that are read. */
typedef struct decant_format_info {
    const char *name;       /* "NPY" */
    const char *recognised; /* by what */
    const char *help;       /* what it is */
} decant_format_info;

/* The formats that are read, in the order in which they are tried; NULL past the last. */
DECANT_API size_t decant_format_count(void);
DECANT_API const decant_format_info *decant_format_at(size_t index);

/* Text: the stem of a column, NULL past the last or for images; the word that most texts have for
 * it; and its idf. */
DECANT_API const char *decant_features_stem(const decant_features *features, size_t column);
DECANT_API const char *decant_features_word(const decant_features *features, size_t column);
DECANT_API double decant_features_idf(const decant_features *features, size_t column);
DECANT_API size_t decant_features_columns(const decant_features *features);

/* ---- 3. Options ----------------------------------------------------------------------------- */

#define DECANT_MAX_LAYERS 16

/* Time and memory (beside the data): n rows, d columns (nonzeros a row where sparse), k clusters, l
 * features, P weights, b rows a batch, i iterations, r restarts, m neighbours. */
typedef enum decant_method {
    /* Xie, Girshick and Farhadi, Unsupervised deep embedding for clustering analysis, ICML 2016,
     * arXiv:1511.06335. Time b P i for pretraining, r i n l k for k-means, b P i for refinement and
     * n P for each update of the target; neighbours n log n l m. Memory P + n (l + k + m). */
    DECANT_METHOD_DEC,
    /* Guo, Gao, Liu and Yin, Improved deep embedded clustering with local structure preservation,
     * IJCAI 2017: keeps the reconstruction loss. As dec, refinement twice as long. */
    DECANT_METHOD_IDEC,
    DECANT_METHOD_DEC_NOBACKPROP, /* the network is frozen: refinement without b P i */
    DECANT_METHOD_AE_KMEANS,      /* k-means on the features: dec without refinement */
    /* Lloyd, IEEE Trans. Information Theory 1982; k-means++: Arthur and Vassilvitskii, SODA 2007.
     * Time at most r i n d k, less by bounds on distances; memory n + k d a restart. */
    DECANT_METHOD_KMEANS,
    /* The methods that the paper compares with, on the data; AE_: on the autoencoder's features.
     * EM: Dempster, Laird and Rubin, J. Royal Statistical Society B 1977. Time r i n k d (full
     * covariance: d^2), memory n k + k d (d^2). */
    DECANT_METHOD_GMM,
    /* Shi and Malik, IEEE TPAMI 2000; Yu and Shi, ICCV 2003. Time n^2 d / 2 for exact neighbours,
     * near n log n d for approximate ones, i n (m + k) for eigenvectors; memory n (m + 2 k). */
    DECANT_METHOD_SPECTRAL,
    /* Nie, Zeng, Tsang, Xu and Zhang, Spectral embedded clustering, IEEE Trans. Neural Networks
     * 2011. As spectral, and i n d. */
    DECANT_METHOD_SEC,
    /* Yang, Xu, Nie, Yan and Zhuang, Image clustering using local discriminant models and global
     * integration, IEEE Trans. Image Processing 2010. As spectral, and n m^2 (d + m). */
    DECANT_METHOD_LDMGI,
    DECANT_METHOD_AE_GMM,
    DECANT_METHOD_AE_SPECTRAL,
    DECANT_METHOD_AE_SEC,
    DECANT_METHOD_AE_LDMGI
} decant_method;

typedef enum decant_preset {
    DECANT_PRESET_FAST,
    DECANT_PRESET_PAPER,   /* the paper's text */
    DECANT_PRESET_AUTHORS, /* the code of its authors, where that differs */
    DECANT_PRESET_BEST     /* fast, then a student */
} decant_preset;

typedef enum decant_scaling {
    DECANT_SCALING_AUTO,  /* gradients, counts, standard or paper, by the looks of the data */
    DECANT_SCALING_PAPER, /* one factor, so that the mean of ||x||^2 / d is mean_square */
    DECANT_SCALING_NONE,
    DECANT_SCALING_STANDARD, /* each column: mean 0, variance 1 (CSR: variance only) */
    DECANT_SCALING_MINMAX,   /* each column to [0, 1] (CSR: divided by its largest magnitude) */
    DECANT_SCALING_COUNTS,   /* ln(1 + 10000 x / sum of the row), then one factor as for paper */
    DECANT_SCALING_GRADIENTS /* rows are grey images: histograms of their gradients, one factor */
} decant_scaling;
typedef enum decant_optimizer { DECANT_OPTIMIZER_ADAM, DECANT_OPTIMIZER_SGD } decant_optimizer;
typedef enum decant_dropout_on {
    DECANT_DROPOUT_ON_ALL,   /* the input and the features of every greedy stage */
    DECANT_DROPOUT_ON_HIDDEN /* neither the data nor the last features */
} decant_dropout_on;
typedef enum decant_seeding { DECANT_SEEDING_PLUSPLUS, DECANT_SEEDING_RANDOM } decant_seeding;
/* Where refinement may start: from the data, too, or from the features alone. */
typedef enum decant_start_rule {
    DECANT_START_RULE_AUTO,
    DECANT_START_RULE_FEATURES
} decant_start_rule;
typedef enum decant_covariance { DECANT_COVARIANCE_DIAG, DECANT_COVARIANCE_FULL } decant_covariance;
typedef enum decant_laplacian {
    DECANT_LAPLACIAN_GAUSSIAN, /* weights of links, normalised by degrees */
    DECANT_LAPLACIAN_LOCAL     /* local regression, as in ldmgi */
} decant_laplacian;
typedef enum decant_discretise {
    DECANT_DISCRETISE_ROTATION,
    DECANT_DISCRETISE_KMEANS
} decant_discretise;
typedef enum decant_knn { DECANT_KNN_EXACT, DECANT_KNN_APPROXIMATE } decant_knn;

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
 * decant_option_at(), both from the one table in src/options/option_table.c. */
typedef struct decant_options {
    size_t struct_size;
    /* what */
    size_t k;     /* clusters */
    size_t k_max; /* 0: k is given; else it is chosen, from k to k_max, or auto where k is 0 */
    decant_method method;
    decant_preset preset;
    uint64_t seed;
    decant_scaling scaling;
    double mean_square; /* scaling paper: what the mean of ||x||^2 / d becomes */
    double outliers;    /* share of the rows that novelty 1 is set by; 0: none of them */
    size_t min_size;    /* rows that every cluster must have; 0 and 1: as they are */
    /* raw images and text: used when files are read */
    decant_feature_kind features;
    size_t resize_width, resize_height; /* images; 0: as they are, or 96 x 96 if sizes differ */
    size_t vocabulary;                  /* max. stems */
    decant_vocabulary_by vocabulary_by;
    char language[DECANT_LANGUAGE_SIZE]; /* Snowball's name; "none": words are stems already */
    int stop_words;
    /* network and pretraining */
    size_t layer_count; /* 0: layers that follow the number of rows */
    size_t layers[DECANT_MAX_LAYERS];
    decant_optimizer optimizer;
    double init_std; /* 0: sqrt(2 / fan_in) */
    size_t batch;
    size_t greedy_iterations; /* a stage; 0: no greedy stages */
    double dropout;
    decant_dropout_on dropout_on;
    size_t finetune_iterations;
    size_t pretrain_epochs; /* max. passes over the data in a stage; 0: no limit */
    double pretrain_rate;
    size_t rate_step; /* SGD: the rate is divided by 10 after so many iterations */
    double momentum;
    double bias_rate;
    int shuffle;
    size_t zeros; /* wide sparse rows: columns whose zeros a minibatch reconstructs; 0: all */
    /* k-means */
    decant_seeding seeding;
    size_t restarts;
    size_t kmeans_iterations;
    /* the neighbour graph of the features; all 0: as in the paper */
    double whiten;
    size_t neighbours;
    size_t smooth_steps;
    decant_start_rule start;
    /* refinement (the KL phase) */
    double alpha;
    double refine_rate;
    size_t update_interval;
    double tol, balance; /* balance: power of f_j in eq. 3 */
    size_t max_iterations;
    size_t refine_epochs; /* max. passes over the data; 0: no limit */
    int anneal;
    double gamma; /* idec: weight of the clustering loss beside the reconstruction's */
    size_t student_iterations, student_width; /* a second network; iterations 0: none */
    /* other methods: gmm; spectral, sec and ldmgi */
    decant_covariance covariance;
    double lambda;
    double mu;
    decant_laplacian laplacian;
    decant_discretise discretise;
    int skip_constant; /* leave out the eigenvector of eigenvalue 0; sec: F^T 1 = 0 */
    decant_knn knn;
    /* the machine */
    int threads;   /* the result is the same for any number */
    size_t memory; /* bytes for caches */
    /* network and pretraining */
    size_t diffuse_iterations; /* max. finetune_iterations for diffuse rows; 0: no such limit. Where
                                  only finetune_iterations is not the preset's, it is not limited */
    size_t networks;           /* max. how many are trained, where one lost what the data shows */
} decant_options;

DECANT_API void decant_options_init(decant_options *options, size_t struct_size); /* preset fast */

/* Sets one option by its name from text, as a user types it, the same in every locale. "preset" and
 * "method" reset what they govern (the number of neighbours, for example), so set them first.
 * EINVAL with a sentence that names the range when the value is out of it. */
DECANT_API decant_status decant_options_set(decant_options *options, const char *name,
                                            const char *value);

/* Writes one option's value as text, at most size bytes with the final 0. */
DECANT_API decant_status decant_options_get(const decant_options *options, const char *name,
                                            char *text, size_t size);

/* One row of the options table. */
typedef struct decant_option_info {
    size_t struct_size;
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
DECANT_API const char *decant_preset_name(decant_preset preset); /* NULL beyond the last */
/* A preset's own value; NULL: that of the preset that it is made of (authors: paper; else fast). */
DECANT_API const char *decant_option_in_preset(size_t index, decant_preset preset);

/* ---- 4. Fit --------------------------------------------------------------------------------- */

/* What a running call reports. Numbers that do not apply are NaN. */
typedef struct decant_progress {
    size_t struct_size;
    const char *phase;  /* "read", "greedy 1/4", "finetune", "kmeans", "refine", "predict", ... */
    size_t step, steps; /* steps 0: unknown */
    double loss;
    double changed; /* refine: share of labels that changed at the last target update */
    double seconds; /* since the phase began */
} decant_progress;

/* Called many times a second, also more than once for a long step. Returning non-zero stops the
 * call with DECANT_ECANCELLED; a fit first writes a checkpoint, if it has a path for one. */
typedef int (*decant_progress_fn)(const decant_progress *progress, void *user);

/* How a call is watched, cancelled and, for fits, resumed. Fill it with decant_monitor_init, then
 * set what you need. NULL, or as it was filled: no progress, no checkpoints. Calls other than fits
 * use progress and user alone. */
struct decant_monitor {
    size_t struct_size;
    decant_progress_fn progress;
    void *user;
    const char *checkpoint;    /* file for the training state; NULL: none */
    double checkpoint_seconds; /* min. time between two; 0: 30, or more where writing takes long */
    int resume;                /* 1: continue from the checkpoint if it exists */
    int overwrite;             /* run folders, 1: start over where there already is a run */
    const char *graph;         /* neighbours (spectral, sec, ldmgi): the file is read if it exists,
                                  else written; NULL: none */
    const char *pretrained;    /* the same for the pretrained autoencoder */
    /* A model of an earlier fit, to start refinement from: its scaling, network and centroids, so
     * that clusters keep numbers and names. Its layers, and its k or more, which adds clusters.
     * dec, dec-nobackprop. */
    const struct decant_model *like;
};

DECANT_API void decant_monitor_init(decant_monitor *monitor, size_t struct_size);

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

typedef struct decant_model decant_model; /* decant/model.h */

/* A number of clusters that was tried. What was not measured is NaN. */
typedef struct decant_k_trial {
    size_t k;
    double stability; /* do both halves of the rows find the same clusters? 1: yes, 0: by chance */
    double generalizability;     /* the paper's G: train_loss / validation_loss */
    double own_generalizability; /* the same, validation rows with a target of their own */
    double train_loss;           /* mean KL(p||q) of rows that were refined on */
    double validation_loss;      /* and of rows that were not */
    double silhouette;           /* of the clusters, in the features before refinement */
    double seconds;
    int32_t *labels; /* n: cluster of each row; NULL: this k was not fitted */
} decant_k_trial;

/* How a number of clusters was chosen. */
typedef struct decant_selection {
    size_t struct_size;
    size_t n;
    decant_k_trial *trial; /* count, in the order of k */
    size_t count;
    size_t k;         /* the one to take; labels are not used to find it */
    char reason[256]; /* one sentence */
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
    size_t struct_size;
    size_t n, d, k, latent;
    decant_scaling scaling;  /* that was used: where it was auto, what was chosen */
    int32_t *labels;         /* n: cluster 0..k-1 of each row */
    float *confidence;       /* n: the row's largest soft assignment, eq. 1 (or the student's) */
    float *embedding;        /* n x latent; NULL for methods without a network */
    int32_t *initial_labels; /* n: k-means on the features before refinement; or NULL */
    double *eigenvalues;     /* spectral, sec, ldmgi: eigenvalue_count; else NULL */
    size_t eigenvalue_count;
    double graph_recall; /* share of the true neighbours in the graph: 1 if exact; NaN: no graph */
    size_t graph_parts;  /* spectral, sec, ldmgi: connected parts of the graph; else 0 */
    double eigen_residual; /* 0: all eigenvectors converged; else the residual they were taken at */
    decant_model *model;
    decant_selection *selection; /* how k was chosen; NULL: it was given */
    decant_history_row *history;
    size_t history_count;
    decant_phase_time *phases;
    size_t phase_count;
    decant_trace trace;
    int converged, start; /* 0: the cap on iterations came first; start: see docs/method.md, 3 */
    size_t iterations, returned; /* of the refinement, or of k-means; 1: refinement did harm */
    size_t reseeded;             /* clusters that died and were seeded again */
    size_t rollbacks;            /* times that training diverged and went back to a good state */
    double loss;             /* last KL loss; other methods: their objective (in scaled units) */
    size_t resumed_step;     /* 0: never resumed */
    uint64_t data_digest[2]; /* XXH3-128 of the rows */
    double student_changed;  /* share of the labels that a student changed; NaN: there was none */
    int student_kept;        /* 1: labels and confidence are the student's */
    size_t dissolved;        /* clusters that were smaller than min_size: k is less by them */
    size_t finetune_iterations; /* the option, or diffuse_iterations where rows are diffuse */
    size_t networks; /* how many were trained until one was suitable; 0: the method has none */
} decant_result;

/* Clusters a dataset. monitor may be NULL. Where k is to be chosen, that is done by stability
 * alone, without a fit for each k: by the rule of decant_select_k. EDIVERGED; EIO and EFORMAT for
 * the files of the monitor. */
DECANT_API decant_status decant_fit(const decant_dataset *data, const decant_options *options,
                                    const decant_monitor *monitor, decant_result **out);
/* Moves the model out of its result: the caller frees it with decant_model_free, and result->model
 * is NULL from then on. NULL: it was taken before, or result is NULL. */
DECANT_API decant_model *decant_result_take_model(decant_result *result);
DECANT_API void decant_result_free(decant_result *result);

/* Tries every number of clusters in the range that options->k and k_max give, for methods that
 * cluster the features by centroids (dec, idec, dec-nobackprop, ae+kmeans). Pretraining is done
 * once, on all rows; a fifth of them is left out of refinement, for the generalizability. Each k
 * that is done is kept in the checkpoint. Time: one pretraining, then for each k the stability of 2
 * halves (r i n l k / 2 each) and one refinement. Free with decant_selection_free. Errors as
 * decant_fit.
 * G: section 5.5 of the paper. Stability: halves as in Tibshirani and Walther, J. Comput. Graph.
 * Stat. 2005, the index of Hennig, Comput. Stat. Data Anal. 2007. */
DECANT_API decant_status decant_select_k(const decant_dataset *data, const decant_options *options,
                                         const decant_monitor *monitor, decant_selection **out);
DECANT_API void decant_selection_free(decant_selection *selection);

/* ---- 5. Scores ------------------------------------------------------------------------------ */

/* How well clusters agree with known classes. The four are 1 for a perfect match. */
typedef struct decant_scores {
    double acc;    /* best one-to-one matching of clusters and classes (Hungarian) */
    double nmi;    /* mutual information over the arithmetic mean of the entropies */
    double ari;    /* adjusted Rand index */
    double purity; /* share of rows in the majority class of their cluster */
} decant_scores;

/* Scores n pairs of non-negative numbers; clusters and classes may differ in number. Time n + m^3
 * for the larger number m of them. NMI: Strehl and Ghosh, JMLR 2002, with the arithmetic mean. ARI:
 * Hubert and Arabie, J. Classification 1985. Matching: Kuhn, Naval Research Logistics 1955. */
DECANT_API decant_status decant_score(const int32_t *clusters, const int32_t *classes, size_t n,
                                      decant_scores *out);

/* counts[i * class_count + j]: rows in cluster i and class j. match[i]: the class matched to
 * cluster i, or -1; may be NULL. */
DECANT_API decant_status decant_confusion(const int32_t *clusters, const int32_t *classes, size_t n,
                                          size_t cluster_count, size_t class_count, size_t *counts,
                                          int32_t *match);

#ifdef __cplusplus
}
#endif

#include "decant/arrays.h"
#include "decant/model.h"
#include "decant/run.h"

#endif
