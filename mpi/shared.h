/* Memory that all ranks of one host see (decant__shared of base/comm.h), and a barrier in it.
 *
 * By POSIX and not by MPI_Win_allocate_shared: room is reserved here before it is used, so that a
 * small /dev/shm, as containers have it, is noticed, and sums then go by messages; a window of
 * MPICH would end in SIGBUS. And a rank can leave by itself: freeing a window is a collective call.
 * Names are removed as soon as all ranks have opened them. */
#ifndef DECANT_MPI_SHARED_H
#define DECANT_MPI_SHARED_H

#include "base/comm.h"

/* All ranks of MPI_COMM_WORLD, which must be on one host. 0: there is no such memory. */
int shared_start(int rank, int size);

/* Those of decant__comm. */
void shared_new(const decant__comm *comm, size_t common, size_t each, decant__shared *shared);
void shared_free(const decant__comm *comm, decant__shared *shared);
void shared_barrier(void);

#endif
