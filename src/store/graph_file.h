/* A neighbour graph as a CSR file of its own, so that the next fit of the same rows need not look
 * for it: docs/format.md. */
#ifndef DECANT_STORE_GRAPH_FILE_H
#define DECANT_STORE_GRAPH_FILE_H

#include "cluster/graph.h"
#include "linalg/source.h"

/* What a graph belongs to: the rows as they are clustered. data_digest: of the rows as they were
 * read, used where the points are those rows, scaled. */
void decant__graph_digest(const decant__source *points, const uint64_t data_digest[2],
                          uint64_t digest[2]);

decant_status decant__graph_save(const decant__graph *graph, const char *path,
                                 const uint64_t digest[2], double recall);

/* Into a graph of as many neighbours as the file has, or fewer: then the nearest ones.
 * EINVAL if it belongs to other rows or has too few. */
decant_status decant__graph_load(decant__graph *graph, const char *path, const uint64_t digest[2],
                                 double *recall);

#endif
