/* Graphs of very many rows: beyond 200 000, a row's neighbours are looked for among 50 000 rows
 * only, the landmarks, which are spread evenly over all, and not with certainty (LEAVES). So a
 * graph takes time and memory in proportion to the rows, and what looks at the graph as a whole
 * (communities, the judge of candidates.c) looks at the landmarks alone, in a time that no longer
 * grows. Landmarks are linked to landmarks, so that they are a graph of their own; every other row
 * follows those it is linked to.
 *
 * Landmark s is row floor(s n / count). */
#ifndef DECANT_DEC_LANDMARKS_H
#define DECANT_DEC_LANDMARKS_H

#include "dec/smooth.h"

/* How many there are for n rows of so many features; 0: none, all rows are in the graph. With too
 * many features for the search tree there are none. */
size_t decant__landmarks_count(size_t n, size_t width);

/* For tests: from more rows than `many` on, `count` landmarks; 0, 0: as ever. */
void decant__landmarks_set(size_t many, size_t count);

/* The row of landmark s, or n for s = count; and the first landmark that is not before a row. */
size_t decant__landmarks_row(size_t n, size_t count, size_t s);
size_t decant__landmarks_at(size_t n, size_t count, size_t row);

/* The graph of x (all rows x width), whose indices are rows; as decant__job_build_graph. */
decant_status decant__landmarks_build(decant__job *job, size_t count, decant__graph *graph,
                                      const float *x, size_t width, const decant__watch *watch);

/* The graph of the landmarks alone, whose indices are landmarks. thin: all zero. */
decant_status decant__landmarks_thin(const decant__graph *graph, size_t count, decant__graph *thin);

/* From the labels of all rows to those of the landmarks, and back: a row takes the label with the
 * largest weight among its neighbours, the lowest of equals. */
void decant__landmarks_take(const int32_t *labels, size_t n, size_t count, int32_t *taken);
decant_status decant__landmarks_give(const decant__graph *graph, size_t count, size_t k,
                                     const int32_t *taken, int32_t *labels);

/* The state's labels from those of the landmarks, taken, whose principal components are x: each of
 * the other rows by the nearest mean. */
decant_status decant__landmarks_label(decant__job *job, size_t count, decant__space x,
                                      const decant__watch *watch, const int32_t *taken);

#endif
