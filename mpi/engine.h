/* The communicator of src/base/comm.h by MPI.
 *
 * Sums do not go through MPI_Allreduce, whose order is its own: a vector is halved with rank ^ 1,
 * the halves with rank ^ 2 and so on, each rank adding its partner's part to its own; then the sums
 * travel back. That is the tree of comm.h, and each rank sends about twice the vector, however many
 * there are. */
#ifndef DECANT_MPI_ENGINE_H
#define DECANT_MPI_ENGINE_H

#include "base/comm.h"

/* After MPI_Init_thread. takes_turns: threads may call MPI one at a time, so that sums between
 * hosts are added while the caller goes on. NULL, with a sentence, where the number of ranks is not
 * 1, 2, 4, 8 or 16. */
const decant__comm *engine_start(int takes_turns);

/* Bytes that this rank has sent in sums, and in all. */
typedef struct engine_traffic {
    unsigned long long summed, all;
    double seconds; /* that the caller has waited for sums */
} engine_traffic;
engine_traffic engine_count(void);

#endif
