/* The K nearest neighbours of rows among the other rows, by Euclidean distance. Exact unless a
 * function says otherwise, never with an n x n matrix, and the same bytes for any number of
 * threads.
 *
 * Few dense columns, as in a feature space: a k-d tree, near-linear in n (neighbours_tree.c).
 * Many columns, or sparse rows: all pairs once, by products of blocks of rows and a running
 * selection, in time n^2 d / 2 or n^2 nnz / 2 (neighbours_pairs.c).
 *
 * What is compared is the squared distance as a float, a sum of squared differences: without
 * cancellation, and exact means that no nearer row is ever missed. All pairs: summed in double,
 * then rounded. Tree: summed in float, off by d + 2 roundings at most. Equal distances are in order
 * of index. Below 2^-150 a square is 0; beyond FLT_MAX the search fails (EINVAL), as it does for
 * values that are not finite. */
#ifndef DECANT_LINALG_NEIGHBOURS_H
#define DECANT_LINALG_NEIGHBOURS_H

#include "base/comm.h"
#include "base/watch.h"
#include "linalg/source.h"

/* For each row i: index[i * count ..] and distance (squared) of its nearest others, nearest first.
 * Needs 0 < count < n. watch may be NULL. */
decant_status decant__neighbours_find(const decant__source *x, size_t count, int threads,
                                      const decant__watch *watch, uint32_t *index, float *distance);

typedef struct decant__search {
    const decant__source *x;
    size_t count;
    uint64_t seed; /* of a search that may miss some */
    int threads;
    const decant__watch *watch; /* may be NULL */
} decant__search;

/* The same for some rows only: row query[i], i < queries, among all. For samples: the time is
 * queries x n x d. */
decant_status decant__neighbours_of(const decant__search *wanted, const uint32_t *query,
                                    size_t queries, uint32_t *index, float *distance);

/* The same as decant__neighbours_find by all ranks, which have the same x. By the tree, rank r
 * finds those of the rows begin[r] .. begin[r+1]-1; of all pairs, each is compared by one of the
 * ranks, and lists of all rows are merged. */
decant_status decant__neighbours_by_ranks(const decant__search *wanted, const decant__comm *comm,
                                          const size_t *begin, uint32_t *index, float *distance);

/* The nearest rows of x to other points; of those that are a row of x themselves, that row is not
 * one. x is dense, of at most DECANT__TREE_COLUMNS columns as they are; count < n. */
typedef struct decant__points {
    const float *x; /* count x d */
    size_t count;
    const uint32_t *self; /* count: its row in x; UINT32_MAX: none */
    size_t leaves;        /* 0: exact; else so many leaves of the tree, of 32 rows each, are looked
                           * at, and a nearer row may be missed */
} decant__points;
decant_status decant__neighbours_among(const decant__search *wanted, const decant__points *others,
                                       uint32_t *index, float *distance);

/* The same as decant__neighbours_find for nearly all rows, in time near n log n
 * (neighbours_forest.c). */
decant_status decant__neighbours_approximate(const decant__search *query, uint32_t *index,
                                             float *distance);

/* The share of neighbours, at these distances (n x count), that are as near as the true ones;
 * measured on a thousand rows. */
decant_status decant__neighbours_recall(const decant__search *query, const float *distance,
                                        double *recall);

/* The squared distance of two rows as they are fetched, in double and without cancellation. */
double decant__neighbours_distance(const decant__source *x, size_t i, size_t j);
double decant__neighbours_dense(const float *a, const float *b, size_t d);

/* EINVAL where the last distance of a row (n x count) is not finite. */
decant_status decant__neighbours_check(const float *distance, size_t n, size_t count);

/* What decant__neighbours_find chooses from; the distances are not checked. The tree also finds
 * those of some rows only. */
enum { DECANT__TREE_COLUMNS = 16 };
decant_status decant__neighbours_tree(const decant__search *wanted, size_t first, size_t rows,
                                      uint32_t *index, float *distance);
decant_status decant__neighbours_pairs(const decant__source *x, size_t count, int threads,
                                       const decant__watch *watch, uint32_t *index,
                                       float *distance);

/* Only share number `own` of the pairs, of `shares`. A row with fewer than `count` neighbours in it
 * has DECANT__NO_ROW in the places that are left. */
#define DECANT__NO_ROW UINT32_MAX
decant_status decant__neighbours_share(const decant__search *wanted, size_t own, size_t shares,
                                       uint32_t *index, float *distance);

#endif
