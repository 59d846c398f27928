/* The processes that make one fit together: each has a part of the rows, and what is not a part of
 * the rows is the same in all of them.
 *
 * A process is a rank, from 0; rank 0 is the leader, which alone writes files. All ranks call the
 * same functions in the same order. A program without others is a communicator of size 1, whose
 * functions do nothing: the library knows of no other. Who brings one (mpi/) says so before the
 * first fit.
 *
 * Sums have an order: x_0 .. x_R-1 of the ranks are added as the tree (x_0 + x_1) + (x_2 + x_3)
 * ..., so that with the trees of linalg/shards.h a sum over rows has the same bits for 1, 2, 4, 8
 * and 16 ranks. */
#ifndef DECANT_BASE_COMM_H
#define DECANT_BASE_COMM_H

#include "base/status.h"

enum { DECANT__MAX_RANKS = 16 };

/* The numbers begin .. end-1 of a vector. */
typedef struct decant__slice {
    size_t begin, end;
} decant__slice;

/* The slice of rank `rank` of `size`, of a vector of `count` numbers: a sum by halves leaves it
 * there. Bit 0 of the rank says which half of the vector it is in, bit 1 which half of that, and so
 * on. */
decant__slice decant__comm_slice(int rank, int size, size_t count);

/* Vectors in memory that all ranks see: those of one host. */
typedef struct decant__shared {
    float *common;                /* NULL: there is no such memory */
    float *of[DECANT__MAX_RANKS]; /* one of each rank; NULL: as above */
    void *memory;                 /* the engine's */
    size_t bytes;
} decant__shared;

/* What an engine provides; called only where size > 1, and only by the thread that began the fit.
 * An engine that loses a rank ends the process: there is no status. */
typedef struct decant__comm decant__comm;
struct decant__comm {
    int rank, size; /* size: a power of 2, at most DECANT__MAX_RANKS */
    const char *host;
    void *state;
    /* The sum over the ranks, the same in all. The floats may still be added while the caller goes
     * on; they are there, in order, when finish returns. */
    void (*begin_sum)(const decant__comm *comm, float *x, size_t count);
    void (*finish_sums)(const decant__comm *comm);
    /* 1: the engine would rather make a sum by these two, each of them half of its work. After the
     * first a rank has the sum of its slice (the rest of x is scratch); at the second each brings
     * its slice, and gets all. */
    int slices;
    void (*sum_slices)(const decant__comm *comm, float *x, size_t count);
    void (*share_slices)(const decant__comm *comm, float *x, size_t count);
    /* A common vector, and one of each rank, of so many floats (0: none); all of it in all ranks,
     * or nothing. NULL: an engine without such memory. Each rank frees its own view of it, when it
     * wants to. */
    void (*share)(const decant__comm *comm, size_t common, size_t each, decant__shared *shared);
    void (*unshare)(const decant__comm *comm, decant__shared *shared);
    /* For ranks that share: all have come here, and what they wrote before is seen. */
    void (*barrier)(const decant__comm *comm);
    void (*sum_doubles)(const decant__comm *comm, double *x, size_t count);
    void (*broadcast)(const decant__comm *comm, int root, void *bytes, size_t count);
    /* begin[0 .. size]: rank r brings the bytes begin[r] .. begin[r+1]-1, and gets all. */
    void (*gather)(const decant__comm *comm, void *bytes, const size_t *begin);
    /* How many ranks have failed != 0, and the lowest of them. Ranks may wait here for minutes. */
    int (*count_failed)(const decant__comm *comm, int failed, int *lowest);
};

/* The communicator of this process: of size 1 unless a program set another one. */
const decant__comm *decant__comm_world(void);
void decant__comm_use(const decant__comm *comm);

/* Again the one of size 1, as at the beginning: an agreement on a failure is forgotten. */
void decant__comm_reset(void);

/* The size of the largest one so far. */
int decant__comm_launched(void);

/* The one of size 1, for work that one rank does alone. */
const decant__comm *decant__comm_alone(void);

/* At fixed points, of which there is one before each exchange that could wait for ever: if any rank
 * failed, all fail with the sentence of the lowest such rank, with its number and host unless all
 * failed alike. From then on nothing is exchanged, and every further agreement says the same: ranks
 * may leave by different ways. */
decant_status decant__comm_agree(const decant__comm *comm, decant_status status);

/* EINVAL unless all ranks bring the same bytes; `what` is the subject of the sentence. */
decant_status decant__comm_same(const decant__comm *comm, const void *bytes, size_t count,
                                const char *what);

/* The functions of an engine, and nothing where there is one rank. */
void decant__comm_begin_sum(const decant__comm *comm, float *x, size_t count);
void decant__comm_finish_sums(const decant__comm *comm);
void decant__comm_sum_slices(const decant__comm *comm, float *x, size_t count);
void decant__comm_share_slices(const decant__comm *comm, float *x, size_t count);
void decant__comm_share(const decant__comm *comm, size_t common, size_t each,
                        decant__shared *shared);
void decant__comm_unshare(const decant__comm *comm, decant__shared *shared);
void decant__comm_barrier(const decant__comm *comm);
void decant__comm_sum_doubles(const decant__comm *comm, double *x, size_t count);
void decant__comm_broadcast(const decant__comm *comm, int root, void *bytes, size_t count);
void decant__comm_gather(const decant__comm *comm, void *bytes, const size_t *begin);

/* sum[0 .. count): the numbers from .. from+count-1 of the vectors of all `size` ranks, added up by
 * the tree. */
void decant__shared_sum(const decant__shared *shared, int size, size_t from, size_t count,
                        float *sum);

/* One rank after the other continues a computation whose order matters: work(context) gets what the
 * rank before left in these pieces of memory, and all ranks have the last one's in the end. A rank
 * that fails ends it for all. */
enum { DECANT__RELAY_PIECES = 6 };
typedef struct decant__relay {
    decant_status (*work)(void *context);
    void *context;
    struct {
        void *bytes; /* NULL: no such piece */
        size_t count;
    } piece[DECANT__RELAY_PIECES];
} decant__relay;
decant_status decant__comm_relay(const decant__comm *comm, const decant__relay *relay);

#endif
