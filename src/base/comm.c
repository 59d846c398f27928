#include "base/comm.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"

enum { SENTENCE = 1024, STRIP = 512 };

static const decant__comm alone = {.rank = 0, .size = 1, .host = ""};
static const decant__comm *world = &alone;

const decant__comm *decant__comm_world(void) { return world; }
const decant__comm *decant__comm_alone(void) { return &alone; }

/* What a rank that failed tells the others; status OK: none has. */
typedef struct failure {
    int32_t status;
    char host[64], sentence[SENTENCE];
} failure;

static _Thread_local failure agreed; /* of the thread that fits; ranks of a test are threads */
static int launched = 1;

int decant__comm_launched(void) { return launched; }

void decant__comm_use(const decant__comm *comm) {
    world = comm;
    if (world->size > launched) launched = world->size;
}

void decant__comm_reset(void) {
    world = &alone;
    launched = 1;
    agreed = (failure){.status = DECANT_OK};
}

decant__slice decant__comm_slice(int rank, int size, size_t count) {
    decant__slice own = {0, count};
    for (int bit = 1; bit < size; bit *= 2) {
        size_t middle = own.begin + (own.end - own.begin) / 2;
        if (rank & bit)
            own.begin = middle;
        else
            own.end = middle;
    }
    return own;
}

static decant_status tell_again(void) {
    return decant__fail((decant_status)agreed.status, "%s", agreed.sentence);
}

decant_status decant__comm_agree(const decant__comm *comm, decant_status status) {
    if (comm->size == 1) return status;
    if (agreed.status != DECANT_OK) return tell_again();
    int lowest, count = comm->count_failed(comm, status != DECANT_OK, &lowest);
    if (count == 0) return DECANT_OK;
    failure told = {.status = (int32_t)status};
    snprintf(told.host, sizeof told.host, "%s", comm->host);
    snprintf(told.sentence, sizeof told.sentence, "%s", decant_last_error());
    comm->broadcast(comm, lowest, &told, sizeof told);
    agreed = told;
    if (told.status != DECANT_ECANCELLED && count < comm->size)
        snprintf(agreed.sentence, sizeof agreed.sentence, "rank %d on %s: %.*s", lowest, told.host,
                 SENTENCE - 100, told.sentence);
    return tell_again();
}

decant_status decant__comm_same(const decant__comm *comm, const void *bytes, size_t count,
                                const char *what) {
    if (comm->size == 1) return DECANT_OK;
    char *first = decant__alloc_array(count, 1);
    decant_status status = decant__comm_agree(comm, first != NULL ? DECANT_OK : DECANT_ENOMEM);
    if (status == DECANT_OK) {
        memcpy(first, bytes, count);
        comm->broadcast(comm, 0, first, count);
        if (memcmp(first, bytes, count) != 0)
            status = decant__fail(DECANT_EINVAL,
                                  "%s here is not that of rank 0: all hosts must see the same "
                                  "files",
                                  what);
        status = decant__comm_agree(comm, status);
    }
    decant__free(first);
    return status;
}

void decant__comm_begin_sum(const decant__comm *comm, float *x, size_t count) {
    if (comm->size > 1) comm->begin_sum(comm, x, count);
}

void decant__comm_finish_sums(const decant__comm *comm) {
    if (comm->size > 1) comm->finish_sums(comm);
}

void decant__comm_sum_slices(const decant__comm *comm, float *x, size_t count) {
    if (comm->size > 1) comm->sum_slices(comm, x, count);
}

void decant__comm_share_slices(const decant__comm *comm, float *x, size_t count) {
    if (comm->size > 1) comm->share_slices(comm, x, count);
}

void decant__comm_share(const decant__comm *comm, size_t common, size_t each,
                        decant__shared *shared) {
    *shared = (decant__shared){0};
    if (comm->size > 1 && comm->share != NULL) comm->share(comm, common, each, shared);
}

void decant__comm_unshare(const decant__comm *comm, decant__shared *shared) {
    if (shared->memory != NULL) comm->unshare(comm, shared);
    *shared = (decant__shared){0};
}

void decant__comm_barrier(const decant__comm *comm) {
    if (comm->size > 1) comm->barrier(comm);
}

DECANT_CLONES
static void add_pair(const float *a, const float *b, size_t count, float *sum) {
    for (size_t i = 0; i < count; i++) sum[i] = a[i] + b[i];
}

void decant__shared_sum(const decant__shared *shared, int size, size_t from, size_t count,
                        float *sum) {
    float level[DECANT__MAX_RANKS / 2][STRIP]; /* sums of 2, 4, 8 ... ranks: within a core's L2 */
    for (size_t at = 0; at < count; at += STRIP) {
        size_t some = count - at < STRIP ? count - at : STRIP;
        for (int r = 0; r < size; r += 2)
            add_pair(shared->of[r] + from + at, shared->of[r + 1] + from + at, some,
                     size == 2 ? sum + at : level[r / 2]);
        for (int step = 1; 2 * step < size; step *= 2)
            for (int p = 0; p < size / 2; p += 2 * step)
                add_pair(level[p], level[p + step], some, 4 * step == size ? sum + at : level[p]);
    }
}

void decant__comm_sum_doubles(const decant__comm *comm, double *x, size_t count) {
    if (comm->size > 1) comm->sum_doubles(comm, x, count);
}

void decant__comm_broadcast(const decant__comm *comm, int root, void *bytes, size_t count) {
    if (comm->size > 1) comm->broadcast(comm, root, bytes, count);
}

void decant__comm_gather(const decant__comm *comm, void *bytes, const size_t *begin) {
    if (comm->size > 1) comm->gather(comm, bytes, begin);
}

decant_status decant__comm_relay(const decant__comm *comm, const decant__relay *relay) {
    if (comm->size == 1) return relay->work(relay->context);
    for (int r = 0; r < comm->size; r++) {
        decant_status status = comm->rank == r ? relay->work(relay->context) : DECANT_OK;
        status = decant__comm_agree(comm, status);
        if (status != DECANT_OK) return status;
        for (int p = 0; p < DECANT__RELAY_PIECES; p++)
            if (relay->piece[p].bytes != NULL)
                comm->broadcast(comm, r, relay->piece[p].bytes, relay->piece[p].count);
    }
    return DECANT_OK;
}
