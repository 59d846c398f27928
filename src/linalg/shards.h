/* How a sum over the rows of a minibatch is made, so that it has the same bits whoever makes which
 * part of it.
 *
 * All rows of a data set are cut into 16 parts, and a minibatch takes rows of each of them: its
 * shards. A sum over the minibatch is a chain over the rows of each shard, and a binary tree over
 * the shards: (s0 + s1) + (s2 + s3) and so on. A process that has the rows of a whole subtree makes
 * that; the sums of 2, 4, 8 or 16 processes are the upper levels of the same tree. A shard without
 * an entry is left out. */
#ifndef DECANT_LINALG_SHARDS_H
#define DECANT_LINALG_SHARDS_H

#include "linalg/kernel.h"

/* Where part p of n rows begins; p = 16: n. The first n % 16 parts are one row longer. */
size_t decant__shards_part(size_t n, size_t p);

/* The parts first .. first+count-1: those of one process. */
typedef struct decant__parts {
    size_t first, count;
} decant__parts;

/* Rank `rank` of `size` has as many parts as any other; size divides 16. */
decant__parts decant__shards_parts(int rank, int size);

/* Shard s has the rows begin[s] .. begin[s+1]-1 of a block. */
typedef struct decant__shards {
    size_t begin[DECANT__SHARDS + 1];
} decant__shards;

/* n rows in shards of about the same size. */
decant__shards decant__shards_even(size_t n);

/* The tree of a sum over all rows. */
decant__sum_tree decant__shards_tree(const decant__shards *shards);

/* The tree of a sum over some of the rows: the steps are the entries of row[0 .. count), which
 * ascend. */
decant__sum_tree decant__shards_tree_of(const decant__shards *shards, const uint32_t *row,
                                        size_t count);

/* The sum of x[0 .. ) by a tree, in double precision. */
double decant__sum_tree_double(const decant__sum_tree *tree, const double *x);

#endif
