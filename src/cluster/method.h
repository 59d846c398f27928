/* The one signature of all clustering methods: a task goes in, what was found comes out. One file a
 * method; the table is in method.c. */
#ifndef DECANT_CLUSTER_METHOD_H
#define DECANT_CLUSTER_METHOD_H

#include "base/watch.h"
#include "cluster/graph.h"
#include "linalg/source.h"

typedef struct decant__task {
    const decant__source *x;
    const decant__graph *graph; /* methods that want one: the nearest neighbours, with squared
                                   distances in place of weights; NULL: none */
    const decant_options *options;
    int threads;
    const decant__watch *watch; /* may be NULL */
} decant__task;

/* What a method keeps to assign rows that it has not seen, beside the centroids. */
typedef struct decant__rule {
    size_t offsets, numbers; /* how many; decant__method_rule */
    double *offset;
    double *matrix;
} decant__rule;

/* Room for all of it is the caller's: decant__found_new. */
typedef struct decant__clustering {
    int32_t *labels;   /* n */
    float *confidence; /* n: between 1/k and 1 */
    float *centroids;  /* k x d: means of the clusters; of an empty one 0 */
    decant__rule rule;
    double *eigenvalues; /* k + 1 */
    size_t eigenvalue_count;
    size_t parts; /* connected parts of the graph; 0: no graph */
    double loose; /* the residual of eigenvectors that were taken before they converged; else 0 */
    double objective; /* the smaller the better, for the same options */
    size_t iterations;
    int converged;
} decant__clustering;

typedef struct decant__method {
    const char *name; /* also that of the phase */
    int wants_graph;
    int wants_blas; /* BLAS, LAPACK or ARPACK, whose last digits differ between machines */
    decant_status (*fit)(const decant__task *task, decant__clustering *found);
    /* Sizes of the rule for k clusters of rows of d numbers; NULL: there is none. */
    void (*size)(const decant_options *options, size_t d, decant__rule *rule);
    /* Labels and confidence of any rows by the rule. NULL: by the centroids, or not at all. */
    decant_status (*assign)(const decant__task *task, const decant__rule *rule, int32_t *labels,
                            float *confidence);
    int by_centroids;
} decant__method;

/* What an option's method clusters with: k-means for dec and its kind. */
const decant__method *decant__method_of(decant_method method);

/* Does it work on the autoencoder's features? */
int decant__method_has_network(decant_method method);

/* Does refinement follow? */
int decant__method_refines(decant_method method);

/* Room for a method's rule, or for all that it finds. */
decant_status decant__rule_new(decant__rule *rule, const decant_options *options, size_t d);
void decant__rule_free(decant__rule *rule);
decant_status decant__found_new(decant__clustering *found, const decant_options *options, size_t n,
                                size_t d);
void decant__found_free(decant__clustering *found);

/* centroids from labels. */
decant_status decant__found_average(const decant__task *task, decant__clustering *found);

/* The methods. */
decant_status decant__kmeans_cluster(const decant__task *task, decant__clustering *found);
decant_status decant__gmm_fit(const decant__task *task, decant__clustering *found);
void decant__gmm_size(const decant_options *options, size_t d, decant__rule *rule);
decant_status decant__gmm_assign(const decant__task *task, const decant__rule *rule,
                                 int32_t *labels, float *confidence);
decant_status decant__spectral_fit(const decant__task *task, decant__clustering *found);
decant_status decant__ldmgi_fit(const decant__task *task, decant__clustering *found);
decant_status decant__sec_fit(const decant__task *task, decant__clustering *found);
void decant__sec_size(const decant_options *options, size_t d, decant__rule *rule);
decant_status decant__sec_assign(const decant__task *task, const decant__rule *rule,
                                 int32_t *labels, float *confidence);

#endif
