/* The interface of all clustering methods: from a task to a clustering. There is one file for each
 * method; the table is in method.c. */
#ifndef DECANT_CLUSTER_METHOD_H
#define DECANT_CLUSTER_METHOD_H

#include "base/comm.h"
#include "base/watch.h"
#include "cluster/graph.h"
#include "linalg/source.h"

typedef struct decant__task {
    const decant__source *x;
    const decant__graph *graph; /* for graph methods: the nearest neighbours, with squared distances
                                   instead of weights; NULL: none */
    const decant_options *options;
    int threads;
    const decant__comm
        *comm; /* ranks that have the same rows and call this together; may be NULL */
    const decant__watch *watch; /* may be NULL */
} decant__task;

/* Numbers by which a method assigns new rows, other than centroids. */
typedef struct decant__rule {
    size_t offsets, numbers; /* lengths of offset and matrix; set by decant__method.size */
    double *offset;
    double *matrix;
} decant__rule;

/* The result of a method. The caller allocates it: decant__found_new. */
typedef struct decant__clustering {
    int32_t *labels;   /* n */
    float *confidence; /* n: between 1/k and 1 */
    float *centroids;  /* k x d: means of the clusters; 0 for an empty one */
    decant__rule rule;
    double *eigenvalues; /* k + 1 */
    size_t eigenvalue_count;
    size_t parts;     /* connected components of the graph; 0: no graph */
    double residual;  /* of eigenvectors that did not converge to the full tolerance; else 0 */
    double objective; /* smaller is better, for the same options */
    size_t iterations;
    int converged;
} decant__clustering;

/* What is wanted of rows that a model assigns; each may be NULL. */
typedef struct decant__assigned {
    int32_t *labels;   /* n */
    float *confidence; /* n: the largest soft assignment */
    float *soft;       /* n x k: soft assignments, which sum to 1 in each row */
    float *distance;   /* n: to the centroid of the row's cluster, or the novelty; by centroids */
} decant__assigned;

/* The same for the rows from `first` on. */
decant__assigned decant__assigned_from(const decant__assigned *out, size_t first, size_t k);

typedef struct decant__method {
    const char *name; /* also the name of the phase */
    int wants_graph;
    int wants_blas; /* BLAS, LAPACK or ARPACK, whose last digits differ between machines */
    decant_status (*fit)(const decant__task *task, decant__clustering *found);
    /* Sizes of the rule for k clusters of rows of d numbers; NULL: there is none. */
    void (*size)(const decant_options *options, size_t d, decant__rule *rule);
    /* Assigns any rows by the rule. NULL: by the centroids, or not at all. */
    decant_status (*assign)(const decant__task *task, const decant__rule *rule,
                            const decant__assigned *out);
    int by_centroids;
} decant__method;

/* The clustering of a method of the options: k-means for dec, idec and dec-nobackprop. */
const decant__method *decant__method_of(decant_method method);

/* Does it work on the autoencoder's features? */
int decant__method_has_network(decant_method method);

/* Does refinement follow? */
int decant__method_refines(decant_method method);

/* Memory for a rule, or for the whole result. */
decant_status decant__rule_new(decant__rule *rule, const decant_options *options, size_t d);
void decant__rule_free(decant__rule *rule);
decant_status decant__found_new(decant__clustering *found, const decant_options *options, size_t n,
                                size_t d);
void decant__found_free(decant__clustering *found);

/* Computes centroids from labels. */
decant_status decant__found_average(const decant__task *task, decant__clustering *found);

/* The methods. */
decant_status decant__kmeans_cluster(const decant__task *task, decant__clustering *found);
decant_status decant__gmm_fit(const decant__task *task, decant__clustering *found);
void decant__gmm_size(const decant_options *options, size_t d, decant__rule *rule);
decant_status decant__gmm_assign(const decant__task *task, const decant__rule *rule,
                                 const decant__assigned *out);
decant_status decant__spectral_fit(const decant__task *task, decant__clustering *found);
decant_status decant__ldmgi_fit(const decant__task *task, decant__clustering *found);
decant_status decant__sec_fit(const decant__task *task, decant__clustering *found);
void decant__sec_size(const decant_options *options, size_t d, decant__rule *rule);
decant_status decant__sec_assign(const decant__task *task, const decant__rule *rule,
                                 const decant__assigned *out);

#endif
