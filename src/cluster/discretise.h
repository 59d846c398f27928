/* From eigenvectors to clusters.
 *
 * rotation (Yu and Shi, ICCV 2003): rows of unit length V, and the rotation R and indicator Y that
 * minimise ||Y - V R||^2 = 2 (n - sum of singular values of Y^T V), alternately: each row is
 * assigned to its largest entry of V R, then R is computed from the singular vectors of Y^T V. The
 * initial R is made of rows that are as orthogonal as possible. kmeans: on the rows of the
 * eigenvectors. */
#ifndef DECANT_CLUSTER_DISCRETISE_H
#define DECANT_CLUSTER_DISCRETISE_H

#include "cluster/method.h"

/* vectors: k x n, one eigenvector a row. unit: k-means, too, is on rows of unit length. Fills
 * found's labels, confidence, objective and converged. linear (k x k, then k offsets): the scores
 * of a row f of the eigenvectors are f linear + offsets, the largest being its cluster; may be
 * NULL. */
decant_status decant__discretise(const decant__task *task, const double *vectors, int unit,
                                 decant__clustering *found, double *linear);

#endif
