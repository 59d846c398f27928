/* The repulsive forces of t-SNE: the sums
 *
 *   Z     = sum_i sum_j!=i (1 + |y_i - y_j|^2)^-1
 *   F_i   = sum_j (1 + |y_i - y_j|^2)^-2 (y_i - y_j)
 *
 * of smooth kernels of the difference of two points. For few points, or a map that is large for
 * their number, all pairs are computed, in O(n^2). Else the time is proportional to n and the map's
 * area: as in FIt-SNE (Linderman, Rachh, Hoskins, Steinerberger and Kluger 2019) each point is
 * distributed to the nodes of a grid around it, the grid is convolved with the kernels by FFT, and
 * the result is interpolated at the points.
 *
 * Differences from FIt-SNE: the kernels of F are convolved directly, so that one charge (1 for
 * every point) is enough for all three sums: 4 transforms instead of 8, and no cancellation. And a
 * point uses the 4 x 4 nodes nearest to it (cubic Lagrange interpolation), so that a coarser grid
 * is enough. */
#ifndef DECANT_EMBED_REPULSION_H
#define DECANT_EMBED_REPULSION_H

#include "base/status.h"

typedef struct decant__repulsion decant__repulsion;

decant_status decant__repulsion_new(decant__repulsion **out, size_t n, int threads);
void decant__repulsion_free(decant__repulsion *r);

/* force_x, force_y (n each): F of the points at x, y; z: Z. The same bytes for any number of
 * threads. EDIVERGED where a coordinate is not finite. */
decant_status decant__repulsion_find(decant__repulsion *r, const float *x, const float *y,
                                     float *force_x, float *force_y, double *z);

#endif
