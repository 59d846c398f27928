/* Which known class a cluster is said to be. */
#ifndef DECANT_RUN_CLASS_MATCH_H
#define DECANT_RUN_CLASS_MATCH_H

#include "base/status.h"

/* counts: k x classes. match[c]: with as many clusters as classes, the class of the best one-to-one
 * matching; else the most frequent class of the cluster, since a matching would call clusters by
 * classes that few of their rows have. -1: the cluster is empty, or has no partner. */
decant_status decant__class_match(const int32_t *clusters, const int32_t *labels, size_t n,
                                  size_t k, size_t classes, size_t *counts, int32_t *match);

#endif
