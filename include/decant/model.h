/* decant: models, which assign new rows. A part of decant.h, whose rules hold here too. */
#ifndef DECANT_MODEL_H
#define DECANT_MODEL_H

#include "decant/decant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A safetensors file (docs/format.md), written whole or not at all; EIO, and EFORMAT for a file
 * that is damaged or of a newer format. */
DECANT_API decant_status decant_model_save(const decant_model *model, const char *path);
DECANT_API decant_status decant_model_load(const char *path, decant_model **out);
/* The same bytes as the file's, in new memory, which the caller gives back with decant_bytes_free;
 * and a model from such bytes. */
DECANT_API decant_status decant_model_to_bytes(const decant_model *model, void **bytes,
                                               size_t *count);
DECANT_API decant_status decant_model_from_bytes(const void *bytes, size_t count,
                                                 decant_model **out);
DECANT_API void decant_bytes_free(void *bytes);

/* The model as an ONNX graph (opset 17), in new memory that is given back with decant_bytes_free:
 * from rows x (float32, n x d) to label (int64), confidence, probabilities (n x k) and, with a
 * network, features. Rows of images, text or tables enter after their features; grey images that
 * are compared by their gradients enter as their pixels. EINVAL for spectral and ldmgi, and for
 * graphs of 2 GB and more. */
DECANT_API decant_status decant_model_to_onnx(const decant_model *model, void **bytes,
                                              size_t *count);
DECANT_API void decant_model_free(decant_model *model);
DECANT_API size_t decant_model_clusters(const decant_model *model);
DECANT_API size_t decant_model_columns(const decant_model *model);
DECANT_API size_t decant_model_latent(const decant_model *model);
DECANT_API int decant_model_has_network(const decant_model *model); /* 0: no network */
/* k x latent: centroids (gmm: means) in the feature space, or without a network in that of the
 * data, in its units; of a merged cluster, the mean of those that it was made of. */
DECANT_API decant_status decant_model_centroids(const decant_model *model, float *centroids);
/* The options that the model was fitted with, into a struct filled by decant_options_init. */
DECANT_API decant_status decant_model_options(const decant_model *model, decant_options *options);
/* How raw files become rows for this model; NULL: it was fitted on numbers. The model's own. */
DECANT_API const decant_features *decant_model_features(const decant_model *model);

/* Sets in options what files for this model must have: columns, column_names, features, table and
 * index_base, all borrowed from the model. Columns of a table are matched by their names, in any
 * order; notes say what is missing or not known. */
DECANT_API decant_status decant_model_reading(const decant_model *model,
                                              decant_read_options *options);

/* Cluster and confidence of each row; confidence and monitor may be NULL. threads 0: all cores.
 * EINVAL for spectral and ldmgi, which know only the rows they were fitted on. Time n P (without a
 * network n d k), memory 64 thousand rows of l features at most. */
DECANT_API decant_status decant_model_predict(const decant_model *model, const decant_dataset *data,
                                              int threads, const decant_monitor *monitor,
                                              int32_t *labels, float *confidence);

/* The soft assignments of each row, whose largest is the confidence: q is n x k, and each row sums
 * to 1. dec and k-means: eq. 1; gmm: responsibilities; sec: squares of the positive scores. Errors,
 * time and memory as decant_model_predict. */
DECANT_API decant_status decant_model_assign(const decant_model *model, const decant_dataset *data,
                                             int threads, const decant_monitor *monitor, float *q);

/* All of these in one pass, and the novelty: how far a row is from the centroid of its cluster, in
 * units of what is far for that cluster. Beyond 1 it is as far as the share `outliers` of the rows
 * of the fit: decant's program calls it an outlier. Pointers that are NULL are not computed. EINVAL
 * where novelty is wanted of a model that has none (decant_model_has_novelty). */
typedef struct decant_rows_wanted {
    size_t struct_size;
    int32_t *labels;   /* n */
    float *confidence; /* n */
    float *soft;       /* n x k */
    float *novelty;    /* n */
    float *features;   /* n x latent; needs a network */
} decant_rows_wanted;
DECANT_API void decant_rows_wanted_init(decant_rows_wanted *wanted, size_t struct_size);
DECANT_API decant_status decant_model_apply(const decant_model *model, const decant_dataset *data,
                                            int threads, const decant_monitor *monitor,
                                            const decant_rows_wanted *wanted);
DECANT_API int decant_model_has_novelty(const decant_model *model);

/* Names that people give to clusters; NULL: none. They are kept in the model file. */
DECANT_API const char *decant_model_cluster_name(const decant_model *model, size_t cluster);
/* Copies the name; NULL or "" removes it. */
DECANT_API decant_status decant_model_set_cluster_name(decant_model *model, size_t cluster,
                                                       const char *name);

/* Cluster c becomes cluster to[c] of `count`, each of which gets one or more; -1 dissolves it. Rows
 * of merged clusters are those of the clusters that were put together: the soft assignment is the
 * largest of theirs, all scaled to sum 1, and the novelty is by the nearest of their centroids.
 * Rows of a dissolved one go to the most likely cluster that is left. Names are merged, too. */
DECANT_API decant_status decant_model_regroup(decant_model *model, const int32_t *to, size_t count);

/* Each row in the feature space: z is n x decant_model_latent(model). EINVAL without a network. */
DECANT_API decant_status decant_model_embed(const decant_model *model, const decant_dataset *data,
                                            int threads, const decant_monitor *monitor, float *z);

#ifdef __cplusplus
}
#endif

#endif
