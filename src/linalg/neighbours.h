/* The K nearest neighbours of every row among the others, by Euclidean distance.
 *
 * Exact, by a k-d tree: near-linear in n where the rows have few columns, as those of a feature
 * space do. Rows of many columns make the tree useless, not wrong: it then looks at everything, in
 * time that grows with n^2. */
#ifndef DECANT_LINALG_NEIGHBOURS_H
#define DECANT_LINALG_NEIGHBOURS_H

#include "base/status.h"

/* For each row i: index[i * count ..] and distance (squared) of its nearest others, nearest first;
 * equal distances in order of index. Needs count < n. The same bytes for any number of threads. */
decant_status decant__neighbours_find(const float *x, size_t n, size_t d, size_t count, int threads,
                                      uint32_t *index, float *distance);

#endif
