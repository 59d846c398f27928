/* Under a launcher (mpi/) several processes, the ranks, run the same command: rank 0 speaks and
 * writes, and decides what depends on the disk. Without one there is rank 0 alone. */
#ifndef DECANT_CLI_RANKS_H
#define DECANT_CLI_RANKS_H

#include "decant/decant.h"

typedef struct cli_ranks {
    int rank, size;
    /* What rank 0 has in `bytes` is then in all ranks. */
    void (*share)(void *bytes, size_t count);
    /* decant_dataset_read for a fit by all ranks: each keeps its rows. */
    decant_status (*read)(const char *const *paths, size_t path_count,
                          const decant_read_options *options, const decant_monitor *monitor,
                          decant_dataset **out);
    /* From now on each rank works by itself: rank 0 at the report, the others at nothing. */
    void (*part)(void);
} cli_ranks;

void ranks_use(const cli_ranks *ranks); /* NULL: one alone */
int ranks_size(void);
int is_leader(void);

/* The code of rank 0. */
int ranks_share_code(int code);
void ranks_share(void *bytes, size_t count);
decant_status ranks_read(const char *const *paths, size_t path_count,
                         const decant_read_options *options, const decant_monitor *monitor,
                         decant_dataset **out);
void ranks_part(void);

#endif
