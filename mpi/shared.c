#include "shared.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 64, PART = 1 << 16, TRIES = 2000 };

/* Of the barrier, in shared memory: apart, for those who wait read one of them all the time. */
typedef struct meeting {
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
} meeting;

static meeting *met;
static int own_rank, ranks;

/* A name that no other job has had. */
static int create(char *name, size_t bytes) {
    static unsigned number;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, NAME, "/decant-%ld-%lld-%ld-%u", (long)getpid(), (long long)now.tv_sec,
             now.tv_nsec, number++);
    int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0) return file;
    if (file >= 0) {
        close(file);
        shm_unlink(name);
    }
    name[0] = '\0';
    return -1;
}

/* Memory that was not reserved would be missed at its first use, by a signal. Each rank reserves
 * its own part, so that it is near its processor. */
static void *map(int file, size_t part) {
    if (file < 0) return NULL;
    if (posix_fallocate(file, (off_t)((size_t)own_rank * part), (off_t)part) != 0) return NULL;
    void *memory = mmap(NULL, (size_t)ranks * part, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* A part of so many bytes for each rank, in order, all 0; NULL, in all ranks, where one of them
 * cannot have it. */
static char *map_parts(size_t part) {
    char name[NAME] = "";
    int file = own_rank == 0 ? create(name, (size_t)ranks * part) : -1, mapped, all;
    MPI_Bcast(name, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (own_rank > 0 && name[0] != '\0') file = shm_open(name, O_RDWR, 0);
    void *memory = map(file, part);
    mapped = memory != NULL;
    MPI_Allreduce(&mapped, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (own_rank == 0 && name[0] != '\0') shm_unlink(name);
    if (file >= 0) close(file);
    if (memory != NULL && !all) munmap(memory, (size_t)ranks * part);
    return all ? memory : NULL;
}

int shared_start(int rank, int size) {
    /* For tests and measurements. */
    const char *wanted = getenv("DECANT_MPI_SHARED");
    int given = wanted == NULL || strcmp(wanted, "0") != 0, all;
    own_rank = rank;
    ranks = size;
    MPI_Allreduce(&given, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) met = (meeting *)(void *)map_parts(PART);
    return met != NULL;
}

/* The common vector is made of a piece of each rank's part; their own vectors follow it. */
void shared_new(const decant__comm *comm, size_t common, size_t each, decant__shared *shared) {
    size_t size = (size_t)comm->size, floats = PART / sizeof(float);
    size_t before = (common + size * floats - 1) / (size * floats) * floats * size;
    size_t own = (each + floats - 1) / floats * floats;
    size_t part = (before / size + own) * sizeof(float);
    float *memory = (float *)(void *)map_parts(part);
    if (memory == NULL) return;
    shared->memory = memory;
    shared->bytes = size * part;
    if (common > 0) shared->common = memory;
    for (size_t r = 0; each > 0 && r < size; r++) shared->of[r] = memory + before + r * own;
}

void shared_free(const decant__comm *comm, decant__shared *shared) {
    (void)comm;
    munmap(shared->memory, shared->bytes);
}

/* Who waits long sleeps, as in engine.c. MPI may still have something to send of what was given to
 * it, for which it needs a call from time to time. */
static void wait_for_round(unsigned before) {
    const struct timespec pause = {0, 10000};
    int arrived;
    MPI_Status status;
    for (int tries = 0; atomic_load_explicit(&met->round, memory_order_acquire) == before;
         tries++) {
        if (tries < TRIES) {
#ifdef __x86_64__
            __builtin_ia32_pause();
#endif
            continue;
        }
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &arrived, &status);
        nanosleep(&pause, NULL);
    }
}

void shared_barrier(void) {
    unsigned before = atomic_load_explicit(&met->round, memory_order_relaxed);
    if (atomic_fetch_add(&met->arrived, 1) + 1 < (unsigned)ranks) {
        wait_for_round(before);
        return;
    }
    atomic_store_explicit(&met->arrived, 0, memory_order_relaxed);
    atomic_fetch_add(&met->round, 1);
}
