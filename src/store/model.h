/* A fitted model: all that predict needs. */
#ifndef DECANT_STORE_MODEL_H
#define DECANT_STORE_MODEL_H

#include "cluster/method.h"
#include "data/scale.h"
#include "store/tensors.h"
#include "nn/autoencoder.h"
#include "nn/classifier.h"

struct decant_model {
    decant_options options;
    size_t d, latent;           /* latent is d when there is no network */
    decant__scale scale;        /* of the input */
    decant__autoencoder plan;   /* depth 0: no network, centroids are in the scaled data space */
    float *params;              /* the encoder's */
    size_t parts;               /* of which clusters are made: k, or more where some were merged */
    int32_t *cluster_of;        /* parts: ascending; NULL: clusters and parts are the same */
    float *centroids;           /* parts x latent */
    decant__classifier student; /* by which rows are assigned; 0 parameters: by the centroids */
    float *student_params;      /* of its folded net */
    decant__rule rule;          /* by which gmm and sec assign rows */
    uint64_t data_digest[2];    /* of the training rows */
    decant_features *features;  /* how raw files become rows; NULL: it was fitted on numbers */
    decant_table *table;        /* how the columns of tables become rows; NULL: it was no table */
    char **column_names;        /* d, in one block; NULL: the data had none */
    decant_index_base index_base; /* svmlight: the first index, 0 or 1; else auto */
    double *far;          /* parts: the distance from a centroid that has novelty 1; NULL: none */
    char **cluster_names; /* k, each NULL or of its own; NULL: there are none */
};

/* Copies its arguments; plan and params are NULL if there is no network. */
decant_status decant__model_new(decant_model **out, const decant_options *options,
                                const decant__scale *scale, const decant__autoencoder *plan,
                                const float *params, const float *centroids,
                                const decant__rule *rule, const uint64_t data_digest[2]);

/* Gives the model a trained student; copies its parameters. */
decant_status decant__model_set_student(decant_model *model, const decant__classifier *student,
                                        const float *params);

/* The cluster of a part; and the options with k as the number of parts, for the parts' own code. */
int32_t decant__model_cluster_of(const decant_model *model, size_t part);
decant_options decant__model_part_options(const decant_model *model);

/* Writes the features as metadata (nothing if there are none); reads them, with their tensors. */
void decant__model_put_features(decant__metadata *metadata, const decant_features *features);
decant_status decant__model_get_features(const decant__tensor_file *file, decant_model *model);

/* A name as one line of UTF-8; and the inverse, which parses to the end of the line, moves *from
 * there and *to behind the final 0. 0: it is not valid. */
void decant__name_print(decant__text *text, const char *name);
int decant__name_parse(const char **from, char **to);

/* The same for the recipe of a table. */
void decant__model_put_table(decant__metadata *metadata, const decant_table *table);
decant_status decant__model_get_table(const decant__tensor_file *file, decant_model *model);

/* The same for the names of columns and the index base. Older models do not have them. */
void decant__model_put_columns(decant__metadata *metadata, const decant_model *model);
decant_status decant__model_get_columns(const decant__tensor_file *file, decant_model *model);

/* The same for the names of clusters. */
void decant__model_put_clusters(decant__metadata *metadata, const decant_model *model);
decant_status decant__model_get_clusters(const decant__tensor_file *file, decant_model *model);

#endif
