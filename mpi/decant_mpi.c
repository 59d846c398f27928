/* decant-mpi: the program for a launcher, `mpirun -n 8 decant-mpi fit ...`. The same commands, the
 * same files, byte by byte; each process has a part of the rows (docs/architecture.md). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "read/read_own.h"
#include "engine.h"
#include "message.h"
#include "ranks.h"

static const decant__comm *comm;

static void share(void *bytes, size_t count) {
    if (decant__comm_agree(comm, DECANT_OK) == DECANT_OK)
        decant__comm_broadcast(comm, 0, bytes, count);
}

static void part(void) { decant__comm_use(decant__comm_alone()); }

/* A program that was built for another MPI than the launcher's is many programs of one process. */
static int launcher_is_ours(int size) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text != NULL && atoi(text) > 1 && size == 1) return 0;
    }
    return 1;
}

/* The last agreement. A rank that failed by itself has gone straight here, and the others learn of
 * it where they are. */
static int end_together(int code) {
    decant_status status = DECANT_OK;
    if (code != 0) status = decant__fail(DECANT_EINVAL, "%s", last_complaint());
    status = decant__comm_agree(comm, status);
    if (status == DECANT_OK || code != 0) return code;
    return complain_status(status);
}

static void print_traffic(void) {
    engine_traffic own = engine_count();
    if (getenv("DECANT_MPI_TRAFFIC") != NULL)
        fprintf(stderr, "rank %d: sent %.1f MB in sums, %.1f MB in all; waited %.2f s for sums\n",
                comm->rank, 1e-6 * (double)own.summed, 1e-6 * (double)own.all, own.seconds);
}

static int run_ranks(int argc, char **argv) {
    const cli_ranks ranks = {.rank = comm->rank,
                             .size = comm->size,
                             .share = share,
                             .read = decant__dataset_read_own,
                             .part = part};
    ranks_use(&ranks);
    decant__comm_use(comm);
    if (comm->rank > 0 && freopen("/dev/null", "w", stdout) == NULL) return EXIT_FAILED;
    int code = end_together(program_run(argc, argv));
    print_traffic();
    return code;
}

int main(int argc, char **argv) {
    int code = EXIT_USAGE, provided, rank, size;
    /* Where ranks share cores Open MPI would yield in every wait. Ours sleep, and are woken sooner.
     */
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comm = engine_start(provided >= MPI_THREAD_SERIALIZED);
    if (comm == NULL) {
        if (rank == 0) complain("%s", decant_last_error());
    } else if (!launcher_is_ours(size)) {
        complain(
            "the launcher started several processes, but each is alone: decant-mpi was built "
            "for another MPI than that of the launcher");
    } else {
        code = run_ranks(argc, argv);
    }
    MPI_Finalize();
    return code;
}
