/* Shared by the files of k-means: chunks of rows, and the state of the starts that run at the same
 * time (slots). Private to src/cluster. */
#ifndef DECANT_CLUSTER_KMEANS_WORK_H
#define DECANT_CLUSTER_KMEANS_WORK_H

#include <math.h>

#include "base/random.h"
#include "cluster/kmeans.h"
#include "linalg/distance.h"
#include "linalg/product.h"

enum {
    DECANT__KMEANS_CHUNK = 128, /* max rows of a chunk: 128 x 784 floats are within a core's L2 */
    DECANT__KMEANS_SLOTS = 32,  /* max starts at once */

    /* Of every CYCLE starts by k-means++ the first FRESH are new, and the others change the best
     * result so far, in rounds. These numbers do not depend on how many starts there are: more
     * starts are the same ones and others. Fewer new ones miss minima that are more than one swap
     * away (pbmc68k_reduced, 765 columns: 0.60 % above the best known inertia with 8, 0.81 % with
     * 4), more of them take more time; rounds of 2 to 7 are alike. */
    DECANT__KMEANS_CYCLE = 20,
    DECANT__KMEANS_FRESH = 8,
    DECANT__KMEANS_ROUND = 4
};

/* Rows are divided into chunks, each processed by one thread, and into blocks of chunks, each
 * fetched once. Their sizes only depend on the data, never on the number of threads. */
typedef struct decant__cut {
    size_t n;
    size_t chunk;  /* rows; the last may have fewer */
    size_t chunks; /* in all */
    size_t block;  /* rows: whole chunks */
} decant__cut;

decant__cut decant__cut_rows(const decant__source *x);

/* Rows that the buffer of a block must hold: 0 if a fetch is only a pointer. */
size_t decant__cut_copied(const decant__source *x, const decant__cut *cut);

/* Threads to use: no more than there are chunks. */
int decant__cut_team(const decant__cut *cut, int requested);

/* Rows in chunk number c. */
static inline size_t decant__cut_count(const decant__cut *cut, size_t c) {
    size_t first = c * cut->chunk;
    return cut->n - first < cut->chunk ? cut->n - first : cut->chunk;
}

/* Chunk `number` of all: rows first .. first+n-1 of the block that was fetched. */
typedef struct decant__chunk {
    const decant__rows *rows;
    size_t first, n, number;
} decant__chunk;

/* A pass over all rows: block by block, each fetched once, and its chunks shared by the team. */
typedef struct decant__pass {
    const decant__source *x;
    const decant__cut *cut;
    decant__rows_buffer *buffer; /* of a block */
    void (*chunk)(void *context, const decant__chunk *chunk);
    /* Then, for a whole team: the block, which begins at row `at`. May be NULL. */
    void (*block)(void *context, const decant__rows *rows, size_t at);
    void *context;
    decant__cancel *cancel; /* asked before each chunk; NULL: it cannot be cancelled */
} decant__pass;

/* For a whole team. What it leaves behind when it is cancelled is of no use. */
void decant__pass_rows(const decant__pass *pass);

/* By a team of its own; fails when it is cancelled. */
decant_status decant__pass_run(const decant__pass *pass, int threads);

/* A row of the block whose label has just changed. */
typedef struct decant__kmeans_moved {
    uint32_t row; /* within the block */
    int32_t from; /* -1: none yet */
} decant__kmeans_moved;

/* One start. `group` is a run of `width` clusters that share a lower bound (see kmeans_bounds.c).
 */
typedef struct decant__kmeans_slot {
    size_t restart; /* its number among all starts */
    int done, converged;
    size_t iterations;
    int32_t *label;          /* n */
    float *upper;            /* n; during k-means++: squared distance to the nearest center */
    float *lower;            /* n x groups, stored chunk by chunk as groups x chunk rows */
    decant__centers centers; /* k */
    double *sum;             /* k x d: of the rows of each cluster */
    size_t *count;           /* k */
    size_t changed;          /* labels that changed since the centers moved */
    double *center_drift;    /* k: sum of the lengths of a center's steps */
    double *group_drift;     /* groups: sum over iterations of the longest step in the group */
    float *center_drift_f;   /* the same, rounded: what the loops over rows read */
    float *group_drift_f;
    float slack;                 /* rounding of the bounds, as a distance */
    decant__kmeans_moved *moved; /* block: filled chunk by chunk */
    size_t *moved_count;         /* chunks in a block */
} decant__kmeans_slot;

typedef struct decant__kmeans_work {
    const decant__source *x;
    const decant__kmeans_options *options;
    decant__cut cut;
    int threads;
    size_t k, groups, width; /* groups of width clusters, the last perhaps narrower */
    size_t candidates;       /* that each step of k-means++ tries */
    const decant__comm *comm;
    size_t batch; /* starts that run at the same time, by all ranks */
    size_t slots; /* those of this rank: every so many-th */
    decant__kmeans_slot *slot;
    decant__centers stack;      /* wide rows: slots x k, the memory behind all slots' centers */
    decant__centers trial;      /* k-means++: for each slot the last choice and its candidates */
    decant__rows_buffer block;  /* for a fetch by the team */
    decant__rows_buffer single; /* a chunk, for a fetch outside the team */
    float *scratch; /* threads x scratch_size: distances of a chunk, their errors, a product */
    size_t scratch_size, panel; /* panel: slots whose distances fit the scratch at once */
    double *potential;          /* chunks x slots x candidates: sums of k-means++ */
    double *chunk_value;        /* chunks */
    size_t *chunk_row;          /* chunks */
    double squares;             /* sum of |x|^2 */
    double min_move; /* tol times the mean variance of a column; known after iteration 1 */
    decant__cancel cancel;
} decant__kmeans_work;

/* The result of the best start so far. */
typedef struct decant__kmeans_best {
    float *centers; /* k x d */
    size_t *count;  /* k: rows of each cluster */
    decant__kmeans_info info;
    size_t finished; /* starts */
    size_t swaps;    /* that were tried on this result */
} decant__kmeans_best;

decant_status decant__kmeans_work_new(decant__kmeans_work *work, const decant__source *x,
                                      const decant__kmeans_options *options);
void decant__kmeans_work_free(decant__kmeans_work *work);

/* A slot's lower bounds of chunk c: groups x chunk. */
static inline float *decant__kmeans_lower(const decant__kmeans_work *work,
                                          const decant__kmeans_slot *slot, size_t c) {
    return slot->lower + c * work->cut.chunk * work->groups;
}

/* kmeans_start.c: chooses the centers of slots 0 .. count-1. */
decant_status decant__kmeans_start(decant__kmeans_work *work, size_t count);

/* kmeans_start.c: draws the last center of slots 0 .. count-1 as the last step of k-means++. All
 * their centers are set, the last one as a copy of another. */
decant_status decant__kmeans_draw_last(decant__kmeans_work *work, size_t count);

/* kmeans_swap.c: chooses the centers of slots 0 .. count-1 by changes of the best result, for k > 1
 * and k-means++. first: the number of the first start of the round, of all ranks. */
decant_status decant__kmeans_swap(decant__kmeans_work *work, const decant__kmeans_best *best,
                                  size_t first, size_t count);

/* Whether starts change the best result so far, and are not all new. */
static inline int decant__kmeans_swaps(const decant__kmeans_work *work) {
    return work->k > 1 && work->options->seeding == DECANT_SEEDING_PLUSPLUS;
}

/* kmeans_bounds.c: resets labels, sums and bounds; the slot's centers are the initial ones. */
void decant__kmeans_reset(const decant__kmeans_work *work, decant__kmeans_slot *slot);

/* kmeans_bounds.c: assigns each row to its nearest center in each slot that is not done, and
 * updates sum, count and changed. For a whole team. full: bounds are not used. */
void decant__kmeans_pass(decant__kmeans_work *work, size_t count, int full);

/* kmeans_bounds.c: moves the centers to the means. */
void decant__kmeans_move(const decant__kmeans_work *work, decant__kmeans_slot *slot);

/* kmeans_repair.c: gives an empty cluster of the slot, if there is one, the row farthest from its
 * center. */
decant_status decant__kmeans_repair(decant__kmeans_work *work, decant__kmeans_slot *slot);

/* The smallest of k distances, ties to the lower number; second: the smallest of the others. */
static inline size_t decant__kmeans_nearest(const float *distance, size_t k, float *second) {
    size_t best = 0;
    float min = distance[0], next = HUGE_VALF;
    for (size_t c = 1; c < k; c++) {
        if (distance[c] < min) {
            next = min;
            min = distance[c];
            best = c;
        } else if (distance[c] < next) {
            next = distance[c];
        }
    }
    *second = next;
    return best;
}

/* The error for data with fewer than k distinct rows. */
decant_status decant__kmeans_too_few(size_t k);

#endif
