/* A neighbour graph as a CSR file, so that the next fit of the same rows need not compute it:
 * docs/format.md. */
#ifndef DECANT_STORE_GRAPH_FILE_H
#define DECANT_STORE_GRAPH_FILE_H

#include "cluster/graph.h"
#include "linalg/source.h"

/* The digest of the points that a graph belongs to. data_digest: of the rows as they were read; it
 * is used if the points are those rows, scaled. */
void decant__graph_digest(const decant__source *points, const uint64_t data_digest[2],
                          uint64_t digest[2]);

decant_status decant__graph_save(const decant__graph *graph, const char *path,
                                 const uint64_t digest[2], double recall);

/* Reads graph->count neighbours of each row: the nearest ones, if the file has more.
 * EINVAL if the file belongs to other rows or has too few neighbours. */
decant_status decant__graph_load(decant__graph *graph, const char *path, const uint64_t digest[2],
                                 double *recall);

#endif
