/* The candidates for the start and the space that they are compared in: candidates.c has the rules,
 * joint.c what is found in both spaces as one. */
#ifndef DECANT_DEC_COMPARISON_H
#define DECANT_DEC_COMPARISON_H

#include "cluster/graph.h"
#include "dec/job.h"
#include "dec/start_kmeans.h"

/* If a graph has more than this times k communities at resolution 1, its edges say little about
 * which of them to merge into k clusters: k-means finds these. */
enum { DECANT__MAX_FINER = 4 };

typedef struct decant__candidate {
    int32_t *labels; /* of the rows that are judged; NULL: there is none */
    double modularity, inside, lowest;
} decant__candidate;

typedef struct decant__comparison {
    decant__job *job;
    size_t n, landmarks; /* n: rows that are judged, all or the landmarks (else 0) */
    float *x;            /* n x width: their principal components */
    size_t width;
    float *row; /* rows, columns of variance 1: all of a few, DECANT__FEW_ROWS of many, none if they
                   are wide */
    size_t rows;
    int continuous;
    decant__graph graph;
    decant__links links;
    int scattered; /* the data's graph has more than DECANT__MAX_FINER times k communities */
    decant__candidate list[DECANT_STARTS];
    const float *z; /* the features, job->state.n x l, if their graph has no k communities */
    size_t l;
    double lead;   /* of the mixture's stability over that of k-means */
    double same;   /* normalised mutual information of communities of the features and of the data;
                      NAN: one of them is missing */
    int unrelated; /* they have next to nothing in common, though the components show the data */
    decant__cancel cancel;
    decant_monitor monitor; /* cancels, but does not report the steps of each candidate */
    decant__watch watch;
} decant__comparison;

/* Adds a copy of the labels, comparison.n. */
decant_status decant__comparison_add(decant__comparison *c, decant_start kind,
                                     const int32_t *labels);

/* Points of the rows that are judged, for k-means. */
decant__start_points decant__comparison_points(decant__comparison *c, decant__space space);

/* The labels of the state become the communities of both graphs as one, that of the features and
 * that of the data, and the state's graph becomes that graph. */
decant_status decant__joint_communities(decant__comparison *c);

/* They become k-means on both spaces as one, the graph as above. */
decant_status decant__joint_kmeans(decant__comparison *c);

#endif
